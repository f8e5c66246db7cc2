"""The cold path: answers from the session files themselves while there is no index of them.

Sources are parsed newest first, one at a time, through the same ingest as the index, so the text is
the same: sanitised, redacted, without thinking. Nothing is written. A source that is not parsed yet
can hold nothing newer than its file; before each parse an empty block says so, and what was found
until then can already be shown.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError, StoreError
from recall_tui.model import Declined, Gap, GapKind, Session
from recall_tui.named import NamedTuple
from recall_tui.search.bounds import newest_possible
from recall_tui.search.losses import Losses
from recall_tui.search.reach import coverage_of
from recall_tui.search.relations import Draft, Mark, Relations
from recall_tui.search.sessions import admits, admitted, named, under
from recall_tui.store import ingest
from recall_tui.store.block import Block, BlockKind, Meta
from recall_tui.store.clean import clean_facts, session_name
from recall_tui.store.copies import identity
from recall_tui.store.kept import Unwanted
from recall_tui.store.keys import claimed, session_keys
from recall_tui.store.rows import messages_of, newest_first
from recall_tui.text.notation import counted
from recall_tui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recall_tui.harnesses.base import Harness, Source
    from recall_tui.model import Candidates, Coverage, Filter, Message
    from recall_tui.store.build import BuiltBlock
    from recall_tui.store.copies import Indexed

SLACK_MS: Final = 24 * 3600 * 1000
"""A file written this long before `since` is not parsed: clocks disagree, but not by a day."""


class _Place(NamedTuple):
    """A source as a person can name it before it is parsed."""

    row: int
    key: str
    native_id: str
    path: str


class _Parsed(NamedTuple):
    """A source as it was parsed."""

    packing: ingest.Packing
    blocks: list[BuiltBlock]
    draft: Draft


class _Read(NamedTuple):
    """A session and its texts."""

    session: Session
    blocks: list[BuiltBlock]


class ColdCorpus:
    """Sessions read from their sources. For one thread at a time; implements `ports.Corpus`."""

    name = "cold"

    def __init__(
        self,
        sources: Iterable[tuple[Harness, Source]],
        unwanted: Unwanted = Unwanted(),  # noqa: B008 - it holds nothing that changes
        histories: Callable[[str, Sequence[int | str]], Mapping[int, Indexed]] = lambda *_: {},
    ) -> None:
        """Parse nothing yet.

        Args:
            sources: What to read, each with its harness.
            unwanted: Sessions that are passed over once they are read.
            histories: Tells of sessions beside these that may share messages with one of them, as
                `StoreCorpus.histories` does.
        """
        self._unwanted = unwanted
        listed = list(sources)
        bounds = newest_possible([source for _, source in listed])
        order = sorted(range(len(listed)), key=lambda at: (-bounds[at], listed[at][1][:3]))
        self._sources = [listed[at] for at in order]
        self._bounds = [bounds[at] for at in order]
        self._relations = Relations(self._sources, self._draft, histories)
        self._sessions: dict[int, Session] = {}
        self._searchable: dict[int, int] = {}
        """Messages of each session that recall finds, copies left out."""
        self._empty: set[int] = set()
        """Rows that hold no session."""
        self._keys: dict[str, int] = {}
        self._losses = Losses([source for _, source in self._sources])
        self._last: tuple[int, list[BuiltBlock]] = (-1, [])

    # ------------------------------------------------------------ the port

    def sessions(self, chosen: Filter) -> list[Session]:
        """Return the sessions a filter admits, newest first; parses what was not parsed yet."""
        rows = self._rows(chosen)
        known = [session for row in rows if (session := self._session(row)) is not None]
        children = Counter(session.parent for session in self._sessions.values())
        found = sorted(admitted(known, chosen), key=newest_first)
        return [session._replace(children=children[session.key]) for session in found]

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
        """Return how much the sessions parsed so far hold; the others are there as well."""
        rows = self._rows(chosen)
        held = admitted([self._sessions[row] for row in rows if row in self._sessions], chosen)
        folded = sum(0 < s.messages <= s.copied for s in self._sessions.values())
        return coverage_of(held)._replace(
            sources=sum(self._is_of(source, chosen) for _, source in self._sources),
            searchable=sum(self._searchable[session.id] for session in held),
            there=len(self._sources) - len(self._empty) - folded,
        )

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
        if unsettled := len(self._relations.unsettled):
            words = f"messages that {counted(unsettled, 'session')} to read have in common with"
            words += " indexed ones may be counted there, or in both, until all is indexed"
            found.append(Gap(GapKind.UNSETTLED, unsettled, words, "recall index"))
        named_rows = set(self._rows(chosen)) if chosen.sessions else None
        return found + self._losses.gaps(
            lambda row, source: (
                self._is_of(source, chosen) and (not named_rows or row in named_rows)
            )
        )

    # ------------------------------------------------------------ choosing

    def _places(self) -> list[_Place]:
        return [
            _Place(row, self._keys_of(row, native)[0], native, source.path)
            for row, (_, source) in enumerate(self._sources)
            for native in (session_name(source.native_id),)
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
            and self._is_of(self._sources[row][1], chosen)
            and (since is None or self._bounds[row] + SLACK_MS >= since)
        ]

    @staticmethod
    def _is_of(source: Source, chosen: Filter) -> bool:
        """Whether a source is of the harnesses and roots of a filter."""
        return (not chosen.harnesses or source.harness in chosen.harnesses) and (
            not chosen.roots or any(under(source.path, root) for root in chosen.roots)
        )

    # ------------------------------------------------------------ parsing

    def _session(self, row: int) -> Session | None:
        if row not in self._sessions and row not in self._empty:
            self._read(row)
        return self._sessions.get(row)

    def _read(self, row: int) -> _Read | None:
        """Parse a source; None when it holds no session."""
        if self._last[0] == row:
            return _Read(self._sessions[row], self._last[1])
        parsed = self._parse(row)
        if parsed is None:
            return None
        if row not in self._sessions:
            self._complete(row, parsed)
        self._last = (row, parsed.blocks)
        return _Read(self._sessions[row], parsed.blocks)

    def _draft(self, row: int) -> Draft | None:
        """Parse a source for what its relatives have to know."""
        parsed = None if row in self._empty else self._parse(row)
        return parsed.draft if parsed else None

    def _parse(self, row: int) -> _Parsed | None:
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
        if self._unwanted.covers(source.harness, packing.facts, packing.first_record):
            self._empty.add(row)
            self._losses.excluded.add(row)
            return None
        if transcript.unparsed and not packing.counts.messages:
            self._fail(row, f"{source.path}: no readable record in it")
            return None
        self._losses.note(row, transcript)
        if not packing.counts.messages:
            self._empty.add(row)
            return None
        metas = [block.meta for block in built]
        first = min(metas, key=lambda meta: meta.positions[0])
        begins = identity(first.records[0], first.digests[0])
        mark = Mark.of(source, packing.facts, packing.first_record, begins)
        return _Parsed(packing, built, Draft(mark, metas))

    def _fail(self, row: int, reason: str) -> None:
        self._empty.add(row)
        self._losses.unreadable[row] = safe(reason)

    def _complete(self, row: int, parsed: _Parsed) -> None:
        """Note the session as the index would list it."""
        source = self._sources[row][1]
        packing, _, draft = parsed
        facts = clean_facts(packing.facts)
        share = self._relations.note(row, draft)
        main = self._relations.main(row)
        counts = packing.counts
        self._searchable[row] = counts.searchable - share.searchable
        self._sessions[row] = Session(
            id=row,
            key=self._key(row, draft.mark.native_id),
            harness=source.harness,
            native_id=draft.mark.native_id,
            path=source.path,
            title=packing.title or packing.opening,
            cwd=facts.cwd,
            last_cwd=facts.last_cwd or facts.cwd,
            branch=facts.branch,
            models=tuple(facts.models),
            kind=facts.kind,
            parent=self._key(main, self._relations.native_id(main)) if main != row else "",
            started_ms=packing.started_ms,
            ended_ms=packing.ended_ms,
            messages=counts.messages,
            prompts=counts.prompts,
            tool_calls=counts.tool_calls,
            errors=counts.errors,
            materials=counts.materials,
            size=source.size,
            copied=share.copied,
            tokens_in=facts.tokens_in,
            tokens_out=facts.tokens_out,
            cost_usd=facts.cost_usd,
            version=facts.version,
            root=source.root,
            part=source.part,
        )

    def _key(self, row: int, native_id: str) -> str:
        """Return the key the index would give to a row, and keep it for that one."""
        keys = self._keys_of(row, native_id)
        key = next((key for key in keys if self._keys.get(key, row) == row), keys[-1])
        self._keys[key] = row
        return key

    def _keys_of(self, row: int, native_id: str) -> tuple[str, ...]:
        """Return the keys a row may get, in order."""
        source = self._sources[row][1]
        keys = session_keys(source, native_id)
        twins = self._relations.kin.named(source.harness, native_id)
        others_first = claimed(source, (self._sources[twin][1] for twin in twins))
        return keys[1:] if others_first else keys
