"""What a secret rule is, and what two thirds of them ask of what they found."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

from recall_tui.named import NamedTuple
from recall_tui.text import gates

DEFINITE: Final = "definite"
CANDIDATE: Final = "candidate"


class _Fields(NamedTuple):
    """What the table of rules says of each."""

    name: str
    tier: str
    """definite | candidate"""
    anchors: tuple[str, ...]
    """Lower-case literals; one stands in every match."""
    pattern: str
    gate: Callable[[bytes, re.Match[bytes]], bool]
    """Says of (text, match) whether it is a secret."""
    back: int = 0
    """Bytes before the anchor at which the pattern starts."""
    keep: tuple[int, int] = (0, 0)
    """Characters at the start and at the end of the secret that stay visible."""
    follow: bytes = bytes(range(256))
    """The (lower-case) bytes that may come right after the anchor."""
    ready: Callable[[bytes, int, int], bool] | None = None
    """A cheap first look at (lower-cased text, start, end of the anchor)."""
    wraps: bool = False
    """The secret may go on after a line break: a terminal wrapped it."""
    begin: Callable[[bytes, int], int] | None = None
    """Says of (text, anchor) where the pattern starts, when that is no fixed distance."""
    unlike: tuple[bytes, ...] = ()
    """Two (lower-case) bytes each that do not come right after the anchor, whatever `ready` says:
    half of all `pass` is `passed`."""


class Rule(_Fields):
    """One kind of secret.

    The secret is the pattern's group `secret`, or the whole match; `body` is what a gate judges.
    """

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The pattern, compiled when an anchor is first met: most commands never need it."""
        return re.compile(self.pattern.encode())


_ESCAPED: Final = (
    r"(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=\\u00[0-9a-fA-F][0-9a-fA-F])"
    r"|(?<=[\[;][0-9]m)|(?<=[\[;][0-9][0-9]m)"
)
START: Final = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
"""Where a token may begin: not inside a word, but after `\\n`, `%3D`, `\\u0022` or a colour."""


def drawn(_: bytes, match: re.Match[bytes]) -> bool:
    """For long bodies."""
    body = match["body"]
    bits = 3.0 if gates.is_hex(body) else 3.5
    return gates.is_random(body, bits) and not gates.is_placeholder(body)


def patternless(_: bytes, match: re.Match[bytes]) -> bool:
    """For bodies too short, or of too few letters, to measure entropy."""
    body = match["body"]
    return not gates.is_repetitive(body) and not gates.is_placeholder(body)
