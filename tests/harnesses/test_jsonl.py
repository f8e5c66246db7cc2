"""Lines by offset: torn tails, damaged lines, files that change while they are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.errors import SourceError
from recall_tui.harnesses import jsonl, streams
from recall_tui.harnesses.base import Checkpoint, Parsed, Source, StaleCheckpoint
from recall_tui.harnesses.jsonl import BadLine, JsonlTranscript
from recall_tui.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Line(msgspec.Struct):
    text: str


class Plain(JsonlTranscript):
    """One message a line; `?` in a text makes it provisional until the next line."""

    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        text = msgspec.json.decode(line, type=Line).text
        self.release()
        if text.endswith("?"):
            self.hold(offset)
        self.facts.title = text
        return [Parsed(Kind.ANSWER, text)]


def reader(path: Path, since: Checkpoint | None = None) -> Plain:
    return Plain(Source("x", str(path), "", "id", 0, 0, 0, ""), since)


def texts(transcript: JsonlTranscript) -> list[str]:
    return [message.text for message in transcript]


def line(text: str, **more: object) -> bytes:
    return json.dumps({"text": text, **more}).encode() + b"\n"


@pytest.mark.contract("S3-44")
def test_a_cut_last_line_waits_and_is_read_once_when_completed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    whole = line("one") + line("two")
    path.write_bytes(whole[:-5])
    first = reader(path)
    assert texts(first) == ["one"]
    assert first.torn
    assert first.unparsed == 0
    assert first.checkpoint is not None
    assert first.checkpoint.offset == len(line("one"))
    path.write_bytes(whole)
    second = reader(path, first.checkpoint)
    assert texts(second) == ["two"]
    assert not second.torn
    assert second.checkpoint is not None
    assert second.checkpoint.offset == len(whole)
    assert second.checkpoint.position == 2


@pytest.mark.contract("S3-44")
def test_a_whole_last_line_without_its_break_is_shown_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one") + line("two").rstrip())
    first = reader(path)
    assert texts(first) == ["one", "two"]
    assert not first.torn
    assert first.checkpoint == Checkpoint(len(line("one")), 1, first.checkpoint.carry)
    with path.open("ab") as stream:
        stream.write(b"\n" + line("three"))
    assert texts(reader(path, first.checkpoint)) == ["two", "three"]


def test_losses_before_a_checkpoint_stay_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one") + b"junk\n")
    first = reader(path)
    assert texts(first) == ["one"]
    with path.open("ab") as stream:
        stream.write(line("two") + b"more junk\n")
    second = reader(path, first.checkpoint)
    assert texts(second) == ["two"]
    assert (first.unparsed, second.unparsed) == (1, 2)


def test_a_checkpoint_of_another_version_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one"))
    with pytest.raises(StaleCheckpoint):
        reader(path, Checkpoint(0, 0, b"\xc1 no carry"))


def test_a_held_message_is_yielded_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one") + line("two?"))
    first = reader(path)
    assert texts(first) == ["one", "two?"]
    assert first.checkpoint is not None
    assert first.checkpoint.position == 1
    with path.open("ab") as stream:
        stream.write(line("three"))
    second = reader(path, first.checkpoint)
    assert texts(second) == ["two?", "three"]
    assert second.checkpoint is not None
    assert second.checkpoint.position == 3


@pytest.mark.parametrize(
    ("content", "expected", "unparsed"),
    [
        pytest.param(b'{"text":"a"}{"text":"b"}\n', ["a", "b"], 0, id="two values on a line"),
        pytest.param(b"\0\0\0\0" + line("a"), ["a"], 0, id="NULs before a record"),
        pytest.param(b"\xef\xbb\xbf" + line("a"), ["a"], 0, id="BOM"),
        pytest.param(b'{"text":"a"}\r\n{"text":"b"}\r\n', ["a", "b"], 0, id="CRLF"),
        pytest.param(b'{"text":"a\\ud83d"}\n', ["a\ufffd"], 0, id="lone surrogate"),
        pytest.param(b'{"text":"a\\ud83d\\ude00"}\n', ["a😀"], 0, id="surrogate pair"),
        pytest.param(b'{"text":"a","x":[NaN,-Infinity]}\n', ["a"], 0, id="not a number"),
        pytest.param(b'{"text":"a\xff"}\n', ["a\ufffd"], 0, id="invalid UTF-8"),
        pytest.param(
            '{"text":"a\u2028b\u0085c\x0cd"}\n'.replace("\x0c", "\\f").encode(),
            ["a\u2028b\u0085c\x0cd"],
            0,
            id="other line breaks inside",
        ),
        pytest.param(line("x" * 1_000_000), ["x" * 1_000_000], 0, id="1 MB line"),
        pytest.param(b"\n\n \n" + line("a"), ["a"], 0, id="blank lines"),
        pytest.param(b"not json\n" + line("a"), ["a"], 1, id="junk"),
        pytest.param(b"[1,2]\n5\nnull\n" + line("a"), ["a"], 3, id="no objects"),
        pytest.param(b'{"text":5}\n' + line("a"), ["a"], 1, id="wrong type"),
        pytest.param(
            b'{"text":"cut in the mid{"text":"b"}\n', ["b"], 1, id="a record behind a cut one"
        ),
        pytest.param(
            b'{"text":"cut in the mid\0\0\0{"text":"b"}\n', ["b"], 1, id="NULs between them"
        ),
        pytest.param(b'{"text":"a"} trailing\n', ["a"], 1, id="junk behind a record"),
        pytest.param(b'{"text":"a"}{"text":\n', ["a"], 1, id="a cut one behind a record"),
        pytest.param(b"{" * 5000 + b"\n", [], 1, id="nested too deep"),
        pytest.param(b'{"text":' + b"[" * 100_000 + b"\n", [], 1, id="arrays too deep"),
        pytest.param(b"\0" * 3772, [], 0, id="only NULs"),
        pytest.param(b"", [], 0, id="empty"),
    ],
)
def test_what_a_line_may_be(
    tmp_path: Path, content: bytes, expected: list[str], unparsed: int
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    transcript = reader(path)
    assert texts(transcript) == expected
    assert transcript.unparsed == unparsed


def test_a_part_of_a_cut_record_is_no_record(tmp_path: Path) -> None:
    """The nested object is whole JSON, but it does not reach the end of the line."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text":"a","inner":{"text":"nested"},"more":"cu\n')
    transcript = reader(path)
    assert texts(transcript) == []
    assert transcript.unparsed == 1


