"""The palette: everything that can be done from where a person is, and the themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content
from textual.widget import Widget

from recall_tui.tui.in_force import beside, in_force
from recall_tui.tui.lines import pad
from recall_tui.tui.matching import fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.command import Hits

    from recall_tui.tui.app import RecallApp
    from recall_tui.tui.in_force import Bound

_KEY_CELLS: Final = 8
_SCREEN: Final = "screen."


class Commands(Provider):
    """Offers what the keys do where the palette was opened, and in the other parts there."""

    async def discover(self) -> Hits:
        """Yield everything, for an empty palette."""
        for bound in self._offered():
            run = partial(self._run, bound)
            yield DiscoveryHit(self._shown(bound), run, text=bound.action.words)
        for name in self._themes():
            yield DiscoveryHit(self._theme(name), partial(self._wear, name), text=name)

    async def search(self, query: str) -> Hits:
        """Yield what says all words that are typed."""
        for bound in self._offered():
            action = bound.action
            if score := fit(query, f"{action.words} {action.id} {action.scope}"):
                run = partial(self._run, bound)
                yield Hit(score, self._shown(bound), run, text=action.words)
        for name in self._themes():
            if score := fit(query, f"theme {name}"):
                yield Hit(score, self._theme(name), partial(self._wear, name), text=name)

    @property
    def _main(self) -> RecallApp:
        return cast("RecallApp", self.app)

    def _offered(self) -> Iterator[Bound]:
        """Yield what can be done, nearest first; what fingers do by themselves comes last."""
        every = [*in_force(self.screen), *beside(self.screen)]
        found: dict[tuple[str, str], Bound] = {}
        for bound in sorted(every, key=lambda one: one.action.minor):
            action = bound.action
            doer = "" if "." in action.action.partition("(")[0] else str(id(bound.node))
            # Of two names for one thing that of the screen says more than that of any list.
            if not action.minor or (action.action, doer) not in found:
                found[action.action, doer] = bound
        return (bound for bound in found.values() if bound.action.id != "palette")

    def _shown(self, bound: Bound) -> Content:
        action, node = bound
        elsewhere = isinstance(node, Widget) and node.focusable and node is not self.focused
        return Content.assemble(
            (pad(self._main.keymap.shown(action.id), _KEY_CELLS), "bold"), action.words,
            (f"  {action.scope}" if elsewhere else "", "dim"),
        )  # fmt: skip

    def _theme(self, name: str) -> Content:
        here = "  in use" if name == self.app.theme else ""
        return Content.assemble(" " * _KEY_CELLS, f"Theme {name}", (here, "dim"))

    def _themes(self) -> list[str]:
        return sorted(self.app.available_themes)

    async def _run(self, bound: Bound) -> None:
        """Run an action where it is bound; the palette has gone by then."""
        action, node = bound
        if isinstance(node, Widget) and node.focusable:
            node.focus()
        if action.action.startswith(_SCREEN):
            await self.app.run_action(action.action.removeprefix(_SCREEN), self.screen)
        else:
            await self.app.run_action(action.action, node)

    def _wear(self, name: str) -> None:
        """Take another theme."""
        self.app.theme = name
