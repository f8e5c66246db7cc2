"""Which terminals draw real pixels, and the widgets that make them do it.

Half cells work everywhere, so they are the rule. Kitty's protocol and sixel come from the optional
`textual-image`, whose import asks the terminal questions on its standard input: it is imported here
alone, before the app runs, and only when the person or the environment is sure of the answer.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PIL.Image import Image
    from textual.widget import Widget

OFF: Final = "off"
HALF: Final = "half"

PixelWidget: TypeAlias = "Callable[[Image], Widget]"
"""Makes a widget that draws an image with the terminal's own pixels."""

_WIDGETS: Final = {
    "kitty": ("recall_tui.tui.kitty", "KittyImage"),
    "sixel": ("textual_image.widget", "SixelImage"),
}

_held: Final[set[int]] = set()
"""Numbers of the pictures that are in the terminal's memory: kitty keeps one until it is told."""


def sent(number: int) -> None:
    """Note that the terminal holds a picture."""
    _held.add(number)


def take_back(number: int) -> None:
    """Have the terminal forget a picture, unless that was done when the app ended."""
    if number in _held and sys.__stdout__ is not None:
        sys.__stdout__.write(_forget(number))
        sys.__stdout__.flush()
        _held.discard(number)


def last_words() -> str:
    """Return what has the terminal forget every picture, before its other screen is left."""
    words = "".join(map(_forget, sorted(_held)))
    _held.clear()
    return words


def _forget(number: int) -> str:
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def protocol(setting: str, env: Mapping[str, str], *, tty: bool) -> str:
    """Return how pictures are drawn: `off`, `half`, `kitty` or `sixel`.

    Args:
        setting: The person's `images` setting; anything but `auto` is taken at its word.
        env: The environment.
        tty: Input and output are a terminal.
    """
    if setting != "auto":
        return setting if tty or setting in {OFF, HALF} else HALF
    # Inside a multiplexer the sequences do not arrive, or arrive as a window title.
    if not tty or env.get("TMUX") or env.get("STY") or env.get("TERM", "").startswith("screen"):
        return HALF
    if env.get("KITTY_WINDOW_ID") or env.get("TERM") in {"xterm-kitty", "xterm-ghostty"}:
        return "kitty"
    if env.get("TERM", "").startswith("foot"):
        return "sixel"
    return HALF


def pixel_widget(setting: str, env: Mapping[str, str]) -> PixelWidget | None:
    """Return the widget for real pixels, None for half cells. Call it before the app runs."""
    tty = bool(sys.__stdin__ and sys.__stdin__.isatty())
    tty = tty and bool(sys.__stdout__ and sys.__stdout__.isatty())
    place = _WIDGETS.get(protocol(setting, env, tty=tty))
    if place is None:
        return None
    module, name = place
    try:
        widget: PixelWidget = getattr(import_module(module), name)
    except Exception:
        return None
    return widget
