"""What is shown of a block: its texts and sparse facts, decompressed for a page of hits."""

from __future__ import annotations

import threading
from typing import Any

_local = threading.local()
"""Each thread's own decompressor: zstandard's must not be shared."""


def expand(compressed: bytes) -> bytes:
    """Return the marked texts of a body, joined as in `BuiltBlock.raw`."""
    if not hasattr(_local, "decompressor"):
        import zstandard  # noqa: PLC0415

        _local.decompressor = zstandard.ZstdDecompressor()
    raw: bytes = _local.decompressor.decompress(compressed)
    return raw


def expand_attributes(compressed: bytes) -> dict[int, dict[str, Any]]:
    """Return the sparse facts of a block's messages by index."""
    if not compressed:
        return {}
    import json  # noqa: PLC0415 - for what is shown, not for what is scanned

    return {int(index): facts for index, facts in json.loads(expand(compressed)).items()}
