"""The program's entrance: the one place that knows the command line, the app and the tools."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
"""Stands for `typing.TYPE_CHECKING`, whose module costs a third of `recall --version`."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.cli.call import Call
    from recall_tui.history import History


def main() -> int:
    """Run `recall` with the words of the process and return its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        # Answered before click is loaded: scripts ask this, and it must cost next to nothing.
        from recall_tui import __version__

        with suppress(BrokenPipeError):  # unbuffered, so that a reader who left is no failure
            os.write(1, f"recall {__version__}\n".encode())
        return 0
    from recall_tui.cli import main as command_line
    from recall_tui.cli.call import Call

    return command_line(call=Call(app=_app, tools=_tools))


def _app(call: Call) -> int:
    """Open the app on the history a call is about."""
    from recall_tui.tui.app import run

    return run(call.sources, demo=call.demo)


def _tools(history: History, granted: Sequence[str], current_session: str) -> None:
    """Serve the agents' tools."""
    try:
        from recall_tui.mcp_server.server import serve
    except ImportError as error:
        from recall_tui.errors import ConfigError

        raise ConfigError(
            f"the agents' tools need a package that is not there: {error.name}",
            "pip install 'recall-tui[mcp]'",
        ) from error
    serve(history, granted, current_session)


if __name__ == "__main__":
    sys.exit(main())
