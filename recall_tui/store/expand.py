"""What is shown of a block: its texts and sparse facts, decompressed for a page of hits."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from json import JSONDecoder

_local = threading.local()
"""Each thread's own decompressor: zstandard's must not be shared."""

_FEW: Final = 32
"""Facts of a block that are found one by one; for more it is quicker to decode all of them."""


def expand(compressed: bytes) -> bytes:
    """Return the marked texts of a body, joined as in `BuiltBlock.raw`."""
    if not hasattr(_local, "decompressor"):
        import zstandard  # noqa: PLC0415

        _local.decompressor = zstandard.ZstdDecompressor()
    raw: bytes = _local.decompressor.decompress(compressed)
    return raw


class Facts:
    """The sparse facts of a block's messages: it has hundreds, and an answer shows a few."""

    def __init__(self, compressed: bytes) -> None:
        self._text = expand(compressed).decode() if compressed else ""
        self._asked = 0

    def get(self, index: int, default: dict[str, Any], /) -> dict[str, Any]:
        """Return the facts of one message by its index."""
        self._asked += 1
        if self._asked > _FEW:
            return self.all.get(index, default)
        key = f'"{index}":'
        # No fact is an object itself, and inside of texts JSON has no bare quotes.
        at = self._text.find(f"{key}{{")
        return self._decoder.raw_decode(self._text, at + len(key))[0] if at >= 0 else default

    @cached_property
    def all(self) -> dict[int, dict[str, Any]]:
        """The facts of every message that has any, by index."""
        decoded = self._decoder.decode(self._text) if self._text else {}
        return {int(index): facts for index, facts in decoded.items()}

    @cached_property
    def _decoder(self) -> JSONDecoder:
        from json import JSONDecoder  # noqa: PLC0415 - for what is shown, not for what is scanned

        return JSONDecoder()
