"""The WHY line: what matched, where, how often, and what moved it. Rendered here and nowhere else.

`phrase "token budget" · you said it · 3 of 3 words`
`some words: retry, backoff · not: jitter · tool output ×11, weighed ½ · subagent`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.search.recall.envelope import Tier

if TYPE_CHECKING:
    from recall_tui.search.recall.envelope import TermHit, Why

_SHOWN: Final = 6
"""Terms named before the rest is counted."""

_WHERE: Final = {
    "you": "you said it",
    "agent": "the agent said it",
    "tool call": "in a tool call",
    "tool output": "in tool output",
    "title": "in the title",
    "file name": "in a file name",
}


def line(why: Why) -> str:
    """Return the reasons of a passage as one line."""
    parts = [_matched(why)]
    if why.missing:
        parts.append(f"not: {_names(why.missing)}")
    if where := [_WHERE.get(name, name) for name in why.fields]:
        times = f" ×{why.count:,}" if why.count > 1 else ""
        parts.append(", ".join(where) + times)
    if why.weight != 1:
        parts.append("weighed ½" if why.weight == 0.5 else f"weighed {why.weight:g}")
    parts += why.pushed
    if why.session_kind != "main":
        parts.append(why.session_kind)
    if why.weak:
        parts.append("weak: only common words")
    return " · ".join(parts)


def _matched(why: Why) -> str:
    exact = [hit for hit in why.terms if hit.sort in ("phrase", "identifier")]
    asked = len(why.terms) + len(why.missing)
    if why.tier is Tier.EXACT and exact:
        first = exact[0]
        named = f'phrase "{first.spelling}"' if first.sort == "phrase" else first.spelling
        return named if asked == 1 else f"{named} · {_share(why, asked)}"
    if why.tier is Tier.ALL and asked > 1:
        return f"all words: {_names(_spellings(why.terms))}"
    return (
        f"{_share(why, asked)}: {_names(_spellings(why.terms))}"
        if asked > 1
        else (_names(_spellings(why.terms)))
    )


def _share(why: Why, asked: int) -> str:
    return f"{len(why.terms)} of {asked} words"


def _spellings(hits: tuple[TermHit, ...]) -> tuple[str, ...]:
    return tuple(hit.spelling for hit in hits)


def _names(words: tuple[str, ...]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return f"{shown} and {len(words) - _SHOWN} more" if len(words) > _SHOWN else shown
