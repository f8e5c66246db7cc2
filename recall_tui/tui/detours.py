"""Where one goes from a session and comes back from: each detour is a screen, opened here."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING

from recall_tui.model import Flag
from recall_tui.tui.errands import Errands

if TYPE_CHECKING:
    from recall_tui.model import Message, Session
    from recall_tui.tui.asked import Asked
    from recall_tui.tui.graphics import PixelWidget
    from recall_tui.tui.pictures import PictureCache
    from recall_tui.tui.screens.reading import Services


class Detours(Errands):
    """Opens the screen for what was asked.

    Attributes:
        images: The person's setting of how pictures are drawn.
        pixels: Makes widgets of real pixels, None for half cells.
    """

    images: str = "auto"
    pixels: PixelWidget | None = None
    _pictures: PictureCache | None = None

    def on_asked(self, event: Asked) -> None:
        """Do what was asked of a session."""
        event.stop()
        getattr(self, f"do_{event.deed}")(event.session, event.position)

    # Playbooks

    @property
    def services(self) -> Services:
        """What the screens behind a session are given."""
        from recall_tui.tui.screens.reading import Services

        return Services(self._history, self.keymap, self._now_ms, self._zone, self._home)

    def do_continue(self, session: Session, position: int) -> None:
        """Show where a session stood and how to go on with it."""
        from recall_tui.tui.screens.continue_ import ContinueScreen

        self.push_screen(ContinueScreen(self.services, session))

    def do_repeat(self, session: Session, position: int) -> None:
        """Show a session's prompts, to be used again."""
        from recall_tui.tui.screens.repeat import RepeatScreen

        self.push_screen(RepeatScreen(self.services, session))

    def do_skill(self, session: Session, position: int) -> None:
        """Show the skill a session makes."""
        from recall_tui.tui.screens.skill import SkillScreen

        self.push_screen(SkillScreen(self.services, session))

    # Materials

    def do_materials(self, session: Session, position: int) -> None:
        """Show what hangs on the message, or on the next one that has something."""
        self.in_thread(partial(self._find_materials, session, position), "find materials")

    def _find_materials(self, session: Session, position: int, by: int = 0) -> None:
        """Open the previewer on the nearest message with materials; call it in a thread.

        Args:
            session: Where to look.
            position: Where to begin.
            by: 0 to take that message when it has any; 1 or -1 for another one.
        """
        flags = self._history.skeleton(session).flags
        holding = [at for at, value in enumerate(flags) if value & Flag.MATERIAL]
        if not holding:
            self.notify("No pictures and no files hang on this session.", markup=False)
            return
        at = bisect_left(holding, position + max(0, by)) - (by < 0)
        message = self.message_at(session, holding[at % len(holding)])
        if message is not None and message.materials:
            self.call_from_thread(self._open_materials, session, message)

    def _open_materials(self, session: Session, message: Message) -> None:
        from recall_tui.tui.pictures import PictureCache
        from recall_tui.tui.screens.material import MaterialScreen

        if self._pictures is None:
            self._pictures = PictureCache()

        def left(by: int | None) -> None:
            if by:
                work = partial(self._find_materials, session, message.position, by)
                self.in_thread(work, "find materials")

        screen = MaterialScreen(
            self._history, session, message, cache=self._pictures, keymap=self.keymap,
            zone=self._zone, images=self.images, pixels=self.pixels,
        )  # fmt: skip
        self.push_screen(screen, left)
        self.read_at(session, message.position)
