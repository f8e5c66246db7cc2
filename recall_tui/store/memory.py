"""What the allocator does with freed memory decides a third of the time of a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

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


def give_back() -> None:
    """Give the memory that was freed back to the system, when a lot of it was and the work is done.

    The other half of `keep_freed`, for a process that lives on: an answer to a question in words
    leaves 30 MB of freed buffers behind at 2.8 GB of transcripts. Takes some milliseconds without
    the interpreter's lock. Where the C library is not glibc it has no effect.
    """
    if trim := _of_glibc("malloc_trim"):
        trim(0)


_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
"""Parameters of mallopt(3)."""


def bound_freed() -> None:
    """Keep at most a few MB of what is freed, however large the largest piece was.

    For a process that lives on and once reads a line of 20 MB: freeing that raises glibc's bounds
    to 20 and 40 MB, and from then on every thread may keep as much. Set by hand they stay. Where
    the C library is not glibc it has no effect.
    """
    if set_bound := _of_glibc("mallopt"):
        set_bound(_MMAP_THRESHOLD, _KEPT)
        set_bound(_TRIM_THRESHOLD, 2 * _KEPT)


def _of_glibc(name: str) -> Callable[..., int] | None:
    """Return a function of the C library, None where that has no such."""
    import ctypes  # noqa: PLC0415 - an app asks for these, and commands read this module

    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
    return found
