"""The ground rules hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY


def test_no_test_sees_the_real_home(home: Path) -> None:
    assert "pytest" in str(home)
    assert os.path.expanduser("~") == str(home)


def test_contracts_option_tells_holding_from_failing(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        (REPOSITORY / "tests" / "conftest.py").read_text("utf-8"), "utf-8"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = contract(*ids): x\n", "utf-8")
    (tmp_path / "test_x.py").write_text(
        "import pytest\n"
        "@pytest.mark.contract('S0-36')\ndef test_a(): pass\n"
        "@pytest.mark.contract('S0-9', 'S0-10')\ndef test_b(): assert False\n",
        "utf-8",
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--contracts", "-q", "-p", "no:cacheprovider",
         str(tmp_path)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert "S0-36    holds" in run.stdout, run.stdout + run.stderr
    assert "S0-9     FAILS" in run.stdout
    assert run.stdout.index("\nS0-9 ") < run.stdout.index("\nS0-10 ")
