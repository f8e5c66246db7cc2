"""The program's entrance: the one place that knows the command line, the app and the tools."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
"""Stands for `typing.TYPE_CHECKING`, whose module costs a third of `recall --version`."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.cli.call import Call
    from recall_tui.history import History


_BARE: tuple[list[str], ...] = ([], ["--demo"])
"""Words that open the app and need no command line to be understood."""


def main() -> int:
    """Run `recall` with the words of the process and return its exit code."""
    try:
        code = _main()
    except KeyboardInterrupt:  # before the command line guards itself
        code = 130
    ending = sys.modules.get("recall_tui.tui.ending")
    return ending.leave(code) if ending else code


def _main() -> int:
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_closed_streams()
    words = sys.argv[1:]
    # Answered before click is loaded: these are asked often, and must cost next to nothing.
    if words in (["--version"], ["-V"]):
        from recall_tui import __version__

        return _say(f"recall {__version__}")
    if words in (["--help"], ["-h"]):
        from recall_tui import menu

        return _say(menu.page(menu.help_width()))
    capable = os.environ.get("TERM") != "dumb" and all(os.isatty(number) for number in (0, 1, 2))
    if words in _BARE and capable:
        return _bare(demo=bool(words))
    import gc

    # What a command line makes lives to its end: by default the collector would walk thousands of
    # young objects again and again, a twentieth of a search, and find nothing.
    gc.set_threshold(50_000)
    from recall_tui.lean import load_click

    load_click()
    from recall_tui.cli import main as command_line
    from recall_tui.cli.call import Call

    code = command_line(call=Call(app=_app, tools=_tools))
    gc.freeze()  # an ending interpreter looks for cycles in all that it ever made: 7 ms
    return code


def _say(text: str) -> int:
    """Print a text of ASCII and return the exit code."""
    try:  # unbuffered, so that a reader who left is no failure
        os.write(1, f"{text}\n".encode())
    except OSError as error:
        return 0 if isinstance(error, BrokenPipeError) else 3
    return 0


def _open_closed_streams() -> None:
    """Put something where streams were closed (`>&-`, some daemons).

    Otherwise the next file opened, our own index, would be taken for one of them. An answer that
    nobody takes is a failure, as on a full disk, so standard output cannot be written; words can.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            mode = "r" if name == "stdin" else "w"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
            setattr(sys, name, stream)


def _bare(*, demo: bool) -> int:
    """Open the app without click; what goes wrong is said as the command line says it."""
    try:
        return _open([], demo=demo)
    except BaseException as error:
        from recall_tui.cli.diagnostics import guarded

        failure = error

    def again() -> None:
        raise failure

    return guarded(again)


def _app(call: Call) -> int:
    """Open the app on the history a call is about."""
    return _open(call.sources, demo=call.demo)


def _open(sources: Sequence[str], *, demo: bool) -> int:
    """Show the first frame, then import and run the app."""
    import gc

    from recall_tui.config import load
    from recall_tui.paths import locate
    from recall_tui.tui import first_frame

    config = load()
    settings = config.settings
    if "theme" not in config.origins:
        looks = "" if demo else locate().looks_file
        settings = settings._replace(theme=first_frame.theme(os.environ, looks, settings.theme))
    # Collecting while half a million objects are made for good only delays what a person sees.
    gc.disable()
    try:
        first_frame.show(os.environ, settings.theme)
        from recall_tui.tui.launch import run

        return run(sources, settings, demo=demo)
    finally:
        first_frame.leave()


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
    if not sys.flags.safe_path:
        # `python -m` looks into the current folder first: a project's `mcp.py` is none of ours.
        del sys.path[0]
    sys.exit(main())
