"""grep: every message that matches, exactly counted, newest first, streaming, in pages.

Blocks of all corpora are merged by falling time. A match is *final*, and handed out, once no block
to come can hold a newer one; until then it waits among the newest `limit` seen. So memory holds one
page and counts, however many messages match, and the pages put end to end are the sorted whole.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from time import perf_counter
from typing import TYPE_CHECKING, Final

from recall_tui.clock import to_iso
from recall_tui.errors import QueryError
from recall_tui.model import Filter, Flag, Gap, GapKind, Kind, Material, Role
from recall_tui.search.ahead import ALONE, Ahead, counted
from recall_tui.search.aside import divided, may_fork
from recall_tui.search.excerpt import excerpt
from recall_tui.search.page import Match, Page, Place
from recall_tui.search.predicate import Tally, compile_query, tallied
from recall_tui.search.reach import reached
from recall_tui.search.results import GrepUpdate, Hit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from recall_tui.model import Session
    from recall_tui.search.ports import Corpus, Stop
    from recall_tui.search.predicate import Admits, Predicate
    from recall_tui.search.results import GrepQuery
    from recall_tui.store.block import Block

UPDATE_S: Final = 0.1
"""Longest silence: counts move on the screen although no new match is final."""


def grep(corpora: Sequence[Corpus], query: GrepQuery, stop: Stop) -> Iterator[GrepUpdate]:
    """Search for a person: yield final hits and growing counts; the last update has `done` set.

    Args:
        corpora: Where to look. No session may be in two of them.
        query: What to look for.
        stop: Asked between blocks; a stopped search ends with a gap that says how far it came.

    Raises:
        QueryError: The pattern, the limit or the cursor cannot be used. Raised at once, before
            the first update is asked for.
    """
    if query.limit < 1:
        raise QueryError(f"the limit must be at least 1, not {query.limit}")
    after = Place.at_cursor(query.cursor) if query.cursor else None
    return _Scan(corpora, query, compile_query(query), after).run(stop)


def positions(corpus: Corpus, session: Session, query: GrepQuery) -> list[int]:
    """Return the positions in one session that match, ascending: find inside a transcript.

    Only the kinds and roles of the query's filter hold; copies count, for they are shown.

    Raises:
        QueryError: The pattern cannot be used.
    """
    predicate = compile_query(query)
    kinds = query.chosen.kinds_admitted
    found: list[int] = []
    for block in corpus.blocks(Filter(sessions=(session.key,), include_copies=True)):
        if block.session != session.id:
            continue
        meta = block.meta
        indices = predicate.search(block).indices
        found.extend(meta.positions[i] for i in indices if meta.kinds[i] in kinds)
    return sorted(found)


class _Scan:
    """One search under way."""

    def __init__(
        self, corpora: Sequence[Corpus], query: GrepQuery, predicate: Predicate, after: Place | None
    ) -> None:
        self._corpora = corpora
        self._chosen = query.chosen
        self._predicate = predicate
        self._after = after
        self._page = Page(0 if query.count_only else query.limit, after)
        self._totals = query.totals or query.count_only
        kinds = query.chosen.kinds_admitted
        self._kinds = None if len(kinds) == len(Kind) else kinds
        self._sessions: dict[tuple[int, int], Session] = {}
        self._with_match: set[tuple[int, int]] = set()
        self._total = 0
        self._occurrences = 0
        self._unsearched = 0

    def run(self, stop: Stop) -> Iterator[GrepUpdate]:
        """Yield updates as blocks are scanned."""
        started = perf_counter()
        if not self._totals:
            # A page is often full before a child has done anything; starting it costs as much.
            if (yield from self._run(Ahead(None), stop, started, alone=True)):
                return
            self._begin_again()
        with divided(self._corpora, self._chosen, self._count_aside) as batches:
            yield from self._run(Ahead(batches), stop, started)

    def _begin_again(self) -> None:
        """Keep only what was handed out: the rest is looked for behind it, like a next page."""
        before = self._page
        self._page = Page(before.room, before.last or self._after)
        self._page.last = before.last
        self._total = self._occurrences = self._unsearched = 0
        self._with_match.clear()

    def _count_aside(self, stop: Stop) -> Iterator[bytes]:
        return counted(self._merged(), self._tally, stop)

    def _run(
        self, ahead: Ahead, stop: Stop, started: float, *, alone: bool = False
    ) -> Generator[GrepUpdate, None, bool]:
        """Yield updates; return whether this was all, and not only what is best done alone."""
        said = started
        page = self._page
        stopped_at: int | None = None
        for place, (number, block) in enumerate(self._merged()):
            if stop():
                stopped_at = block.last_ms
                break
            final = page.take_final(block.last_ms)
            if not (page.room or self._totals):
                yield self._ended(final, None, started, exact=False)
                return True
            end_alone = alone and place == ALONE and may_fork()
            now = perf_counter()
            if final or now - said > UPDATE_S:
                said = now
                yield self._update(final)
            if end_alone:
                return False
            self._scan(number, block, ahead.of(number, block))
        final = [] if stopped_at is not None else page.take_final(None)
        yield self._ended(final, stopped_at, started, exact=stopped_at is None)
        return True

    def _ended(
        self, final: list[Match], stopped_at: int | None, started: float, *, exact: bool
    ) -> GrepUpdate:
        """Return the last update: the end of the page, where the next begins, and the reach."""
        page = self._page
        update = self._update(final)
        update.done = True
        update.exact = exact
        if page.last is not None and (page.more or not exact):
            update.next = page.last.cursor()
        update.reach = reached(self._corpora, self._chosen)
        update.reach.add(self._gaps(stopped_at))
        update.reach.elapsed_ms = (perf_counter() - started) * 1000
        return update

    def _merged(self) -> Iterator[tuple[int, Block]]:
        """Yield (corpus number, block) of all corpora by falling time."""
        streams = [self._numbered(number) for number in range(len(self._corpora))]
        if len(streams) == 1:
            return streams[0]
        return heapq.merge(*streams, key=lambda item: -item[1].last_ms)

    def _numbered(self, number: int) -> Iterator[tuple[int, Block]]:
        for block in self._corpora[number].blocks(self._chosen):
            yield number, block

    def _scan(self, number: int, block: Block, held: Tally | None) -> None:
        """Count the matches of a block and offer them to the page.

        Args:
            number: Of its corpus.
            block: The block.
            held: What it holds, if somebody has counted.
        """
        closed = self._page.closed_to(block.last_ms)
        if closed or (held and not held.messages):
            # Most of a complete search: nobody asks which messages they are.
            self._counted(number, block, held or self._tally(number, block))
        elif self._predicate.possible(block):
            found = self._predicate.search(block, *self._part(number, block))
            self._counted(number, block, tallied(found))
            if found.indices:
                self._offer(number, block, found.indices)

    def _tally(self, number: int, block: Block) -> Tally:
        """Return how much of what may match in a block does."""
        if not self._predicate.possible(block):
            return Tally(0, 0)
        first, admits = self._part(number, block)
        if first or admits is not None:
            return tallied(self._predicate.search(block, first, admits))
        return self._predicate.tally(block)

    def _part(self, number: int, block: Block) -> tuple[int, Admits]:
        """Return the first message of a block that may match, and the test that others pass."""
        first = 0
        if block.copied and not self._chosen.include_copies:
            first = bisect_left(block.meta.positions, block.copied)
        return first, self._admits(number, block)

    def _counted(self, number: int, block: Block, held: Tally) -> None:
        """Add what a block holds to the counts."""
        self._unsearched += held.unsearched
        if held.messages:
            self._total += held.messages
            self._occurrences += held.occurrences
            self._with_match.add((number, block.session))
            if self._page.closed_to(block.last_ms):
                self._page.more = True

    def _offer(self, number: int, block: Block, indices: Sequence[int]) -> None:
        """Offer matches to the page, last first: they are the newest."""
        block.let_go()
        page, meta = self._page, block.meta
        session = self._session(number, block.session)
        for index in reversed(indices):
            # No match is newer than its block says: what was handed out before stays final even
            # if a corpus had to guess (file times on the cold path).
            time_ms = min(meta.times[index] or session.ended_ms, block.last_ms)
            if page.closed_to(time_ms):
                page.more = True
                continue
            place = Place(-time_ms, session.key, -meta.positions[index])
            page.offer(Match(place, session, block, index))

    def _admits(self, number: int, block: Block) -> Admits:
        """Return the test a message must pass, None when every message of the block does."""
        chosen, kinds, meta = self._chosen, self._kinds, block.meta
        since, until = chosen.since_ms, chosen.until_ms
        if kinds is None and since is None and until is None:
            return None
        low = since if since is not None else -1
        high = until if until is not None else 1 << 62
        timed = (since, until) != (None, None)

        def admits(index: int) -> bool:
            if kinds is not None and meta.kinds[index] not in kinds:
                return False
            if not timed:
                return True
            time_ms = meta.times[index] or self._session(number, block.session).ended_ms
            return low <= time_ms <= high

        return admits

    def _session(self, number: int, row: int) -> Session:
        """Return a session of a corpus, looked up once."""
        known = self._sessions.get((number, row))
        if known is None:
            known = self._sessions[number, row] = self._corpora[number].session(row)
        return known

    def _update(self, final: Sequence[Match]) -> GrepUpdate:
        return GrepUpdate(
            [_hit(match, self._predicate) for match in final],
            self._total,
            self._occurrences,
            len(self._with_match),
            done=False,
        )

    def _gaps(self, stopped_at: int | None) -> list[Gap]:
        gaps = []
        if stopped_at is not None:
            day = f", down to {to_iso(stopped_at)}" if stopped_at else ""
            gaps.append(Gap(GapKind.CANCELLED, 1, f"the search was stopped{day}", "search again"))
        if self._unsearched:
            gaps.append(
                Gap(
                    GapKind.TIMED_OUT,
                    self._unsearched,
                    "message not searched: the pattern took too long",
                    "make the pattern more specific, or filter by time or session",
                )
            )
        return gaps


def _names(block: Block, index: int) -> list[str]:
    """Return the names of the files that hang on a message."""
    held = block.attributes_of(index).get("materials")
    return [Material(*values).name for values in held] if isinstance(held, (list, tuple)) else []


def _hit(match: Match, predicate: Predicate) -> Hit:
    """Return a match as it is shown."""
    block, index = match.block, match.at
    meta = block.meta
    kind = Kind(meta.kinds[index])
    text = block.text_of(index)
    shown = excerpt(text, predicate)
    if not shown.occurrences and meta.flags[index] & Flag.MATERIAL:  # found by what hangs on it
        shown = excerpt("\n".join(filter(None, [text, *_names(block, index)])), predicate)
    tool = block.attributes_of(index).get("tool", "") if kind.role is Role.TOOL else ""
    return Hit(
        match.session,
        meta.positions[index],
        kind,
        meta.times[index],
        meta.digests[index],
        meta.flags[index],
        shown.text,
        shown.spans,
        shown.occurrences,
        shown.cut,
        str(tool),
    )
