r"""Make untrusted text safe to store and to show: no character of it can drive a terminal.

Escape sequences go as a whole, control characters, bidi overrides and isolates one by one; lone
surrogates and our own mark characters become U+FFFD. Letters of every script, ZWJ, variation
selectors and combining marks stay, and so do `\n` and `\t`.

Nearly every text needs none of this, so the question "is there anything to do?" is the fast path:
control bytes by SIMD, and what lies beyond ASCII looked at alone.
"""

from __future__ import annotations

from typing import Final

from recall_tui.text.cut import grapheme_start
from recall_tui.text.find import beyond_ascii, holds_any
from recall_tui.text.late import late

_C0: Final = bytes(b for b in range(32) if b not in b"\n\t") + b"\x7f"

# A terminal takes the 8-bit form of an introducer (one C1 character) like its ESC form. Each
# payload stops at the next control character or line, and has a bound: a sequence that was cut
# off costs its introducer, never the text behind it, and a hostile text costs linear time.
_PAYLOAD: Final = "[^\x00-\x1f\x7f-\x9f]{0,65536}(?:\x07|\x1b\\\\|\x9c)"
_ESCAPE: Final = late(
    "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?"  # CSI: colours, cursor moves
    f"|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])(?:{_PAYLOAD})?"  # OSC, DCS, SOS, PM, APC
    "|(?:\x1b[NO]|[\x8e\x8f])[!-~]?"  # SS2, SS3: one character of another set
    "|\x1b[ -/]{1,8}[0-~]"  # character sets and the like
    "|\x1b[0-~]"  # two characters
)
_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI: Final = "\u202a-\u202e\u2066-\u2069"
_DROPPED: Final = late(f"[{_CONTROL}{_BIDI}]")
_MARKS: Final = late("[\ufdd0\ufdd1]")
_SURROGATE: Final = late("[\ud800-\udfff]")
_BREAKS: Final = "\u2028\u2029"
"""Of lines and of paragraphs: some programs end a line there, and a frame of one line with it."""
_UNSAFE: Final = late(f"[{_CONTROL}{_BIDI}{_BREAKS}\ufdd0\ufdd1\ud800-\udfff]")
_UNSAFE_BEYOND_ASCII: Final = late(f"[\x80-\x9f{_BIDI}{_BREAKS}\ufdd0\ufdd1\ud800-\udfff]")


def sanitize(text: str) -> str:
    r"""Return the text without anything that acts on a terminal; idempotent.

    `\r\n`, a lone `\r`, U+2028 and U+2029 become `\n`; a surrogate pair becomes its character, a
    lone surrogate U+FFFD, and so do U+FDD0 and U+FDD1. An unterminated sequence costs its
    introducer only.
    """
    if text.isascii():
        return _cleaned_ascii(text) if holds_controls(text) else text
    return sanitize_encoded(text, text.encode("utf-8", "surrogatepass"))


def sanitize_encoded(text: str, data: bytes) -> str:
    """Return `sanitize` of a text whose UTF-8 is known already."""
    if text.isascii():
        return _cleaned_ascii(text) if holds_controls(data) else text
    if not holds_controls(data) and is_safe_beyond_ascii(beyond_ascii(data)):
        return text
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _MARKS.sub("\ufffd", _ESCAPE.sub("", text))
    for separator in _BREAKS:
        text = text.replace(separator, "\n")
    return _DROPPED.sub("", _with_plain_breaks(text))


def holds_controls(text: str | bytes) -> bool:
    """Return whether a text holds a C0 control or DEL that `sanitize` takes out.

    Args:
        text: Encoded, or a `str` of ASCII.
    """
    return holds_any(text, _C0)


def is_safe_beyond_ascii(beyond: str) -> bool:
    """Return whether nothing beyond ASCII has to go, told by a text's characters beyond ASCII."""
    # Of what has to go nothing is printable, but of the rest, nearly everything.
    return beyond.isprintable() or not _UNSAFE_BEYOND_ASCII.search(beyond)


def _cleaned_ascii(text: str) -> str:
    r"""Sanitise ASCII, mostly a file with `\r\n` or coloured output: few patterns are needed."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    text = _with_plain_breaks(text)
    return _DROPPED.sub("", text) if holds_controls(text) else text


def _with_plain_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def one_line(text: str, limit_chars: int) -> str:
    """Return the sanitised text on one line, white space collapsed, at most `limit_chars` long.

    A cut text ends with an ellipsis, which counts; a limit of 0 or less yields "".
    """
    line = " ".join(sanitize(text).split())
    if len(line) <= limit_chars:
        return line
    if limit_chars <= 0:
        return ""
    return line[: grapheme_start(line, limit_chars - 1)].rstrip() + "…"


def visible(text: str) -> str:
    r"""Return the text on one line with each unsafe character written out (`\x1b`, `\u202e`).

    For paths, file names and error texts, where leaving a character out would name another file.
    """
    if text.isascii() and text.isprintable():
        return text
    unsafe = _UNSAFE.match
    return "".join(ascii(c)[1:-1] if c in "\n\t" or unsafe(c) else c for c in text)
