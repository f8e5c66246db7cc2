"""What a source says of its session, fit to be stored: sanitised, redacted, within bounds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from recall_tui.text.redact import mark, shown
from recall_tui.text.safe import safe
from recall_tui.text.sanitize import one_line, sanitize

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Facts

TITLE_CHARS: Final = 200
"""Longest title: a list shows less, and a first prompt can be a whole document."""

LAST_MS: Final = 253_402_300_800_000
"""The year 10000: a later time is a broken record's, and no calendar shows it."""


def title_of(text: str) -> str:
    """Return a title: one line, no secrets, at most `TITLE_CHARS` characters."""
    # Cut before marking, generously: a first prompt can be megabytes.
    return one_line(shown(mark(sanitize(text[: 16 * TITLE_CHARS]))), TITLE_CHARS)


def clean_facts(facts: Facts) -> Facts:
    """Return a reader's facts fit to be stored: no escape sequences, no secrets, one line each."""
    return replace(
        facts,
        native_id=session_name(facts.native_id),
        title="",
        cwd=safe(facts.cwd),
        last_cwd=safe(facts.last_cwd),
        branch=safe(facts.branch),
        models=[safe(model) for model in facts.models],
        parent=session_name(facts.parent),
        started_ms=known_time(facts.started_ms),
        ended_ms=known_time(facts.ended_ms),
        version=safe(facts.version),
        tokens_in=_known_count(facts.tokens_in),
        tokens_out=_known_count(facts.tokens_out),
        cost_usd=facts.cost_usd if 0 <= facts.cost_usd < _MOST else 0.0,
    )


_UNNAMEABLE: Final = re.compile(r"[\s#]+")


def session_name(native_id: str) -> str:
    """Return a native id as it stands in a key and a reference: no white space, no `#`."""
    return _UNNAMEABLE.sub("_", safe(native_id))


_MOST: Final = 1 << 62
"""Above any true number of tokens or dollars; it fits into a column."""


def _known_count(count: int) -> int:
    return count if 0 <= count < _MOST else 0


def known_time(time_ms: int) -> int:
    """Return a time in epoch ms, 0 for one that no clock has shown."""
    return time_ms if 0 < time_ms < LAST_MS else 0
