"""No damage ends a session: what can be read is, the rest is counted, and nothing is raised."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui import demo
from recall_tui.errors import SourceError
from recall_tui.harnesses import registry
from recall_tui.store import ingest
from recall_tui.store.clean import clean_facts

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Source

HARNESSES = ("claude", "codex", "pi", "opencode", "gemini", "copilot")
DEEP = "[" * 5000 + "]" * 5000
ODD = (
    None, True, 0, -1, 1.5, 1e308, 10**30, -(2**64), "", "x", "\ud83d", "\0", "9" * 400, [], {},
    [None], [[]], [{}], {"a": None}, {"type": []}, "0000-00-00", "99999-01-01T00:00:00Z",
)  # fmt: skip


@lru_cache(maxsize=1)
def sessions() -> dict[str, list[tuple[Source, bytes]]]:
    """Return the demo's sessions that are files, by harness."""
    with TemporaryDirectory() as folder:
        demo.build(Path(folder), 1_790_000_000_000)
        return {
            name: [
                (source, Path(source.path).read_bytes())
                for source in registry.get(name).discover(folder, [])
                if not source.part
            ]
            for name in HARNESSES
        }


def read(harness: str, source: Source, data: bytes, folder: str) -> tuple[int, int]:
    """Read a file as the store does; return (messages, lines that could not be decoded)."""
    path = os.path.join(folder, os.path.basename(source.path))
    Path(path).write_bytes(data)
    transcript = registry.get(harness).open(source._replace(path=path, size=len(data)))
    try:
        messages = [ingest.prepare(message) for message in transcript]
    except SourceError:
        return 0, 1
    clean_facts(transcript.facts)
    return len(messages), transcript.unparsed + transcript.torn


def put(value: object, draw: st.DrawFn) -> object:
    """Put something odd somewhere into a decoded record."""
    if draw(st.booleans()) or not isinstance(value, (dict, list)) or not value:
        return draw(st.sampled_from(ODD))
    place = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    changed = dict(value) if isinstance(value, dict) else list(value)
    if draw(st.integers(0, 4)):
        changed[place] = put(value[place], draw)
    else:
        del changed[place]
    return changed


@st.composite
def damage(draw: st.DrawFn, data: bytes) -> bytes:
    """Damage a file the way crashes, editors and other versions do."""
    way = draw(st.integers(0, 4))
    at = draw(st.integers(0, len(data)))
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + draw(st.binary(min_size=1, max_size=20)) + data[at:]
    if way == 2:
        return data[at:] + data[: draw(st.integers(0, len(data)))]
    lines = data.split(b"\n") if data[:1] == b"{" and b"\n{" in data else [data]
    chosen = draw(st.integers(0, len(lines) - 1))
    try:
        record = json.loads(lines[chosen])
    except ValueError:  # behind the last line, or the demo's torn one
        return data
    if way == 3:
        lines[chosen] = json.dumps(put(record, draw)).encode()
    else:
        lines[chosen] = lines[chosen].replace(b"{", b'{"deep":' + DEEP.encode() + b",", 1)
    return b"\n".join(lines)


@pytest.mark.parametrize("harness", [name for name in HARNESSES if name != "opencode"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_session_is_read_as_far_as_it_goes(harness: str, data: st.DataObject) -> None:
    source, whole = data.draw(st.sampled_from(sessions()[harness]))
    damaged = data.draw(damage(whole))
    with TemporaryDirectory() as folder:
        read(harness, source, damaged, folder)


@pytest.mark.parametrize("harness", [name for name in HARNESSES if name != "opencode"])
def test_a_line_nested_without_end_costs_only_itself(harness: str, tmp_path: Path) -> None:
    # Deeper than any interpreter reads: Python 3.14 takes tens of thousands.
    deep = b'{"type":"user","x":' + b"[" * 500_000 + b"]" * 500_000 + b"}\n"
    for source, whole in sessions()[harness]:
        if source.path.endswith(".jsonl"):
            messages, lost = read(harness, source, whole, str(tmp_path))
            assert messages
            first, newline, others = whole.partition(b"\n")
            nested = first + newline + deep + others
            assert read(harness, source, nested, str(tmp_path)) == (messages, lost + 1)


@pytest.mark.parametrize("harness", [name for name in HARNESSES if name != "opencode"])
@pytest.mark.parametrize("change", ["bom", "crlf", "spaces", "order", "strangers", "nuls"])
def test_the_same_session_written_otherwise_reads_the_same(
    harness: str, change: str, tmp_path: Path
) -> None:
    """Other versions write other orders and more fields; editors and git other line ends."""

    def strange(value: object) -> object:
        return {"zzz": {"a": [1, None]}, **value} if isinstance(value, dict) else value

    def written(line: bytes) -> bytes:
        value = json.loads(line)
        if change == "order":
            return json.dumps(dict(reversed(value.items()))).encode()
        return json.dumps(strange(value) if change == "strangers" else value).encode()

    for source, whole in sessions()[harness]:
        if source.path.endswith(".json"):
            continue
        lines = whole.split(b"\n")
        if change in ("spaces", "order", "strangers"):
            try:
                lines = [written(line) if line.strip() else line for line in lines]
            except ValueError:
                continue  # the demo's torn file
        ends = {"crlf": b"\r\n", "nuls": b"\n\0\0\0"}.get(change, b"\n")
        other = (b"\xef\xbb\xbf" if change == "bom" else b"") + ends.join(lines)
        before = read(harness, source, whole, str(tmp_path))
        assert read(harness, source, other, str(tmp_path)) == before
