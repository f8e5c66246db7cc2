"""A machine with Claude Code sessions on it, asked through the command line and `History`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recall_tui.cli import main
from recall_tui.history import History
from tests.cli.conftest import Run
from tests.harnesses.claude.build import Lines

OLD_S = 1_780_000_000
"""Files are written with times of their own, so that no test waits for the clock."""


FINDING = ("grep", "search")
"""The commands that find: a person's complete search and the ranked one."""


class Machine:
    """Sessions below a home directory, and what Recall makes of them."""

    def __init__(self, home: Path, captured: Callable[[], tuple[str, str]]) -> None:
        self.home = home
        self.projects = home / ".claude" / "projects"
        self.data = home / "recall"
        self._captured = captured
        self._written = 0

    def talk(self, name: str, said: Lines | str, folder: str = "-w-app") -> Path:
        """Write a session `name`: one prompt, or whole `Lines`."""
        if isinstance(said, str):
            lines = Own(name)
            lines.user(said)
            said = lines
        path = said.write(self.projects / folder / f"{session_id(name)}.jsonl")
        self._written += 1
        os.utime(path, (OLD_S + self._written, OLD_S + self._written))
        return path

    def recall(self, *words: str) -> Run:
        """Run `recall WORDS...`."""
        code = main(list(words))
        return Run(code, *self._captured())

    @contextmanager
    def history(self) -> Iterator[History]:
        """Open what a front holds."""
        history = History.open()
        try:
            yield history
        finally:
            history.close()

    def files(self) -> dict[str, bytes]:
        """Every file below the home directory that is not Recall's own, with its content."""
        return {
            str(path): path.read_bytes()
            for path in self.home.rglob("*")
            if path.is_file() and self.data not in path.parents
        }


class Own(Lines):
    """Lines whose records have ids no other session has, so that nothing counts as a copy."""

    def __init__(self, name: str = "one", **common: Any) -> None:
        super().__init__(session=session_id(name), **{"cwd": "/w/app"} | common)
        self.beginning = session_id(name)[:8]

    def add(self, type_: str, parent: str | None = "", **fields: Any) -> str:
        own = f"{self.beginning}-0000-4000-8000-{len(self.lines):012d}"
        return super().add(type_, parent, **{"uuid": own} | fields)


def session_id(name: str) -> str:
    """Return an id in the form Claude Code gives its sessions."""
    return f"{name.encode().hex()[:8]:0<8}-0000-4000-8000-000000000000"


@pytest.fixture
def machine(home: Path, capsys: pytest.CaptureFixture[str]) -> Machine:
    """A machine without history yet."""

    def captured() -> tuple[str, str]:
        out, err = capsys.readouterr()
        return out, err

    return Machine(home, captured)
