"""The pause switch: while it is on, or cannot be read, recall answers nothing (Q20, S0-19).

The state is one small JSON file beside the index, `{"paused": true}`. No file means that nobody has
ever paused. Anything else that is not plainly "not paused" counts as paused: fail closed.
"""

from __future__ import annotations

import json
import os
from typing import Final

from recall_tui.search.recall.request import Reason, RefusedError

FILE: Final = "privacy.json"
_MOST_BYTES: Final = 4096


def require_open(folder: str) -> None:
    """Return when recall may answer.

    Args:
        folder: The folder of our own data.

    Raises:
        RefusedError: Recall is paused, or the state cannot be read (`incognito_active`).
    """
    if _paused(os.path.join(folder, FILE)):
        raise RefusedError(
            Reason.INCOGNITO_ACTIVE,
            "recall is paused: nothing is searched or read",
            f"set paused to false in {FILE} beside the index",
        )


def _paused(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            state = json.loads(file.read(_MOST_BYTES))
    except FileNotFoundError:
        return False
    except (OSError, ValueError, RecursionError):
        return True
    return not (isinstance(state, dict) and state.get("paused") is False)
