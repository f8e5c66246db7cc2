"""Where one goes from a session and comes back from: each detour is a screen, opened here."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING

from recall_tui.errors import RecallError
from recall_tui.model import Flag
from recall_tui.tui.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Message, Session
    from recall_tui.tui.asked import Asked, AskedOfMany
    from recall_tui.tui.graphics import PixelWidget
    from recall_tui.tui.pictures import PictureCache
    from recall_tui.tui.screens.outline import OutlineListing
    from recall_tui.tui.screens.pick import NotesScreen, Place
    from recall_tui.tui.screens.reading import Services


_NEAR_MS = 2_000
"""A subagent begins this soon after the call that starts it."""


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

    def on_asked_of_many(self, event: AskedOfMany) -> None:
        """Do what was asked of several sessions."""
        event.stop()
        getattr(self, f"all_{event.deed}")(event.sessions)

    # Playbooks

    @property
    def services(self) -> Services:
        """What the screens behind a session are given."""
        from recall_tui.tui.screens.reading import Services

        return Services(self._history, self.keymap, self._now_ms, self._zone, self._home)

    def do_continue(self, session: Session, position: int) -> None:
        """Show where a session stood and how to go on with it."""
        from recall_tui.tui.screens.continue_ import ContinueScreen

        self.offer(ContinueScreen(self.services, session))

    def do_repeat(self, session: Session, position: int) -> None:
        """Show a session's prompts, to be used again."""
        from recall_tui.tui.screens.repeat import RepeatScreen

        self.offer(RepeatScreen(self.services, session))

    def do_skill(self, session: Session, position: int) -> None:
        """Show the skill a session makes."""
        from recall_tui.tui.screens.skill import SkillScreen

        self.offer(SkillScreen(self.services, session))

    def do_handoff(self, session: Session, position: int) -> None:
        """Show the page another program would go on from."""
        from recall_tui.tui.screens.continue_ import ContinueScreen
        from recall_tui.tui.screens.handoff import HandoffScreen

        if isinstance(self.screen, ContinueScreen):
            self.push_screen(HandoffScreen(self.services, session))
        else:
            self.offer(HandoffScreen(self.services, session))

    def action_statistics(self) -> None:
        """Show how much there is."""
        from recall_tui.tui.screens.statistics import StatisticsScreen

        if not isinstance(self.screen, StatisticsScreen):
            self.push_screen(StatisticsScreen(self.services))

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
        if self.screen is self.main:
            self.push_screen(screen, left)
            self.read_at(session, message.position)

    # Places inside

    def do_outline(self, session: Session, position: int) -> None:
        """List the prompts, to jump to one."""

        def work() -> None:
            from recall_tui.tui.screens.outline import OutlineListing

            listing = OutlineListing(self._history.skeleton(session), self._zone)
            self.call_from_thread(self._open_outline, session, listing, position)

        self.in_thread(work, "read prompts")

    def _open_outline(self, session: Session, listing: OutlineListing, position: int) -> None:
        from recall_tui.tui.screens.outline import OutlineScreen

        def picked(row: int | None) -> None:
            if row is not None:
                self.read_at(session, listing.positions[row])

        self.offer(OutlineScreen(self._history, session, listing, self.keymap, position), picked)

    def do_notes(self, session: Session, position: int) -> None:
        """List what a person wrote about a session."""

        def work() -> None:
            from recall_tui.tui.places import notes

            found = notes(self._history, session, self._zone)
            self.call_from_thread(self._pick_note, session, found, position)

        self.in_thread(work, "read notes")

    def on_notes_screen_removed(self, event: NotesScreen.Removed) -> None:
        """Remove a note for good."""
        event.stop()
        self.in_thread(partial(self._remove_note, int(event.place.reference)), "remove note")

    def _remove_note(self, number: int) -> None:
        self._history.remove_note(number)
        self.call_from_thread(self.show_notes)

    def _pick_note(self, session: Session, found: Sequence[Place], position: int) -> None:
        """Show notes; the one that is picked is gone to."""
        from recall_tui.tui.screens.pick import NotesScreen, PlaceListing

        row = max(0, sum(place.position <= position for place in found) - 1)
        title = f"Notes of {session.title or 'this session'}"
        listing = PlaceListing(found)

        def picked(row: int | None) -> None:
            if row is not None:
                self.read_at(session, max(0, listing.places[row].position))

        key = self.keymap.shown("session.note")
        empty = (
            f"There are no notes on this session yet.\n{key} writes one at the message you read."
        )
        self.offer(NotesScreen(title, listing, self.keymap, row=row, empty=empty), picked)

    def do_next_file(self, session: Session, position: int) -> None:
        """Go to the next call that is about another file."""
        self._to_file(session, position, 1)

    def do_last_file(self, session: Session, position: int) -> None:
        """Go to the call before that was about another file."""
        self._to_file(session, position, -1)

    def _to_file(self, session: Session, position: int, by: int) -> None:
        def work() -> None:
            from recall_tui.tui.places import next_file

            at = next_file(self._history, session, position, by)
            if at is None:
                words = "No other file is read or written " + ("below." if by > 0 else "above.")
                self.notify(words, timeout=2, markup=False)
            else:
                self.call_from_thread(self.read_at, session, at)

        self.in_thread(work, "find the file")

    def do_time(self, session: Session, position: int) -> None:
        """Ask for a time, and go to the first message from then on."""
        from recall_tui.tui.screens.ask import AskScreen

        def work() -> None:
            times = self._history.skeleton(session).times
            near = times[position] if 0 <= position < len(times) else session.ended_ms
            self.call_from_thread(ask, times, near)

        def ask(times: Sequence[int], near: int) -> None:
            from recall_tui.tui.places import at_time, moment

            def wrong(text: str) -> str:
                try:
                    moment(text, near, self._zone, self._now_ms())
                except RecallError as error:
                    return error.message
                return ""

            def given(text: str | None) -> None:
                if text is not None:
                    when = moment(text, near, self._zone, self._now_ms())
                    self.read_at(session, at_time(times, when))

            hint = "14:05, 2026-11-30 14:05, 2026-11-30, yesterday, 2h"
            self.offer(AskScreen("Go to a time", hint, wrong=wrong), given)

        self.in_thread(work, "read times")

    # The family

    def do_family(self, session: Session, position: int) -> None:
        """List the subagents, forks and copies folded under a session."""

        def work() -> None:
            children = self._history.children(session)
            message = self.message_at(session, position)
            time_ms = message.time_ms if message else 0
            began = [n for n, one in enumerate(children) if one.started_ms <= time_ms + _NEAR_MS]
            self.call_from_thread(self._pick_child, children, began[-1] if began else 0)

        self.in_thread(work, "read subagents")

    def _pick_child(self, children: Sequence[Session], row: int) -> None:
        from recall_tui.tui.places import sessions
        from recall_tui.tui.screens.pick import PickScreen, PlaceListing

        listing = PlaceListing(sessions(children, self._zone))

        def picked(row: int | None) -> None:
            if row is not None:
                self.read_at(children[row], 0)

        empty = "Nothing is folded under this session: no subagents, forks or copies."
        title = "Subagents, forks and copies, in the order they began"
        screen = PickScreen(title, listing, self.keymap, row=row, empty=empty)
        self.offer(screen, picked)

    def do_parent(self, session: Session, position: int) -> None:
        """Go up to the session this one belongs to, where it was started."""
        if not session.parent:
            self.notify("This is a main session.", timeout=2, markup=False)
            return

        def work() -> None:
            from recall_tui.tui.subagents import start_of

            for found in self._history.find(session.parent):
                if found.key == session.parent:
                    at = start_of(self._history, found, session)
                    self.call_from_thread(self.read_at, found, at)
                    return
            self.notify("The session it belongs to is not here.", markup=False)

        self.in_thread(work, "find the main session")
