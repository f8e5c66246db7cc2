"""Where Claude Code's sessions lie, what is one, and how one is resumed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from recall_tui.harnesses.base import ResumeCommand
from recall_tui.harnesses.claude import Claude
from tests.harnesses.claude.build import SESSION, Lines

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "99999999-2222-4333-8444-555555555555"


def lines(prompt: str = "hello") -> Lines:
    made = Lines()
    made.user(prompt)
    return made


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A home with every placement, and what is no session."""
    root = tmp_path / "disk" / "a" / ".claude"
    project = root / "projects" / "-home-a-my-app"
    lines().write(project / f"{SESSION}.jsonl")
    lines().write(project / "agent-0a1b2c3d.jsonl")
    lines().write(project / SESSION / "subagents" / "agent-a1.jsonl")
    lines().write(project / SESSION / "subagents" / "workflows" / "run1" / "agent-b2.jsonl")
    (project / SESSION / "subagents" / "workflows" / "run1" / "journal.jsonl").write_text(
        '{"type":"started","key":"k","agentId":"b2"}\n'
    )
    for name in ("agent-acompact-1", "agent-aprompt_suggestion-2"):
        lines().write(project / SESSION / "subagents" / f"{name}.jsonl")
    (project / SESSION / "subagents" / "agent-a1.meta.json").write_text("{}")
    (project / SESSION / "tool-results").mkdir()
    (project / SESSION / "tool-results" / "x.txt").write_text("out")
    (project / "memory").mkdir()
    (project / "memory" / "MEMORY.md").write_text("m")
    (project / "sessions-index.json").write_text("{}")
    (project / f"{OTHER}.jsonl").mkdir()
    lines().write(root / "projects" / "C--code-x" / f"{OTHER}.jsonl")
    (root / "history.jsonl").write_text('{"display":"hello","timestamp":1,"project":"/p"}\n')
    (root / "todos").mkdir()
    return root


EXPECTED = {
    (SESSION, ""),
    ("agent-0a1b2c3d", ""),
    (f"{SESSION}/agent-a1", SESSION),
    (f"{SESSION}/agent-b2", SESSION),
    (OTHER, ""),
}


def found(root: Path | str) -> set[tuple[str, str]]:
    sources = list(Claude().discover(str(root), []))
    names = {(source.native_id, source.parent) for source in sources}
    assert len(names) == len(sources)
    assert all(source.root == str(root) and source.harness == "claude" for source in sources)
    return names


@pytest.mark.contract("S3-56")
@pytest.mark.parametrize("above", ["projects", ".", "..", "../.."])
def test_every_placement_is_found_from_any_ancestor(tree: Path, above: str) -> None:
    assert found(os.path.normpath(tree / above)) == EXPECTED


def test_a_project_folder_a_session_folder_and_a_file_are_roots(tree: Path) -> None:
    project = tree / "projects" / "-home-a-my-app"
    assert found(project) == EXPECTED - {(OTHER, "")}
    assert found(project / SESSION) == {
        (f"{SESSION}/agent-a1", SESSION),
        (f"{SESSION}/agent-b2", SESSION),
    }
    assert found(project / f"{SESSION}.jsonl") == {(SESSION, "")}
    agent = project / SESSION / "subagents" / "agent-a1.jsonl"
    assert found(agent) == {(f"{SESSION}/agent-a1", SESSION)}


def test_a_folder_of_code_named_projects_hides_nothing(tree: Path) -> None:
    (tree.parent / "projects" / "app").mkdir(parents=True)
    assert found(tree.parent) == EXPECTED


def test_a_copied_folder_is_known_by_its_content(tmp_path: Path) -> None:
    lines().write(tmp_path / "backup" / f"{SESSION}.jsonl")
    lines().write(tmp_path / "backup" / "renamed by hand.jsonl")
    lines().write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl")
    assert found(tmp_path) == {
        (SESSION, ""),
        ("renamed by hand", ""),
        (f"{SESSION}/agent-a1", SESSION),
    }


