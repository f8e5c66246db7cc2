"""What a front loads: the command line starts without the app, the server, and their libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

HEAVY = ("textual", "mcp", "pydantic", "PIL", "msgspec", "rich", "zstandard", "watchfiles")
"""Rich is loaded for a terminal only; the others never by the command line's start."""

REPORT = "import sys; print(sorted(set(m.partition('.')[0] for m in sys.modules)))"


def loaded(code: str) -> list[str]:
    """The heavy packages a fresh process has loaded after running code."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"],
        capture_output=True, text=True, check=True, cwd=REPOSITORY, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    names = run.stdout.strip().splitlines()[-1]
    return [name for name in HEAVY if f"'{name}'" in names]


@pytest.mark.parametrize(
    "code",
    [
        "import recall_tui.cli",
        "import recall_tui.cli, recall_tui.config, recall_tui.paths, recall_tui.doctor",
        "import recall_tui.cli.grep, recall_tui.cli.sessions, recall_tui.cli.show",
        "import recall_tui.cli.index, recall_tui.cli.doctor, recall_tui.cli.forget",
        "import sys; from recall_tui.cli import main; main(['--help'])",
        "import sys; sys.argv = ['recall', '--version']\n"
        "from recall_tui.__main__ import main; main()",
    ],
)
def test_the_command_line_starts_light(code: str) -> None:
    assert loaded(code) == []


@pytest.mark.parametrize(("word", "begins"), [("--version", "recall "), ("-h", "Usage: recall ")])
def test_version_and_help_load_not_even_click(word: str, begins: str) -> None:
    code = f"import sys; sys.argv = ['recall', '{word}']\n"
    code += "from recall_tui.__main__ import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"],
        capture_output=True, text=True, check=True, cwd=REPOSITORY,
    )  # fmt: skip
    assert run.stdout.startswith(begins)
    assert "'click'" not in run.stdout
    assert "'typing'" not in run.stdout


def test_help_loads_no_command() -> None:
    code = (
        "import sys\nfrom recall_tui.cli import main\nmain(['--demo', '-h'])\n"
        "print([m for m in sys.modules if m.startswith('recall_tui')])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    names = run.stdout.strip().splitlines()[-1]
    assert "recall_tui.cli.grep" not in names
    assert "recall_tui.history" not in names


def test_what_a_search_imports_compiles_no_pattern() -> None:
    code = (
        "import re, sys\ncompiled, real = [], re.compile\n"
        "def noted(*given):\n"
        "    compiled.append(sys._getframe(1).f_globals['__name__'])\n"
        "    return real(*given)\n"
        "re.compile = noted\n"
        "import recall_tui.cli.grep, recall_tui.cli.search, recall_tui.cli.sessions\n"
        "import recall_tui.history, recall_tui.search.grep, recall_tui.search.recall\n"
        "from recall_tui.harnesses import registry\n"
        "assert len(registry.all_harnesses()) > 5\n"
        "print([name for name in compiled if name.startswith('recall_tui')])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert run.stdout.strip() == "[]"


def test_imports_point_down_only() -> None:
    """The contracts of pyproject.toml, which design.md section 1 draws."""
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()",
         "--no-cache"],
        capture_output=True, text=True, check=False, cwd=REPOSITORY,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 broken" in run.stdout
