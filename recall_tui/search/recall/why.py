"""The WHY line: what matched, where, how often, and what moved it. Rendered here and nowhere else.

`phrase "token budget" · you said it · 3 of 3 words`
`some words: retry, backoff · not: jitter · tool output ×11, weighed ½ · subagent`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.search.recall.envelope import Tier

if TYPE_CHECKING:
    from recall_tui.search.recall.envelope import Why

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


def line(why: Why, *, brief: bool = False) -> str:
    """Return the reasons of a passage as one line.

    Args:
        why: The reasons.
        brief: Count words instead of naming them, and name speakers alone: for a narrow column.
    """
    parts = list(filter(None, [_matched(why, brief=brief)]))
    if why.missing and not brief:
        parts.append(f"not: {_names(why.missing)}")
    if where := [name if brief else _WHERE.get(name, name) for name in why.fields]:
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


def _matched(why: Why, *, brief: bool) -> str:
    """Return what matched: an exact thing by name, then how many of the words."""
    words = tuple(hit.spelling for hit in why.terms if hit.sort != "phrase" and not hit.near)
    alike = tuple(hit.spelling for hit in why.terms if hit.near)
    asked = len(words) + len(alike) + len(why.missing)
    exact = why.tier is Tier.EXACT
    matched = _outright(why, words, asked, brief=brief) if exact or words or not alike else ""
    if not alike or (brief and matched):
        return matched
    like = f"words like {_names(alike)}"
    return f"{matched}, {like}" if matched else like


def _outright(why: Why, words: tuple[str, ...], asked: int, *, brief: bool) -> str:
    """Return what matched as it was asked for."""
    first = why.terms[0] if why.terms else None
    if why.tier is Tier.EXACT and first is not None:
        named = f'phrase "{first.spelling}"' if first.sort == "phrase" else first.spelling
        return f"{named} · {len(words)} of {asked} words" if asked > 1 else named
    if brief and asked > 1:
        return "all words" if why.tier is Tier.ALL else f"{len(words)} of {asked} words"
    if why.tier is Tier.ALL and asked > 1:
        return f"all words: {_names(words)}"
    return f"{len(words)} of {asked} words: {_names(words)}" if asked > 1 else _names(words)


def _names(words: tuple[str, ...]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return f"{shown} and {len(words) - _SHOWN} more" if len(words) > _SHOWN else shown
