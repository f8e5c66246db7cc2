"""What each part of an OpenCode session becomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Facts, Parsed, Source
from recall_tui.harnesses.opencode import OpenCode
from recall_tui.harnesses.opencode.reader import unquoted
from recall_tui.model import Kind, SessionKind
from tests.harnesses.opencode import build
from tests.harnesses.opencode.test_layouts import PNG

HARNESS = OpenCode()


def sources(root: Path) -> dict[str, Source]:
    return {source.native_id: source for source in HARNESS.discover(str(root), [])}


def told(tmp_path: Path, *sessions: build.Session) -> tuple[list[Parsed], Facts]:
    """Messages and facts of the last session."""
    build.store(tmp_path / "opencode.db", *sessions)
    transcript = HARNESS.open(sources(tmp_path)[sessions[-1].id])
    return list(transcript), transcript.facts


def kinds(messages: list[Parsed]) -> list[tuple[str, str]]:
    return [(m.kind.word, m.text) for m in messages]


def test_only_typed_text_is_a_prompt(tmp_path: Path) -> None:
    session = build.Session()
    session.user(
        "first line",
        {"type": "text", "text": "from a file", "synthetic": True},
        {"type": "agent", "name": "explore"},
        {"type": "text", "text": "a plugin's note", "ignored": True},
        "second line",
    )
    messages, _ = told(tmp_path, session)
    assert kinds(messages) == [
        ("prompt", "first line\nsecond line"),
        ("injected", "from a file"),
        ("injected", "a plugin's note"),
    ]


def test_a_picture_alone_is_a_prompt(tmp_path: Path) -> None:
    session = build.Session()
    session.user({"type": "file", "mime": "image/png", "filename": "a.png", "url": PNG})
    (message,), _ = told(tmp_path, session)
    assert (message.kind, message.text, len(message.materials)) == (Kind.PROMPT, "", 1)


@pytest.mark.contract("S3-51")
def test_reasoning_is_never_yielded(tmp_path: Path) -> None:
    session = build.Session()
    session.user("why?")
    session.agent({"type": "reasoning", "text": "zzthinking"}, "Because.")
    for path in (
        build.store(tmp_path / "rows" / "opencode.db", session),
        build.tree(tmp_path / "storage", session),
        build.export(tmp_path / "export.json", session),
    ):
        for source in HARNESS.discover(str(path), []):
            assert "zzthinking" not in repr(list(HARNESS.open(source)))


def test_a_tool_part_is_a_call_and_its_result(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go")
    session.agent(
        build.tool(output="total 0\n", metadata={"exit": 0, "output": "total 0\n"}),
        build.tool(output="no such file", metadata={"exit": 2}),
        build.tool("read", "error", input={"filePath": "/x/y.py", "limit": 3}, error="Not found"),
        build.tool("write", input={"filePath": "/x/new.py", "content": "BODY"}, output="ok"),
    )
    messages, _ = told(tmp_path, session)
    calls = [m for m in messages if m.kind is Kind.TOOL_CALL]
    results = [m for m in messages if m.kind is Kind.TOOL_RESULT]
    assert [(c.tool, c.text, c.rest) for c in calls[1:]] == [
        ("bash", "ls -l\nLists files", ""),
        ("read", "/x/y.py", ""),
        ("write", "/x/new.py", "BODY"),
    ]
    assert [(r.text, r.failed) for r in results] == [
        ("total 0\n", False),
        ("no such file", True),
        ("Not found", True),
        ("ok", False),
    ]
    assert [r.call for r in results] == [c.call for c in calls]
    assert (calls[0].time_ms, results[0].time_ms) == (build.START + 10_000, build.START + 10_250)
    assert results[0].duration_ms == 250


def test_a_running_tool_shows_its_output_so_far(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go")
    session.agent(
        build.tool(status="running", metadata={"output": "line 1\n"}, time={"start": build.START}),
        build.tool(status="running", time={"start": build.START}),
        build.tool(status="pending", input={}, raw='{"comm'),
    )
    messages, _ = told(tmp_path, session)
    assert [m.kind.word for m in messages[1:]] == [
        "tool_call", "tool_result", "tool_call", "tool_call",
    ]  # fmt: skip
    assert (messages[2].text, messages[2].duration_ms) == ("line 1\n", 0)
    assert messages[4].rest == '{"comm'


def test_a_stopped_tool_keeps_what_it_printed(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go")
    session.agent(build.tool(status="error", error="Aborted", metadata={"output": "line 1"}))
    messages, _ = told(tmp_path, session)
    assert messages[2].text == "Aborted\nline 1"


def test_overflow_is_read_only_inside_the_programs_folder(tmp_path: Path) -> None:
    home = tmp_path / "data"
    (home / "tool-output").mkdir(parents=True)
    (home / "tool-output" / "tool_1").write_text("the whole output", "utf-8")
    (home / "tool-output" / "tool_link").symlink_to(tmp_path / "private")
    (home / "elsewhere").write_text("zzprivate", "utf-8")
    (tmp_path / "private").write_text("zzprivate", "utf-8")
    session = build.Session()
    session.user("go")
    for stated in (
        "/Users/other/.local/share/opencode/tool-output/tool_1",
        str(tmp_path / "private"),
        str(home / "tool-output" / "tool_link"),
        str(home / "elsewhere"),
        "..",
        "tool-output/../../private",
    ):
        session.agent(build.tool(output="cut", metadata={"exit": 0, "outputPath": stated}))
    messages, _ = told(home, session)
    outputs = [m.text for m in messages if m.kind is Kind.TOOL_RESULT]
    assert outputs == ["the whole output", "cut", "cut", "cut", "cut", "cut"]


def test_materials_are_described_and_read_again(tmp_path: Path) -> None:
    session = build.Session()
    session.user(
        "see",
        {"type": "file", "mime": "image/png", "filename": "shot.png", "url": PNG},
        {"type": "file", "mime": "text/plain", "url": "file:///home/dev/notes/todo.txt"},
    )
    attachment = {"type": "file", "mime": "image/png", "url": PNG}
    session.agent(
        build.tool(
            "read",
            input={"filePath": "/home/dev/b.png"},
            output="ok",
            attachments=[attachment, attachment],
        )
    )
    for root in (
        build.store(tmp_path / "rows" / "opencode.db", session).parent,
        build.tree(tmp_path / "tree" / "storage", session).parents[3],
        build.export(tmp_path / "export" / "x.json", session).parent,
    ):
        source = sources(root)[session.id]
        messages = list(HARNESS.open(source))
        picture, note = messages[0].materials
        assert (picture.name, picture.kind, picture.bytes) == ("shot.png", "image", 74)
        assert (picture.width, picture.height) == (8, 8)
        assert (note.name, note.kind, note.bytes) == ("todo.txt", "text", -1)
        for material in (picture, *messages[2].materials):
            assert HARNESS.material(source, material.locator).startswith(b"\x89PNG")
        assert [m.name for m in messages[2].materials] == ["b.png", "b.png"]
        every = [m.id for message in messages for m in message.materials]
        assert len(set(every)) == 4
        with pytest.raises(SourceError, match=r"only names the file file:///home/dev"):
            HARNESS.material(source, note.locator)
        for wrong in ("", "msg_none prt_none", f"{picture.locator} 7", "x y z w"):
            with pytest.raises(SourceError):
                HARNESS.material(source, wrong)


def test_a_child_holds_a_delegation(tmp_path: Path) -> None:
    parent = build.Session("parent")
    parent.user("use a subagent")
    child = build.Session("child", parentID=parent.id, title="Explore x (@explore subagent)")
    child.user("explore x")
    child.agent("done")
    messages, facts = told(tmp_path, parent, child)
    assert kinds(messages) == [("delegation", "explore x"), ("answer", "done")]
    assert (facts.kind, facts.parent) == (SessionKind.SUBAGENT, parent.id)
    assert sources(tmp_path)[child.id].parent == parent.id


def test_a_command_that_starts_a_subtask_was_typed_and_its_task_was_not(tmp_path: Path) -> None:
    session = build.Session()
    session.user(
        {
            "type": "subtask",
            "prompt": "You are a reviewer",
            "description": "review changes",
            "agent": "build",
            "command": "review",
        }
    )
    messages, _ = told(tmp_path, session)
    assert kinds(messages) == [
        ("prompt", "/review"), ("delegation", "review changes\nYou are a reviewer"),
    ]  # fmt: skip


def test_a_fork_shares_the_records_it_copied(tmp_path: Path) -> None:
    origin = build.Session("origin", title="Fix it")
    origin.user("first")
    origin.agent(build.tool(output="x"), "answer")
    origin.user("only in the origin")
    decoy = build.Session("decoy", title="Fix it")
    decoy._clock -= 77
    decoy.user("something else")
    later = build.Session(
        "fork", title="Fix it (fork #1)", time={"created": build.START + 9, "updated": 0}
    )
    later.user("first")
    later.agent(build.tool(output="x"), "answer")
    later._clock += 5_000
    later.user("only in the fork")
    messages, facts = told(tmp_path, decoy, origin, later)
    original = list(HARNESS.open(sources(tmp_path)[origin.id]))
    assert (facts.kind, facts.parent) == (SessionKind.FORK, origin.id)
    assert [m.record for m in messages[:4]] == [m.record for m in original[:4]]
    assert all(m.record for m in messages)
    assert messages[4].record == later.messages[2][0]["id"]
    assert not {m.record for m in messages[4:]} & {m.record for m in original}


def test_a_fork_without_its_origin_stays_a_fork(tmp_path: Path) -> None:
    session = build.Session(title="Gone (fork #3)")
    session.user("hello")
    messages, facts = told(tmp_path, session)
    assert (facts.kind, facts.parent) == (SessionKind.FORK, "")
    assert messages[0].record == session.messages[0][0]["id"]


def test_a_compaction_ends_in_a_summary(tmp_path: Path) -> None:
    session = build.Session()
    session.user({"type": "compaction", "auto": True})
    session.agent("What happened so far", summary=True)
    session.user({"type": "text", "text": "Continue", "synthetic": True})
    messages, _ = told(tmp_path, session)
    assert kinds(messages) == [("summary", "What happened so far"), ("injected", "Continue")]


def test_what_was_reverted_is_abandoned(tmp_path: Path) -> None:
    session = build.Session()
    session.user("keep")
    session.agent("kept")
    undone = session.user("undo me")
    session.agent("undone")
    session.info["revert"] = {"messageID": undone}
    messages, _ = told(tmp_path, session)
    assert [(m.text, m.abandoned) for m in messages] == [
        ("keep", False),
        ("kept", False),
        ("undo me", True),
        ("undone", True),
    ]


def test_a_revert_may_begin_inside_a_message(tmp_path: Path) -> None:
    session = build.Session()
    session.user("keep")
    message = session.agent("kept", "undone")
    part = session.messages[1][1][1]["id"]
    session.info["revert"] = {"messageID": message, "partID": part}
    messages, _ = told(tmp_path, session)
    assert [m.abandoned for m in messages] == [False, False, True]


def test_errors_and_retries_are_notices(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go")
    error = {
        "name": "APIError",
        "data": {"message": "Overloaded", "responseHeaders": {"x-key": "zzheader"}},
    }
    session.agent(
        {"type": "retry", "attempt": 1, "error": error, "time": {"created": 5_000_000_000_000}}
    )
    session.agent(
        error={"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    )
    session.agent(error="plain")
    messages, _ = told(tmp_path, session)
    assert [(m.kind, m.text, m.failed) for m in messages[1:]] == [
        (Kind.NOTICE, "APIError: Overloaded", True),
        (Kind.NOTICE, "MessageAbortedError: The operation was aborted.", True),
        (Kind.NOTICE, "plain", True),
    ]
    assert messages[1].time_ms == 5_000_000_000_000


def test_facts_are_gathered(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go", model={"providerID": "acme", "modelID": "acme-large"})
    session.agent("a", path={"cwd": "/home/dev/work/other", "root": "/"})
    session.agent("b", modelID="acme-small", cost={"input": 1}, tokens=None, path="/x")
    _, facts = told(tmp_path, session)
    assert facts.models == ["acme-large", "acme-small"]
    assert (facts.cwd, facts.last_cwd) == ("/home/dev/work/demo", "/home/dev/work/other")
    assert (facts.tokens_in, facts.tokens_out, facts.cost_usd) == (130, 7, 0.25)
    assert (facts.title, facts.version) == ("A title", "1.18.33")
    assert facts.started_ms == build.START + 1000
    assert facts.ended_ms == build.START + 3500


@pytest.mark.parametrize(
    ("stored", "prompt", "title"),
    [
        ("New session - 2026-11-30T17:01:24.092Z", "fix it", ""),
        ("Child session - 2026-11-30T17:01:24.092Z", "fix it", ""),
        ("New session - 2026-11-30T17:01:24.092Z (fork #2)", "fix it", ""),
        ("New session - 2026-11-30T17:01:24.092Z", '"fix the bug"', "fix the bug"),
        ("New session plan", "x", "New session plan"),
        ('"Quoted title"', "x", "Quoted title"),
        ('say "hi" and "bye"', "x", 'say "hi" and "bye"'),
    ],
)
def test_titles(tmp_path: Path, stored: str, prompt: str, title: str) -> None:
    session = build.Session(title=stored)
    session.user(prompt)
    messages, facts = told(tmp_path, session)
    assert facts.title == title
    assert messages[0].text == prompt  # quotes leave titles only


def test_one_pair_of_quotes_is_stripped() -> None:
    assert unquoted('"a \\"b\\" c"') == 'a "b" c'
    assert unquoted('"a" and "b"') == '"a" and "b"'
    assert unquoted('""') == '""'


def test_unknown_parts_are_counted_and_known_noise_is_not(tmp_path: Path) -> None:
    session = build.Session()
    session.user("go", {"type": "hologram"})
    session.agent({"type": "hologram"}, {"type": "patch", "files": ["a"]}, {"type": "snapshot"})
    session._add({"role": "narrator"}, ())
    build.store(tmp_path / "opencode.db", session)
    transcript = HARNESS.open(sources(tmp_path)[session.id])
    assert len(list(transcript)) == 1
    assert transcript.unknown == {"part hologram": 2, "role narrator": 1}


def test_damaged_rows_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    session = build.Session()
    session.user("keep")
    session.agent("answer", "second")
    connection = build.filled(tmp_path / "opencode.db", session)
    first, second = session.messages[1][1]
    connection.execute("UPDATE part SET data = '{cut' WHERE id = ?", (first["id"],))
    surrogate = b'{"type":"text","text":"\\ud83d lone, \\u0000 nul, \xff byte"}'
    connection.execute(
        "UPDATE part SET data = CAST(? AS TEXT) WHERE id = ?", (surrogate, second["id"])
    )
    connection.commit()
    connection.close()
    transcript = HARNESS.open(sources(tmp_path)[session.id])
    messages = list(transcript)
    assert transcript.unparsed == 1
    assert [m.text for m in messages] == ["keep", "\ufffd lone, \x00 nul, \ufffd byte"]
    for message in messages:
        message.text.encode()


def test_a_cut_export_is_refused(tmp_path: Path) -> None:
    session = build.Session()
    session.user("hello")
    path = build.export(tmp_path / "x.json", session)
    (source,) = sources(tmp_path).values()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match="no whole JSON"):
        list(HARNESS.open(source))


def test_resume_says_where_and_what_will_surprise(tmp_path: Path) -> None:
    class Like:
        native_id = "ses_one"
        path = "/data/opencode/opencode.db"
        cwd = str(tmp_path)
        last_cwd = "/elsewhere"

    command = HARNESS.resume(Like())
    assert command is not None
    assert command.argv == ("opencode", "-s", "ses_one")
    assert command.cwd == str(tmp_path)  # filed under the first directory
    assert "hangs" in command.warning
    Like.cwd = "/nowhere/at/all"
    gone = HARNESS.resume(Like())
    assert gone is not None
    assert "/nowhere/at/all is gone" in gone.warning
    Like.path = "/data/kilo/kilo.db"
    kilo = HARNESS.resume(Like())
    assert kilo is not None
    assert kilo.argv[0] == "kilo"
    assert "hangs" not in kilo.warning


LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "type", "text", "state", "input", "output", "status", "time", "start", "url",
                "metadata", "outputPath", "attachments", "error", "data", "message", "name",
                "tokens", "cache", "path", "cwd", "model", "summary", "id",
            ]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
KIND = st.sampled_from(["text", "tool", "file", "retry", "subtask", "compaction", "reasoning", "?"])


@settings(suppress_health_check=list(HealthCheck))
@given(
    role=st.sampled_from(["user", "assistant", 3]),
    message=st.dictionaries(
        st.sampled_from(["time", "error", "tokens", "cost", "path", "modelID", "model", "summary"]),
        LOOSE,
        max_size=4,
    ),
    kind=KIND,
    part=st.dictionaries(
        st.sampled_from(["text", "state", "tool", "callID", "url", "mime", "error", "time"]), LOOSE
    ),
)
def test_no_shape_of_a_field_breaks_the_reader(
    tmp_path: Path, role: Any, message: dict[str, Any], kind: str, part: dict[str, Any]
) -> None:
    info = {"id": "ses_x", "directory": "/d"}
    record = {"info": message | {"role": role, "id": "msg_1"}, "parts": [part | {"type": kind}]}
    build.write(tmp_path / "x.json", {"info": info, "messages": [record, 3, {"info": 7}]})
    (source,) = sources(tmp_path).values()
    transcript = HARNESS.open(source)
    for parsed in transcript:
        assert isinstance(parsed.text, str)
        assert isinstance(parsed.time_ms, int)
        assert isinstance(parsed.tool + parsed.call + parsed.record + parsed.rest, str)
    assert transcript.unparsed == 2


def test_real_sessions_hold_nothing_unknown(shared: Path) -> None:
    total = 0
    for place in ("transcripts/opencode", "transcripts/opencode-transcripts", "live/opencode",
                  "live/kilo-cli"):  # fmt: skip
        for source in HARNESS.discover(str(shared / place), []):
            transcript = HARNESS.open(source)
            messages = list(transcript)
            assert messages, source
            assert (transcript.unparsed, dict(transcript.unknown)) == (0, {}), source
            total += len(messages)
    assert total > 1000
