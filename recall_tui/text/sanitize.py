"""Make untrusted text safe to show and to store: no byte of it can drive a terminal.

Escape sequences go as a whole, control characters, bidi overrides, lone surrogates and our own
mark characters one by one. Letters, ZWJ, variation selectors and combining marks stay.
"""

from __future__ import annotations

import re
from typing import Final

_BOUND: Final = 4096
"""Longest payload of a string sequence (OSC, DCS, ...): past it only the introducer goes."""

_STRING: Final = rf"[^\x07\x1b\x9c\n\r]{{0,{_BOUND}}}(?:\x07|\x1b\\|\x9c)"
_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]"  # CSI
    rf"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]){_STRING}"  # OSC, DCS, SOS, PM, APC
    r"|(?:\x1b[NO]|[\x8e\x8f])[ -~]"  # SS2, SS3: one character from another set
    r"|\x1b[\]PX^_\[NO]"  # unterminated: the introducer alone
    r"|\x1b[ -/]{1,16}[0-~]"  # nF: character sets and the like
    r"|\x1b[0-~]"  # two characters
)
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufdd0\ufdd1\ud800-\udfff]"
)
_REPLACED: Final = re.compile("[\ud800-\udfff\ufdd0\ufdd1]")
_REMOVED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SPACES: Final = re.compile(r"\s+")


def sanitize(text: str) -> str:
    r"""Return the text without anything that acts on a terminal; idempotent.

    Kept: `\n`, `\t`, every printable character, ZWJ, variation selectors, combining marks.
    `\r\n` and a lone `\r` become `\n`. Lone surrogates and U+FDD0, U+FDD1 (our marks) become
    U+FFFD. An unterminated sequence costs its introducer, never the text behind it.
    """
    if _FORBIDDEN.search(text) is None:
        return text
    while True:
        cleaned = _ESCAPES.sub("", text)
        if cleaned == text:
            break
        text = cleaned
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _REPLACED.sub("\ufffd", _REMOVED.sub("", text))


def one_line(text: str, limit_chars: int) -> str:
    """Return sanitised text on one line, white space collapsed, at most `limit_chars` long.

    A cut text ends with an ellipsis, which counts; a limit of 0 or less yields "".
    """
    line = _SPACES.sub(" ", sanitize(text)).strip()
    if len(line) <= limit_chars:
        return line
    return line[: limit_chars - 1].rstrip() + "…" if limit_chars > 0 else ""


def visible(text: str) -> str:
    r"""Return the text with every control character written out (`\x1b`, `\u202e`), on one line.

    For paths, file names and error texts, where removing a character would name another file.
    """
    return "".join(repr(c)[1:-1] if c in "\n\t\r" or _FORBIDDEN.match(c) else c for c in text)
