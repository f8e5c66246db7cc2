"""The same session reads the same from every layout, and from wherever the root points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_tui.harnesses.base import Parsed, Source
from recall_tui.harnesses.opencode import OpenCode
from recall_tui.model import Gap, Kind, SessionKind
from tests.harnesses.opencode import build

HARNESS = OpenCode()
PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGM4YSOHFTEM"
    "LQkAfuxIgWg0Cn0AAAAASUVORK5CYII="
)


def found(root: Path) -> list[Source]:
    gaps: list[Gap] = []
    sources = sorted(HARNESS.discover(str(root), gaps), key=lambda s: s.native_id)
    assert gaps == []
    return sources


def read(source: Source) -> list[Parsed]:
    return list(HARNESS.open(source))


def sample() -> build.Session:
    session = build.Session()
    session.user(
        "fix the token budget",
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "file", "mime": "image/png", "filename": "shot.png", "url": PNG},
    )
    session.agent(
        {"type": "step-start", "snapshot": "abc"},
        {"type": "reasoning", "text": "zzthinking"},
        build.tool(output="total 0\n", metadata={"exit": 0}),
        build.tool("read", output="Image read", attachments=[{"mime": "image/png", "url": PNG}]),
        "The budget is fixed.",
        {"type": "step-finish", "reason": "stop"},
    )
    return session


def write_all(root: Path, session: build.Session) -> dict[str, Path]:
    return {
        "rows": build.store(root / "rows" / "opencode.db", session),
        "tree": build.tree(root / "tree" / "storage", session),
        "old tree": build.old_tree(root / "old" / "project" / "slug", session),
        "global old tree": build.old_tree(root / "oldest", session),
        "export": build.export(root / "export" / "talk.json", session),
    }


def test_every_layout_gives_the_same_session(tmp_path: Path) -> None:
    session = sample()
    readings = {}
    for name, path in write_all(tmp_path, session).items():
        (source,) = found(path)
        transcript = HARNESS.open(source)
        messages = list(transcript)
        assert source.native_id == session.id, name
        assert source.part == (session.id if name == "rows" else "")
        assert (transcript.unparsed, dict(transcript.unknown)) == (0, {})
        assert transcript.checkpoint is None
        readings[name] = (messages, transcript.facts)
    first = readings.pop("rows")
    assert len(first[0]) == 7
    for name, reading in readings.items():
        assert reading == first, name


def test_the_ids_of_records_are_the_programs_own(tmp_path: Path) -> None:
    session = sample()
    (source,) = found(build.store(tmp_path / "opencode.db", session))
    (asked, given), (answered, pieces) = session.messages
    prompt, injected, call, result, _, _, answer = read(source)
    assert prompt.record == asked["id"]
    assert injected.record == given[1]["id"]
    assert call.record == pieces[2]["id"]
    assert result.record.startswith(call.record)
    assert result.record != call.record
    assert answer.record == pieces[4]["id"]
    assert answered["id"] not in {m.record for m in read(source)}


@pytest.mark.parametrize("up", range(4))
def test_a_root_may_be_any_folder_above(tmp_path: Path, up: int) -> None:
    home = tmp_path / "home" / ".local" / "share" / "opencode"
    one, two = build.Session("one"), build.Session("two")
    one.user("in the store")
    two.user("in the tree")
    build.store(home / "opencode.db", one)
    build.tree(home / "storage", two)
    root = [home, *home.parents][up]
    sources = found(root)
    assert [(s.native_id, s.root) for s in sources] == [
        ("ses_one", str(root)),
        ("ses_two", str(root)),
    ]


@pytest.mark.parametrize("place", ["storage", "storage/session", "storage/session/global"])
def test_a_root_may_lie_inside_the_tree(tmp_path: Path, place: str) -> None:
    session = build.Session()
    session.user("hello")
    build.tree(tmp_path / "storage", session)
    (source,) = found(tmp_path / place)
    assert [m.text for m in read(source)] == ["hello"]


def test_channels_and_the_fork_of_the_program_are_stores_too(tmp_path: Path) -> None:
    for name in ("opencode-dev.db", "kilo.db"):
        session = build.Session(name.replace(".", ""))
        session.user("hello")
        build.store(tmp_path / name, session)
    assert [s.native_id for s in found(tmp_path)] == ["ses_kilodb", "ses_opencode-devdb"]


def test_a_store_is_known_by_its_tables(tmp_path: Path) -> None:
    session = build.Session()
    session.user("hello")
    copy = build.store(tmp_path / "backup.sqlite", session)
    other = tmp_path / "other.db"
    import sqlite3

    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE session(id text)")
    connection.close()
    assert [s.native_id for s in found(tmp_path)] == ["ses_one"]
    assert HARNESS.recognise(str(copy), copy.read_bytes()[:65536])
    assert not HARNESS.recognise(str(other), other.read_bytes()[:65536])


def test_files_are_recognised_by_content(tmp_path: Path) -> None:
    session = sample()
    for name, path in write_all(tmp_path, session).items():
        assert HARNESS.recognise(str(path), path.read_bytes()[:65536]), name
    plain = build.write(tmp_path / "x.json", {"info": {"id": "123"}, "messages": []})
    assert not HARNESS.recognise(str(plain), plain.read_bytes())


def test_bulk_folders_are_not_entered_and_secrets_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recall_tui.harnesses.opencode import places

    session = build.Session()
    session.user("hello")
    build.tree(tmp_path / "storage", session)
    build.export(tmp_path / "snapshot" / "deep" / "inside.json", build.Session("hidden"))
    build.export(tmp_path / "storage" / "part" / "deep" / "inside.json", build.Session("bulk"))
    build.write(tmp_path / "auth.json", {"acme": {"key": "k"}})
    (tmp_path / "storage" / "session" / "global" / "folder.json").mkdir()
    opened: list[str] = []
    head = places.first_bytes

    def watched(path: str, size: int = 4096) -> bytes:
        opened.append(Path(path).name)
        return head(path, size)

    monkeypatch.setattr(places, "first_bytes", watched)
    assert [s.native_id for s in found(tmp_path)] == ["ses_one"]
    assert "auth.json" not in opened
    assert "inside.json" not in opened


def test_a_session_without_messages_yields_none(tmp_path: Path) -> None:
    session = build.Session()
    build.store(tmp_path / "opencode.db", session)
    (source,) = found(tmp_path)
    assert read(source) == []
    assert source.size == 0


def test_a_tree_session_is_dated_by_its_newest_part(tmp_path: Path) -> None:
    import os

    session = build.Session()
    session.user("hello")
    session.agent("first words")
    build.tree(tmp_path / "storage", session)
    (before,) = found(tmp_path)
    message, parts = session.messages[1]
    part = tmp_path / "storage" / "part" / message["id"] / f"{parts[0]['id']}.json"
    part.write_text(json.dumps(parts[0] | {"text": "first words and more"}), "utf-8")
    later = before.mtime_ns + 5_000_000_000
    os.utime(part, ns=(later, later))
    (after,) = found(tmp_path)
    assert after.mtime_ns == later
    assert after.size == before.size + len(" and more")


def test_parts_without_a_folder_are_found(tmp_path: Path) -> None:
    session = build.Session()
    session.user("in its folder")
    build.tree(tmp_path / "storage", session)
    message_id = session.user("beside")
    message, (part,) = session.messages[1]
    build.write(tmp_path / "storage" / "message" / session.id / f"{message_id}.json", message)
    build.write(tmp_path / "storage" / "part" / "loose.json", part)
    (source,) = found(tmp_path)
    assert [m.text for m in read(source)] == ["in its folder", "beside"]


@pytest.mark.contract("X-9")
@pytest.mark.parametrize("wrong", ["../../../outside", "..", "a/../../../outside", "\0"])
def test_an_id_does_not_lead_out_of_the_tree(tmp_path: Path, wrong: str) -> None:
    session = build.Session()
    session.user("hello")
    build.tree(tmp_path / "home" / "storage", session)
    build.write(tmp_path / "outside" / "secret.json", {"type": "text", "text": "zzsecret"})
    build.write(tmp_path / "home" / "storage" / "secret.json", {"type": "text", "text": "zzsecret"})
    message = session.messages[0][0]
    name = f"{message['id']}.json"
    folder = tmp_path / "home" / "storage" / "message" / session.id
    build.write(folder / name, message | {"id": wrong})
    (source,) = found(tmp_path / "home")
    assert "zzsecret" not in repr(read(source))
    info = tmp_path / "home" / "storage" / "session" / "global" / "ses_other.json"
    build.write(info, {"id": wrong})
    assert len(found(tmp_path / "home")) == 2


def test_messages_of_mid_2025_hold_their_parts(tmp_path: Path) -> None:
    """The first form: `parts` in the message, names under `metadata`."""
    base = tmp_path / "storage" / "session"
    build.write(
        base / "info" / "ses_old.json",
        {"id": "ses_old", "title": "Old", "version": "0.1.1", "time": {"created": build.START}},
    )
    times = {"created": build.START + 1000, "completed": build.START + 9000}
    build.write(
        base / "message" / "ses_old" / "msg_1.json",
        {
            "id": "msg_1",
            "role": "user",
            "parts": [{"type": "text", "text": "list the files"}],
            "metadata": {"time": {"created": build.START}, "sessionID": "ses_old", "tool": {}},
        },
    )
    invocation = {"toolCallId": "c1", "toolName": "bash", "args": {"command": "ls"}}
    build.write(
        base / "message" / "ses_old" / "msg_2.json",
        {
            "id": "msg_2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "tool-invocation",
                    "toolInvocation": invocation | {"state": "result", "result": "a.txt"},
                },
                {"type": "text", "text": "One file."},
            ],
            "metadata": {
                "time": times,
                "tool": {"c1": {"title": "ls", "time": {"start": build.START + 2000,
                                                        "end": build.START + 2500}}},
                "assistant": {
                    "modelID": "acme-1",
                    "path": {"cwd": "/old/demo", "root": "/old/demo"},
                    "cost": 0.5,
                    "tokens": {"input": 3, "output": 2, "reasoning": 0},
                },
            },
        },
    )  # fmt: skip
    (source,) = found(tmp_path)
    transcript = HARNESS.open(source)
    prompt, call, result, answer = list(transcript)
    assert (prompt.kind, prompt.text, prompt.time_ms) == (
        Kind.PROMPT,
        "list the files",
        build.START,
    )
    assert (call.text, call.tool, call.call) == ("ls", "bash", "c1")
    assert (result.text, result.duration_ms) == ("a.txt", 500)
    assert (answer.text, answer.model) == ("One file.", "acme-1")
    facts = transcript.facts
    assert (facts.cwd, facts.cost_usd, facts.tokens_in) == ("/old/demo", 0.5, 3)
    assert facts.kind is SessionKind.MAIN


def test_the_edits_the_plugin_noted_down_are_marked(tmp_path: Path) -> None:
    asked = {"filePath": "f", "oldString": "a", "newString": "b"}
    path = tmp_path / "ses_copy.jsonl"
    line = {"type": "tool_use", "timestamp": "2026-01-11T02:44:06.000Z", "tool_name": "edit"}
    line["tool_input"] = asked
    path.write_text(json.dumps(line) + "\n", "utf-8")
    (source,) = found(tmp_path)
    (call,) = HARNESS.open(source)
    assert call.changes == (3, 1, 1, 1)


def test_what_the_plugin_noted_down(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "timestamp": "2026-01-11T02:44:04.249Z", "content": ""},
        {"type": "user", "timestamp": "2026-01-11T02:44:05.000Z", "content": "look at the logs"},
        {
            "type": "tool_use",
            "timestamp": "2026-01-11T02:44:06.000Z",
            "tool_name": "bash",
            "tool_input": {"command": "tail log"},
        },
        {
            "type": "tool_result",
            "timestamp": "2026-01-11T02:44:07.000Z",
            "tool_name": "bash",
            "tool_input": {"command": "tail log"},
            "tool_output": {"output": "all well", "exit": 1, "description": "tail"},
        },
        {"type": "novelty", "timestamp": "2026-01-11T02:44:08.000Z"},
    ]
    path = tmp_path / "ses_copy.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (source,) = found(tmp_path)
    assert source.native_id == "ses_copy"
    transcript = HARNESS.open(source)
    prompt, call, result = list(transcript)
    assert (prompt.kind, prompt.text) == (Kind.PROMPT, "look at the logs")
    assert (call.kind, call.text) == (Kind.TOOL_CALL, "tail log")
    assert (result.kind, result.text, result.failed) == (Kind.TOOL_RESULT, "all well", True)
    assert transcript.unknown == {"type novelty": 1}


def test_roots_honour_xdg_and_prefer_the_programs_own_store(home: Path) -> None:
    (home / ".claude" / "transcripts").mkdir(parents=True)
    own = home / ".local" / "share" / "opencode"
    copies = str(home / ".claude" / "transcripts")
    assert HARNESS.roots({}, str(home)) == [str(own), copies]
    own.mkdir(parents=True)
    assert HARNESS.roots({}, str(home)) == [str(own)]
    assert HARNESS.roots({"XDG_DATA_HOME": "/data"}, str(home)) == ["/data/opencode", copies]
    assert HARNESS.roots({"XDG_DATA_HOME": "relative"}, str(home)) == [str(own)]
    kilo = own.with_name("kilo")
    kilo.mkdir()
    env = {"OPENCODE_DB": "/stores/mine.db"}
    assert HARNESS.roots(env, str(home)) == [str(own), "/stores/mine.db", str(kilo)]
    assert HARNESS.roots({"OPENCODE_DB": ":memory:"}, str(home)) == [str(own), str(kilo)]


def test_discovery_needs_no_decoder() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from recall_tui.harnesses.opencode import OpenCode;"
        "list(OpenCode().discover('/nowhere', []));"
        "print({'msgspec', 'sqlite3', 'textual'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert result.stdout.strip() == "set()", result.stderr
