"""Keys, themes, clipboard, sync child, notation: the parts without a screen."""

from __future__ import annotations

import asyncio
import sys
import tomllib
from datetime import UTC, date

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from recall_tui import clipboard
from recall_tui.config import THEMES
from recall_tui.errors import ConfigError
from recall_tui.model import Filter
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.tui import notation
from recall_tui.tui.key_names import is_key, shown
from recall_tui.tui.keymap import ACTIONS, BY_ID, Keymap, Scope
from recall_tui.tui.launch import read_keymap
from recall_tui.tui.query import understand
from recall_tui.tui.syncing import SyncChild, progress_of
from recall_tui.tui.themes import OURS, contrast, ink_variables
from tests.conftest import REPOSITORY
from tests.tui.fake import NOW


def test_every_action_has_an_id_of_its_own() -> None:
    assert len(BY_ID) == len(ACTIONS)


def test_no_action_depends_on_a_key_that_plain_terminals_do_not_send() -> None:
    lost = {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+z", "ctrl+s", "ctrl+space"}
    for action in ACTIONS:
        assert set(action.keys.split(",")) - lost, action.id


@pytest.mark.parametrize("scope", list(Scope))
def test_a_footer_has_at_most_six_keys(scope: Scope) -> None:
    assert 1 <= len(Keymap().footer(scope)) <= 6


def page() -> str:
    """Return the page that lists every action, for whoever writes a keymap file."""
    lines = [
        "# Keys",
        "",
        "Every action of the app, its id and its keys. The setting `keymap` names a file that",
        "binds other keys, one line an action:",
        "",
        "```toml",
        '"session.solo" = "f9, ctrl+o"',
        '"list.pin" = "*"',
        "```",
        "",
        "A key is a character (a comma is `comma`), a name (`f9`, `enter`, `pgdn`) or one of them",
        "after `ctrl+`, `alt+` or `shift+`. A wrong id, a key there is not, a letter where letters",
        "are typed, or two actions on one key in one place: the app says so when it starts.",
    ]
    for scope in Scope:
        lines += ["", f"## {scope.capitalize()}", "", "| id | keys | |", "| --- | --- | --- |"]
        for action in ACTIONS:
            if action.scope is scope:
                keys = " ".join(f"`{shown(key)}`" for key in Keymap().keys(action.id))
                lines.append(f"| `{action.id}` | {keys} | {action.words} |")
    return "\n".join(lines) + "\n"


def test_the_page_of_keys_lists_every_action(request: pytest.FixtureRequest) -> None:
    path = REPOSITORY / "docs" / "keys.md"
    if request.config.getoption("--assets"):
        path.write_text(page(), "utf-8")
    assert path.read_text("utf-8") == page(), "pytest tests/tui/test_keymap.py --assets writes it"
    example = page().partition("```toml\n")[2].partition("```")[0]
    Keymap(tomllib.loads(example))


WRONG = {
    "an unknown action": ({"session.sol": "x"}, r"no action 'session\.sol'.*session\.solo"),
    "a key it has not": ({"list.pin": "crl+o"}, r"no key 'crl\+o' for 'list\.pin'.*ctrl\+o"),
    "a key nobody knows": ({"list.pin": "zzz+qqq"}, r"no key 'zzz\+qqq'.*such as"),
    "no key": ({"list.top": " "}, "has no key"),
    "one key twice": ({"session.solo": "slash"}, r"/ is both .*session\.(solo|find)"),
    "one key twice, as it looks": ({"session.solo": "/"}, r"/ is both .*session\.(solo|find)"),
    "a key of everywhere": ({"list.top": "f1"}, "f1 is both 'help'"),
    "a key of the list on a screen with one": ({"gaps.again": "j"}, "j is both 'list.down'"),
    "a key of the text on a screen with one": ({"continue.fork": "k"}, "k is both 'sheet.up'"),
    "a key of searching in the session": ({"session.solo": "alt+r"}, "alt\\+r is both 'regex'"),
    "a letter in a box": ({"box.kill": "z"}, "'box.kill' cannot be z: there it is typed"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_keymap_that_would_lose_a_key_is_refused(wrong: str) -> None:
    own, words = WRONG[wrong]
    with pytest.raises(ConfigError, match=rf"^keys\.toml: .*{words}"):
        Keymap(own, "keys.toml")


@pytest.mark.parametrize(
    ("written", "bound", "read"),
    [
        ("Ctrl+O, /", "ctrl+o,slash", "ctrl+o"), ("shift+g", "G", "G"), ("+", "plus", "+"),
        ("esc", "escape", "esc"), ("shift+ctrl+left", "ctrl+shift+left", "ctrl+shift+←"),
        ("PgDn", "pagedown", "pgdn"), ("ü", "ü", "ü"), ("alt+G", "alt+G", "alt+G"),
    ],
)  # fmt: skip
def test_keys_are_written_as_people_write_them(written: str, bound: str, read: str) -> None:
    others = {"session.find": "f8", "session.end": "f9", "session.close": "f10"}
    taken = {"session.more": "f11", "session.page_down": "f12"}
    keymap = Keymap({**others, **taken, "session.solo": written})
    assert keymap.own["session.solo"] == bound
    assert keymap.shown("session.solo") == read


def test_the_default_keys_are_keys_and_none_is_lost() -> None:
    Keymap({"help": "f1"})
    for action in ACTIONS:
        assert all(is_key(key) for key in Keymap().keys(action.id)), action.id


def test_a_keymap_file_is_read_when_the_app_starts(tmp_path) -> None:
    assert Keymap({"session.solo": "ctrl+o, f9"}).keys("session.solo") == ["ctrl+o", "f9"]
    path = tmp_path / "keys.toml"
    path.write_text('"session.solo" = "f9"\n')
    assert read_keymap(str(path)) == {"session.solo": "f9"}
    path.write_text('session.solo = "f9"\n[list]\npin = "*"\n')
    assert read_keymap(str(path)) == {"session.solo": "f9", "list.pin": "*"}
    path.write_text('help = "f9"\nhelp = "f8"\n')
    with pytest.raises(ConfigError, match="named twice"):
        read_keymap(str(path))
    path.write_text('"session.solo" = 3\n')
    with pytest.raises(ConfigError, match="must be a text"):
        read_keymap(str(path))
    path.write_text("= 3")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_keymap(str(path))
    with pytest.raises(ConfigError, match="cannot read"):
        read_keymap(str(tmp_path / "none.toml"))


@pytest.mark.parametrize("theme", OURS, ids=lambda theme: theme.name)
def test_our_own_themes_can_be_read(theme) -> None:
    inks = {name: Color.parse(value) for name, value in ink_variables(theme).items()}
    back = Color.parse(theme.background)
    front = Color.parse(theme.foreground)
    assert contrast(front, back) >= 9
    assert contrast(inks["ink-muted"], back) >= 4.5
    assert contrast(inks["ink-dim"], back) >= 3.5
    for name, colour in inks.items():
        if name.startswith(("ink-harness", "ink-code-", "ink-accent", "ink-warn", "ink-err")):
            assert contrast(colour, back) >= 4.5, name
    assert contrast(inks["ink-accent"], inks["ink-tint"]) >= 4.5, "a match on its tint"
    for ground in ("ink-cursor", "ink-band", "ink-code", "ink-added", "ink-removed"):
        assert contrast(front, inks[ground]) >= 7, ground


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_every_built_in_theme_yields_all_inks(theme) -> None:
    inks = ink_variables(theme)
    assert set(inks) == set(ink_variables(OURS[0]))
    if not theme.ansi:
        back = Color.parse(theme.to_color_system().generate()["background"])
        assert contrast(Color.parse(inks["ink-muted"]), back) >= 4


def test_the_settings_know_every_theme() -> None:
    assert {*THEMES} == {*BUILTIN_THEMES, *(theme.name for theme in OURS)}


def test_where_a_copy_went(monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[tuple[str, ...]] = []

    def feed(argv: tuple[str, ...], data: bytes) -> bool:
        fed.append(argv)
        return argv[0] in {"wl-copy", "tmux"}

    monkeypatch.setattr(clipboard, "_feed", feed)
    assert clipboard.copy("x", "message", {"WAYLAND_DISPLAY": "w"}).words.endswith("(wl-copy)")
    tmux = clipboard.copy("x", "message", {"TMUX": "1", "SSH_TTY": "t", "WAYLAND_DISPLAY": "w"})
    assert "tmux" in tmux.words and not tmux.osc52, "over ssh the native tool is another machine's"
    sent = clipboard.copy("x", "message", {"SSH_TTY": "t"})
    assert sent == ("message sent to your terminal's clipboard", "x")
    long = clipboard.copy("é" * 80_000, "message", {"SSH_TTY": "t"})
    assert "first 100 KB" in long.words and len(long.osc52.encode()) <= clipboard.LIMIT_BYTES


def test_the_sync_child_reports_and_says_why_it_ended() -> None:
    async def run(code: str) -> tuple[list[SyncProgress], str]:
        heard: list[SyncProgress] = []
        return heard, await SyncChild((sys.executable, "-c", code), heard.append).run()

    line = 'print(\'{"sessions": 3, "bytes_done": 10, "bytes_total": 20, "files": {"seen": 4}}\')'
    heard, reason = asyncio.run(run(f"print('junk'); {line}"))
    assert [(p.sessions, p.seen, p.bytes_total) for p in heard] == [(3, 4, 20)]
    assert reason == ""
    _, reason = asyncio.run(run("import sys; sys.exit('the lock is held by 4711')"))
    assert reason == "", "another process keeps the index live"
    _, reason = asyncio.run(run("import sys; sys.exit('disk full')"))
    assert reason == "disk full"
    _, reason = asyncio.run(run("import sys; sys.exit(3)"))
    assert reason == "", "it read what it could"
    assert asyncio.run(SyncChild(("/no/such",), print).run()) == "No such file or directory"
    assert asyncio.run(SyncChild((), print).run()) == ""
    assert progress_of(b"[1]") is None and progress_of(b"\xff") is None


@pytest.mark.parametrize("cancellations", [1, 2], ids=["asked once", "asked again meanwhile"])
def test_the_sync_child_ends_with_the_app(cancellations: int) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True)"
    polite = "import time; time.sleep(60)"

    async def run() -> int | None:
        code = polite if cancellations == 1 else f"{deaf}; time.sleep(60)"
        child = SyncChild((sys.executable, "-c", code), print)
        task = asyncio.create_task(child.run())
        for _ in range(500):
            if child.running:
                break
            await asyncio.sleep(0.01)
        for _ in range(cancellations):
            task.cancel()
            await asyncio.sleep(0.3 * (cancellations - 1))
        with pytest.raises(asyncio.CancelledError):
            await task
        return child._process.returncode if child._process else None

    assert asyncio.run(run()) not in {None, 0}


def test_how_facts_are_written() -> None:
    ages = [
        notation.age(NOW - ms, NOW) for ms in (0, 59_000, 3_600_000, 90_000_000, 40 * 86_400_000)
    ]
    assert ages == ["now", "now", "1h", "1d", "5w"]
    assert notation.age(0, NOW) == "" and notation.age_words(0, NOW) == "at an unknown time"
    assert [notation.size(n) for n in (0, 999, 4_060, 31_000, 2_800_000_000)] == [
        "0 B", "999 B", "4.1 KB", "31 KB", "2.8 GB",
    ]  # fmt: skip
    assert [notation.duration(n) for n in (0, 40, 1_240, 61_000, 3_720_000)] == [
        "", "40ms", "1.2s", "1m", "1h02m",
    ]  # fmt: skip
    assert notation.day_words(date(2026, 11, 29), date(2026, 11, 30)) == "Yesterday"
    assert notation.day_words(date(2025, 3, 2), date(2026, 11, 30)) == "Sunday 2 March 2025"
    assert notation.short_path("/home/meier/x", "/home/mei") == "/home/meier/x"
    assert notation.short_path("/home/mei/x", "/home/mei") == "~/x"


def test_what_is_typed_is_understood() -> None:
    question = understand("harness:codex since:2026-11-23 context window", UTC, NOW)
    assert question.pattern == "context window"
    assert question.chosen.harnesses == ("codex",)
    assert list(question.chips) == ["codex", "since Mon 23 Nov 2026 00:00"]
    assert understand("std::vector", UTC, NOW).chosen == Filter()
    assert "since" in understand("sinse:7d x", UTC, NOW).error
