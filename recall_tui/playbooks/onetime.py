"""One-off data in a text: what belonged to that day and place, and must be fresh next time.

Identifiers, commit hashes and messages, branches, dates, absolute paths, addresses, ports, ticket
numbers, versions, and the marks that stand where secrets stood. What is the same next time stays:
programs, routes of a web service, a person's dot files, sizes and colours. A proposal to a person,
who decides; the pieces of a text always join to the text as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.text.marks import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SECRET: Final = "secret"  # noqa: S105 - the word, not one
"""Kind of an input whose old value is not kept: it must be given."""

FOLDER: Final = "folder"
"""Kind of the directory a session worked in."""

_MONTH: Final = (
    r"(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|May|[Jj]une?|[Jj]uly?|"
    r"[Aa]ug(?:ust)?|[Ss]ep(?:t(?:ember)?)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)"
)
_NO_TICKET: Final = (
    r"(?!(?:UTF|ISO|SHA|GPT|RFC|AES|RSA|MD|HTTP|TLS|X|UTC|GMT|BASE|CP|WIN|LATIN|COVID|ARM|PEP|ES)-)"
)

_ROOTS: Final = (
    "Users|home|root|tmp|private|var|mnt|media|Volumes|srv|data|work|workspaces?|scratch|builds"
)
"""Top folders that hold a person's or a day's things; below another one only a file counts, since
`/api/users` is a route and the same every time."""

_SHOT: Final = (
    "(?:(?:(?<=Screenshot)|(?<=Screen)|(?<=CleanShot))"
    r"(?:\\?[ \u202f][\w.@+-]+){1,6}\.(?:png|jpe?g|webp|heic|mov))?"
)
"""The rest of a name with spaces that a terminal was given by dropping a picture on it."""


def _after(*words: str) -> str:
    """Return the pattern of a place right behind one of some words."""
    return "(?:" + "|".join(f"(?<={re.escape(word)})" for word in words) + ")"


_COMMITTED: Final = [f"{words} {quote}" for words in ("commit -m", "commit -am", "commit -a -m",
    "--amend -m", "commit --message") for quote in ("\"", "'")]  # fmt: skip
_BRANCHED: Final = (
    "git checkout -b ", "git checkout -B ", "git switch -c ", "git switch -C ",
    "git push -u origin ", "git push --set-upstream origin ", "git push origin ",
)  # fmt: skip
_GH: Final = [f"gh {what} {verb} " for what in ("pr", "issue") for verb in (
    "view", "checkout", "merge", "diff", "comment", "edit", "close", "checks", "review", "ready",
)]  # fmt: skip

_KINDS: Final = (
    (SECRET, "\ufdd0[^\ufdd0\ufdd1]*\ufdd1"),
    (
        "message",
        _after('-m "') + r"\$\(cat <<-? ?['\"]?\w+['\"]?\n[^\ufdd0]{0,4000}?\n\s*\w+\n?\s*\)(?=\")"
        "|"
        + _after(*_COMMITTED, '" -m "')
        + r"(?:[^\"'\\$\ufdd0]|\\.|(?<=\w)'(?=\w)){1,4000}(?=[\"'])",
    ),
    (
        "branch",
        _after(*_BRANCHED) + r"(?!(?:main|master|develop|HEAD)\b|-)[\w./+-]{1,199}\w\b",
    ),
    (
        "url",
        r"\bhttps?://[^\s<>\"'`“”‘’，。、；）」』】\ufdd0]*"
        r"[^\s<>\"'`“”‘’，。、；）」』】\ufdd0.,;:!?)\]}]",
    ),
    ("email", r"\b(?!git@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}\b"),
    ("id", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    (
        "id",
        r"\b(?:ses|msg|prt|call|run|job|req|task|usr|acct|org|proj)_(?=[A-Za-z]{0,63}\d)[A-Za-z0-9]{8,64}\b",
    ),
    (
        "id",
        r"\b[a-z]{2,8}_(?!\d+x\d+\b)(?=[A-Za-z]{0,63}\d{1,63}[A-Za-z]{1,63}\d)[A-Za-z0-9]{6,64}\b",
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
        rf"(?u:(?<=[\"'])/(?:{_ROOTS})/[^\"'\n$`\ufdd0]{{1,400}}(?=[\"'])"
        rf"|(?<![\w.~:/\\-])(?:~/(?!\.)[\w.@+-]+|/(?:{_ROOTS})/[\w.@+-]+)(?:/[\w.@+-]+)*{_SHOT}/?"
        r"|(?<![\w.~:/\\-])(?!/(?:usr|s?bin|dev|etc|proc|sys|opt|Applications|System|Library)/)"
        r"/[\w.@+-]+(?:/[\w.@+-]+)+/[\w@+-]+(?:\.[\w@+-]+)*\.[A-Za-z]\w{0,4}\b)"
        r"|\b[A-Za-z]:\\[^\s\"'<>|*?:;,`)\]]+",
    ),
    (
        "ticket",
        rf"\b{_NO_TICKET}[A-Z]{{2}}[A-Z0-9]{{0,8}}-\d{{1,7}}\b(?![.\w-])"
        r"|(?<![\w&/])#\d{2,5}\b|\b(?:PR|MR|GH|[Ii]ssue|[Tt]icket|[Bb]ug) ?[#-]?\d{1,7}\b"
        "|" + _after(*_GH) + r"\d{1,7}\b",
    ),
    ("version", r"\bv?\d{1,4}\.\d{1,5}\.\d{1,6}(?:[-+][\w.]+)?\b|\bv\d{1,4}\.\d{1,5}\b"),
    ("commit", r"(?<!#)\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b"),
    ("port", r"(?:(?<=localhost:)|(?<=port )|(?<=port: )|(?<=port=))\d{2,5}\b"),
    ("number", r"(?<![#.\w])(?!\d{1,17}000\b)\d{6,20}\b(?!\.\d)"),
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

    def __init__(self, *folders: str) -> None:
        """Take the folders worked in: each is one input, and what is below it keeps its path."""
        self._named: dict[tuple[str, str], Input] = {}
        self._counts: dict[str, int] = {}
        known = sorted({f for f in (f.rstrip("/\\") for f in folders) if f}, key=len, reverse=True)
        names = "|".join(map(re.escape, known))
        self._folders = re.compile(rf"(?<![\w.~:/\\-])(?:{names})(?![\w-]|\.\w)") if known else None

    @property
    def all(self) -> tuple[Input, ...]:
        """Every input met so far, in order."""
        return tuple(self._named.values())

    def template(self, marked: str) -> Template:
        """Return a marked text as a template; its pieces are readable text."""
        pieces: list[str | Input] = []
        at = 0
        for start, end, kind in self._found(marked):
            if start > at:
                pieces.append(shown(marked[at:start]))
            pieces.append(self._input(kind, marked[start:end]))
            at = end
        if at < len(marked) or not pieces:
            pieces.append(shown(marked[at:]))
        return Template(tuple(pieces))

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, kind) of one-off data, ascending, not overlapping."""
        at = 0
        for folder in self._folders.finditer(text) if self._folders else ():
            if folder.start() >= at:
                yield from _found(text, at, folder.start())
                yield folder.start(), folder.end(), FOLDER
                at = folder.end()
        yield from _found(text, at, len(text))

    def _input(self, kind: str, text: str) -> Input:
        known = self._named.get((kind, text))
        if known is None:
            count = self._counts[kind] = self._counts.get(kind, 0) + 1
            name = kind if count == 1 else f"{kind}_{count}"
            known = Input(name, kind, "" if kind == SECRET else text)
            self._named[kind, text] = known
        return known


def _found(text: str, start: int, stop: int) -> Iterator[tuple[int, int, str]]:
    for match in _ANY.finditer(text, start, stop):
        yield match.start(), match.end(), _KINDS[int((match.lastgroup or "k0")[1:])][0]
