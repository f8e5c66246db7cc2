"""Code and diffs as coloured lines. Pygments is imported with the first code block shown."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from recall_tui.tui.lines import TAB_CELLS, Line, clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygments.lexer import Lexer

    from recall_tui.tui.lines import Piece

_LONGEST: Final = 60_000
"""Characters of a block that are coloured; past it code stays plain, for the sake of time."""

_DIFF: Final = re.compile(
    r"^(?:diff --git |--- .+\n\+\+\+ |@@ .*@@|Index: |\*\*\* Begin Patch)", re.MULTILINE
)


def coloured(source: str, language: str) -> list[list[Piece]]:
    """Return the lines of a code block as pieces; plain when the language is unknown."""
    lexer = _lexer(language.strip().lower()) if language and len(source) <= _LONGEST else None
    plain = source.expandtabs(TAB_CELLS)
    if lexer is None:
        return [[(clean(line), "code-block")] for line in plain.split("\n")]
    rows: list[list[Piece]] = [[]]
    for token, text in lexer.get_tokens(plain):
        ink = _ink(str(token))
        for index, part in enumerate(text.split("\n")):
            if index:
                rows.append([])
            if part:
                rows[-1].append((clean(part), ink))
    while len(rows) > 1 and not rows[-1]:
        rows.pop()
    return rows


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if language in {"diff", "patch", "", "text", "txt", "plain", "plaintext"}:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return lexer


def language_of(path: str) -> str:
    """Return the language of a file by its suffix, as a name for `coloured`; empty when unknown."""
    name, dot, suffix = path.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return _language(suffix) if name and dot and suffix.isalnum() and " " not in path else ""


@lru_cache(maxsize=64)
def _language(suffix: str) -> str:
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(f"x.{suffix}")
    return found.aliases[0] if found is not None and found.aliases else ""


@lru_cache(maxsize=512)
def _ink(token: str) -> str:
    """Return the ink of a Pygments token type, by its dotted name."""
    if token.startswith("Token.Comment"):
        return "code-comment"
    if token.startswith(("Token.Keyword", "Token.Operator.Word")):
        return "code-keyword"
    if token.startswith(("Token.Literal.String", "Token.String")):
        return "code-string"
    if token.startswith(("Token.Literal.Number", "Token.Number")):
        return "code-number"
    if token.startswith(
        ("Token.Name.Function", "Token.Name.Class", "Token.Name.Tag", "Token.Name.Decorator")
    ):
        return "code-name"
    return "code-block"


def is_diff(text: str) -> bool:
    """Return whether a text is a unified diff or a patch."""
    return _DIFF.search(text[:4000]) is not None


def diff_line(text: str) -> Line:
    """Return a line of a diff, coloured by its sign; the sign stays, so no colour is needed."""
    shown = clean(text)
    if text.startswith(("+++", "---", "diff ", "index ", "***")):
        return Line(((shown, "muted"),))
    if text.startswith("@@"):
        return Line(((shown, "hunk"),))
    if text.startswith("+"):
        return Line(((shown, "success"),), "added")
    if text.startswith("-"):
        return Line(((shown, "error"),), "removed")
    return Line(((shown, ""),))


def signed(rows: Sequence[str]) -> list[Line]:
    """Return the lines of a diff."""
    return [diff_line(row) for row in rows]
