"""`--copy`: put a text on the clipboard and say where it went."""

from __future__ import annotations

import base64
import os
import sys

from recall_tui.cli import diagnostics
from recall_tui.clipboard import copy
from recall_tui.errors import HandoffError


def copy_and_say(text: str, what: str) -> None:
    """Copy a text; the words on stderr say where to.

    Args:
        text: What to copy.
        what: Its name: `command`, `prompts`.

    Raises:
        HandoffError: There is no clipboard tool and no terminal that could take it.
    """
    copied = copy(text, what, os.environ)
    if copied.osc52:
        if not sys.stderr.isatty():
            raise HandoffError(
                "no clipboard tool was found, and there is no terminal to send the text to",
                "install wl-copy, xclip or xsel, or redirect the output",
            )
        carried = base64.b64encode(copied.osc52.encode("utf-8", "replace")).decode("ascii")
        sys.stderr.write(f"\x1b]52;c;{carried}\a")
    diagnostics.err().line((copied.words, "muted"))
