"""The app: themes, keys, services and screens. What a person sees is in the screens."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from contextlib import suppress
from datetime import UTC
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.driver import Driver
from textual.widgets import Input

from recall_tui.clock import now_ms
from recall_tui.errors import RecallError, StoreError
from recall_tui.tui.detours import Detours
from recall_tui.tui.faults import TellsFaults
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.messages import StoreChanged, SyncEnded, SyncReported
from recall_tui.tui.screens.main import MainScreen
from recall_tui.tui.themes import DARK, LIGHT, OURS, ink_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo
    from pathlib import PurePath

    from rich.console import RenderableType
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.message import Message
    from textual.screen import Screen

    from recall_tui.doctor import Check
    from recall_tui.history import History
    from recall_tui.store.sync.progress import SyncProgress
    from recall_tui.tui.faults import WorkFaulted
    from recall_tui.tui.screens.health import HealthScreen

DEMO: Final = "demo"
"""What the app returns when the person asked for the demo history."""

OWN: Final = "own"
"""What the demo returns when the person asked for their own history."""

POLL_S: Final = 0.25
"""The store's version is looked at this often, in a thread of its own."""


_MOST_TURNS: Final = 200
"""Turns of the event loop a box is given to take what was typed: a burst of keys needs a few."""

_OPENING_MS: Final = 500
"""A screen that was opened is given this long until it takes keys; it needs a few milliseconds."""


