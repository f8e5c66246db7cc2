"""The pause switch as recall answers it: with the one reason agents know (S0-19)."""

from __future__ import annotations

from recall_tui import privacy
from recall_tui.errors import PausedError
from recall_tui.search.recall.request import Reason, RefusedError


def require_open(folder: str) -> None:
    """Return when recall may answer.

    Args:
        folder: The folder of our own data.

    Raises:
        RefusedError: Recall is paused, or the state cannot be read (`incognito_active`).
    """
    try:
        privacy.require_open(folder)
    except PausedError as error:
        raise RefusedError(Reason.INCOGNITO_ACTIVE, error.message, error.hint) from error
