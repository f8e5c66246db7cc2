"""What is kept: which sources may be read at all, and what stays of those that are gone."""

from typing import TYPE_CHECKING, Final

from recall_tui.model import SessionKind
from recall_tui.named import NamedTuple
from recall_tui.paths import matches
from recall_tui.store.user import Tombstones, mark_beginning, mark_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from recall_tui.harnesses.base import Facts, Source

_NOTED: Final = "SELECT value FROM meta WHERE key=?"


class Unwanted(NamedTuple):
    """What only the content of a source tells to be unwanted: it is read, and nothing is kept."""

    projects: tuple[str, ...] = ()
    """Globs of folders: of a session that took place in one no text leaves the reader (Q20)."""
    forgotten: frozenset[bytes] = frozenset()
    """Marks of forgotten sessions (`user.mark_of`, `user.mark_beginning`): a file may have got
    another name since."""

    def leaves_out(self, *folders: str) -> bool:
        """Return whether a session that took place in some folders is left out."""
        return bool(self.projects) and any(matches(f, self.projects) for f in folders if f)

    def covers(self, harness: str, facts: "Facts", first_record: int) -> bool:
        """Return whether a session that was read to its end is not wanted.

        Args:
            harness: Its program.
            facts: What it says of itself.
            first_record: Hash of its first native record id, 0 without one.
        """
        parent = facts.parent if facts.kind is SessionKind.SUBAGENT else ""
        names = (facts.native_id, facts.known_as, parent)
        return self.leaves_out(facts.cwd, facts.last_cwd) or self.knows(
            harness, names, first_record
        )

    def knows(
        self, harness: str, names: "Iterable[str]", first_record: int, stated: bytes = b""
    ) -> bool:
        """Return whether a session was forgotten.

        Args:
            harness: Its program.
            names: The ids that it has, or that its main session has; empty ones are passed over.
            first_record: Hash of its first native record id, 0 without one.
            stated: `user.mark_of` the id its records state, empty without one.
        """
        if not self.forgotten:
            return False
        marks = [stated, *(mark_of(harness, name) for name in names if name)]
        return any(
            mark in self.forgotten or mark_beginning(mark, first_record) in self.forgotten
            for mark in marks
            if mark
        )


class Kept(NamedTuple):
    """What a person wants kept, as of one moment. By default everything is."""

    forgotten: Tombstones = Tombstones()
    left_out: tuple[str, ...] = ()
    """Globs of session files, of folders that hold some, and of projects they took place in."""
    gone: bool = True
    """Whether the text of what its program deleted stays (Q2)."""

    @property
    def unwanted(self) -> Unwanted:
        """What of the rest has to be read before it shows that it is not wanted."""
        return Unwanted(self.left_out, self.forgotten.everywhere)

    def refuses(self, source: "Source") -> bool:
        """Return whether a source must not be read: it was forgotten, or its path is left out."""
        return self.forgotten.cover(source) or matches(source.path, self.left_out)

    def notes(self) -> dict[str, str]:
        """Return what an index notes (`meta`) about what it was made without, empty for nothing."""
        return {
            "left_out": "\n".join(self.left_out),
            "forgotten": self.forgotten.mark,
            "without_gone": "" if self.gone else "yes",
        }

    def is_noted(self, connection: "sqlite3.Connection") -> bool:
        """Return whether an index was last made without just what is not wanted now."""
        return all(
            (connection.execute(_NOTED, (key,)).fetchone() or ("",))[0] == value
            for key, value in self.notes().items()
        )
