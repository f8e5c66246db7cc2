"""What Claude Code leaves when a session that was compacted is forked (found by running 1.0.128,
2.0.30, 2.1.100 and 2.1.332).

The copy has nothing from before the boundary, and names nobody. Newer versions keep the last
messages from before it: in the copy they follow the summary. 1.0 gives all of it a new time.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recall_tui.harnesses.claude import Claude
from recall_tui.model import Filter
from recall_tui.search.cold import ColdCorpus
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import sync
from tests.harnesses.claude.build import START, Lines, text

MAIN = "b5a88ee1-2bb5-4aa6-a9e1-9612c1553b6f"
FORK = "1af8d7a9-5fca-45dd-b0d3-42ffdd928c42"
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The "
    "conversation is summarized below: tides were asked for."
)


def turn(lines: Lines, number: int) -> None:
    lines.user(f"prompt {number}", uuid=f"u{number}")
    lines.assistant(text(f"answer {number}"), reply=f"msg_{number}", uuid=f"a{number}")


def boundary(lines: Lines) -> None:
    lines.add("system", None, subtype="compact_boundary", content="Compacted", uuid="boundary")
    lines.user(SUMMARY, uuid="summary", isCompactSummary=True)


def written(folder: Path, version: str) -> None:
    main, fork = Lines(version, session=MAIN), Lines(version, session=FORK)
    for number in (1, 2):
        turn(main, number)
    boundary(main)
    turn(main, 3)
    fork.time_ms = START + 4_000 if version.startswith("2") else START + 600_000
    fork.raw({"type": "mode", "mode": "normal", "sessionId": FORK})
    boundary(fork)
    if version == "2.1.332":
        fork.time_ms = START + 2_000
        turn(fork, 2)
        fork.time_ms = START + 6_000
    turn(fork, 3)
    turn(fork, 4)
    folder.mkdir(parents=True)
    for name, lines in ((MAIN, main), (FORK, fork)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(lines.lines))


@pytest.mark.parametrize("version", ["1.0.128", "2.1.100", "2.1.332"])
def test_a_fork_of_a_compacted_session_belongs_to_it(tmp_path: Path, version: str) -> None:
    folder = tmp_path / "projects" / "-home-a-my-app"
    written(folder, version)
    index = str(tmp_path / "data" / "index.db")
    sync(index, [Place(Claude(), str(folder))])
    sources = [(Claude(), source) for source in Claude().discover(str(folder), [])]
    with closing(StoreCorpus(index)) as stored:
        corpora: list[Any] = [stored, ColdCorpus(sources)]
        for corpus in corpora:
            main, fork = sorted(
                corpus.sessions(Filter(include_copies=True)), key=lambda one: one.started_ms
            )
            assert (main.native_id, main.copied, main.children) == (MAIN, 0, 1)
            own = [m.text for m in corpus.messages(fork.id) if m.position >= fork.copied]
            assert (fork.parent, own) == (main.key, ["prompt 4", "answer 4"])


def test_only_a_file_that_begins_with_a_compaction_says_so() -> None:
    lines = Lines()
    lines.raw({"type": "custom-title", "customTitle": "a", "sessionId": FORK})
    before = list(lines.lines)
    lines.user('they wrote {"uuid":"x","subtype":"compact_boundary"}')
    assert Claude().begins_midway(b"".join(lines.lines)) == b""
    lines.lines = before
    boundary(lines)
    assert Claude().begins_midway(b"".join(lines.lines)) == b"boundary"
    assert Claude().begins_midway(b"".join(lines.lines)[:150]) == b""
