"""Click starts without what it hardly uses, and misses nothing."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest


def in_a_process(code: str) -> str:
    lines = f"import sys\nfrom recall_tui.lean import load_click\nload_click()\n{code}"
    return subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=True
    ).stdout


def test_a_start_loads_neither_and_what_they_need() -> None:
    told = in_a_process(
        "import dataclasses, recall_tui.cli.grep\n"
        "names = {'ast', 'dis', 'gettext', 'locale', 'tokenize', 'uuid'}\n"
        "print(*sorted(names & sys.modules.keys()))"
    )
    # Since Python 3.14 `typing` itself needs `ast`.
    assert told == ("ast\n" if sys.version_info >= (3, 14) else "\n")


@pytest.mark.parametrize("text", ["one line ", "  one\tline", "two\n    lines\n      deep\n\n", ""])
def test_help_is_cleaned_as_ever(text) -> None:
    told = in_a_process(
        "import importlib, click.core\n"
        f"mine = click.core.inspect.cleandoc({text!r})\n"
        "sys.modules.pop('inspect')\n"
        f"print(mine == importlib.import_module('inspect').cleandoc({text!r}))"
    )
    assert told == "True\n"


def test_whoever_asks_for_more_gets_the_real_module() -> None:
    told = in_a_process(
        "from inspect import signature\n"
        "import click.core, gettext, inspect, uuid\n"
        "print(signature(lambda a: a), click.core.inspect.isfunction(print))\n"
        "print(inspect.__spec__.name, uuid.UUID(int=1).int, gettext.__spec__.name)"
    )
    assert told == "(a) False\ninspect 1 gettext\n"


def test_zstandard_does_without_platform_until_somebody_asks_for_it() -> None:
    told = in_a_process(
        "import zstandard\n"
        "lent = type(sys.modules['platform']).__name__\n"
        "print('subprocess' in sys.modules, zstandard.backend, lent)\n"
        "import platform\n"
        "print(platform.python_implementation(), platform.python_version())\n"
        "import platform\n"
        "print(platform.__spec__.name, platform.python_implementation())"
    )
    version, implementation = platform.python_version(), platform.python_implementation()
    assert told == f"False cext _Platform\n{implementation} {version}\nplatform {implementation}\n"
