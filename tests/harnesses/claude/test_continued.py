"""What Claude Code 1.0.128 and 2.0.10 leave when `-p --continue` goes on, twice (found by running).

The second turn lies in a file of its own, whose records say which session they belong to; the third
stands in that session's file, behind a copy of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recall_tui.harnesses.claude import Claude
from recall_tui.model import Filter, SessionKind
from recall_tui.search.cold import ColdCorpus
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import sync
from tests.harnesses.claude.build import Lines, text

MAIN = "e96a45f7-ee5c-43fc-90cd-a2bed8e7da1f"
TURN = "1e515c23-3444-4c05-b310-0c7bbbffbb46"


def turn(lines: Lines, number: int, *, copied: bool = False) -> None:
    """One prompt and its answer; a copy has another shape and one and the same time."""
    prompt = f"prompt {number}"
    lines.user([text(prompt)] if copied else prompt, uuid=f"u{number}")
    if copied:
        lines.time_ms -= 1000
    lines.assistant(text(f"answer {number}"), reply=f"msg_{number}", uuid=f"a{number}")


def written(folder: Path, version: str) -> list[Path]:
    main, own = (Lines(version, session=MAIN) for _ in range(2))
    turn(main, 1)
    own.raw({"type": "summary", "summary": "answer 1", "leafUuid": "a1"})
    own.last = main.last
    own.time_ms = main.time_ms + 60_000
    turn(own, 2)
    main.time_ms = own.time_ms + 60_000
    turn(main, 2, copied=True)
    turn(main, 3)
    folder.mkdir(parents=True)
    paths = [folder / f"{name}.jsonl" for name in (MAIN, TURN)]
    for path, lines in zip(paths, (main, own), strict=True):
        path.write_bytes(b"".join(lines.lines))
    return paths


def corpora(folder: Path) -> Iterator[Any]:
    index = str(folder.parent / "data" / "index.db")
    sync(index, [Place(Claude(), str(folder))])
    sources = [(Claude(), source) for source in Claude().discover(str(folder), [])]
    with closing(StoreCorpus(index)) as stored:
        yield from (stored, ColdCorpus(sources))


@pytest.mark.parametrize("version", ["1.0.128", "2.0.10"])
def test_a_turn_in_a_file_of_its_own_counts_once(tmp_path: Path, version: str) -> None:
    folder = tmp_path / "projects" / "-w"
    written(folder, version)
    for corpus in corpora(folder):
        (main,) = corpus.sessions(Filter())
        assert (main.native_id, main.prompts, main.copied) == (MAIN, 3, 0)
        kept = {s.native_id: s for s in corpus.sessions(Filter(include_copies=True))}[TURN]
        assert (kept.kind, kept.parent, kept.copied) == (SessionKind.FORK, main.key, 2)


@pytest.mark.parametrize("version", ["1.0.128", "2.0.10"])
def test_before_the_next_turn_it_belongs_to_its_session_and_counts(
    tmp_path: Path, version: str
) -> None:
    folder = tmp_path / "projects" / "-w"
    path, _ = written(folder, version)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    for corpus in corpora(folder):
        found = {s.native_id: s for s in corpus.sessions(Filter())}
        assert {name: s.copied for name, s in found.items()} == {MAIN: 0, TURN: 0}
        assert found[TURN].parent == found[MAIN].key


def test_a_file_under_another_name_that_begins_its_own_history_goes_on_with_none(
    read: Any,
) -> None:
    lines = Lines(session=MAIN)
    turn(lines, 1)
    facts = read(lines).facts
    assert (facts.kind, facts.parent) == (SessionKind.MAIN, "")
