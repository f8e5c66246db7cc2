"""Run a command line on a history in memory and keep what it printed."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from recall_tui.cli import main
from recall_tui.cli.call import Call
from tests.cli.fake import FakeHistory, filled


@dataclass
class Run:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def fake() -> FakeHistory:
    """The history commands run on."""
    return filled()


@pytest.fixture
def run(fake: FakeHistory, capsys: pytest.CaptureFixture[str]):
    """Run `recall ARGS...` on the fake history."""

    def run(*args: str, history: FakeHistory | None = None, call: Call | None = None) -> Run:
        opener = lambda *_: history or fake  # noqa: E731
        code = main(list(args), call or Call(opener=opener))
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run