class RecallApp(TellsFaults, Detours):
    """The router: it owns what screens are given, and holds no widget logic.

    Args:
        history: What is browsed and searched.
        now_ms: The clock, in epoch milliseconds.
        zone: The zone times are shown in.
        zone_name: Its name, as the setting has it.
        theme: Name of the theme; an unknown one is our own.
        keymap: The keys in force.
        index: Command that compares the sources with the index.
        live: Keep the index live with it while the app is open.
        home: The home directory, shown as `~`.
        demo: The history is the bundled demo.
        driver: What the terminal is driven with; None for Textual's own choice.
        examine: Returns the doctor's checks; None for those of this machine.
        kept_in: File in which mode, switches and arrangement are kept; empty for none.

    Returns:
        From `run`: `DEMO` or `OWN` when the person asked for that history, else None.
    """

    TITLE = "Recall"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = "app.tcss"
    PAUSE_GC_ON_SCROLL = True
    still: bool = False
    """The person wants less motion: no cursor blinks, nothing glides."""
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = set()
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.EVERYWHERE)]

    def __init__(
        self,
        history: History,
        *,
        now_ms: Callable[[], int] = now_ms,
        zone: tzinfo = UTC,
        zone_name: str = "UTC",
        theme: str = DARK.name,
        keymap: Keymap | None = None,
        index: Sequence[str] = (),
        live: bool = False,
        home: str = "",
        demo: bool = False,
        driver: type[Driver] | None = None,
        kept_in: str = "",
        examine: Callable[[], list[Check]] | None = None,
    ) -> None:
        super().__init__(driver_class=driver)
        self.keymap = keymap or Keymap()
        self._history = history
        self._now_ms = now_ms
        self._zone = zone
        self._zone_name = zone_name
        self._home = home
        self._demo = demo
        self._kept_in = kept_in
        self._examine = examine or self._doctor
        self._sync_argv = (*index, "--watch") if live else ()
        self._index_argv = tuple(index)
        self._watching = False
        self._ended = threading.Event()
        self._early_keys: list[events.Key] | None = []
        self._opened: Screen[object] | None = None
        self._left = False
        for ours in OURS:
            self.register_theme(ours)
        self.theme = theme if theme in self.available_themes else DARK.name
        if self.keymap.own:
            self.set_keymap(self.keymap.own)

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return MainScreen(
            self._history,
            keymap=self.keymap,
            now_ms=self._now_ms,
            zone=self._zone,
            zone_name=self._zone_name,
            home=self._home,
            demo=self._demo,
            syncing=bool(self._sync_argv),
            kept_in=self._kept_in,
        )

    def _doctor(self) -> list[Check]:
        """Return the doctor's checks. Called in a worker thread."""
        from recall_tui.doctor import examine

        try:
            return examine(os.environ, self._home, self._history)
        except StoreError:  # an index that cannot be read is one of the things it looks at
            return examine(os.environ, self._home, None)

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables and the inks drawn from it."""
        return {**super().get_css_variables(), **ink_variables(self.current_theme)}

    async def on_event(self, event: events.Event) -> None:
        """Run a key's action before the next key is looked at.

        Keys typed while the app was starting wait until there is a box to take them.

        Textual hands a key to the focused widget first and looks for an action when it comes
        back; of keys that come in one burst (a paste, a macro, a slow line) the second would go
        where the first no longer wants it.
        """
        if self._left and isinstance(event, events.InputEvent):
            return  # the screens are being taken down
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._early_keys is not None:
            self._early_keys.append(event)
        else:
            await self._press(event)

    async def _press(self, event: events.Key) -> None:
        await self._open()
        if event.key.startswith("alt+"):
            # Without the kitty protocol it comes with its letter, and a box would type that.
            event.character = None
        box = self.focused
        if not (isinstance(box, Input) and event.is_printable):
            if isinstance(box, Input):
                await _typed(box)
            if await self._check_bindings(event.key, priority=True) or await self._check_bindings(
                event.key
            ):
                return
        await super().on_event(event)

    async def _open(self) -> None:
        """Wait until a screen that an earlier key opened is there to take this one."""
        for _ in range(_OPENING_MS):
            screen = self.screen  # a click may close it meanwhile
            if screen is self._opened or (screen.is_mounted and screen.focused):
                break
            await asyncio.sleep(0.001)
        self._opened = self.screen

    async def _on_key(self, event: events.Key) -> None:
        """Look for no action once more: by now the key would be for another screen."""
        event.prevent_default()

    def on_mount(self) -> None:
        """Start the services once the first frame is out."""
        if self.still:
            self.animation_level = "none"
        self.still = self.animation_level == "none"
        self.call_after_refresh(self._take_early_keys)
        self.call_after_refresh(self._start_services)

    def _take_early_keys(self) -> None:
        if self.focused is None:
            self.call_after_refresh(self._take_early_keys)
        else:
            self.call_later(self._press_early_keys)

    async def _press_early_keys(self) -> None:
        """Press what was typed before; what is typed meanwhile waits in the app's queue."""
        early, self._early_keys = self._early_keys or [], None
        for key in early:
            if not self._left:
                await self._press(key)

    def on_work_faulted(self, event: WorkFaulted) -> None:
        """Say that background work ended in a fault."""
        title = "This is a fault in Recall"
        self.notify(event.words, title=title, severity="error", markup=False)

    def on_unmount(self) -> None:
        """Let the polling thread go."""
        self._ended.set()

    @property
    def fault(self) -> Exception | None:
        """What ended the app though nobody expected it."""
        return self._exception

    def exit(
        self, result: object = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave; what is typed from here on is for nobody."""
        self._left = True
        super().exit(result, return_code, message)

    def _fatal_error(self) -> None:
        """End after a fault; Textual would print its trace, and in it what was being read."""
        self._close_messages_no_wait()

    @on(Driver.SignalResume)
    def _redraw(self) -> None:
        """After ctrl+z of a shell and `fg` the screen is a new one."""
        self.refresh(layout=True)

    @on(events.DescendantFocus)
    def _stand_still(self, event: events.DescendantFocus) -> None:
        """Let no cursor blink for a person who wants less motion."""
        if self.still and isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    def _start_services(self) -> None:
        # What is alive now lives as long as the app: the collector need not look at it again.
        gc.freeze()
        gc.enable()
        self.run_worker(
            self._poll, thread=True, group="poll", exit_on_error=False, description="poll store"
        )
        self._keep_live()

    def _keep_live(self) -> None:
        """Have another process read what is written from now on, unless one does."""
        if self._sync_argv and not self._watching:
            self.run_worker(
                self._sync(), group="sync", exit_on_error=False, description="background sync"
            )

    def _tell(self, message: Message) -> None:
        """Give a fact to the main screen, whatever lies over it."""
        if self.screen_stack:
            self.screen_stack[0].post_message(message)

    def _poll(self) -> None:
        """Report every new version of the store. Runs in a thread until the app ends."""
        seen: int | None = None
        while not self._ended.wait(POLL_S):
            try:
                version = self._history.version()
            except RecallError:
                continue
            if version != seen:
                seen = version
                self._tell(StoreChanged(version))

    async def _sync(self) -> None:
        from recall_tui.tui.syncing import SyncChild

        def report(progress: SyncProgress) -> None:
            self._tell(SyncReported(progress))

        self._watching = True
        words = await SyncChild(self._sync_argv, report).run()
        self._watching = False
        if words:
            await self._say_live(on=False)
        self._tell(SyncEnded(f"live updates are off: {words}" if words else ""))

    async def _say_live(self, *, on: bool) -> None:
        """Tell the history whether the index is kept live; if not, whoever asks looks himself."""
        with suppress(RecallError):  # said where sessions are listed
            await asyncio.to_thread(self._history.kept_live, on=on)

    def on_health_screen_wanted(self, event: HealthScreen.Wanted) -> None:
        """Do what mends a gap."""
        from recall_tui.tui.health import Deed

        event.stop()
        if event.deed is Deed.DEMO:
            self.action_open_demo()
            return
        anew = ("--rebuild",) if event.deed is Deed.REBUILD else ()
        self.run_worker(
            self._index(anew), group="index", exclusive=True, exit_on_error=False,
            description="index",
        )  # fmt: skip

    async def _index(self, options: Sequence[str]) -> None:
        """Compare the sources with the index, once, and say how that went."""
        from recall_tui.tui.screens.health import HealthScreen
        from recall_tui.tui.syncing import SyncChild

        self.notify("Reading the sources…", timeout=2, markup=False)
        child = SyncChild((*self._index_argv, *options), lambda _: None)
        words = await child.run()
        done = "Another process is reading them." if child.busy else "All sources are compared."
        self.notify(words or done, severity="error" if words else "information", markup=False)
        if not words and not self._watching:
            await self._say_live(on=True)
            self._keep_live()
        for screen in self.screen_stack:
            if isinstance(screen, HealthScreen):
                screen.action_again()

    def action_help(self) -> None:
        """Show every key."""
        from recall_tui.tui.in_force import scopes_here
        from recall_tui.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.keymap, scopes_here(self.screen)))

    def action_gaps(self) -> None:
        """List everything that is missing, with what to do about it."""
        from recall_tui.tui.screens.health import HealthScreen

        if not isinstance(self.screen, HealthScreen):
            self.push_screen(HealthScreen(self.main.known, self._examine, self.keymap, self._home))

    def action_command_palette(self) -> None:
        """Show the palette of everything that can be done."""
        from recall_tui.tui.commands import Commands
        from recall_tui.tui.screens.leaving import Palette

        if not Palette.is_open(self):
            self.push_screen(Palette([Commands], placeholder="what do you want to do?"))

    def action_next_theme(self) -> None:
        """Go from dark to light or back."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def action_leave(self) -> None:
        """Quit; with a selection, ctrl+c copies it first, as elsewhere."""
        from recall_tui.tui.copying import copy_in_thread

        box = self.focused
        text = self.screen.get_selected_text() or (isinstance(box, Input) and box.selected_text)
        if not text:
            self.exit(None)
            return
        self.in_thread(partial(copy_in_thread, self, text, "selection"), "copy")
        self.screen.clear_selection()

    def action_open_demo(self) -> None:
        """Leave this history for the demo, or the demo for this history; `run` opens it."""
        self.exit(OWN if self._demo else DEMO)


async def _typed(box: Input) -> None:
    """Wait until what was typed is in a box: a key that acts must find it there."""
    for _ in range(_MOST_TURNS):
        empty = box.message_queue_size == 0
        await asyncio.sleep(0)
        if empty:
            return
