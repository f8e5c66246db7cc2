"""Access to decoded JSON whose fields change their type from version to version.

`content`, `output`, `cost`, `path` and many others are a string in one release and
an object in the next. Every accessor takes any value and returns the wanted type, empty when the
value is another one, so that a reader never fails on a field it does not need.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from recall_tui import clock

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b"\0\r\n\t "


def decode(data: bytes) -> object:
    """Decode one JSON value, with lone surrogates and bad UTF-8 replaced by U+FFFD.

    Raises:
        ValueError: It is no JSON (cut off, or another format).
    """
    text = data.strip(_BLANK).removeprefix(_BOM).lstrip(_BLANK)
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        value = json.loads(text.decode("utf-8", "replace"))
        clean = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
        return json.loads(clean.decode("utf-16-le", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def text(value: object) -> str:
    """Return the value when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    """Return the value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value when it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def number(value: object) -> float:
    """Return the value when it is a finite number, else 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if -1e300 < value < 1e300 else 0.0


def count(value: object) -> int:
    """Return the value when it is a number above 0, without its fraction, else 0."""
    return max(0, int(number(value)))


def time_ms(value: object) -> int:
    """Return a time in epoch ms from a number of any unit or an ISO text, 0 when it is neither."""
    if isinstance(value, str):
        return max(0, clock.from_iso(value))
    return clock.from_number(number(value))
