"""Ground rules of every test: no real home, no real clock zone, and the contract list."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"
CONTRACT = re.compile(r"(?:S[0-3]|X)-\d+\Z")

# How often a property is tried. A busy machine is slow without a fault: no deadlines.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=50, **_PATIENT)
settings.register_profile("thorough", max_examples=1000, **_PATIENT)
settings.load_profile("quick")  # pytest --hypothesis-profile thorough


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point every place a program may write at a folder of this test."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("RECALL_", "XDG_", "CLAUDE_", "CODEX_", "PI_", "GEMINI_", "COPILOT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("RECALL_HOME", str(home / "recall"))
    monkeypatch.setenv("RECALL_BACKGROUND", "0")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TMUX", raising=False)


@pytest.fixture
def home() -> Path:
    """The home directory of this test."""
    return Path(os.environ["HOME"])


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real transcripts beside the checkout, for tests that read them."""
    if not (SHARED / "transcripts").is_dir():
        pytest.skip("no folder of real transcripts beside the checkout")
    return SHARED


# ---------------------------------------------------------------- contracts


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contracts",
        action="store_true",
        help="print which ids of docs/contracts.md have a passing test",
    )
    parser.addoption(
        "--assets",
        action="store_true",
        help="write the pictures of the demo into assets/, the keys into docs/keys.md",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("contract"):
        for contract in mark.args:
            if not CONTRACT.match(str(contract)):
                pytest.fail(f"{item.nodeid}: {contract!r} is no contract id", pytrace=False)
            item.user_properties.append(("contract", contract))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if not config.getoption("--contracts"):
        return
    outcomes: dict[str, set[str]] = defaultdict(set)
    tests: dict[str, set[str]] = defaultdict(set)
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.getreports(outcome):
            for name, value in getattr(report, "user_properties", ()):
                if name == "contract":
                    outcomes[value].add(outcome)
                    tests[value].add(report.nodeid)
    kept = kept_contracts()
    terminalreporter.section("contracts")
    passing = 0
    for contract in sorted(set(kept) | set(outcomes), key=contract_order):
        held = outcomes.get(contract, set())
        state = (
            "FAILS" if held & {"failed", "error"}
            else "holds" if "passed" in held
            else "skipped" if held
            else "no test"
        )  # fmt: skip
        passing += state == "holds"
        note = "" if contract in kept else "  (not in docs/contracts.md)"
        count = f"{len(tests[contract])} test(s)" if contract in tests else ""
        terminalreporter.write_line(f"{contract:8} {state:8} {count}{note}")
    terminalreporter.write_line(f"{passing} of {len(kept)} kept contracts have a passing test")


def contract_order(contract: str) -> tuple[str, int]:
    """Sort S0-9 before S0-10."""
    family, _, number = contract.partition("-")
    return family, int(number)


def kept_contracts() -> dict[str, str]:
    """The ids docs/contracts.md keeps, with their line."""
    page = REPOSITORY / "docs" / "contracts.md"
    if not page.is_file():
        return {}
    rows = re.findall(r"^\| ((?:S[0-3]|X)-\d+) \| (.+) \|$", page.read_text("utf-8"), re.M)
    return dict(rows)
