"""What is kept: which sources may be read at all, and what stays of those that are gone."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.paths import matches
from recall_tui.store.user import Tombstones

if TYPE_CHECKING:
    import sqlite3

    from recall_tui.harnesses.base import Source

_NOTED: Final = "SELECT value FROM meta WHERE key=?"


class Kept(NamedTuple):
    """What a person wants kept, as of one moment. By default everything is."""

    forgotten: Tombstones = Tombstones()
    left_out: tuple[str, ...] = ()
    """Globs of session files, of folders that hold some, and of projects they took place in."""
    gone: bool = True
    """Whether the text of what its program deleted stays (Q2)."""

    def refuses(self, source: "Source") -> bool:
        """Return whether a source must not be read: it was forgotten, or its path is left out."""
        return self.forgotten.cover(source) or matches(source.path, self.left_out)

    def leaves_out(self, folders: Iterable[str]) -> bool:
        """Return whether a session that took place in some folders is left out."""
        return any(matches(folder, self.left_out) for folder in folders if folder)

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
