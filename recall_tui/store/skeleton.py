"""A session without its text: what a virtual transcript lays 100k messages out from."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.model import Message
    from recall_tui.store.block import Meta


class Skeleton:
    """Four facts of each message, by position.

    Attributes:
        kinds: `model.Kind`.
        flags: `model.Flag`.
        times: Epoch ms, 0 when unknown.
        sizes: Bytes of the text that is shown.
    """

    __slots__ = ("flags", "kinds", "sizes", "times")

    def __init__(self, count: int = 0) -> None:
        """Make one of so many messages of which nothing is known."""
        self.kinds = array("B", bytes(count))
        self.flags = array("B", bytes(count))
        self.times = array("q", bytes(8 * count))
        self.sizes = array("I", bytes(4 * count))

    def __len__(self) -> int:
        return len(self.kinds)

    @classmethod
    def of_messages(cls, messages: Iterable[Message]) -> Self:
        """Return that of messages that are at hand, in position order."""
        found = cls()
        for message in messages:
            found.kinds.append(message.kind)
            found.flags.append(message.flags)
            found.times.append(message.time_ms)
            found.sizes.append(len(message.text.encode("utf-8", "replace")))
        return found

    @classmethod
    def of_metas(cls, metas: Sequence[Meta]) -> Self:
        """Return that of a session whose blocks have these metas, in any order."""
        found = cls(1 + max((meta.positions[-1] for meta in metas), default=-1))
        for meta in metas:
            ends = meta.raw_offsets[1:]  # each one behind a separator
            columns = (meta.positions, meta.kinds, meta.flags, meta.times, meta.raw_offsets, ends)
            for position, kind, flags, time_ms, start, end in zip(*columns, strict=False):
                found.kinds[position] = kind
                found.flags[position] = flags
                found.times[position] = time_ms
                found.sizes[position] = end - start - 1
        return found
