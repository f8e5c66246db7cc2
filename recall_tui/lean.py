"""Packages without what they import and hardly use: 17 ms less of every start.

Click asks `inspect` for `cleandoc` alone, `uuid` for the name of a class, `gettext` for
translations that nobody installs; zstandard asks `platform` for one word. Stand-ins answer; those
of `inspect`, which `dataclasses` imports as well, and of `platform` load the real one as soon as
more is wanted.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Final


class _StandIn(ModuleType):
    """A module that is loaded when it is asked for more than its stand-in knows."""

    def __getattr__(self, name: str) -> object:
        return getattr(_loaded(self.__name__), name)


class _Platform(_StandIn):
    @staticmethod
    def python_implementation() -> str:
        """Return what `platform.python_implementation` does."""
        if sys.implementation.name == "cpython":
            return "CPython"
        found: str = _loaded("platform").python_implementation()
        return found


class _Inspect(_StandIn):
    @staticmethod
    def cleandoc(text: str) -> str:
        """Return what `inspect.cleandoc` does, but for blanks on lines of blanks alone."""
        head, _, rest = text.expandtabs().partition("\n")
        if not rest:
            return head.lstrip()
        from textwrap import dedent  # noqa: PLC0415 - for help pages only

        return f"{head.lstrip()}\n{dedent(rest)}".strip("\n")


def _loaded(name: str) -> ModuleType:
    """Return the real module of a name, in place of a stand-in."""
    if isinstance(sys.modules.get(name), _StandIn):
        del sys.modules[name]
    return import_module(name)


_LENT: Final[dict[str, dict[str, object]]] = {
    # The base of a parameter type that no command of ours has.
    "uuid": {"UUID": type("UUID", (), {})},
    "gettext": {
        "gettext": lambda text: text,
        "ngettext": lambda one, many, count: one if count == 1 else many,
    },
}
"""Stand-ins while click is imported, and what they hold."""


def load_click() -> None:
    """Import click; afterwards `import click` costs nothing."""
    if "click" in sys.modules:
        return
    sys.modules.setdefault("inspect", _Inspect("inspect"))
    sys.modules.setdefault("platform", _Platform("platform"))
    lent = [name for name in _LENT if name not in sys.modules]
    for name in lent:
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(_LENT[name])
    import_module("click")
    for name in lent:
        del sys.modules[name]
