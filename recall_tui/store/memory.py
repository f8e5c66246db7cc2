"""What the allocator does with freed memory decides a third of the time of a scan."""

from __future__ import annotations

from typing import Final

_KEPT: Final = 4 << 20
"""Longer than nearly every line and block, and little to hold for ever."""


def keep_freed() -> None:
    """Let glibc reuse what this process frees, up to a few MB, instead of giving it back.

    By default a freed buffer of 128 KB returns to the system, and the next one is faulted in page
    by page: a scan makes ten thousand of them. When glibc frees a mapped chunk it raises both its
    bounds to the size of that chunk (mallopt(3), M_MMAP_THRESHOLD), so freeing one is enough. Its
    pages are never touched, so it takes no time and no memory. Elsewhere this has no effect.
    """
    bytes(_KEPT)
