"""The index as a body of sessions: `search.ports.Corpus`, and what a transcript view needs.

A question never sorts or copies a blob: ids are chosen through indices that hold every column the
choice asks for, then rows are read by id.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui.errors import StoreError
from recall_tui.model import (
    Coverage,
    Declined,
    Filter,
    Listed,
    Message,
    Session,
)
from recall_tui.store import choice, memory, reach, schema
from recall_tui.store.block import Block, Meta
from recall_tui.store.connect import Readers, store_errors
from recall_tui.store.expand import Facts, expand
from recall_tui.store.rows import SESSION, messages_of, newest_first, session_of
from recall_tui.store.within import WHOLE, Within, within
from recall_tui.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from recall_tui.model import Candidates, Gap
    from recall_tui.store.copies import Indexed
    from recall_tui.store.damage import Damaged
    from recall_tui.store.kept import Kept
    from recall_tui.store.skeleton import Skeleton
    from recall_tui.store.sync.discover import Place

T = TypeVar("T")

# Of copies alone, which have an index.
_COPIED: Final = "SELECT id, copied FROM session WHERE original <> 0 AND copied > 0"
_META: Final = "SELECT meta FROM block WHERE id=?"
_BODY: Final = "SELECT raw FROM body WHERE id=?"
_MESSAGES: Final = """SELECT meta, raw, attributes FROM block JOIN body USING (id)
WHERE session=? AND last>=? AND first<? ORDER BY no"""
_ATTRIBUTES: Final = "SELECT attributes FROM body WHERE id=?"
_GENERATION: Final = "SELECT value FROM meta WHERE key='generation'"


DIVISIBLE: Final = 128
"""Blocks from which on it takes longer to read half of them than to start another process."""


class StoreCorpus:
    """Reads the index. Safe to use from any thread; implements `search.ports.Corpus`."""

    name = "index"

    def __init__(self, path: str, only: Sequence[str] = ()) -> None:
        """Open nothing yet: the file may still be made.

        Args:
            path: The index.
            only: Roots below which everything lies that is ever asked for; none for no such limit.
        """
        memory.keep_freed()
        self.path = path
        self._only = tuple(only)
        self._here: tuple[int, Within] = (-1, WHOLE)
        """A generation, and what was below the roots then."""
        self._readers = Readers(path, _prepare)

    def close(self) -> None:
        """Close every connection."""
        self._readers.close()

    # ------------------------------------------------------------ the port

    def sessions(self, chosen: Filter) -> list[Session]:
        """Return the sessions a filter admits, newest first by `ended_ms`, then by key (S0-24)."""
        with self._readers.lease() as connection:
            chosen, named, alone = self._meant(connection, chosen)
            where, values = choice.sessions(chosen, named, alone)
            # Sorted among equals below: asked for that, SQLite sorts whole rows (+40 %).
            rows = connection.execute(
                f"SELECT {SESSION} FROM session WHERE {where} ORDER BY ended_ms DESC", values
            )
            here = self._within(connection)
            found = [session_of(row, here) for row in rows]
        found.sort(key=newest_first)
        return found

    def listed(self, chosen: Filter) -> list[Listed]:
        """Return the places of what `sessions` returns: it reads two columns of thirty."""
        with self._readers.lease() as connection:
            where, values = choice.sessions(*self._meant(connection, chosen))
            rows = connection.execute(
                f"SELECT ended_ms, key, parent, id FROM session WHERE {where}", values
            )
            parents = self._within(connection).parents
            found = [
                Listed(ended_ms, key, parents.get(row, parent))
                for ended_ms, key, parent, row in rows
            ]
        found.sort(key=newest_first)
        return found

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks that may hold an admitted message, by falling `last_ms`.

        All from one committed state, held until the iterator ends or is dropped.
        """
        with self._readers.snapshot() as connection:
            chosen, named, alone = self._meant(connection, chosen)
            query, values = choice.blocks(chosen, named, alone)
            only = "" if named is None else f" AND id IN ({', '.join(map(str, named))})"
            copied = {**dict(connection.execute(_COPIED + only).fetchall()), **alone}
            # Not fetched as a whole: the first page is there before the last block is chosen.
            chosen_blocks = connection.execute(query, values)
            state = _State(self._readers, connection)
            try:
                for number, session, kind, last_ms in chosen_blocks:
                    yield Block(
                        number, session, kind, last_ms, partial(state.read, _META, number),
                        partial(state.fold, number), partial(state.body, number),
                        partial(state.attributes, number), copied.get(session, 0),
                    )  # fmt: skip
            finally:
                chosen_blocks.close()
                state.connection = None

    def divisible(self, chosen: Filter) -> bool:
        """Return whether a forked child may read half of the blocks, and gains anything by it.

        It does if they are many. SQLite forbids to carry a connection into a child.
        """
        with self._readers.lease() as connection:
            query, values = choice.blocks(*self._meant(connection, chosen))
            rows = connection.execute(f"{query} LIMIT {DIVISIBLE}", values).fetchall()
        return len(rows) == DIVISIBLE and self._readers.let_go()

    def session(self, row: int) -> Session:
        """Return the session of a row id.

        Raises:
            StoreError: It is not (any more) there.
        """
        with self._readers.lease() as connection:
            here = self._within(connection)
            found = connection.execute(
                f"SELECT {SESSION} FROM session WHERE id=?", (row,)
            ).fetchone()
        if found is None:
            raise StoreError("the session is no longer in the index", "search again")
        return session_of(found, here)

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, path or unique prefix of an id (8+) names."""
        with self._readers.lease() as connection:
            for where, values in choice.naming(name):
                rows = connection.execute(
                    f"SELECT {SESSION} FROM session WHERE {where} ORDER BY folded, ended_ms DESC",
                    values,
                ).fetchall()
                if rows:
                    here = self._within(connection)
                    return [session_of(row, here) for row in rows]
        return []

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, `start` inclusive, `stop` exclusive, in position order."""
        end = 1 << 62 if stop is None else stop
        found: list[Message] = []
        with self._readers.snapshot() as connection:
            named = connection.execute("SELECT key FROM session WHERE id=?", (row,)).fetchone()
            rows = connection.execute(_MESSAGES, (row, start, end))
            for meta, raw, attributes in rows:
                packed, facts = Meta.unpack(meta), Facts(attributes)
                found += messages_of(named[0], packed, expand(raw), facts, start, end)
        found.sort(key=lambda message: message.position)
        return found

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Decline: the text is the index, and reading it is what narrowing would cost."""
        return Declined("the text is the index")

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return what the index knows it is missing of a filter's harnesses, roots and sessions."""
        with self._readers.lease() as connection:
            return reach.gaps(connection, chosen, self._named(connection, chosen))

    def histories(
        self,
        harness: str,
        marks: Sequence[int | str],
        without: Collection[int] = (),
    ) -> dict[int, Indexed]:
        """Return the sessions that another may share history with, by row id.

        Args:
            harness: Of both.
            marks: Native ids that it has or names as its origin, hash of its first record.
            without: Row ids of sessions that do not count.
        """
        from recall_tui.store import families  # noqa: PLC0415 - few searches need it
        from recall_tui.store.copies import Indexed  # noqa: PLC0415

        with self._readers.lease() as connection:
            members = families.relatives(connection, harness, marks)
            rows = members.keys() - set(without)
            if rows and self._only:
                where, values = choice.sessions(Filter(roots=self._only), sorted(rows))
                query = f"SELECT id FROM session WHERE {where}"
                rows = {row[0] for row in connection.execute(query, values)}
            alone = self._within(connection).copied
            return {
                row: Indexed(
                    members[row].origin,
                    families.history_of(connection, row),
                    alone.get(row, members[row].copied),
                )
                for row in rows
            }

    def damaged(self, chosen: Filter) -> list[Damaged]:
        """Return every source of a filter's harnesses and roots that lost something."""
        from recall_tui.store.damage import damaged  # noqa: PLC0415 - for the doctor

        with self._readers.lease() as connection:
            return damaged(connection, *choice.sources(chosen))

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much a filter covers."""
        with self._readers.lease() as connection:
            chosen, named, alone = self._meant(connection, chosen)
            where, values = choice.sessions(chosen, named, alone)
            copied = f"copied * (id NOT IN ({choice.listed(alone)}))" if alone else "copied"
            own = "coalesce(sum(searchable - searchable_copied), 0)"
            if schema.version(connection) < schema.COUNTS_SEARCHABLE:
                own = "NULL"
            row = connection.execute(
                f"""SELECT count(*), coalesce(sum(messages - {copied}), 0),
                coalesce(min(nullif(started_ms, 0)), 0), coalesce(max(ended_ms), 0), {own}
                FROM session WHERE {where}""",
                values,
            ).fetchone()
            shared = [row for row, count in alone.items() if count]
            here = f"SELECT id FROM session WHERE id IN ({choice.listed(shared)}) AND {where}"
            again = sum(alone[number] for (number,) in connection.execute(here, values))
            of, of_values = choice.sources(chosen)
            (sources,) = connection.execute(
                f"SELECT count(*) FROM source WHERE {of}", of_values
            ).fetchone()
            all_there, _ = choice.sessions(reach.EVERYTHING, None, alone)
            there = row[0]
            if where != all_there:
                query = f"SELECT count(*) FROM session WHERE {all_there}"
                (there,) = connection.execute(query).fetchone()
        sessions, messages, oldest, newest, searchable = row
        return Coverage(sources, sessions, messages - again, oldest, newest, searchable, there)

    # ------------------------------------------------------------ beyond the port

    def skeleton(self, row: int) -> Skeleton:
        """Return what a virtual transcript lays out from, without reading any text."""
        from recall_tui.store.skeleton import Skeleton  # noqa: PLC0415 - for the app

        metas = "SELECT meta FROM block WHERE session=?"
        with self._readers.lease() as connection:
            return Skeleton.of_metas([Meta.unpack(d) for (d,) in connection.execute(metas, (row,))])

    def in_step(self, places: Sequence[Place], kept: Kept) -> bool:
        """Return whether the index surely holds all sources of some places as they are."""
        from recall_tui.store.sync.step import in_step  # noqa: PLC0415 - not where one syncs anyway

        with self._readers.lease() as connection:
            return in_step(connection, places, kept) is not None

    def synced_ms(self) -> int:
        """Return when the sources were last compared with the index, 0 for never."""
        return self._number("synced_ms")

    def version(self) -> int:
        """Return a number that changes when what can be found does. Cheap: poll it."""
        return self._number("generation")

    def text_rules(self) -> str:
        """Return the rules for secrets and folding the text was made by, empty when unknown."""
        return str(self._value(schema.TEXT_RULES) or "")

    def _number(self, key: str) -> int:
        return int(self._value(key) or 0)

    def _value(self, key: str) -> int | str | None:
        """Return a value of `meta`, None when it is not there."""
        with self._readers.lease() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def _meant(
        self, connection: sqlite3.Connection, chosen: Filter
    ) -> tuple[Filter, list[int] | None, Mapping[int, int]]:
        """Return a filter without roots that leave nothing out, rows it names, `Within.copied`."""
        named = self._named(connection, chosen)
        return choice.unrooted(connection, chosen), named, self._within(connection).copied

    def _within(self, connection: sqlite3.Connection) -> Within:
        """Return what is otherwise below the roots than in the whole index."""
        roots = choice.unrooted(connection, Filter(roots=self._only)).roots
        if not roots:
            return WHOLE
        (state,) = connection.execute(_GENERATION).fetchone() or (0,)
        known, here = self._here
        if known != state:
            here = within(connection, roots)
            self._here = state, here
        return here

    def _named(self, connection: sqlite3.Connection, chosen: Filter) -> list[int] | None:
        """Return the row ids of the sessions a filter names, None when it names none."""
        if not chosen.sessions:
            return None
        found: set[int] = set()
        for name in chosen.sessions:
            for where, values in choice.naming(name):
                query = f"SELECT id FROM session WHERE {where}"
                rows = connection.execute(query, values).fetchall()
                found.update(row[0] for row in rows)
                if rows:
                    break
        return sorted(found)


class _State:
    """The committed state a scan sees; once the scan has ended, whatever state there is."""

    def __init__(self, readers: Readers, connection: sqlite3.Connection) -> None:
        self.connection: sqlite3.Connection | None = connection
        self._readers = readers

    def fold(self, block: int) -> bytes:
        """Return the folded texts of a block.

        Raises:
            StoreError: As of `read`.
        """
        return self._ask(_fold, block)

    def body(self, block: int) -> bytes:
        """Return the marked texts of a block."""
        return expand(self.read(_BODY, block))

    def attributes(self, block: int) -> Facts:
        """Return the sparse facts of a block's messages by index."""
        return Facts(self.read(_ATTRIBUTES, block))

    def read(self, query: str, block: int) -> bytes:
        """Return the one value of a block that a query asks for.

        Raises:
            StoreError: The scan has ended, and the block was replaced since.
        """
        row = self._ask(lambda connection, key: connection.execute(query, (key,)).fetchone(), block)
        if row is None:
            raise StoreError("a session was rewritten while it was read", "search again")
        data: bytes = row[0]
        return data

    def _ask(self, question: Callable[[sqlite3.Connection, int], T], block: int) -> T:
        if self.connection is None:
            with self._readers.lease() as connection:
                return question(connection, block)
        try:
            return question(self.connection, block)
        except sqlite3.Error:  # not `with` around all of it: that is a microsecond a block
            with store_errors(self._readers.path):
                raise


def _fold(connection: sqlite3.Connection, block: int) -> bytes:
    # Not as a column: SQLite would copy it once more, into memory that goes back to the system and
    # is faulted in anew for every block (3x the time).
    with connection.blobopen("block", "fold", block, readonly=True) as blob:
        return blob.read()


def _prepare(connection: sqlite3.Connection) -> None:
    schema.refuse_newer(connection)
    if schema.version(connection) < schema.OLDEST_READABLE:
        raise StoreError("the index is empty or of an older version", "recall index")
    connection.create_function("fold", 1, fold, deterministic=True)
