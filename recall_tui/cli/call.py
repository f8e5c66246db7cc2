"""What every command is given: the environment, the sources asked for, and the way to a history."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from recall_tui.config import Config
    from recall_tui.history import History

    Opener = Callable[["Call", bool], History]
    """Opens the history a call is about; the second argument is `live`."""
    Tools = Callable[[History, Sequence[str], str], None]
    """Serves the agents' tools: the history, the names of tools granted, the asking session."""


class Call:
    """One run of the program, as the commands see it (click's `ctx.obj`).

    Attributes:
        env: The environment.
        demo: Whether the bundled demo history is meant instead of the person's own.
        sources: Every `--source` typed, in order; empty means the harnesses' own places.
    """

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        *,
        opener: Opener | None = None,
        app: Callable[[Call], int] | None = None,
        tools: Tools | None = None,
    ) -> None:
        self.env = os.environ if env is None else env
        self.demo = False
        self.sources: list[str] = []
        self._opener = opener or _open
        self._app = app
        self._tools = tools
        self._config: Config | None = None

    def config(self) -> Config:
        """Return the settings in force.

        Raises:
            ConfigError: A setting is wrong.
        """
        if self._config is None:
            from recall_tui.config import load

            self._config = load(self.env)
        return self._config

    def zone(self, *, as_json: bool = False) -> tzinfo:
        """Return the zone of times: UTC for machine output, the person's own else (Q27)."""
        from recall_tui.config import zone

        return zone("UTC" if as_json else self.config().settings.zone)

    @property
    def home(self) -> str:
        """The home directory, shown as `~`."""
        return os.path.expanduser("~")

    @contextmanager
    def history(self, *, live: bool = False) -> Iterator[History]:
        """Open the history this run is about, and close it afterwards.

        Args:
            live: Take the index as it is: the sources are not looked at and nothing is written.
        """
        history = self._opener(self, live)
        try:
            yield history
        finally:
            history.close()

    def serve(self, granted: Sequence[str], current_session: str) -> None:
        """Serve the agents' tools over standard input and output until the client leaves.

        Raises:
            ConfigError: The optional package for it is not installed, or a tool is unknown.
        """
        from recall_tui.errors import ConfigError

        if self._tools is None:
            raise ConfigError("this program was started without the agents' tools")
        with self.history() as history:
            self._tools(history, granted, current_session)

    def open_app(self) -> int:
        """Run the app until the person leaves it, and return its exit code.

        Raises:
            ConfigError: There is no terminal to show it on.
        """
        streams = (sys.stdin, sys.stdout, sys.stderr)
        wrong = ""
        if self._app is None or not all(stream.isatty() for stream in streams):
            wrong = "the app needs a terminal"
        elif self.env.get("TERM") == "dumb":
            wrong = "the app needs a terminal that moves its cursor: TERM=dumb"
        if wrong or self._app is None:
            from recall_tui.errors import ConfigError

            program = "recall --demo" if self.demo else "recall"
            raise ConfigError(wrong, f"{program} sessions lists; {program} grep TEXT searches")
        return self._app(self)


def _open(call: Call, live: bool) -> History:  # noqa: FBT001 - an `Opener`
    from recall_tui.history import History

    return History.open(call.sources, call.env, demo=call.demo, live=live)
