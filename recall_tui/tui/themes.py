"""Our own calm theme, dark and light, and the inks every theme yields.

One accent, one warning tone; everything else is a shade between the theme's foreground and
background. The inks are computed from whatever theme is chosen, so each of Textual's built-in
themes, the terminal's own sixteen colours included, gives a whole set.
"""

from __future__ import annotations

from typing import Final

from textual.color import Color
from textual.theme import Theme

DARK: Final = Theme(
    name="recall",
    dark=True,
    primary="#6cc6b4",
    secondary="#8aa4c8",
    accent="#6cc6b4",
    warning="#e2ad62",
    error="#e58074",
    success="#93c07c",
    foreground="#d6d9df",
    background="#14161a",
    surface="#191c21",
    panel="#23272e",
)

LIGHT: Final = Theme(
    name="recall-light",
    dark=False,
    primary="#0b6f62",
    secondary="#3f5c86",
    accent="#0b6f62",
    warning="#8a5700",
    error="#ac3327",
    success="#37702f",
    foreground="#25282e",
    background="#fbfaf6",
    surface="#f4f2ec",
    panel="#e8e5dc",
)

OURS: Final = (DARK, LIGHT)

_HUES: Final = {
    "claude": ("#dd9b70", "#9a4f1f"),
    "codex": ("#8fc1ea", "#1d5f96"),
    "pi": ("#bda2ea", "#6a45a8"),
    "opencode": ("#d8c878", "#6f5f00"),
    "gemini": ("#7fa6f2", "#2f55b5"),
    "copilot": ("#e59ab9", "#a3356a"),
    "other": ("#a9b2bd", "#565d67"),
}
"""Hue of each harness's mark, on dark and on light."""

_CODE: Final = {
    "keyword": ("#b9a3e3", "#6a45a8"),
    "string": ("#a7c48b", "#37702f"),
    "number": ("#dfae86", "#8f4a18"),
    "comment": ("#848b96", "#6a6f78"),
    "name": ("#93b8e0", "#1d5f96"),
}

_ANSI: Final = {
    "ink-foreground": "ansi_default",
    "ink-muted": "ansi_bright_black",
    "ink-dim": "ansi_bright_black",
    "ink-rule": "ansi_bright_black",
    "ink-accent": "ansi_cyan",
    "ink-warning": "ansi_yellow",
    "ink-error": "ansi_red",
    "ink-success": "ansi_green",
    "ink-tint": "ansi_default",
    "ink-band": "ansi_default",
    "ink-cursor": "ansi_default",
    "ink-code": "ansi_default",
    "ink-added": "ansi_default",
    "ink-removed": "ansi_default",
    "ink-harness-claude": "ansi_yellow",
    "ink-harness-codex": "ansi_cyan",
    "ink-harness-pi": "ansi_magenta",
    "ink-harness-opencode": "ansi_green",
    "ink-harness-gemini": "ansi_blue",
    "ink-harness-copilot": "ansi_red",
    "ink-harness-other": "ansi_default",
    "ink-code-keyword": "ansi_magenta",
    "ink-code-string": "ansi_green",
    "ink-code-number": "ansi_yellow",
    "ink-code-comment": "ansi_bright_black",
    "ink-code-name": "ansi_blue",
}


def ink_variables(theme: Theme) -> dict[str, str]:
    """Return the style variables (`ink-muted`, `ink-tint`, ...) drawn from a theme."""
    if theme.ansi:
        return dict(_ANSI)
    generated = theme.to_color_system().generate()
    front = Color.parse(theme.foreground or generated["foreground"])
    back = Color.parse(theme.background or generated["background"])
    accent = Color.parse(theme.accent or theme.primary)
    warning = Color.parse(theme.warning or generated["warning"])
    error = Color.parse(theme.error or generated["error"])
    success = Color.parse(theme.success or generated["success"])

    def mix(share: float, colour: Color) -> str:
        return back.blend(colour, share).hex

    shade = 0 if theme.dark else 1
    inks = {
        "ink-foreground": front.hex,
        "ink-muted": _legible(front, back, 0.62, 4.5),
        "ink-dim": _legible(front, back, 0.5, 3.6),
        "ink-rule": mix(0.17, front),
        "ink-accent": _readable(accent, back, front),
        "ink-warning": _readable(warning, back, front),
        "ink-error": _readable(error, back, front),
        "ink-success": _readable(success, back, front),
        "ink-tint": mix(0.17, accent),
        "ink-band": mix(0.05, front),
        "ink-cursor": mix(0.1, front),
        "ink-code": mix(0.035, front),
        "ink-added": mix(0.1, success),
        "ink-removed": mix(0.1, error),
    }
    for name, hues in _HUES.items():
        inks[f"ink-harness-{name}"] = _readable(Color.parse(hues[shade]), back, front)
    for name, hues in _CODE.items():
        inks[f"ink-code-{name}"] = _readable(Color.parse(hues[shade]), back, front)
    return inks


def contrast(one: Color, other: Color) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _legible(front: Color, back: Color, share: float, ratio: float) -> str:
    """Return a shade of the foreground, `share` of the way to it or as far as `ratio` needs."""
    while share < 1 and contrast(back.blend(front, share), back) < ratio:
        share += 0.04
    return back.blend(front, min(1.0, share)).hex


def _readable(colour: Color, back: Color, front: Color, ratio: float = 4.5) -> str:
    """Return a hue, moved towards the foreground until it can be read on the background."""
    share = 0.0
    while share < 1 and contrast(colour.blend(front, share), back) < ratio:
        share += 0.08
    return colour.blend(front, min(1.0, share)).hex
