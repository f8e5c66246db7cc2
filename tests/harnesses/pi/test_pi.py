"""The pi reader, from v1 without ids to 1.6."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui import clock
from recall_tui.harnesses.base import ResumeCommand, StaleCheckpoint
from recall_tui.harnesses.pi import Pi
from recall_tui.model import Kind, SessionKind
from tests.harnesses.claude.build import png
from tests.harnesses.steps import in_steps, source_of, whole

ID = "019e0000-1111-7222-8333-444444444444"
NAME = f"2026-05-12T01-02-27-657Z_{ID}.jsonl"
START = clock.from_iso("2026-05-12T01:02:27.657Z")


class Entries:
    """A session in the making; `version` 1 has no ids."""

    def __init__(self, version: int = 3, **header: Any) -> None:
        self.version = version
        self.lines: list[bytes] = []
        self.time_ms = START
        self.last: str | None = None
        head: dict[str, Any] = {"type": "session", "id": ID, "cwd": "/home/a/proj"}
        head["timestamp"] = clock.to_iso(START)
        self.raw(head | ({"version": version} if version > 1 else {}) | header)

    def raw(self, entry: dict[str, Any]) -> None:
        self.lines.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode())
        self.lines[-1] += b"\n"

    def add(self, type_: str, parent: str | None = "", **fields: Any) -> str:
        self.time_ms += 1000
        name = f"{len(self.lines):08x}"
        place = {"id": name, "parentId": self.last if parent == "" else parent}
        stamp = {"timestamp": clock.to_iso(self.time_ms)}
        self.raw({"type": type_} | (place if self.version > 1 else {}) | stamp | fields)
        self.last = name
        return name

    def message(self, role: str, content: Any = None, parent: str | None = "", **more: Any) -> str:
        body = {"role": role, "content": content, "timestamp": self.time_ms + 5} | more
        return self.add("message", parent, message=body)

    def user(self, words: str, parent: str | None = "") -> str:
        return self.message("user", [text(words)], parent)

    def assistant(self, *blocks: dict[str, Any], **more: Any) -> str:
        usage = {"input": 10, "output": 2, "cacheRead": 100, "cacheWrite": 1}
        usage |= {"cost": {"total": 0.25}}
        fields = {"model": "m-1", "usage": usage, "stopReason": "stop"} | more
        return self.message("assistant", list(blocks), **fields)

    @property
    def content(self) -> bytes:
        return b"".join(self.lines)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)
        return path


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.fixture
def place(home: Path) -> Path:
    return home / ".pi" / "agent" / "sessions" / "--home-a-proj--" / NAME


def read(entries: Entries, place: Path) -> Any:
    pi = Pi()
    transcript = pi.open(source_of(pi, entries.write(place)))
    transcript.messages = list(transcript)  # type: ignore[attr-defined]
    return transcript


def shown(transcript: Any) -> list[tuple[Kind, str]]:
    return [(message.kind, message.text) for message in transcript.messages]


# ---------------------------------------------------------------- places


def names(root: Path | str) -> list[str]:
    return sorted(source.native_id for source in Pi().discover(str(root), []))


def test_sessions_are_found_from_any_root(place: Path, home: Path) -> None:
    entries = Entries()
    entries.write(place)
    (home / ".pi" / "agent" / "settings.json").write_text("{}")
    (home / ".pi" / "agent" / "other.jsonl").write_text('{"type":"other"}\n')
    for root in (home, home / ".pi", home / ".pi" / "agent", place.parent, place):
        assert names(root) == [ID]


def test_a_renamed_session_is_known_by_its_header(tmp_path: Path) -> None:
    Entries().write(tmp_path / "renamed.jsonl")
    (tmp_path / "claude.jsonl").write_text('{"type":"user","message":{"content":"x"}}\n')
    (tmp_path / "droid.jsonl").write_text('{"type":"session_start","id":"x"}\n')
    (tmp_path / "session.jsonl").write_text('["session"]\n{"type":"session"\n')
    assert names(tmp_path) == [ID]
    pi = Pi()
    assert pi.recognise("x.jsonl", Entries().content)
    assert pi.recognise("x.jsonl", b"\xef\xbb\xbf" + Entries().content)
    assert not pi.recognise("x.json", Entries().content)
    assert not pi.recognise("x.jsonl", b'{"type":"session"}\n')
    assert not pi.recognise("x.jsonl", b"")


def test_roots_follow_the_environment_and_the_settings(home: Path) -> None:
    pi = Pi()
    agent = home / ".pi" / "agent"
    assert pi.roots({}, str(home)) == [str(agent / "sessions")]
    assert pi.roots({"PI_CODING_AGENT_DIR": "~/x"}, str(home)) == [str(home / "x" / "sessions")]
    assert pi.roots({"PI_CODING_AGENT_SESSION_DIR": "/s"}, str(home)) == ["/s"]
    agent.mkdir(parents=True)
    (agent / "settings.json").write_text('{"sessionDir": "~/kept"}')
    assert pi.roots({}, str(home)) == [str(home / "kept")]
    for broken in ("{", "[]", '{"sessionDir": 5}'):
        (agent / "settings.json").write_text(broken)
        assert pi.roots({}, str(home)) == [str(agent / "sessions")]


def test_resume_is_by_path(place: Path) -> None:
    class Session:
        native_id, path, cwd, last_cwd = ID, str(place), "/a", "/b"

    assert Pi().resume(Session()).warning  # type: ignore[union-attr]
    Entries().write(place)
    assert Pi().resume(Session()) == ResumeCommand(("pi", "--session", str(place)), "/b")


# ---------------------------------------------------------------- messages


@pytest.mark.contract("S3-51")
@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_conversation_of_every_version(place: Path, version: int) -> None:
    entries = Entries(version)
    entries.add("model_change", provider="p", modelId="m-1")
    entries.add("thinking_level_change", thinkingLevel="high")
    entries.user("zqprompt")
    entries.assistant(
        {"type": "thinking", "thinking": "zqsecret", "thinkingSignature": "s"},
        text("zqanswer"),
        {"type": "toolCall", "id": "c1", "name": "edit",
         "arguments": {"path": "/a.py", "newText": "new"}},
        stopReason="toolUse",
    )  # fmt: skip
    entries.message(
        "toolResult",
        [text("out"), {"type": "image", "data": png(8, 9), "mimeType": "image/png"}],
        toolCallId="c1",
        toolName="edit",
        isError=True,
        durationMs=12,
    )
    transcript = read(entries, place)
    assert shown(transcript) == [
        (Kind.PROMPT, "zqprompt"),
        (Kind.ANSWER, "zqanswer"),
        (Kind.TOOL_CALL, "/a.py"),
        (Kind.TOOL_RESULT, "out"),
    ]
    _, answer, call, result = transcript.messages
    assert (call.rest, call.tool, call.call, call.model) == ("new", "edit", "c1", "m-1")
    assert (result.tool, result.call, result.failed, result.duration_ms) == ("edit", "c1", True, 12)
    (material,) = result.materials
    assert (material.width, material.height, material.bytes) == (8, 9, 200)
    pi = Pi()
    assert pi.material(source_of(pi, place), material.locator) == base64.b64decode(png(8, 9))
    assert "zqsecret" not in repr(transcript.messages)
    assert not any(message.abandoned for message in transcript.messages)
    assert transcript.unknown.total() == transcript.unparsed == 0
    assert answer.time_ms == START + 4000
    facts = transcript.facts
    assert (facts.native_id, facts.cwd, facts.last_cwd) == (ID, "/home/a/proj", "/home/a/proj")
    assert facts.kind is SessionKind.MAIN
    assert (facts.tokens_in, facts.tokens_out, facts.cost_usd) == (111, 2, 0.25)
    assert facts.models == ["m-1"]
    assert (facts.started_ms, facts.ended_ms) == (START, entries.time_ms)
    assert bool(answer.record) == (version > 1)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (("message", {"message": {"role": "user", "content": "bare"}}), [(Kind.PROMPT, "bare")]),
        (("message", {"message": {"role": "user", "content": [text(" ")]}}), []),
        (("compaction", {"summary": "so far"}), [(Kind.SUMMARY, "so far")]),
        (("branch_summary", {"summary": "left", "fromId": "x"}), [(Kind.SUMMARY, "left")]),
        (("custom_message", {"content": "shown", "display": True}), [(Kind.INJECTED, "shown")]),
        (("custom_message", {"content": "hidden", "display": False}), []),
        (("custom", {"customType": "x", "data": {"text": "state"}}), []),
        (("label", {"targetId": "x", "label": "here"}), []),
        (
            ("message", {"message": {"role": "bashExecution", "command": "ls", "output": "a",
                                     "exitCode": 2}}),
            [(Kind.TOOL_CALL, "ls"), (Kind.TOOL_RESULT, "a")],
        ),
        (
            ("message", {"message": {"role": "branchSummary", "summary": "b", "fromId": "x"}}),
            [(Kind.SUMMARY, "b")],
        ),
        (
            ("message", {"message": {"role": "compactionSummary", "summary": "c"}}),
            [(Kind.SUMMARY, "c")],
        ),
        (
            ("message", {"message": {"role": "hookMessage", "content": "h", "display": True}}),
            [(Kind.INJECTED, "h")],
        ),
        (("message", {"message": {"role": "custom", "content": "c", "display": False}}), []),
        (
            ("message", {"message": {"role": "system", "content": "", "sections": {"a": "b"}}}),
            [],
        ),
        (
            ("message", {"message": {"role": "assistant", "content": [], "stopReason": "error",
                                     "errorMessage": "400 bad"}}),
            [(Kind.NOTICE, "400 bad")],
        ),
        (
            ("message", {"message": {"role": "user", "content": [text(
                '<file name="/a.md">\nbody\n</file>\n'
                '<skill name="s" location="/s">\nsteps\n</skill>\n\nnow do it')]}}),
            [
                (Kind.INJECTED, "/a.md"),
                (Kind.INJECTED, "steps"),
                (Kind.PROMPT, "/skill:s now do it"),
            ],
        ),
        (
            ("message", {"message": {"role": "user", "content": [
                {"type": "image", "data": png(4, 4), "mimeType": "image/png"}]}}),
            [(Kind.PROMPT, "")],
        ),
    ],
)  # fmt: skip
def test_what_an_entry_says(
    place: Path, entry: tuple[str, dict[str, Any]], expected: list[tuple[Kind, str]]
) -> None:
    entries = Entries()
    entries.add(entry[0], **entry[1])
    transcript = read(entries, place)
    assert shown(transcript) == expected
    assert transcript.unknown.total() == transcript.unparsed == 0


def test_failures_are_told_from_interruptions(place: Path) -> None:
    entries = Entries()
    entries.assistant(stopReason="error", errorMessage="400")
    entries.assistant(text("half"), stopReason="aborted", errorMessage="Request was aborted")
    entries.message("bashExecution", command="true", output="", exitCode=0)
    entries.message("bashExecution", command="false", output="", exitCode=1)
    assert [(m.text, m.failed) for m in read(entries, place).messages] == [
        ("400", True),
        ("half", False),
        ("Request was aborted", False),
        ("true", False),
        ("", False),
        ("false", False),
        ("", True),
    ]


def test_what_the_program_spends_on_its_own_counts_and_edits_of_context_say_nothing(
    place: Path,
) -> None:
    usage = {"input": 10, "output": 2, "cacheRead": 5, "cost": {"total": 0.5}}
    entries = Entries()
    prompt = entries.user("go")
    entries.add("usage", kind="cache_warm", provider="p", model="m", usage=usage)
    entries.add("context_edit", targetId=prompt, replacement={"content": "zqnoise"})
    entries.add("compaction", summary="so far", usage=usage)
    transcript = read(entries, place)
    assert [m.text for m in transcript.messages] == ["go", "so far"]
    assert transcript.unknown.total() == 0
    facts = transcript.facts
    assert (facts.tokens_in, facts.tokens_out, facts.cost_usd) == (30, 4, 1.0)


def test_a_title_is_the_last_name(place: Path) -> None:
    entries = Entries()
    assert read(entries, place).facts.title == ""
    entries.add("session_info", name="First")
    entries.add("session_info", name=" Second ")
    assert read(entries, place).facts.title == "Second"


@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_a_fork_names_its_origin_and_shares_its_records(place: Path, field: str) -> None:
    entries = Entries()
    entries.user("one")
    entries.assistant(text("two"), text("three"))
    original = [message.record for message in read(entries, place).messages]
    origin = f"/home/b/.pi/agent/sessions/--x--/{NAME}"
    fork = Entries(id="019e9999", **{field: origin})
    fork.lines += entries.lines[1:]
    fork.last, fork.time_ms = entries.last, entries.time_ms
    fork.user("new")
    path = place.with_name("2026-05-13T01-02-27-657Z_019e9999.jsonl")
    transcript = read(fork, path)
    records = [message.record for message in transcript.messages]
    assert records[:3] == original
    assert len(set(records)) == 4
    assert transcript.facts.kind is SessionKind.FORK
    assert (transcript.facts.native_id, transcript.facts.parent) == ("019e9999", ID)


def test_unknown_kinds_are_counted_and_odd_types_lose_only_themselves(place: Path) -> None:
    entries = Entries()
    entries.add("brand_new")
    entries.raw({"no": "type"})
    entries.message("narrator", "x")
    entries.assistant({"type": "brand_new"})
    entries.add("compaction", summary=5)
    entries.message("user", ["bare", text("block"), 7])
    entries.message("toolResult", {"type": "text", "text": "object"}, isError="yes")
    entries.assistant(text("kept"), usage="none", model=None)
    entries.raw({"type": "message", "id": 5, "timestamp": 7, "message": {"role": "user"}})
    entries.lines.append(b"not json\n")
    transcript = read(entries, place)
    assert shown(transcript) == [
        (Kind.PROMPT, "bare\nblock"),
        (Kind.TOOL_RESULT, "object"),
        (Kind.ANSWER, "kept"),
    ]
    assert transcript.unparsed == 1
    assert dict(transcript.unknown) == {
        "brand_new": 1,
        "entry without a type": 1,
        "message/narrator": 1,
        "assistant/brand_new": 1,
    }


# ---------------------------------------------------------------- the tree


def test_the_last_branch_is_active_and_the_other_stays_reachable(place: Path) -> None:
    entries = Entries()
    entries.user("start")
    fork = entries.assistant(text("ready"))
    entries.user("first try")
    entries.assistant(text("first answer"))
    entries.add("branch_summary", fork, summary="tried once", fromId="x")
    entries.user("second try")
    assert [(m.text, m.abandoned) for m in read(entries, place).messages] == [
        ("start", False),
        ("ready", False),
        ("first try", True),
        ("first answer", True),
        ("tried once", False),
        ("second try", False),
    ]


def test_going_back_to_the_left_branch_makes_it_active_again(place: Path) -> None:
    entries = Entries()
    fork = entries.user("start")
    left = entries.user("left")
    entries.user("right", fork)
    entries.user("left again", left)
    assert [m.text for m in read(entries, place).messages if m.abandoned] == ["right"]


def test_a_new_root_leaves_everything_before(place: Path) -> None:
    entries = Entries()
    entries.user("one")
    entries.user("two", None)
    assert [m.abandoned for m in read(entries, place).messages] == [True, False]


def test_a_parent_that_is_no_entry_is_no_branch(place: Path) -> None:
    """OpenClaw names tool calls and the session itself as parents."""
    entries = Entries()
    entries.user("one", ID)
    entries.assistant({"type": "toolCall", "id": "tc1", "name": "x", "arguments": {}})
    entries.message("toolResult", "out", "tc1", toolCallId="tc1")
    entries.user("two")
    assert not any(message.abandoned for message in read(entries, place).messages)


def test_a_branch_of_what_was_read_makes_the_checkpoint_stale(place: Path) -> None:
    pi = Pi()
    entries = Entries()
    fork = entries.user("start")
    entries.user("first")
    source = source_of(pi, entries.write(place))
    first = pi.open(source)
    list(first)
    straight = Entries()
    straight.lines = list(entries.lines)
    entries.user("second", fork)
    entries.write(place)
    with pytest.raises(StaleCheckpoint):
        list(pi.open(source, first.checkpoint))
    for parent, ends in ((None, True), ("tc9", False)):
        straight.last = entries.last
        straight.write(place)
        with place.open("ab") as stream:
            more = Entries()
            more.lines = [b""] * 9
            more.user("more", parent)
            stream.write(more.lines[-1])
        if ends:
            with pytest.raises(StaleCheckpoint):
                list(pi.open(source, first.checkpoint))
        else:
            assert [m.text for m in pi.open(source, first.checkpoint)] == ["more"]


STEPS = ("user", "assistant", "tool", "branch", "root", "stranger", "title", "junk", "image")


@pytest.mark.contract("S3-44")
@settings(suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([1, 3]),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 20)), max_size=30),
    st.lists(st.floats(0, 1), min_size=7, max_size=7),
)
def test_made_up_sessions_in_steps(
    tmp_path_factory: pytest.TempPathFactory,
    version: int,
    steps: list[tuple[str, int]],
    cuts: list[float],
) -> None:
    entries = Entries(version)
    seen: list[str] = []
    for what, number in steps:
        if what == "branch" and seen:
            entries.user("branch", seen[number % len(seen)])
        elif what == "root":
            entries.user("root", None)
        elif what == "stranger":
            entries.user("stranger", f"tc{number}")
        elif what == "tool":
            entries.message("toolResult", f"out {number}", toolCallId="c", durationMs=number)
        elif what == "title":
            entries.add("session_info", name=f"title {number}")
        elif what == "junk":
            entries.lines.append((b"junk\n", b'{"type":"mess', b"\n")[number % 3])
        elif what == "image":
            block = {"type": "image", "data": png(4, 4), "mimeType": "image/png"}
            entries.message("user", [block])
        else:
            entries.message(what, [text(f"words {number}")])
        if entries.last:
            seen.append(entries.last)
    path = entries.write(tmp_path_factory.mktemp("pi") / NAME)
    pi = Pi()
    source = source_of(pi, path)
    expected = whole(pi, source)
    content = entries.content
    places = [int(cut * len(content)) for cut in cuts]
    assert in_steps(pi, source, path, content, places) == expected


@pytest.mark.contract("S3-44")
def test_real_sessions_in_steps(shared: Path, tmp_path: Path) -> None:
    pi = Pi()
    chance = random.Random(7)
    read = 0
    for folder in ("transcripts/pi", "live/pi", "live/pi-1.6", "transcripts/openclaw"):
        for source in pi.discover(str(shared / folder), []):
            content = Path(source.path).read_bytes()
            path = tmp_path / f"{read}.jsonl"
            path.write_bytes(content)
            copy = source._replace(path=str(path))
            expected = whole(pi, copy)
            assert expected[0], source.path
            cuts = [chance.randrange(len(content) + 1) for _ in range(7)]
            assert in_steps(pi, copy, path, content, cuts) == expected, source.path
            read += 1
    assert read > 12
