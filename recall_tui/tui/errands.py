"""What is done with a session without leaving the screen for long: pin, note, copy, open."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, cast

from textual.app import App

from recall_tui.errors import RecallError
from recall_tui.tui.lines import cut
from recall_tui.tui.notation import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from textual.screen import Screen

    from recall_tui.history import History
    from recall_tui.model import Message, Session
    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.screens.choose import Choice
    from recall_tui.tui.screens.health import HealthScreen
    from recall_tui.tui.screens.main import MainScreen

Answer = TypeVar("Answer")

_NO_NAME: Final = re.compile(r"[\W_]+")
"""What has no place in the name of a file."""

_NAME_CHARS: Final = 40


class Errands(App[object]):
    """The small acts, and what the larger ones share: services, threads, the main screen."""

    keymap: Keymap
    editor: str = ""
    """The person's setting of how a file is opened; empty for `$VISUAL` or `$EDITOR`."""
    _history: History
    _now_ms: Callable[[], int]
    _zone: tzinfo
    _home: str

    @property
    def main(self) -> MainScreen:
        """The screen at the bottom of the stack."""
        return cast("MainScreen", self.screen_stack[0])

    def in_thread(self, work: Callable[[], None], what: str) -> None:
        """Run work that reads or writes apart from the screen; its errors become a toast."""

        def guarded() -> None:
            try:
                work()
            except RecallError as error:
                self.complain(error)

        self.run_worker(
            guarded, thread=True, group=f"errand-{what}", exit_on_error=False, description=what
        )

    def complain(self, error: RecallError) -> None:
        """Say what went wrong. Safe from any thread."""
        self.notify(str(error), severity="error", markup=False)

    def offer(
        self, screen: Screen[Answer], answered: Callable[[Answer | None], None] | None = None
    ) -> None:
        """Show a screen that was asked for on the main one, unless another was opened meanwhile.

        Of two keys in one burst both were meant for the main screen: the second screen would lie
        over the first, and what it answers would not be seen.
        """
        if self.screen is self.main:
            self.push_screen(screen, answered)

    def read_at(self, session: Session, position: int) -> None:
        """Show a session at one of its messages, and give it the keys.

        What is looked for in the session that is left is looked for there, too.
        """
        main = self.main
        shown = main.transcript.session
        if shown is not None and shown.key == session.key:
            main.transcript.go_to(position, centre=True)
        else:
            main.transcript.open(session, at=position, query=main.transcript.sought)
        main.add_class("-reading")
        main.set_focus(main.transcript)

    def message_at(self, session: Session, position: int) -> Message | None:
        """Return a message by its position. Call it in a worker thread."""
        if position < 0:
            return None
        held = self._history.messages(session, position, position + 1)
        return held[0] if held else None

    # Pins and notes

    def do_pin(self, session: Session, position: int) -> None:
        """Pin a session, or take the pin off."""

        def work() -> None:
            pinned = session.key in self._history.pins()
            self._history.pin(session, on=not pinned)
            words = "No longer pinned" if pinned else "Pinned: it stays on top of the list"
            self.notify(words, timeout=2, markup=False)
            self.call_from_thread(self.main.action_reload)

        self.in_thread(work, "pin")

    def all_pin(self, sessions: Sequence[Session]) -> None:
        """Pin sessions; when all of them are, take the pins off."""

        def work() -> None:
            pinned = set(self._history.pins())
            on = not all(session.key in pinned for session in sessions)
            for session in sessions:
                self._history.pin(session, on=on)
            words = f"{counted(len(sessions), 'session')} {'pinned' if on else 'no longer pinned'}"
            self.notify(words, timeout=2, markup=False)
            self.call_from_thread(self.main.action_reload)

        self.in_thread(work, "pin")

    # Exporting

    def do_export(self, session: Session, position: int) -> None:
        """Write a session to a file of the person's choice."""
        self.all_export([session])

    def all_export(self, sessions: Sequence[Session]) -> None:
        """Write sessions to one file."""
        from recall_tui.playbooks.export import Form
        from recall_tui.tui.screens.ask import AskScreen

        endings = [form.value for form in Form]

        def wrong(path: str) -> str:
            named = path.rpartition(".")[2].lower() in endings
            return "" if named else f"Its ending says what it will be: {', '.join(endings)}."

        def given(path: str | None) -> None:
            if path:
                self.in_thread(partial(self._export, sessions, path), "export")

        one = " ".join(sessions[0].title.split()) if len(sessions) == 1 else ""
        what = f"“{cut(one, 44)}”" if one else counted(len(sessions), "session")
        name = _NO_NAME.sub("-", one.casefold()).strip("-")[:_NAME_CHARS].strip("-") or "sessions"
        hint = "Ends in .md, .html or .jsonl. Secrets are redacted."
        screen = AskScreen(f"Export {what} to a new file", hint, value=f"{name}.md", wrong=wrong)
        self.offer(screen, given)

    def _export(self, sessions: Sequence[Session], path: str) -> None:
        from recall_tui.playbooks.export import Form, export
        from recall_tui.playbooks.writing import write_file

        form = Form(path.rpartition(".")[2].lower())
        pieces, done = export(self._history, sessions, form)
        where = write_file(path, pieces)
        words = f"{counted(done.sessions, 'session')}, {counted(done.messages, 'message')}"
        self.notify(f"{words} written to {where}", markup=False)

    def do_note(self, session: Session, position: int) -> None:
        """Write a note about the message that is looked at."""
        from recall_tui.tui.screens.ask import AskScreen

        def given(text: str | None) -> None:
            if text and text.strip():
                self.in_thread(partial(self._note, session, position, text.strip()), "note")

        where = f"message {position}" if position >= 0 else "this session"
        hint = "Kept beside the index, in your own file; never in the agent's."
        self.offer(AskScreen(f"Note about {where}", hint), given)

    def _note(self, session: Session, position: int, text: str) -> None:
        self._history.add_note(session, position, text)
        self.call_from_thread(self.show_notes)

    def show_notes(self) -> None:
        """Show the notes of the session on the screen as they are now."""
        session = self.main.transcript.session
        if session is None:
            return

        def work() -> None:
            from recall_tui.tui.document import notes_of

            notes = notes_of(self._history, session)
            self.call_from_thread(self.main.transcript.noted, session, notes)

        self.in_thread(work, "read notes")

    # Copying

    def do_copy(self, session: Session, position: int) -> None:
        """Ask what of the message or its session is to be copied."""

        def work() -> None:
            from recall_tui.tui.copies import choices

            message = self.message_at(session, position)
            offered = choices(session, message, self._history.resume(session))
            self.call_from_thread(self._ask_what, offered)

        self.in_thread(work, "copy")

    def _ask_what(self, offered: Sequence[Choice]) -> None:
        from recall_tui.tui.copying import copy_in_thread
        from recall_tui.tui.screens.choose import ChooseScreen

        def chosen(value: str | None) -> None:
            if value:
                words = next(one.words for one in offered if one.value == value)
                self.in_thread(partial(copy_in_thread, self, value, words.lower()), "copy")

        self.offer(ChooseScreen("Copy", offered), chosen)

    def all_copy(self, sessions: Sequence[Session]) -> None:
        """Ask what of several sessions is to be copied, one a line."""

        def work() -> None:
            from recall_tui.tui.copies import choices_of_many

            resumed = [self._history.resume(session) for session in sessions]
            self.call_from_thread(self._ask_what, choices_of_many(sessions, resumed))

        self.in_thread(work, "copy")

    # Other programs

    def do_folder(self, session: Session, position: int) -> None:
        """Show the directory a session worked in."""
        from recall_tui.tui.attachments import open_folder

        folder = session.last_cwd or session.cwd
        self.in_thread(partial(open_folder, folder, os.environ), "open folder")

    def do_editor(self, session: Session, position: int) -> None:
        """Open the session's source, or a file its message names, in the person's editor."""

        def work() -> None:
            from recall_tui.tui.copies import files_of
            from recall_tui.tui.source_line import line_of

            message = self.message_at(session, position)
            files = files_of(session, message)
            line = line_of(session, message) if os.path.exists(session.path) or not files else 0
            self.call_from_thread(self._ask_which, session, line, files)

        self.in_thread(work, "find the line")

    def _ask_which(self, session: Session, line: int, files: Sequence[str]) -> None:
        from recall_tui.tui.screens.choose import Choice, ChooseScreen

        if not files:
            self._edit(session.path, line)
            return
        offered = [Choice(str(n), "file", path, path) for n, path in enumerate(files, 1)]
        if line:
            offered.append(Choice("s", "source", f"{session.path}:{line}", session.path))

        def chosen(path: str | None) -> None:
            if path:
                self._edit(path, line if path == session.path else 1)

        self.offer(ChooseScreen("Open in your editor", offered), chosen)

    def on_health_screen_file_wanted(self, event: HealthScreen.FileWanted) -> None:
        """Open a file in the person's editor: they change it, Recall never does."""
        event.stop()
        self._edit(event.path, 1)

    def _edit(self, path: str, line: int) -> None:
        from recall_tui.tui.foreground import filled, run_foreground, template

        try:
            words = template(self.editor, os.environ)
        except RecallError as error:
            self.complain(error)
            return
        if fault := run_foreground(self, filled(words, path, max(1, line))):
            self.notify(fault, severity="error", markup=False)
        elif line > 1 and not any("{line}" in word for word in words):
            told = f"It was meant to open at line {line}: `editor` in the config can say how."
            self.notify(told, markup=False)
