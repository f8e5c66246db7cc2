"""What the demo sessions say: a small team's month with a tide-forecast service, all invented."""

from __future__ import annotations

from recall_tui.demo.story import Agent, Compact, Edit, Read, Run, Say, Story, User

HOME = "/home/mira/src/tidewatch"

_DUMMY_TOKEN = "ghp_" + "x7Qm2Zk9Lw4Rt8Vb1Nc6Hd3Js5Pf0Gy2Ka9e"
"""Looks like a token and is none: it shows that a secret never reaches the index or the screen."""

_PYTEST_FAIL = """\
============================= test session starts ==============================
collected 42 items

tests/test_forecast.py ....F...............                              [ 47%]
tests/test_stations.py ......................                            [100%]

=================================== FAILURES ===================================
________________________ test_high_tide_across_dst_change ______________________

    def test_high_tide_across_dst_change():
        tide = forecast("ESBJERG", day=date(2026, 10, 25))
>       assert tide.high.isoformat() == "2026-10-25T03:12:00+01:00"
E       AssertionError: assert '2026-10-25T04:12:00+01:00' == '2026-10-25T03:12:00+01:00'

tests/test_forecast.py:88: AssertionError
=========================== short test summary info ============================
FAILED tests/test_forecast.py::test_high_tide_across_dst_change
========================= 1 failed, 41 passed in 2.31s =========================
"""

_PROFILE = "\n".join(
    [
        "         8412907 function calls (8398112 primitive calls) in 14.203 seconds",
        "",
        "   Ordered by: cumulative time",
        "",
        "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)",
        "        1    0.004    0.004   14.203   14.203 render.py:12(render_tile)",
        "     4096    1.901    0.000   11.870    0.003 contour.py:77(smooth)",
        "  2097152    8.440    0.000    8.440    0.000 contour.py:91(weight)",
    ]
    + [
        f"   {4096 - n:6d}    0.{n % 10:03d}    0.000    0.{n % 97:03d}    0.000 "
        f"numpy/lib/stride_tricks.py:{100 + n}(as_strided)"
        for n in range(180)
    ]
)

_DST = (
    User(
        "Since Sunday every high tide in Esbjerg is one hour late on the site. Here is what a "
        "visitor sent me:",
        picture="esbjerg-one-hour-late.png",
    ),
    Say(
        "That Sunday the clocks went back. I will look for a place where a local time is computed "
        "from a naive one, and reproduce it in a test first."
    ),
    Agent(
        "Find naive datetimes",
        "Search the code for datetimes that are created or compared without a time zone. Report "
        "file and line, and what each is used for. Do not edit anything.",
        (
            Run(
                "rg -n 'datetime\\.(now|fromtimestamp|utcnow)\\(' src",
                "src/tidewatch/forecast.py:41:    start = datetime.fromtimestamp(epoch)\n"
                "src/tidewatch/export.py:19:    stamp = datetime.utcnow()\n"
                "src/tidewatch/cache.py:63:    now = datetime.now()",
            ),
            Read(
                "src/tidewatch/forecast.py",
                "    38  def forecast(station, day):\n"
                "    39      harmonics = load(station)\n"
                "    40      epoch = midnight(day)\n"
                "    41      start = datetime.fromtimestamp(epoch)\n"
                "    42      offset = station_zone(station).utcoffset(start)",
            ),
            Say(
                "Three places. `forecast.py:41` is the fault: `fromtimestamp` without a zone gives "
                "the server's local time, and the offset is then taken for the wrong instant. "
                "`export.py:19` only names files. `cache.py:63` compares with itself, harmless."
            ),
        ),
    ),
    Run("pytest -q tests/test_forecast.py", _PYTEST_FAIL, ok=False, seconds=2.6),
    Edit(
        f"{HOME}/src/tidewatch/forecast.py",
        "    start = datetime.fromtimestamp(epoch)\n"
        "    offset = station_zone(station).utcoffset(start)\n",
        "    start = datetime.fromtimestamp(epoch, tz=UTC)\n"
        "    local = start.astimezone(station_zone(station))\n",
    ),
    Run("pytest -q", "42 passed in 2.12s", seconds=2.4),
    Say(
        "Fixed, and 42 tests pass.\n\n"
        "**Decision:** times are UTC inside, and become local only where a person reads them "
        "(`render.py`, `export.py`).\n\n"
        "**Why:** a local time is ambiguous for one hour a year, and the harmonic model counts "
        "hours from an epoch. Converting early lost that hour.\n\n"
        "| place | before | after |\n| --- | --- | --- |\n"
        "| forecast | local, naive | UTC |\n| export | UTC, naive | UTC, aware |"
    ),
    User("Good. Write that decision down in docs/decisions.md with the reason."),
    Edit(
        f"{HOME}/docs/decisions.md",
        "",
        "## 14. Times are UTC inside\n\nLocal times exist only at the edges. A local hour is "
        "ambiguous once a year; we lost it on 25 October.\n",
    ),
    Say("Written as decision 14."),
)