def test_a_file_that_became_shorter_is_no_continuation(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one") + line("two"))
    first = reader(path)
    texts(first)
    path.write_bytes(line("one"))
    with pytest.raises(StaleCheckpoint):
        texts(reader(path, first.checkpoint))


def test_a_file_that_shrinks_while_it_is_read_ends_the_pass(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("x" * 2_000_000) * 4)
    transcript = reader(path)
    messages = iter(transcript)
    next(messages)
    path.write_bytes(b"")
    assert len(list(messages)) < 3
    assert transcript.checkpoint is not None


def test_a_line_that_grows_behind_the_survey_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the pass ahead did not see is provisional: it may change what stands before."""
    monkeypatch.setattr(streams, "HELD", 0)

    class Surveying(Plain):
        def survey(self, stream: object) -> int:
            with path.open("ab") as more:
                more.write(line("late") + line("later"))
            return len(line("one"))

    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one"))
    transcript = Surveying(Source("x", str(path), "", "id", 0, 0, 0, ""))
    assert texts(transcript) == ["one", "late"]
    assert transcript.checkpoint is not None
    assert transcript.checkpoint.offset == len(line("one"))
    assert transcript.checkpoint.position == 1


def test_a_missing_file_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.jsonl"):
        texts(reader(tmp_path / "gone.jsonl"))


def test_a_reader_that_refuses_a_line_does_not_end_the_pass(tmp_path: Path) -> None:
    class Picky(Plain):
        def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
            if b"bad" in line:
                raise BadLine
            yield from super().record(line, offset)

    path = tmp_path / "a.jsonl"
    path.write_bytes(line("one") + line("bad") + line("two"))
    transcript = Picky(Source("x", str(path), "", "id", 0, 0, 0, ""))
    assert texts(transcript) == ["one", "two"]
    assert transcript.unparsed == 1


def test_objects_of_a_line() -> None:
    assert list(jsonl.objects(b'\xef\xbb\xbf{"a":1}\r\n')) == [{"a": 1}]
    assert list(jsonl.objects(b'{"a":1}{"b":"\\ud800"}\n')) == [{"a": 1}, {"b": "\ufffd"}]
    assert list(jsonl.objects(b"[1]\n")) == []
    assert list(jsonl.objects(b"junk")) == []


pieces = st.one_of(
    st.text(max_size=20).map(line),
    st.binary(max_size=30).map(lambda data: data + b"\n"),
    st.sampled_from([b"\0" * 7, b"\r\n", b'{"text":"a', b'"}', b'{"text":"b"}', b"\xef\xbb\xbf"]),
)


@pytest.mark.contract("S3-44")
@given(st.lists(pieces, max_size=12), st.lists(st.integers(0, 400), max_size=7))
def test_steps_give_what_one_read_gives(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], cuts: list[int]
) -> None:
    content = b"".join(parts)
    path = tmp_path_factory.mktemp("steps") / "a.jsonl"
    path.write_bytes(content)
    expected = texts(reader(path))
    held: list[str] = []
    since = None
    for cut in [*sorted(min(cut, len(content)) for cut in cuts), len(content)]:
        path.write_bytes(content[:cut])
        step = reader(path, since)
        held = held[: since.position if since else 0] + texts(step)
        since = step.checkpoint
        assert since is not None
        assert since.offset <= content.rfind(b"\n", 0, cut) + 1
    assert held == expected
