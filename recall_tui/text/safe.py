"""Short texts from a source (names, paths, ids) as they may be stored and shown."""

from __future__ import annotations

from functools import lru_cache

from recall_tui.text.sanitize import sanitize


@lru_cache(maxsize=4096)
def safe(text: str) -> str:
    """Return a short text without escape sequences and secrets."""
    return hide(sanitize(text))


@lru_cache(maxsize=4096)
def hide(text: str) -> str:
    """Return a short text without secrets: folders and files are named after anything."""
    from recall_tui.text.redact import mark, shown  # noqa: PLC0415 - a page of hits needs no rules

    return shown(mark(text))
