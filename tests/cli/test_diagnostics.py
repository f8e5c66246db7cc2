"""How a command ends: words on stderr and an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC

import click
import pytest

from recall_tui.cli.diagnostics import guarded, reach_words, say_gaps
from recall_tui.config import zone
from recall_tui.errors import ConfigError, ExitCode, SourceError
from recall_tui.model import Gap, GapKind, Reach
from tests.cli.fake import NOON
from tests.conftest import REPOSITORY


def raising(error: BaseException):
    def run():
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("no", "yes"), 2),
        (SourceError("no"), 3),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (click.UsageError("no"), 2),
        (ValueError("my secret text"), 3),
    ],
)
def test_each_failure_has_its_code(error, code, capsys) -> None:
    assert guarded(raising(error)) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "my secret text" not in captured.err


def test_an_error_says_what_and_what_next(capsys) -> None:
    guarded(raising(ConfigError("theme must be a text\x1b[2J", "remove it")))
    assert capsys.readouterr().err == "recall:  theme must be a text\n         remove it\n"


def test_a_fault_says_where_and_shows_the_trace_when_asked(capsys, monkeypatch) -> None:
    guarded(raising(ValueError("text")))
    assert "a fault of Recall itself: ValueError at test_diagnostics.py:" in capsys.readouterr().err
    monkeypatch.setenv("RECALL_DEBUG", "1")
    guarded(raising(ValueError("text")))
    assert "Traceback" in capsys.readouterr().err


def test_a_result_that_is_no_code_means_found() -> None:
    assert guarded(lambda: None) == 0
    assert guarded(lambda: ExitCode.NOTHING) == 1


def test_gaps_are_a_line_each_partial_ones_first(capsys) -> None:
    gaps = [Gap(GapKind.HORIZON, 4, "results were cut")]
    gaps += [Gap(GapKind.UNREADABLE, 1, f"cannot read /{n}", "chmod") for n in range(20)]
    say_gaps(gaps)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "partial: cannot read /0 → chmod"
    assert lines[-1] == "note:    9 more gaps → recall doctor"
    assert len(lines) == 13


def test_reach_echoes_the_bounds_with_their_zone() -> None:
    reach = Reach(sessions_searched=3, sessions_total=5, since_ms=NOON, until_ms=NOON + 1)
    berlin = reach_words(reach, zone("Europe/Berlin"))
    assert "searched 3 sessions of 5" in berlin
    assert "since 2026-11-28 13:00 +01:00" in berlin
    assert "read from" not in berlin
    reach.path = "cold"
    assert "read from the files" in reach_words(reach, UTC)
    assert "until 2026-11-28 12:00 UTC" in reach_words(reach, UTC)


def recall(*args: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recall_tui", *args],
        capture_output=True, text=True, cwd=REPOSITORY, stdin=subprocess.DEVNULL, check=False,
        **options,
    )  # fmt: skip


def test_a_reader_that_leaves_is_a_quiet_end() -> None:
    """The reader takes one line of a page that does not fit a pipe's buffer, and leaves."""
    code = (
        "import sys; from recall_tui.cli.output import out; from recall_tui.cli.diagnostics"
        " import guarded\n"
        "def run():\n for _ in range(100_000): out().line('x' * 70)\n"
        "sys.exit(guarded(run))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=REPOSITORY,
    ) as process:  # fmt: skip
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


@pytest.mark.parametrize("words", [["-h"], ["grep", "-h"], ["spec"], ["spec", "--json"],
                                   ["config", "show"], ["doctor"], ["--version"]])  # fmt: skip
def test_a_closed_pipe_is_a_quiet_end(words) -> None:
    for unbuffered in ("", "1"):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run(
            [sys.executable, "-m", "recall_tui", *words],
            stdout=writer, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=REPOSITORY,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered}, check=False,
        )  # fmt: skip
        os.close(writer)
        assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_answer_that_cannot_be_written_is_said_in_words(unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "recall_tui", "spec"],
            stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=REPOSITORY,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered}, check=False, text=True,
        )  # fmt: skip
    assert run.returncode == 3
    assert run.stderr.startswith("recall:  the answer could not be written: No space left")
    assert "fault" not in run.stderr


def test_a_layer_of_facts_that_nobody_set_up_is_no_news_for_a_person(capsys) -> None:
    say_gaps(
        [Gap(GapKind.NO_FACTS, 1, "no layer"), Gap(GapKind.NO_FACTS, 1, "none of 3", "", "/m.db")]
    )
    assert capsys.readouterr().err == "note:    none of 3\n"


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_are_no_failure_but_an_answer_nobody_takes(closed: tuple[int, ...]) -> None:
    """As `>&-` and some daemons start programs."""
    shell = " ".join(["exec", '"$@"', *(f"{number}>&-" for number in closed)])
    for words in (["spec", "--json"], ["--version"]):
        run = subprocess.run(
            ["/bin/sh", "-c", shell, "sh", sys.executable, "-m", "recall_tui", *words],
            capture_output=True, stdin=subprocess.DEVNULL, cwd=REPOSITORY, check=False, text=True,
        )  # fmt: skip
        assert run.returncode == (3 if 1 in closed else 0)
        assert "fault" not in run.stderr
        assert "Traceback" not in run.stderr
        assert bool(run.stdout) is (1 not in closed)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_locale_that_knows_few_letters_is_no_failure(encoding: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "recall_tui", *words], capture_output=True, cwd=REPOSITORY,
            env=os.environ | {"PYTHONIOENCODING": encoding}, check=False,
        )  # fmt: skip

    shown = run("--demo", "grep", "乱码", "--limit", "2")
    assert shown.returncode == 0
    assert b"??" in shown.stdout
    answer = json.loads(run("--demo", "grep", "乱码", "--json").stdout)
    assert "乱码" in answer["hits"][0]["text"]


def test_the_program_as_a_process(home) -> None:
    assert recall("--version").stdout.startswith("recall 0")
    assert recall("-h").returncode == 0
    assert recall("nope").returncode == 2
    assert recall("grep").returncode == 2
    assert recall().returncode == 2
    paths = recall("config", "path").stdout
    assert os.environ["RECALL_HOME"] in paths
    assert not os.path.exists(os.environ["RECALL_HOME"])
