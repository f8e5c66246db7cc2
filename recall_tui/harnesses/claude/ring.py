"""A bounded set, for what a reader must recognise again without keeping all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ring(dict[str, None]):
    """A set of strings in the order they came that forgets its oldest member beyond a limit."""

    __slots__ = ("limit",)

    def __init__(self, limit: int, members: Iterable[str] = ()) -> None:
        super().__init__(dict.fromkeys(members))
        self.limit = limit

    def add(self, member: str) -> None:
        """Take in a member; one that is there already keeps its age."""
        if member not in self and len(self) >= self.limit:
            del self[next(iter(self))]
        self[member] = None