OTHERS = {
    "qwen": b'{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user",'
    b'"parts":[{"text":"hi"}]}}\n',
    "droid": b'{"type":"session_start","id":"x","title":"t","cwd":"/p"}\n'
    b'{"type":"message","id":"m","message":{"role":"user","content":"hi"}}\n',
    "codex": b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}\n',
    "pi": b'{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}\n',
    "history": b'{"display":"hello","timestamp":1,"project":"/p"}\n',
    "cursor": b'{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}\n',
    "junk": b"not json\n",
    "array": b'[{"type":"user"}]\n',
    "empty": b"",
}


@pytest.mark.parametrize("other", sorted(OTHERS))
def test_other_programs_sessions_are_not_ours(tmp_path: Path, other: str) -> None:
    path = tmp_path / "-home-dev-demo" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(OTHERS[other])
    assert not Claude().recognise(str(path), OTHERS[other])
    assert found(tmp_path) == set()


def test_qwens_projects_folder_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / ".qwen" / "projects" / "-home-dev" / "chats" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(OTHERS["qwen"])
    assert found(tmp_path) == set()


def test_a_session_is_recognised_however_it_begins() -> None:
    claude = Claude()
    long = Lines()
    long.user("x" * 200_000)
    begun_with_bookkeeping = (
        b'{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}\n'
    )
    for head in (
        lines().content,
        b"\xef\xbb\xbf" + lines().content,
        b"torn junk\n" + lines().content,
        begun_with_bookkeeping,
        b'{"type":"summary","summary":"s","leafUuid":"l"}\n',
        b'{"type":"queue-operation","operation":"enqueue","content":"c"}\n',
        long.content[: 64 << 10],
    ):
        assert claude.recognise("x.jsonl", head), head[:80]
    assert not claude.recognise("x.txt", lines().content)


def test_a_pipe_and_a_vanished_file_are_passed_over(place: Path) -> None:
    os.mkfifo(place)
    (place.parent / f"{OTHER}.jsonl").symlink_to("nowhere")
    assert found(place.parent) == set()


def test_roots_follow_the_environment() -> None:
    claude = Claude()
    assert claude.roots({}, "/home/a") == [
        "/home/a/.claude/projects",
        "/home/a/.config/claude/projects",
    ]
    assert claude.roots({"XDG_CONFIG_HOME": "/cfg"}, "/home/a")[1] == "/cfg/claude/projects"
    assert claude.roots({"CLAUDE_CONFIG_DIR": "~/c"}, "/home/a") == ["/home/a/c/projects"]
    assert claude.roots({"CLAUDE_CONFIG_DIR": " /x "}, "/home/a") == ["/x/projects"]


class Session:
    """The part of a session a resume needs."""

    def __init__(self, native_id: str, path: str, cwd: str = "/a", last_cwd: str = "/b") -> None:
        self.native_id, self.path, self.cwd, self.last_cwd = native_id, path, cwd, last_cwd


def test_resume_is_run_where_the_session_was_last(place: Path) -> None:
    lines().write(place)
    claude = Claude()
    session = Session(SESSION, str(place))
    assert claude.resume(session) == ResumeCommand(("claude", "--resume", SESSION), "/b")
    session.last_cwd = ""
    command = claude.resume(session)
    assert command is not None
    assert command.cwd == "/a"


def test_resume_of_a_subagent_is_that_of_its_session(place: Path) -> None:
    path = lines().write(place.parent / "agent-0a1b2c3d.jsonl")
    claude = Claude()
    for session in (
        Session(f"{SESSION}/agent-a1", str(path)),
        Session("agent-0a1b2c3d", str(path)),
    ):
        command = claude.resume(session)
        assert command is not None
        assert command.argv == ("claude", "--resume", SESSION)
    assert claude.resume(Session("agent-0a1b2c3d", "/gone")) is None


def test_resume_says_when_the_file_is_gone_and_takes_no_option_for_an_id(place: Path) -> None:
    command = Claude().resume(Session(SESSION, str(place)))
    assert command is not None
    assert "deleted" in command.warning
    assert Claude().resume(Session("--dangerous", str(place))) is None


def test_discovery_needs_the_standard_library_only() -> None:
    import subprocess

    code = (
        "import sys; from recall_tui.harnesses.registry import get; get('claude'); get('pi');"
        "print([m for m in ('msgspec','stringzilla','zstandard') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
