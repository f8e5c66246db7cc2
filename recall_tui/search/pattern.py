"""Regular expressions: compiled safely, and the literals a match cannot do without.

A pattern that needs `error` somewhere is only tried on messages whose folded text holds `error`,
which the scan finds at memory speed. Which literals those are is read from the standard library's
parse of the pattern; whatever it and the `regex` module might read differently yields none.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from recall_tui.errors import QueryError
from recall_tui.search.plain import nfc, solid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regex import Pattern

MAX_UNROLLED: Final = 50_000
"""`regex` writes counted repeats out: `(((a{100}){100}){100}){100}` would take all memory there
is. This many items cost 20 MB and 50 ms."""

MAX_ALTERNATIVES: Final = 16
"""Literals of one alternation worth a scan each; beyond, reading every message is as good."""

_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<count>\d{1,9})(?:,\d*)?\}|.", re.DOTALL
)
_ESCAPED: Final = re.compile(
    r"\\(?:[pPN]\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"  # \S, \p{Lu}, \x4A
    r"|\(\?P?[<&>=][^)>]*[)>]?"  # group names
    r"|\[:\^?\w+:\]",
    re.DOTALL,
)
_FOREIGN: Final = re.compile(
    r"\{(?!\d+(?:,\d*)?\}|,\d+\})"  # fuzzy matching: a literal brace to `re`
    r"|\[\^?\]?[^\]]*(?:\[|--|&&|\|\||~~)"  # nested and POSIX sets: characters to `re`
)


def compile_pattern(text: str, *, ignore_case: bool, word: bool) -> Pattern[str]:
    """Return the compiled pattern; `^` and `$` match at lines.

    Args:
        text: What the person typed.
        ignore_case: Letters compare by simple case folding.
        word: No match may touch another word character.

    Raises:
        QueryError: Not a pattern (with the column), or one too large to compile.
    """
    import regex  # noqa: PLC0415 - 20 ms, for a regular expression only

    text = nfc(text)
    if _unrolled(text) > MAX_UNROLLED:
        raise QueryError("the pattern's counted repeats are too large", "use + or * instead")
    flags = regex.VERSION0 | regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    try:
        pattern = regex.compile(text, flags)
        if word:
            pattern = regex.compile(rf"(?<!\w)(?:{text})(?!\w)", flags)
    except regex.error as error:
        column = "" if error.pos is None else f" at column {error.pos + 1}"
        raise QueryError(
            f"bad pattern{column}: {error.msg}", "search for it literally, or escape it with \\"
        ) from error
    except (RecursionError, MemoryError, OverflowError, ValueError, IndexError) as error:
        raise QueryError("the pattern is nested too deeply or too large to compile") from error
    if pattern.flags & regex.REVERSE:
        raise QueryError("(?r) is not supported", "leave it out")
    return pattern


def letters(text: str) -> str:
    r"""Return the characters of a pattern that stand for themselves: no `\S`, `\p{Lu}`, names."""
    return _ESCAPED.sub("", text)


def _unrolled(text: str) -> int:
    """Return about how many items the pattern holds once its counted repeats are written out."""
    sizes = [0]
    last = 0
    for token in _TOKEN.finditer(text):
        if token["count"]:
            times = max(int(token["count"]), 1)
            sizes[-1] += last * (times - 1)
            last *= times
        elif token[0] == "(":
            sizes.append(0)
            last = 0
        elif token[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        else:
            last = 1
            sizes[-1] += 1
    return sum(sizes)


def required(text: str, *, ignore_case: bool) -> tuple[bytes, ...]:
    """Return needles for folded bytes of which every match of the pattern holds at least one.

    The empty tuple promises nothing: every message must be tried.
    """
    text = nfc(text)
    if _FOREIGN.search(re.sub(r"\\.", "", text, flags=re.DOTALL)):
        return ()
    try:
        parsed = _parser().parse(text, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    except (re.error, RecursionError, OverflowError, ValueError):
        return ()
    turkic = ignore_case or "(?" in text  # an inline flag may ignore case
    try:
        return _need(parsed, turkic=turkic)
    except RecursionError:
        return ()


@cache
def _parser() -> Any:  # noqa: ANN401 - the standard library ships no types for it
    return import_module("re._parser")


def _need(items: Iterable[Any], *, turkic: bool) -> tuple[bytes, ...]:
    """Return the most telling requirement of a parsed sequence."""
    best: tuple[bytes, ...] = ()
    run: list[str] = []
    for name, value in _flat(items):
        if name == "LITERAL":
            run.append(value)
            continue
        best = _better(best, *((piece,) for piece in solid("".join(run), turkic=turkic)))
        run = []
        if name == "REPEAT":
            best = _better(best, _need(value, turkic=turkic))
        elif name == "BRANCH":
            needs = [_need(branch, turkic=turkic) for branch in value]
            if all(needs):
                best = _better(best, tuple(dict.fromkeys(n for need in needs for n in need)))
    return _better(best, *((piece,) for piece in solid("".join(run), turkic=turkic)))


def _flat(items: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield LITERAL, REPEAT (at least once), BRANCH, or a breaker; groups are dissolved."""
    for op, value in items:
        name = op.name
        if name == "LITERAL":
            yield name, chr(value)
        elif name == "IN" and (letter := _one_letter(value)):
            yield "LITERAL", letter
        elif name == "SUBPATTERN":
            yield from _flat(value[-1])
        elif name == "ATOMIC_GROUP":
            yield from _flat(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
            yield "REPEAT", value[2]
        elif name == "BRANCH":
            yield name, value[1]
        else:
            yield "BREAK", None


def _one_letter(items: list[Any]) -> str:
    """Return the letter of a set such as `[Ee]`, whose members are all the same folded."""
    letters = [chr(value) for op, value in items if op.name == "LITERAL"]
    same = len(letters) == len(items) and len({letter.casefold() for letter in letters}) == 1
    return letters[0] if same else ""


def _better(*needs: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the requirement whose shortest literal is the longest, then the one with fewest."""
    usable = [need for need in needs if 0 < len(need) <= MAX_ALTERNATIVES]
    return max(usable, key=lambda n: (min(len(x) for x in n), -len(n)), default=())
