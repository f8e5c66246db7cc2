"""One-off data in a text: what belonged to that day and place, and must be fresh next time.

Identifiers, commit hashes, dates, absolute paths, addresses, ports, ticket numbers, versions, and
the marks that stand where secrets stood. A proposal to a person, who decides; the pieces of a text
always join to the text as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.text.marks import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SECRET: Final = "secret"  # noqa: S105 - the word, not one
"""Kind of an input whose old value is not kept: it must be given."""

_MONTH: Final = (
    r"(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|May|[Jj]une?|[Jj]uly?|"
    r"[Aa]ug(?:ust)?|[Ss]ep(?:t(?:ember)?)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)"
)
_NO_TICKET: Final = (
    r"(?!(?:UTF|ISO|SHA|GPT|RFC|AES|RSA|MD|HTTP|TLS|X|UTC|GMT|BASE|CP|WIN|LATIN|COVID|ARM|PEP|ES)-)"
)

_KINDS: Final = (
    (SECRET, "\ufdd0[^\ufdd0\ufdd1]*\ufdd1"),
    ("url", r"\bhttps?://[^\s<>\"'`\ufdd0]*[^\s<>\"'`\ufdd0.,;:!?)\]}]"),
    ("email", r"\b(?!git@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}\b"),
    ("id", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    (
        "id",
        r"\b(?:ses|msg|prt|call|run|job|req|task|usr|acct|org|proj)_(?=[A-Za-z]{0,63}\d)[A-Za-z0-9]{8,64}\b",
    ),
    (
        "date",
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
        r"|\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d\b"
        r"|\b\d{4}年\d{1,2}月\d{1,2}日"
        rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?\b"
        rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}(?:,? (?:19|20)\d\d)?\b",
    ),
    ("address", r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?\b"),
    (
        "path",
        r"(?u:(?<![\w.~:/\\-])(?:~/[\w.@+-]+|(?!/(?:usr|s?bin|dev|etc|proc|sys)/)"
        r"/[\w.@+-]+/[\w.@+-]+)(?:/[\w.@+-]+)*/?)"
        r"|\b[A-Za-z]:\\[^\s\"'<>|*?:;,]+",
    ),
    (
        "ticket",
        rf"\b{_NO_TICKET}[A-Z]{{2}}[A-Z0-9]{{0,8}}-\d{{1,7}}\b(?![.\w-])"
        r"|(?<![\w&/])#\d{2,5}\b|\b(?:PR|MR|GH|[Ii]ssue|[Tt]icket|[Bb]ug) ?[#-]?\d{1,7}\b",
    ),
    ("version", r"\bv?\d{1,4}\.\d{1,5}\.\d{1,6}(?:[-+][\w.]+)?\b|\bv\d{1,4}\.\d{1,5}\b"),
    ("commit", r"\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b"),
    ("port", r"(?:(?<=localhost:)|(?<=port )|(?<=port: )|(?<=port=))\d{2,5}\b"),
    ("number", r"\b\d{6,20}\b"),
)
_ANY: Final = re.compile(
    "|".join(f"(?P<k{at}>{pattern})" for at, (_, pattern) in enumerate(_KINDS)), re.ASCII
)


@dataclass(slots=True, frozen=True)
class Input:
    """One piece of one-off data; the same text has the same name wherever it stands."""

    name: str
    """`date`, `date_2`, ...: unique within what was looked at together."""
    kind: str
    value: str
    """As it was, readable; empty for a secret."""


@dataclass(slots=True, frozen=True)
class Template:
    """A text in pieces: words that stay, and inputs."""

    pieces: tuple[str | Input, ...]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs in order, each once."""
        return tuple(dict.fromkeys(p for p in self.pieces if isinstance(p, Input)))

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with values put in; an input without one keeps what it was.

        A secret without a value stays a placeholder.
        """
        return "".join(
            piece
            if isinstance(piece, str)
            else values.get(piece.name) or piece.value or placeholder(piece)
            for piece in self.pieces
        )

    def placeholders(self) -> str:
        """Return the text with every input as its placeholder."""
        return "".join(p if isinstance(p, str) else placeholder(p) for p in self.pieces)


def placeholder(one: Input) -> str:
    """Return how an input is written in a text: `{{date}}`."""
    return f"{{{{{one.name}}}}}"


class Inputs:
    """Names one-off data over several texts, so that one thing has one name in all of them."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], Input] = {}
        self._counts: dict[str, int] = {}

    @property
    def all(self) -> tuple[Input, ...]:
        """Every input met so far, in order."""
        return tuple(self._named.values())

    def template(self, marked: str) -> Template:
        """Return a marked text as a template; its pieces are readable text."""
        pieces: list[str | Input] = []
        at = 0
        for start, end, kind in _found(marked):
            if start > at:
                pieces.append(shown(marked[at:start]))
            pieces.append(self._input(kind, marked[start:end]))
            at = end
        if at < len(marked) or not pieces:
            pieces.append(shown(marked[at:]))
        return Template(tuple(pieces))

    def _input(self, kind: str, text: str) -> Input:
        known = self._named.get((kind, text))
        if known is None:
            count = self._counts[kind] = self._counts.get(kind, 0) + 1
            name = kind if count == 1 else f"{kind}_{count}"
            known = Input(name, kind, "" if kind == SECRET else text)
            self._named[kind, text] = known
        return known


def _found(text: str) -> Iterable[tuple[int, int, str]]:
    """Yield (start, end, kind) of one-off data, ascending, not overlapping."""
    for match in _ANY.finditer(text):
        yield match.start(), match.end(), _KINDS[int((match.lastgroup or "k0")[1:])][0]
