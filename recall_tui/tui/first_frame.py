"""The frame before the first: the search box, on the screen while the rest is still imported.

Importing Textual alone takes longer than a person's eye is patient. So the top bar is written to
the alternate screen first, in the place and colours the app gives it, with what works already: the
terminal keeps every key that is typed, and the box takes them up when it comes.

The terminal belongs to the process, so its state does too: `show` takes it, the app's driver takes
it over (`taken_over`), `leave` gives it back however the process ends.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from typing import TYPE_CHECKING, Any, Final, NoReturn

from recall_tui.config import THEMES
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ALTERNATE: Final = "\x1b[?1049h"
"""Switches to the alternate screen; the app's driver must not do it again, which would clear it."""

BRAND: Final = " Recall "
PROMPT: Final = " ❯ "
PLACEHOLDER: Final = "search everything ever said"

_LEAST_CELLS: Final = 60
"""Narrower, the box has no room for its words: the app alone knows what to leave out."""

SWITCHES_CELLS: Final = ((100, 53), (0, 18))
"""(Width of the terminal from which, cells right of the box for switches and status)."""


class Palette(NamedTuple):
    """The colours of the top bar in one of our own themes, as the inks come out."""

    ground: str
    box: str
    """Under the box, which has the focus."""
    accent: str
    dim: str


SIXTEEN: Final = "ansi-dark"
"""The theme of a terminal that has only sixteen colours."""

PALETTES: Final = {
    "recall": Palette("14161a", "1d1f23", "6cc6b4", "75777c"),
    "recall-light": Palette("fbfaf6", "f0efec", "0b6f62", "7e8082"),
}
"""Theme -> colours. A test compares them with what the app draws; other themes have no frame."""


class _Held:
    """What `leave` gives back."""

    attributes: list[Any] | None = None
    shown = False
    """The frame is on the screen, and nobody took it over."""


def show(env: Mapping[str, str], theme: str) -> None:
    """Show the frame, when standard input, output and error are one terminal that can.

    Args:
        env: The environment: what the terminal can.
        theme: The theme the app will have.
    """
    depth = _depth(env)
    palette = PALETTES.get(theme)
    if palette is None or not depth or _Held.attributes is not None:
        return
    if not all(os.isatty(number) for number in (0, 1, 2)) or "TEXTUAL_DRIVER" in env:
        return
    columns, rows = os.get_terminal_size(2)
    if columns < _LEAST_CELLS:
        return
    _Held.attributes = termios.tcgetattr(0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended)
    quiet = termios.tcgetattr(0)
    # As the app's driver will set them: keys are neither echoed nor held back until a new line.
    quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    quiet[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    termios.tcsetattr(0, termios.TCSANOW, quiet)
    _Held.shown = True
    _write(ALTERNATE + "\x1b[?25l" + frame(palette, columns, rows, depth, grey="NO_COLOR" in env))


def theme(env: Mapping[str, str], looks: str, usual: str) -> str:
    """Return the theme of a person whose settings name none.

    Args:
        env: The environment: what the terminal can.
        looks: The file in which the one that was last chosen is kept; empty for none.
        usual: Where none was chosen, on a terminal with more than sixteen colours.
    """
    try:
        with open(looks, encoding="utf-8") as file:
            import json  # 2 ms that a first run does not need

            kept = json.load(file).get("theme")
    except (OSError, ValueError, AttributeError):
        kept = None
    if kept in THEMES:
        return str(kept)
    # Of our own shades such a terminal makes black and white: its own sixteen look better.
    return usual if _depth(env) or "NO_COLOR" in env else SIXTEEN


def taken_over() -> bool:
    """Return whether the frame is on the screen, and leave the screen to the caller."""
    shown, _Held.shown = _Held.shown, False
    return shown


def found() -> list[Any] | None:
    """Return the attributes the terminal had before the frame; None when it was not shown."""
    return _Held.attributes


def leave() -> None:
    """Give the terminal back as it was found; nothing when `show` did nothing."""
    if taken_over():
        _write("\x1b[?1049l\x1b[?25h")
    if _Held.attributes is not None:
        termios.tcsetattr(0, termios.TCSANOW, _Held.attributes)
        _Held.attributes = None
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)


def frame(palette: Palette, columns: int, rows: int, depth: int, *, grey: bool = False) -> str:
    """Return what draws the top bar over an empty screen.

    Args:
        palette: The colours.
        columns: Cells of a row.
        rows: Rows of the screen.
        depth: Colours of the terminal: 256, or 1 << 24.
        grey: The person wants no colours.
    """
    ground, box, accent, dim = (_colour(colour, depth, grey=grey) for colour in palette)
    plain = f"\x1b[0;48;{ground}m"
    switches = next(cells for least, cells in SWITCHES_CELLS if columns >= least)
    rest = " " * (columns - switches - len(BRAND + PROMPT + PLACEHOLDER))
    return "".join(
        [
            f"\x1b[H{plain}\x1b[1;38;{accent}m{BRAND}{plain}\x1b[38;{accent}m{PROMPT}",
            f"\x1b[0;38;{ground};48;{accent}m{PLACEHOLDER[0]}",
            f"\x1b[0;38;{dim};48;{box}m{PLACEHOLDER[1:]}{rest}{plain}{' ' * switches}",
            *(f"\r\n{' ' * columns}" for _ in range(rows - 1)),
            "\x1b[0m",
        ]
    )


def _depth(env: Mapping[str, str]) -> int:
    """Return the colours of a terminal as Rich counts them; 0 for too few."""
    if env.get("COLORTERM", "").strip().lower() in {"truecolor", "24bit"}:
        return 1 << 24
    name = env.get("TERM", "").strip().lower()
    return 256 if name.endswith("-256color") or name == "xterm-kitty" else 0


def _colour(colour: str, depth: int, *, grey: bool) -> str:
    """Return the numbers of a colour behind `38;` or `48;`, nearest as Rich has it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (0, 2, 4))
    if grey:
        red = green = blue = round(red * 0.2126 + green * 0.7152 + blue * 0.0722)
    if depth > 256:
        return f"2;{red};{green};{blue}"
    high, low = max(red, green, blue) / 255, min(red, green, blue) / 255
    light = (high + low) / 2
    spread = high - low
    if not spread or spread / (high + low if light <= 0.5 else 2 - high - low) < 0.15:
        shade = round(light * 25)
        return f"5;{16 if shade == 0 else 231 if shade == 25 else 231 + shade}"
    steps = (round(part / 95 if part < 95 else 1 + (part - 95) / 40) for part in (red, green, blue))
    return f"5;{sum((16, *(step * by for step, by in zip(steps, (36, 6, 1), strict=True))))}"


def _write(text: str) -> None:
    """Write to the stream the app draws on."""
    os.write(2, text.encode())


def _ended(number: int, _frame: object) -> NoReturn:
    """End politely: the terminal is somebody else's in a moment."""
    leave()
    sys.exit(128 + number)