STORIES: tuple[Story, ...] = (
    Story(
        "claude",
        "dst",
        "High tide is one hour late after the clock change",
        HOME,
        "fix/dst-offset",
        2.2,
        _DST,
        "claude-sonnet-4-5",
    ),
    Story(
        "claude",
        "dst-fork",
        "Backport the clock fix to 0.3",
        HOME,
        "release/0.3",
        1.1,
        (
            User("Backport exactly that fix to the release/0.3 branch, nothing else."),
            Run(
                "git cherry-pick -x 4be1d02",
                "[release/0.3 91c2f7e] Times are UTC inside the forecast\n 1 file changed",
            ),
            Say("Cherry-picked as 91c2f7e; the tests of 0.3 pass as well."),
        ),
        "claude-sonnet-4-5",
        fork_of="dst",
    ),
    Story(
        "claude",
        "live",
        "",
        HOME,
        "feat/alerts",
        0.1,
        (
            User("Add an alert when the water is forecast above the quay: mail first, no SMS yet."),
            Say("I will put the threshold beside the station, so that each harbour has its own."),
            Run(
                "rg -n quay_level src", "src/tidewatch/stations.py:27:    quay_level: float | None"
            ),
            Say(
                "The level is there already. Next: a nightly check that queues one mail a harbour."
            ),
        ),
        "claude-sonnet-4-5",
        torn=True,
    ),
    Story(
        "claude",
        "tiles",
        "Tile rendering takes 14 seconds",
        HOME,
        "perf/tiles",
        27,
        (
            User(
                "Rendering one map tile takes 14 seconds. Profile it and make it fast enough for "
                "a page load."
            ),
            Run(
                "python -m cProfile -s cumulative -m tidewatch.render 7/67/40",
                _PROFILE,
                seconds=15.1,
            ),
            Say(
                "Nearly all of it is `contour.weight`, called two million times from `smooth`: one "
                "Python call a pixel. The weights depend only on the distance, so a table of 64 "
                "entries replaces them."
            ),
            Edit(
                f"{HOME}/src/tidewatch/contour.py",
                "    return sum(weight(d) * v for d, v in ring)\n",
                "    return float(WEIGHTS[: len(ring)] @ ring)\n",
            ),
            Run(
                "python -m tidewatch.render 7/67/40 --time",
                "ImportError: cannot import name 'WEIGHTS' from 'tidewatch.weights'",
                ok=False,
            ),
            Compact(
                "The user wants one tile below 200 ms. Cause: contour.weight is called per "
                "pixel. A table WEIGHTS is being introduced in contour.py; the import was "
                "wrong and must come from the same module."
            ),
            Run("python -m tidewatch.render 7/67/40 --time", "rendered 7/67/40 in 0.171 s"),
            Say(
                "171 ms instead of 14.2 s. The picture is the same to the last bit; I compared the "
                "two files."
            ),
        ),
        "claude-opus-4-1",
    ),
    Story(
        "codex",
        "budget",
        "fix token budget",
        "/home/mira/src/assistant",
        "main",
        49,
        (
            User("how big is the context window of the new model?"),
            Say(
                "The context window is 400k tokens, but the client cuts at 272k because the rest "
                "is kept for the answer. I will check where our own limit comes from."
            ),
            Run(
                "rg -n context_window src",
                "src/limits.py:14:context_window = 200_000\nsrc/limits.py:15:reserve = 8_000",
            ),
            Edit("src/limits.py", "context_window = 200_000\n", "context_window = 272_000\n"),
            Run("pytest -q tests/test_limits.py", "9 passed in 0.41s"),
            Say(
                "The budget is now 272k with 8k in reserve. It was still the number of the old "
                "model."
            ),
        ),
        "gpt-5-codex",
    ),
    Story(
        "codex",
        "release",
        "Wheel misses the stylesheet",
        HOME,
        "release/0.4",
        240,
        (
            User(
                f"The upload step fails. I run it like this:\n\ncurl -H 'Authorization: token "
                f"{_DUMMY_TOKEN}' https://api.example.org/upload"
            ),
            Say(
                "The upload is refused because the wheel is incomplete: the stylesheet is not in "
                "it. (And please revoke that token: it is in this transcript now.)"
            ),
            Run(
                "python -m zipfile -l dist/tidewatch-0.4-py3-none-any.whl | grep -c '\\.css'",
                "0",
                ok=False,
            ),
            Edit(
                "pyproject.toml",
                'packages = ["tidewatch"]\n',
                'packages = ["src/tidewatch"]\nartifacts = ["*.css"]\n',
            ),
            Run("hatch build && python -m zipfile -l dist/*.whl | grep -c '\\.css'", "3"),
            Say(
                "The command that fixed it: `hatch build` after naming the folder under `src/`. "
                "All three stylesheets are in the wheel."
            ),
        ),
        "gpt-5-codex",
    ),
    Story(
        "pi",
        "queue",
        "Queue: Redis streams or Postgres",
        HOME,
        "main",
        122,
        (
            User(
                "We need a queue for the nightly mails. Redis streams or SELECT ... FOR UPDATE "
                "SKIP LOCKED in Postgres?"
            ),
            Say(
                "Take Postgres. We already run it, a mail and its row commit together, and 5,000 "
                "mails a night are nothing. Redis would be one more thing to back up."
            ),
            User("Show me the worker's query."),
            Say(
                "```sql\nDELETE FROM mail WHERE id = (\n  SELECT id FROM mail ORDER BY due\n"
                "  FOR UPDATE SKIP LOCKED LIMIT 1\n) RETURNING *;\n```\n"
                "One row a transaction; a crashed worker's row comes back by itself."
            ),
            Run(
                "psql -c 'EXPLAIN DELETE FROM mail ...'",
                "Delete on mail  (cost=0.42..8.44 rows=1 width=6)",
            ),
        ),
        "claude-sonnet-4-5",
        branches=(
            (
                User("What if we had to send 5 million?"),
                Say("Then streams with consumer groups, and one Postgres row a batch."),
            ),
        ),
    ),
    Story(
        "opencode",
        "csv",
        "导出 CSV 在 Excel 里乱码",
        HOME,
        "fix/export",
        30,
        (
            User("导出的 CSV 用 Excel 打开,中文站名全部乱码。请修复,并加一个测试。"),
            Say(
                "Excel 不会自动识别没有 BOM 的 UTF-8。"
                "我把导出改成 `utf-8-sig`,这样旧版本也能正确打开。"
            ),
            Run("rg -n 'open\\(.*csv' src", "src/tidewatch/export.py:52: open(path, 'w')"),
            Edit(
                f"{HOME}/src/tidewatch/export.py",
                "open(path, 'w')",
                "open(path, 'w', encoding='utf-8-sig', newline='')",
            ),
            Run("pytest -q tests/test_export.py", "6 passed in 0.33s"),
            Say("已修复:文件以 BOM 开头,测试检查了「青岛」和「厦门」两个站名。✅"),
        ),
        "glm-4.6",
    ),
    Story(
        "gemini",
        "shortcuts",
        "",
        HOME,
        "",
        480,
        (
            User("地図画面のキーボードショートカットを設定できるようにしてください。"),
            Say("設定ファイル `keys.toml` を読み込み、衝突があれば起動時に知らせるようにします。"),
            Run("pytest -q tests/test_keys.py", "4 passed in 0.20s"),
            Say(
                "`j` と `k` で駅を移動し、`/` で検索できます。👩‍💻 設定例を README に追加しました。"
            ),
        ),
        "gemini-2.5-pro",
    ),
    Story(
        "copilot",
        "flaky",
        "Flaky test: port already in use",
        HOME,
        "ci/flaky",
        190,
        (
            User("test_server_starts fails about once a week in CI. Find out why."),
            Run("grep -rn 8080 tests", "tests/test_server.py:11: server = start(port=8080)"),
            Say("Two jobs on one runner both want port 8080. A port of 0 lets the system choose."),
            Edit("tests/test_server.py", "start(port=8080)", "start(port=0)"),
            Run(
                "for i in $(seq 50); do pytest -q tests/test_server.py || break; done",
                "OSError: [Errno 98] Address already in use",
                ok=False,
                seconds=31,
            ),
            Read("tests/test_server.py", "11: server = start(port=0)\n12: client = Client(8080)"),
            Say("The client still had the old number. Both now take the port the server reports."),
            Run(
                "for i in $(seq 50); do pytest -q tests/test_server.py || break; done",
                "1 passed in 0.51s",
                seconds=29,
            ),
        ),
        "gpt-5",
    ),
)
