"""What can be done from where a person is: read off the bindings, so that it cannot be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple
from recall_tui.tui.keymap import ACTIONS, BY_ID, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingsMap
    from textual.dom import DOMNode
    from textual.screen import Screen

    from recall_tui.tui.keymap import Action

_RANKS: Final = {action.id: rank for rank, action in enumerate(ACTIONS)}

_GENERAL: Final = (Scope.ROWS, Scope.SHEET, Scope.EVERYWHERE)
"""Scopes that are much the same on every screen: what is special to a place comes before them."""


class Bound(NamedTuple):
    """An action, and the widget, screen or app that has it."""

    action: Action
    node: DOMNode


def in_force(screen: Screen[object]) -> list[Bound]:
    """Return the actions whose keys work now: those of the focus, its screen, the app."""
    return _bound(screen._modal_binding_chain)


def beside(screen: Screen[object]) -> list[Bound]:
    """Return the actions of the other parts of a screen, which could have the focus."""
    others = [part for part in screen.focus_chain if part is not screen.focused]
    return _bound((part, part._bindings) for part in others)


def scopes_here(screen: Screen[object]) -> list[Scope]:
    """Return the scopes whose keys work now, what is special to the place first."""
    scopes = dict.fromkeys(bound.action.scope for bound in in_force(screen))
    return sorted(scopes, key=lambda scope: _GENERAL.index(scope) if scope in _GENERAL else -1)


def _bound(chain: Iterable[tuple[DOMNode, BindingsMap]]) -> list[Bound]:
    """Return each action once, though it has several keys; what has no name is none."""
    found = []
    for node, bindings in chain:
        names = {one.id or "" for _, one in bindings} & BY_ID.keys()
        found += [Bound(BY_ID[name], node) for name in sorted(names, key=_RANKS.__getitem__)]
    return found
