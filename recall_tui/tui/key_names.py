"""Names of keys: as Textual has them, as people write them in a file, as they are shown."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from textual.keys import KEY_TO_UNICODE_NAME, REPLACED_KEYS, Keys, key_to_character
from textual.keys import _character_to_key as name_of

if TYPE_CHECKING:
    from collections.abc import Collection

_MODIFIERS: Final = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})

_WRITTEN: Final = {
    "esc": "escape", "return": "enter", "pgdn": "pagedown", "pgup": "pageup", "del": "delete",
    "ins": "insert", "⏎": "enter", "↓": "down", "↑": "up", "←": "left", "→": "right",
}  # fmt: skip
"""What people write, and what the app itself shows, beside Textual's names."""

_SHOWN: Final = {
    "enter": "⏎", "escape": "esc", "space": "space", "down": "↓", "up": "↑", "left": "←",
    "right": "→", "pagedown": "pgdn", "pageup": "pgup",
}  # fmt: skip


def listed(keys: str) -> list[str]:
    """Return the keys of a text, which commas separate, each by the name it is bound by."""
    return [normal(key) for key in keys.split(",") if key.strip()]


def normal(key: str) -> str:
    """Return the name by which a key is bound: `/` is `slash`, `Ctrl+O` is `ctrl+o`."""
    before, plus, name = key.strip().rpartition("+")
    if plus and not name:
        before, name = before.removesuffix("+"), "+"
    modifiers = {word.strip().lower() for word in before.split("+")} - {""}
    name = name.strip()
    if len(name) > 1 or name in _WRITTEN:
        name = _WRITTEN.get(name.lower(), name.lower())
    elif modifiers == {"ctrl"}:
        name = name_of(name.lower())
    elif "shift" in modifiers and name.isalpha():
        modifiers.remove("shift")
        name = name.upper()
    elif name:
        name = name_of(name)
    return "+".join([*sorted(modifiers), name])


def is_key(key: str) -> bool:
    """Return whether there is a key of this name."""
    *modifiers, name = key.split("+")
    return _MODIFIERS.issuperset(modifiers) and (name in _NAMES or bool(_character(name)))


def is_typed(key: str) -> bool:
    """Return whether a box takes a key for something that is typed."""
    return "+" not in key and bool(_character(key))


def like(key: str) -> str:
    """Return the key that was probably meant, empty when nobody can tell."""
    *modifiers, name = key.split("+")
    right = [*(_near(one, _MODIFIERS) for one in modifiers)]
    right.append(name if is_key(name) else _near(name, _NAMES))
    return "+".join(right) if all(right) else ""


def shown(key: str) -> str:
    """Return a key as a person reads it: `⏎`, `/`, `alt+g`."""
    *modifiers, name = key.split("+")
    return "+".join([*modifiers, _SHOWN.get(name) or _character(name) or name])


def _character(name: str) -> str:
    """Return what a key types, empty for one that acts."""
    typed = key_to_character(REPLACED_KEYS.get(name, name)) or ""
    return typed if typed.isprintable() else ""


def _near(word: str, known: Collection[str]) -> str:
    return word if word in known else next(iter(get_close_matches(word, known, 1)), "")


_NAMES: Final = frozenset(
    name
    for name in {key.value.split("+")[-1] for key in Keys}
    | KEY_TO_UNICODE_NAME.keys() - REPLACED_KEYS.values()
    | REPLACED_KEYS.keys()
    | {"space"}
    if len(name) > 1 and name.replace("_", "").isalnum()
)
