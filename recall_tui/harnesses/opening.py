"""Sessions that nobody used: programs write their own texts before anybody speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.model import Kind

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Parsed

_UNSPOKEN: Final = frozenset((Kind.INJECTED, Kind.NOTICE))


class Opening:
    """Holds back injected texts and notices until the first message of another kind.

    A session that has no such message yields nothing, and so is not listed. The reader holds its
    checkpoint (`JsonlTranscript.hold`) until the opening is over: a later read sees it again.
    """

    def __init__(self) -> None:
        self._held: list[Parsed] = []

    def until_somebody_speaks(self, found: list[Parsed]) -> list[Parsed]:
        """Take messages; return all that were taken once one of them is spoken, else none."""
        self._held += found
        if all(message.kind in _UNSPOKEN for message in found):
            return []
        found, self._held = self._held, []
        return found
