"""The cold path: answers from the session files themselves while there is no index of them.

Sources are parsed newest first, one at a time, through the same ingest as the index, so the text is
the same: sanitised, redacted, without thinking. Nothing is written. A source that is not parsed yet
can hold nothing newer than its file; before each parse an empty block says so, and what was found
until then can already be shown.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.clock import from_iso
from recall_tui.errors import SourceError, StoreError
from recall_tui.model import Declined, Gap, GapKind, Session, SessionKind
from recall_tui.search.reach import coverage_of
from recall_tui.search.sessions import admits, admitted, named, under
from recall_tui.store import families, ingest
from recall_tui.store.block import Block, BlockKind, Meta
from recall_tui.store.corpus import messages_of
from recall_tui.store.kept import Unwanted
from recall_tui.store.keys import session_keys
from recall_tui.text.notation import counted

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recall_tui.harnesses.base import Facts, Harness, Source, Transcript
    from recall_tui.model import Candidates, Coverage, Filter, Message
    from recall_tui.store.build import BuiltBlock

SLACK_MS: Final = 24 * 3600 * 1000
"""A file written this long before `since` is not parsed: clocks disagree, but not by a day."""

ROUNDING_MS: Final = 60_000
"""Added to the time of a file: systems round it, and agents note it before a last message."""

CROWD: Final = 20
"""So many sources written within `CROWD_MS` were copied here: their file times say nothing."""

CROWD_MS: Final = 3600 * 1000

TAIL_BYTES: Final = 64 * 1024
"""What is read of the end of a file whose time says nothing."""

_STAMP: Final = re.compile(rb"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z")


class _Place(NamedTuple):
    """A source as a person can name it before it is parsed."""

    row: int
    key: str
    native_id: str
    path: str


class _Read(NamedTuple):
    """A parsed source."""

    session: Session
    blocks: list[BuiltBlock]


@dataclass(slots=True)
class _Damage:
    """What parsing had to leave out."""

    unreadable: dict[str, str] = field(default_factory=dict)
    """Path -> why."""
    unparsed: Counter[str] = field(default_factory=Counter)
    """Damaged lines by path."""
    torn: set[str] = field(default_factory=set)
    unknown: dict[str, Counter[str]] = field(default_factory=dict)
    """Harness -> record kinds."""


class ColdCorpus:
    """Sessions read from their sources. For one thread at a time; implements `ports.Corpus`."""

    name = "cold"

    def __init__(
        self,
        sources: Iterable[tuple[Harness, Source]],
        unwanted: Unwanted = Unwanted(),  # noqa: B008 - it holds nothing that changes
        histories: Callable[[str, Sequence[int | str]], Sequence[array[int]]] = lambda *_: (),
    ) -> None:
        """Parse nothing yet.

        Args:
            sources: What to read, each with its harness.
            unwanted: Sessions that are passed over once they are read.
            histories: Tells of sessions beside these that may share messages with one of them, as
                `StoreCorpus.histories` does.
        """
        self._unwanted = unwanted
        self._histories = histories
        listed = list(sources)
        bounds = _newest_possible([source for _, source in listed])
        order = sorted(range(len(listed)), key=lambda at: (-bounds[at], listed[at][1][:3]))
        self._sources = [listed[at] for at in order]
        self._bounds = [bounds[at] for at in order]
        self._sessions: dict[int, Session] = {}
        self._searchable: dict[int, int] = {}
        """Messages of each session that recall finds, copies left out."""
        self._empty: set[int] = set()
        """Rows that hold no session."""
        self._keys: dict[str, int] = {}
        self._records: dict[tuple[str, int | str], list[int]] = {}
        """(harness, native id or hash of the first record) -> rows that share it."""
        self._held: dict[int, array[int]] = {}
        self._damage = _Damage()
        self._last: tuple[int, list[BuiltBlock]] = (-1, [])

    # ------------------------------------------------------------ the port

    def sessions(self, chosen: Filter) -> list[Session]:
        """Return the sessions a filter admits, newest first; parses what was not parsed yet."""
        rows = self._rows(chosen)
        known = [session for row in rows if (session := self._session(row)) is not None]
        return sorted(admitted(known, chosen), key=lambda s: -s.ended_ms)

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks that may hold an admitted message, by falling `last_ms`.

        Every block claims the time of its file, for what is still to be parsed may be as new as
        any of them. Before each source comes an empty block that says the same, so that what was
        found until then can be shown first.
        """
        for row in self._rows(chosen):
            bound = self._bounds[row]
            yield Block(0, row, BlockKind.TALK, bound, Meta(), b"", bytes)
            read = self._read(row)
            if read is None or not admits(read.session, chosen):
                continue
            for built in read.blocks:
                yield Block(
                    0, row, built.kind, bound, built.meta, built.fold,
                    partial(getattr, built, "raw"), partial(getattr, built, "attributes"),
                    read.session.copied,
                )  # fmt: skip

    def divisible(self, chosen: Filter) -> bool:
        """Return False: what is read is kept, and a child could not hand it over."""
        return False

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the sessions parsed so far hold."""
        rows = self._rows(chosen)
        known = [self._sessions[row] for row in rows if row in self._sessions]
        held = admitted(known, chosen)
        own = sum(self._searchable[session.id] for session in held)
        return coverage_of(held)._replace(searchable=own)

    def session(self, row: int) -> Session:
        """Return the session of a row id.

        Raises:
            StoreError: Its source cannot be read any more.
        """
        session = self._session(row)
        if session is None:
            raise StoreError(f"{self._sources[row][1].path} holds no session", "search again")
        return session

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, path or unique prefix of an id names."""
        found = (self._session(place.row) for place in named(name, self._places()))
        return [session for session in found if session is not None]

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, `start` inclusive, `stop` exclusive, in position order."""
        read = self._read(row)
        if read is None:
            return []
        end = 1 << 62 if stop is None else stop
        parts = (
            messages_of(read.session.key, b.meta, b.raw, b.attributes, start, end)
            for b in read.blocks
        )
        return sorted(chain.from_iterable(parts), key=lambda message: message.position)

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Decline: nothing is known of a source before it is read."""
        return Declined("the sessions are read from their files")

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return that this was no index, and what of the sources parsed so far was left out."""
        found = [
            Gap(
                GapKind.COLD,
                len(self._sources),
                f"{counted(len(self._sources), 'session')} to read from the files, not the index",
                "recall index",
            )
        ]
        damage = self._damage
        for path, reason in damage.unreadable.items():
            found.append(Gap(GapKind.UNREADABLE, 1, reason, "it is tried again each time", path))
        if damage.unparsed:
            lines, files = damage.unparsed.total(), len(damage.unparsed)
            words = (
                f"{counted(lines, 'damaged line')} in {counted(files, 'file')} could not be read"
            )
            found.append(Gap(GapKind.UNPARSED, lines, words, "recall doctor names the files"))
        if damage.torn:
            words = f"the last line of {counted(len(damage.torn), 'file')} is not finished yet"
            found.append(Gap(GapKind.TORN, len(damage.torn), words))
        for harness, kinds in sorted(damage.unknown.items()):
            names = ", ".join(name for name, _ in kinds.most_common(4))
            words = f"{counted(kinds.total(), f'{harness} record')} of unknown kind: {names}"
            found.append(
                Gap(GapKind.UNKNOWN_RECORDS, kinds.total(), words, "update recall-tui", harness)
            )
        return found

    # ------------------------------------------------------------ choosing

    def _places(self) -> list[_Place]:
        return [
            _Place(row, f"{source.harness}:{native}", native, source.path)
            for row, (_, source) in enumerate(self._sources)
            for native in (ingest.session_name(source.native_id),)
        ]

    def _rows(self, chosen: Filter) -> list[int]:
        """Return the rows a filter may admit, newest first, by what is known without parsing."""
        rows: Sequence[int] = range(len(self._sources))
        if chosen.sessions:
            places = self._places()
            wanted = {place.row for name in chosen.sessions for place in named(name, places)}
            rows = [row for row in rows if row in wanted]
        since = chosen.since_ms
        return [
            row
            for row in rows
            if row not in self._empty
            and (not chosen.harnesses or self._sources[row][1].harness in chosen.harnesses)
            and (
                not chosen.roots or any(under(self._sources[row][1].path, r) for r in chosen.roots)
            )
            and (since is None or self._bounds[row] + SLACK_MS >= since)
        ]

    # ------------------------------------------------------------ parsing

    def _session(self, row: int) -> Session | None:
        if row not in self._sessions and row not in self._empty:
            self._read(row)
        return self._sessions.get(row)

    def _read(self, row: int) -> _Read | None:
        """Parse a source; None when it holds no session."""
        if self._last[0] == row:
            return _Read(self._sessions[row], self._last[1])
        harness, source = self._sources[row]
        try:
            transcript = harness.open(source)
            packing = ingest.pack_session(transcript)
            built = []
            for block in packing:
                built.append(block)
                if self._unwanted.leaves_out(*packing.folders):
                    break
        except SourceError as error:
            self._fail(row, error.message)
            return None
        except Exception as error:  # a reader's fault costs its session, never the search
            self._fail(row, f"{source.path}: {type(error).__name__} while it was read")
            return None
        if self._unwanted.covers(source.harness, packing.facts):
            self._empty.add(row)
            return None
        self._note_damage(source, transcript)
        if not packing.counts.messages:
            self._empty.add(row)
            return None
        session = self._sessions.get(row) or self._new_session(row, source, packing, built)
        self._sessions[row] = session
        self._searchable[row] = sum(_searchable(block.meta, session.copied) for block in built)
        self._last = (row, built)
        return _Read(session, built)

    def _fail(self, row: int, reason: str) -> None:
        self._empty.add(row)
        self._damage.unreadable[self._sources[row][1].path] = ingest.word(reason)

    def _note_damage(self, source: Source, transcript: Transcript) -> None:
        damage = self._damage
        if transcript.unparsed:
            damage.unparsed[source.path] = transcript.unparsed
        if transcript.torn:
            damage.torn.add(source.path)
        if transcript.unknown:
            kinds = {ingest.word(name): count for name, count in transcript.unknown.items()}
            damage.unknown.setdefault(source.harness, Counter()).update(kinds)

    def _new_session(
        self, row: int, source: Source, packing: ingest.Packing, built: Sequence[BuiltBlock]
    ) -> Session:
        """Return the session as the index would list it."""
        facts = ingest.clean_facts(packing.facts)
        native_id = facts.native_id or ingest.session_name(source.native_id)
        keys = session_keys(source, native_id)
        key = next((k for k in keys if self._keys.get(k, row) == row), keys[-1])
        self._keys[key] = row
        counts = packing.counts
        return Session(
            id=row,
            key=key,
            harness=source.harness,
            native_id=native_id,
            path=source.path,
            title=packing.title or packing.opening,
            cwd=facts.cwd,
            last_cwd=facts.last_cwd or facts.cwd,
            branch=facts.branch,
            models=tuple(facts.models),
            kind=facts.kind,
            parent="",
            started_ms=packing.started_ms,
            ended_ms=packing.ended_ms,
            messages=counts.messages,
            prompts=counts.prompts,
            tool_calls=counts.tool_calls,
            errors=counts.errors,
            materials=counts.materials,
            size=source.size,
            copied=self._copied(row, source.harness, _marks(facts, native_id, packing), built),
            tokens_in=facts.tokens_in,
            tokens_out=facts.tokens_out,
            cost_usd=facts.cost_usd,
            version=facts.version,
            root=source.root,
            part=source.part,
        )

    def _copied(
        self, row: int, harness: str, marks: Sequence[int | str], built: Sequence[BuiltBlock]
    ) -> int:
        """Return how many leading messages were already in a session parsed before.

        They count once, in the newest session that holds them; the index, which knows the whole
        family, counts them in the oldest.
        """
        mine = families.records(block.meta.pack() for block in built)
        relatives = {other for mark in marks for other in self._records.get((harness, mark), ())}
        self._held[row] = mine
        for mark in marks:
            self._records.setdefault((harness, mark), []).append(row)
        others = [*(self._held[other] for other in relatives), *self._histories(harness, marks)]
        return max((families.common(other, mine) for other in others), default=0)


def _marks(facts: Facts, native_id: str, packing: ingest.Packing) -> list[int | str]:
    """Return what a session shares with those it may have copied, or that copied it."""
    marks: list[int | str] = [native_id]
    if packing.first_record:
        marks.append(packing.first_record)
    if facts.kind is SessionKind.FORK and facts.parent:
        marks.append(facts.parent)
    return marks


def _searchable(meta: Meta, copied: int) -> int:
    """Return how many messages of a block recall finds, from a position on."""
    return ingest.searchable(meta.kinds.tobytes()[bisect_left(meta.positions, copied) :])


def _newest_possible(sources: Sequence[Source]) -> list[int]:
    """Return, for each source, a time no message in it should exceed, in epoch ms.

    That is the time of its file, unless most were written in one go, as by a copy of the whole
    history: then the latest time that the end of the file names, if that is earlier.
    """
    written = sorted(source.mtime_ns // 1_000_000 for source in sources)
    crowd = written[len(written) // 4 :]
    copied = len(crowd) >= CROWD and crowd[-1] - crowd[0] <= CROWD_MS
    return [
        min(source.mtime_ns // 1_000_000, _last_stamp(source) if copied else 1 << 62) + ROUNDING_MS
        for source in sources
    ]


def _last_stamp(source: Source) -> int:
    """Return the latest time written at the end of a file; far in the future without any.

    Only a file to which lines are appended ends with its latest ones.
    """
    if source.part or not source.path.endswith(".jsonl"):
        return 1 << 62
    try:
        with open(source.path, "rb", buffering=0) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - TAIL_BYTES))
            stamps = _STAMP.findall(stream.read(TAIL_BYTES))
    except OSError:
        stamps = []
    return max((from_iso(stamp.decode()) for stamp in stamps), default=0) or 1 << 62
