"""Regular expressions that are compiled by their first use.

Compiling takes up to a millisecond each, and of a hundred that stand in the modules a command
imports it uses five.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression whose first use compiles it; afterwards it costs nothing more."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))


class _Late:
    def __init__(self, pattern: Any, flags: int) -> None:  # noqa: ANN401 - a text or bytes
        self._wanted = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        """Return a method of the expression, and keep it as an attribute."""
        method: object = getattr(re.compile(*self._wanted), name)
        setattr(self, name, method)
        return method
