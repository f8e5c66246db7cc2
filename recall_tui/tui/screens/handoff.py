"""Hand off: one cited page for another program, read before it is written or handed over."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from recall_tui.errors import RecallError
from recall_tui.paths import full, here
from recall_tui.playbooks import programs
from recall_tui.playbooks.handoff import Bundle, bundle
from recall_tui.playbooks.places import is_folder
from recall_tui.playbooks.writing import write_file
from recall_tui.tui import notation
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.screens.ask import AskScreen
from recall_tui.tui.screens.reading import ReadingScreen, Services
from recall_tui.tui.widgets.sheet import styled_markdown

if TYPE_CHECKING:
    from textual.binding import BindingType

    from recall_tui.model import Session
    from recall_tui.tui.lines import Piece

    Lines = list[list[Piece]]

_NAMES = tuple(programs.PROGRAMS)


class HandoffScreen(ReadingScreen[Bundle]):
    """The page as the other program will read it, and which program that is."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.HANDOFF)]
    scope = Scope.HANDOFF
    NAME = "Hand off"

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__(services, session)
        there = [name for name in _NAMES if _installed(name)]
        others = [name for name in there if name != session.harness]
        self._target = (others or there or [""])[0]

    def read(self) -> Bundle:
        """Return the page."""
        return self._bundle("")

    def _bundle(self, file: str) -> Bundle:
        history, now = self.services.history, self.services.now_ms()
        return bundle(history, self.session, target=self._target, file=file, now_ms=now)

    # The text

    def rows(self, value: Bundle) -> Lines:
        """Return the programs, then the page."""
        rows: Lines = [[("To which program", "heading")]]
        for number, name in enumerate(_NAMES, 1):
            here = name == self._target
            state = "" if _installed(name) else "  not on the PATH of this machine"
            rows.append(
                [
                    ("  ▌ " if here else "    ", "bar"),
                    (f"{number} ", "strong"),
                    (name, "here" if here else ""),
                    (state, "dim"),
                ]
            )
        size = notation.size(len(value.text.encode("utf-8", "replace")))
        quoted = notation.counted(len(value.references), "message")
        left = f" · {value.turns_left_out:,} older turns left out" if value.turns_left_out else ""
        rows += [[], [("The page", "heading"), (f"  {size} · quotes {quoted}{left}", "muted")], []]
        return [*rows, *styled_markdown(value.text)]

    # Keys

    def action_target(self, number: int) -> None:
        """Hand it to another program."""
        if number <= len(_NAMES):
            self._target = _NAMES[number - 1]
            self.redraw(keep=True)

    def action_copy(self) -> None:
        """Copy the page."""
        if self.value is not None:
            self.copy(self.value.text, "page")

    def action_save(self) -> None:
        """Write the page to a new file."""
        self._ask("A new file, readable by you alone.", start=False)

    def action_start(self) -> None:
        """Write the page, then leave Recall for the other program."""
        if not self._target or not _installed(self._target):
            self.say(
                f"{self._target or 'No program'} is not on the PATH of this machine.", "warning"
            )
            return
        self._ask(f"Then Recall ends and {self._target} starts, told to read it.", start=True)

    def _ask(self, hint: str, *, start: bool) -> None:
        made = self.value
        if made is None:
            return
        cwd = made.session.last_cwd or made.session.cwd
        name = f"handoff-{made.session.native_id[:8]}.md"
        where = os.path.join(cwd if is_folder(cwd) else here(), name)

        def chosen(path: str | None) -> None:
            if path:
                self.run_worker(
                    partial(self._hand_over, path, start=start), thread=True, group="save",
                    exit_on_error=False, description="write page",
                )  # fmt: skip

        shown = notation.short_path(where, self.services.home)
        self.app.push_screen(AskScreen("Write the page to", hint, value=shown), chosen)

    def _hand_over(self, path: str, *, start: bool) -> None:
        try:
            file = full(path)
            made = self._bundle(file)
            write_file(file, [made.text])
        except RecallError as error:
            self.app.notify(str(error), severity="error", markup=False)
            return
        if start and made.command is not None:
            self.app.call_from_thread(self.run, made.command)
        else:
            self.app.notify(f"Page written to {file}", markup=False)


def _installed(name: str) -> bool:
    command = programs.start(name, "", "")
    return command is not None and command.installed
