"""The palette: every action a key can do, and the themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Provider

from recall_tui.tui.keymap import ACTIONS, Keymap, Scope

if TYPE_CHECKING:
    from textual.command import Hits

    from recall_tui.tui.keymap import Action

_WIDGETS = {Scope.LIST: "#results", Scope.SESSION: "#transcript"}


class Commands(Provider):
    """Offers the actions that can be run from where the person is."""

    async def discover(self) -> Hits:
        """Yield everything, for an empty palette."""
        for action in self._available():
            yield DiscoveryHit(self._words(action), partial(self._run, action), text=action.words)

    async def search(self, query: str) -> Hits:
        """Yield the actions whose words or id match."""
        matcher = self.matcher(query)
        for action in self._available():
            score = max(matcher.match(action.words), matcher.match(action.id))
            if score > 0:
                yield Hit(
                    score, matcher.highlight(action.words), partial(self._run, action),
                    text=action.words, help=self._key(action),
                )  # fmt: skip

    def _available(self) -> list[Action]:
        return [
            action
            for action in ACTIONS
            if action.palette
            and (
                action.scope is Scope.EVERYWHERE
                or self.screen.query(_WIDGETS.get(action.scope, "#-"))
            )
        ]

    def _key(self, action: Action) -> str:
        keymap = getattr(self.app, "keymap", None)
        return keymap.shown(action.id) if isinstance(keymap, Keymap) else ""

    def _words(self, action: Action) -> str:
        return f"{action.words}  ({self._key(action)})"

    async def _run(self, action: Action) -> None:
        """Run an action where it is bound."""
        if action.action.startswith(("app.", "screen.")):
            await self.screen.run_action(action.action)
            return
        target = self.screen.query_one(_WIDGETS[action.scope])
        target.focus()
        await target.run_action(action.action)
