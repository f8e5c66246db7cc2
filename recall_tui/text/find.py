"""Find bytes fast: stringzilla's SIMD search, with a slower stand-in of the same meaning."""

from __future__ import annotations

from typing import Final, Protocol

try:
    from stringzilla import Str, find_first_of, translate
except ImportError:  # pragma: no cover - a platform without a wheel: slower, same answers
    Str = find_first_of = translate = None

SIMD: Final = Str is not None


def holds_any(text: str | bytes, bytes_sought: bytes) -> bool:
    """Return whether a text holds one of these bytes; a `str` must be ASCII."""
    if find_first_of is not None:
        return bool(find_first_of(text, bytes_sought) >= 0)
    data = text.encode() if isinstance(text, str) else text
    return len(data.translate(None, bytes_sought)) != len(data)


_LOWER: Final = bytes(range(256)).lower()


def lower(data: bytes) -> bytes:
    """Return `data.lower()`, in half the time for a long text."""
    if translate is None:
        return data.lower()
    lowered: bytes = translate(data, _LOWER)
    return lowered


_ASCII: Final = bytes(range(128))


def beyond_ascii(data: bytes) -> str:
    """Return the characters of a UTF-8 text that are not ASCII, in order: few, in most texts."""
    return data.translate(None, _ASCII).decode("utf-8", "surrogatepass")


class Searchable(Protocol):
    """Bytes that can be searched: `stringzilla.Str`, or `bytes` itself."""

    def find(self, needle: bytes, start: int = ..., end: int = ..., /) -> int:
        """Return the offset of the first match in [start, end), -1 without one."""
        ...

    def count(self, needle: bytes, start: int = ..., end: int = ..., /) -> int:
        """Return how many matches, not overlapping, lie in [start, end)."""
        ...


def searchable(data: bytes) -> Searchable:
    """Return bytes as something to search, without a copy."""
    view: Searchable = Str(data) if SIMD else data
    return view
