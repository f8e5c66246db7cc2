"""Typed filters: `harness:codex since:7d role:user cwd:"my app"` in a query line.

The app's box, the command line's options and saved searches all mean the same by these words,
because all of them come through `build`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from recall_tui.clock import parse_bound
from recall_tui.errors import QueryError
from recall_tui.model import Filter, Kind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import tzinfo

FIELDS: Final = (
    "harness", "since", "until", "role", "kind", "cwd", "branch", "model", "session", "source",
    "is",
)  # fmt: skip
"""The words before a colon, in the order they are written."""

TEXT: Final = "text"
"""`text:"role:user"` searches for what would otherwise be a filter."""

NEAR_MISS: Final = 0.8
"""Likeness from which a word before a colon is a misspelt field: `sicne`, `brnch`, not `rule`."""

_STATES: Final = {"main": "mains_only", "copy": "include_copies"}
"""`is:main` leaves subagents and forks out; `is:copy` counts copied messages again."""

_ROLES: Final = {role.value: role for role in Role}
_KINDS: Final = {kind.word: kind for kind in Kind}
_TOKEN: Final = re.compile(r'(?<!\S)(?P<field>[a-z]{2,12}):(?P<value>"(?:\\.|[^"\\])*"|\S*)')
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)

T = TypeVar("T")


def parse(line: str, zone: tzinfo, now_ms: int | None = None) -> tuple[Filter, str]:
    """Split a query line into its filters and the text to search for.

    A word before a colon that is no field is text (`std::vector`, `TypeError: x`, `http://...`),
    unless it is nearly a field. The text keeps its inner spaces and quotes; where a filter stood
    between two words one space remains.

    Args:
        line: What was typed.
        zone: The zone of times without an offset.
        now_ms: The present, for ages such as `7d`; None: the clock's.

    Raises:
        QueryError: A value is none of those its field knows, or a field is misspelt; says the
            column and what was probably meant.
    """
    found: list[tuple[str, str]] = []
    rest = _Rest()
    at = 0
    for token in _TOKEN.finditer(line):
        name, value = token["field"], _unquoted(token["value"])
        if name not in FIELDS and name != TEXT:
            _refuse_near_miss(name, token)
            continue
        rest.add(line[at : token.start()])
        at = token.end()
        if name == TEXT:
            rest.add(value)
            continue
        rest.cut()
        if value:  # `since:` with nothing behind it is still being typed
            found.append((name, value))
    rest.add(line[at:])
    return build(found, zone, now_ms), rest.done()


def build(values: Iterable[tuple[str, str]], zone: tzinfo, now_ms: int | None = None) -> Filter:
    """Return the filter of (field, value) pairs; a field given twice, or `a,b`, means either.

    Raises:
        QueryError: A value is none of those its field knows, or the bounds exclude everything.
    """
    chosen = Filter()
    for name, value in values:
        chosen = chosen._replace(**_change(chosen, name, value, zone, now_ms))
    if (
        chosen.since_ms is not None
        and chosen.until_ms is not None
        and chosen.since_ms > chosen.until_ms
    ):
        raise QueryError("since is after until", "swap the two bounds")
    return chosen


def _change(
    chosen: Filter, name: str, value: str, zone: tzinfo, now_ms: int | None
) -> dict[str, Any]:
    """Return the fields of the filter that one typed filter sets."""
    match name:
        case "since":
            return {"since_ms": parse_bound(value, end=False, zone=zone, now=now_ms)}
        case "until":
            return {"until_ms": parse_bound(value, end=True, zone=zone, now=now_ms)}
        case "cwd" | "branch" | "model":
            return {name: value}
        case "source":
            return {"roots": (*chosen.roots, value)}
        case "harness":
            return {"harnesses": _either(chosen.harnesses, value, _harness)}
        case "session":
            return {"sessions": _either(chosen.sessions, value, lambda word: word)}
        case "role":
            return {"roles": _either(chosen.roles, value, lambda w: _known("role", w, _ROLES))}
        case "kind":
            return {"kinds": _either(chosen.kinds, value, lambda w: _known("kind", w, _KINDS))}
        case "is":
            return {_known("is", value, _STATES): True}
    raise QueryError(f"unknown filter {name!r}", _meant(name, FIELDS))


def _either(held: tuple[T, ...], value: str, read: Callable[[str], T]) -> tuple[T, ...]:
    """Return the values held and the new ones (`a,b` are two), each once."""
    return tuple(dict.fromkeys((*held, *(read(word) for word in value.split(",") if word))))


def _known(field: str, word: str, words: Mapping[str, T]) -> T:
    try:
        return words[word.lower()]
    except KeyError:
        raise QueryError(f"{field}:{word} is not known", _meant(word, words)) from None


def _harness(word: str) -> str:
    """Return the id of a harness that is installed."""
    from recall_tui.harnesses import registry  # noqa: PLC0415 - looks for plug-ins

    return _known("harness", word, {name: name for name in registry.ids()})


def _meant(word: str, words: Iterable[str], cutoff: float = 0.5) -> str:
    """Return the hint that names the nearest word, or all of them."""
    near = _near(word, words, cutoff)
    return f"did you mean {near}?" if near else f"known: {', '.join(words)}"


def _near(word: str, words: Iterable[str], cutoff: float) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - for a mistake only

    return next(iter(get_close_matches(word.lower(), words, 1, cutoff)), "")


def _refuse_near_miss(name: str, token: re.Match[str]) -> None:
    """Refuse a misspelt field: searched for as text it would find nothing, silently."""
    near = _near(name, (*FIELDS, TEXT), NEAR_MISS)
    if near:
        raise QueryError(
            f"unknown filter {name!r} at column {token.start() + 1}",
            f"did you mean {near}:? To search for it as text write text:{token[0]}",
        )


class _Rest:
    """The text of a query line while its filters are taken out."""

    def __init__(self) -> None:
        self.text = ""
        self._cut = False

    def add(self, piece: str) -> None:
        """Add text; where a filter was, one space parts what is left of it and right of it."""
        if not self._cut:
            self.text += piece
        elif right := piece.lstrip():
            left = self.text.rstrip()
            self.text = f"{left} {right}" if left else right
            self._cut = False

    def cut(self) -> None:
        """Note that a filter stood here."""
        self._cut = True

    def done(self) -> str:
        """Return the text."""
        return self.text.rstrip() if self._cut else self.text


def _unquoted(value: str) -> str:
    """Return a typed value without its quotes and escapes; an open quote is a character."""
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return _ESCAPE.sub(r"\1", value[1:-1])
    return value
