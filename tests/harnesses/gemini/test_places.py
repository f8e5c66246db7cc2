"""Which files are Gemini CLI's sessions, under which id, and which directory they belong to."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from recall_tui.harnesses.base import Source
from recall_tui.harnesses.gemini import Gemini
from recall_tui.history import History
from recall_tui.model import Gap, SessionKind
from tests.harnesses.gemini import build

HARNESS = Gemini()
DEMO = "/home/dev/work/demo"


def found(root: Path) -> list[Source]:
    gaps: list[Gap] = []
    sources = sorted(HARNESS.discover(str(root), gaps), key=lambda s: s.path)
    assert gaps == []
    return sources


def ids(root: Path) -> list[str]:
    return [source.native_id for source in found(root)]


def chats(home: Path, project: str = "demo") -> Path:
    return home / ".gemini" / "tmp" / project / "chats"


def talk(path: Path, session: str = build.SESSION, text: str = "hello", **more: object) -> Path:
    return build.lines(path, build.meta(session, **more), build.user(1, text))


def cwd_of(root: Path) -> str:
    (source,) = found(root)
    transcript = HARNESS.open(source)
    assert list(transcript)
    return transcript.facts.cwd


@pytest.mark.parametrize("up", range(5))
def test_a_root_may_be_any_folder_above_or_the_file(tmp_path: Path, up: int) -> None:
    path = talk(chats(tmp_path) / "session-2026-11-30T17-05-417c17c0.jsonl")
    root = [path, *path.parents][up]
    (source,) = found(root)
    assert (source.native_id, source.path, source.root) == (build.SESSION, str(path), str(root))


def test_only_sessions_are_found(tmp_path: Path) -> None:
    folder = chats(tmp_path)
    talk(folder / "session-2026-11-30T17-05-417c17c0.jsonl")
    home = tmp_path / ".gemini"
    log = [{"sessionId": "x", "messageId": 0, "type": "user", "message": "hi"}]
    (folder.parent / "logs.json").write_text(json.dumps(log), "utf-8")
    (home / "oauth_creds.json").write_text('{"access_token": "zz"}', "utf-8")
    talk(home / "history" / "demo" / "session-2026-11-30T17-05-00000000.jsonl", build.uid(1))
    talk(folder.parent / "checkpoints" / "session-2026-x.jsonl", build.uid(2))
    (folder / "notes.json").write_text('{"a": 1}', "utf-8")
    (folder / "session-2026-11-30T17-09-folder.jsonl").mkdir()
    assert ids(home) == [build.SESSION]


def test_credentials_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(chats(tmp_path) / "session-2026-11-30T17-05-417c17c0.jsonl")
    (tmp_path / ".gemini" / "tmp" / "oauth_creds.json").write_text("{}", "utf-8")
    opened: list[str] = []
    real = os.open

    def watched(path, *args, **named):
        opened.append(Path(path).name)
        return real(path, *args, **named)

    monkeypatch.setattr(os, "open", watched)
    assert len(found(tmp_path)) == 1
    assert "session-2026-11-30T17-05-417c17c0.jsonl" in opened
    assert "oauth_creds.json" not in opened


def test_sessions_outside_the_programs_folder_are_known_by_content(tmp_path: Path) -> None:
    talk(tmp_path / "a.jsonl", build.uid(1))
    build.document(tmp_path / "b.json", build.user(1, "hello"))
    value = json.loads((tmp_path / "b.json").read_text())
    value["messages"] = [build.user(n, "x" * 300) for n in range(30)]
    value["sessionId"] = build.uid(3)
    (tmp_path / "c.json").write_text(json.dumps(value, sort_keys=True), "utf-8")
    history = {"history": [{"role": "user", "parts": [{"text": "hi"}], "ts": 1_695_000_000}]}
    (tmp_path / "d.json").write_text(json.dumps(history), "utf-8")
    event = {"type": "session.start", "data": {"sessionId": "x", "startTime": build.at(0)}}
    (tmp_path / "e.jsonl").write_text(json.dumps(event) + "\n", "utf-8")
    (tmp_path / "f.json").write_text('[{"sessionId": "x", "projectHash": "y"}]', "utf-8")
    assert ids(tmp_path) == [build.uid(1), build.SESSION, build.uid(3), "d"]
    for source in found(tmp_path):
        head = Path(source.path).read_bytes()[:65536]
        assert HARNESS.recognise(source.path, head)
        assert list(HARNESS.open(source))
    for name in ("e.jsonl", "f.json"):
        assert not HARNESS.recognise(str(tmp_path / name), (tmp_path / name).read_bytes())


def test_the_jsonl_of_a_name_replaces_the_json(tmp_path: Path) -> None:
    folder = chats(tmp_path)
    build.document(folder / "session-2026-04-01T10-00-417c17c0.json", build.user(1, "old"))
    talk(folder / "session-2026-04-01T10-00-417c17c0.jsonl", text="continued")
    (source,) = found(tmp_path)
    assert source.path.endswith(".jsonl")


def test_every_session_of_the_ide_companion_is_listed(tmp_path: Path) -> None:
    folder = chats(tmp_path)
    for minute in (1, 2, 3):
        build.lines(
            folder / f"session-2026-07-14T07-0{minute}-a2a-serv.jsonl",
            build.meta("a2a-server"),
            build.opening(),
        )
    sources = found(tmp_path)
    assert ids(tmp_path) == [f"session-2026-07-14T07-0{n}-a2a-serv" for n in (1, 2, 3)]
    assert [len(list(HARNESS.open(source))) for source in sources] == [1, 1, 1]


def test_the_file_that_a_resume_leaves_is_not_a_session(tmp_path: Path) -> None:
    folder = chats(tmp_path)
    build.lines(
        folder / "session-2026-11-30T17-07-417c17c0.jsonl",
        build.meta(),
        *[build.opening()] * 9,  # larger than the session itself
    )
    build.lines(
        folder / "session-2026-11-30T17-06-417c17c0.jsonl",
        build.meta(),
        build.opening(),
        build.user(1, "hello"),
    )
    original, twin = found(tmp_path)
    assert original.native_id == build.SESSION
    assert twin.native_id != build.SESSION
    assert [m.kind.word for m in HARNESS.open(original)] == ["injected", "prompt"]
    assert list(HARNESS.open(twin)) == []


@pytest.mark.contract("S3-56")
def test_a_subagent_is_a_session_whose_place_names_its_parent(tmp_path: Path) -> None:
    folder = chats(tmp_path)
    child = build.uid(9)
    build.lines(
        folder / build.SESSION / f"{child}.jsonl",
        build.meta(child, kind="subagent", directories=["/stated"]),
        build.user(1, "look around"),
        build.agent(2, "done"),
        build.user(3, "You have stopped calling tools without finishing."),
    )
    (source,) = found(tmp_path)
    assert (source.native_id, source.parent) == (child, build.SESSION)
    transcript = HARNESS.open(source)
    assert [(m.kind.word, m.text[:11]) for m in transcript] == [
        ("delegation", "look around"),
        ("answer", "done"),
        ("injected", "You have st"),
    ]
    facts = transcript.facts
    assert (facts.kind, facts.parent, facts.cwd) == (
        SessionKind.SUBAGENT, build.SESSION, "/stated",
    )  # fmt: skip


def test_the_marker_beside_the_chats_names_the_directory(tmp_path: Path) -> None:
    talk(chats(tmp_path) / "session-1.jsonl")
    (chats(tmp_path).parent / ".project_root").write_text(f"{DEMO}\n", "utf-8")
    assert cwd_of(tmp_path) == DEMO


def test_the_table_of_projects_names_the_directory(tmp_path: Path) -> None:
    talk(chats(tmp_path) / "session-1.jsonl")
    table = {"projects": {"/other": "other", DEMO: "demo"}}
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps(table), "utf-8")
    assert cwd_of(tmp_path) == DEMO


@pytest.mark.parametrize("listing", ["projects.json", "trustedFolders.json"])
def test_a_hashed_folder_is_matched_with_known_directories(tmp_path: Path, listing: str) -> None:
    project = hashlib.sha256(DEMO.encode()).hexdigest()
    talk(chats(tmp_path, project) / "session-1.json".replace(".json", ".jsonl"), projectHash="x")
    known = {"/other": "TRUST_FOLDER", DEMO: "TRUST_FOLDER"}
    value = {"projects": known} if listing == "projects.json" else known
    (tmp_path / ".gemini" / listing).write_text(json.dumps(value), "utf-8")
    assert cwd_of(tmp_path) == DEMO


@pytest.mark.parametrize(
    ("cwd", "used"), [(DEMO, f"{DEMO}/src/a.py"), ("C:\\work\\demo", "C:\\work\\demo\\src\\a.py")]
)
def test_a_hashed_folder_is_matched_with_the_files_it_used(
    tmp_path: Path, cwd: str, used: str
) -> None:
    project = hashlib.sha256(cwd.encode()).hexdigest()
    calls = [build.call("read_file", {"absolute_path": path}) for path in ("a.py", "/x/y", used)]
    build.lines(
        chats(tmp_path, project) / "session-1.jsonl",
        build.meta(projectHash=project),
        build.user(1, "go"),
        build.agent(2, "", toolCalls=calls),
    )
    assert cwd_of(tmp_path) == cwd


def test_the_opening_text_names_the_directory_last(tmp_path: Path) -> None:
    build.lines(
        chats(tmp_path) / "session-1.jsonl", build.meta(), build.opening(), build.user(1, "hi")
    )
    assert cwd_of(tmp_path) == DEMO
    (tmp_path / ".gemini" / "projects.json").write_text("{broken", "utf-8")
    assert cwd_of(tmp_path) == DEMO


def test_without_a_hint_the_directory_is_unknown(tmp_path: Path) -> None:
    talk(chats(tmp_path) / "session-1.jsonl")
    assert cwd_of(tmp_path) == ""


def test_roots_honour_the_programs_variable() -> None:
    assert HARNESS.roots({}, "/home/dev") == ["/home/dev/.gemini"]
    assert HARNESS.roots({"GEMINI_CLI_HOME": "/data"}, "/home/dev") == ["/data/.gemini"]
    assert HARNESS.roots({"GEMINI_CLI_HOME": ""}, "/home/dev") == ["/home/dev/.gemini"]


def test_resume_warns_of_the_loss(tmp_path: Path) -> None:
    class Like:
        native_id = build.SESSION
        path = "/h/.gemini/tmp/demo/chats/session-2026-11-30T17-06-417c17c0.jsonl"
        cwd = "/old"
        last_cwd = str(tmp_path)

    command = HARNESS.resume(Like())
    assert command is not None
    assert command.argv == ("gemini", "--resume", build.SESSION)
    assert command.cwd == str(tmp_path)
    assert "deleted" in command.warning
    assert "gone" not in command.warning
    Like.last_cwd = "/nowhere/at/all"
    gone = HARNESS.resume(Like())
    assert gone is not None
    assert "/nowhere/at/all is gone" in gone.warning
    Like.native_id = "session-2026-07-14T07-01-a2a-serv"
    assert HARNESS.resume(Like()) is None


def test_discovery_needs_no_decoder() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from recall_tui.harnesses.gemini import Gemini;"
        "list(Gemini().discover('/nowhere', []));"
        "print({'msgspec', 'textual'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert result.stdout.strip() == "set()", result.stderr


def test_a_copied_file_counts_once_and_sessions_that_open_alike_do_not(tmp_path: Path) -> None:
    """The second file of an id is known by its name, and every session begins with one record."""
    for name, session in (("1", "a"), ("2", "a"), ("3", "b")):
        path = chats(tmp_path) / f"session-{name}.jsonl"
        number = ord(session)
        build.lines(path, build.meta(session), build.opening(), build.user(number, "zqwords"))
    env = {"HOME": str(tmp_path), "RECALL_HOME": str(tmp_path / "recall")}
    history = History.open(env=env)
    listed = history.sessions()
    assert sorted(s.native_id for s in listed) == ["a", "b"]
    assert {s.messages - s.copied for s in listed} == {2}
    history.close()
