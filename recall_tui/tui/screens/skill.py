"""Skill: a SKILL.md made from what worked, shown whole before anything is written."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from recall_tui.errors import RecallError
from recall_tui.playbooks.skill import (
    PROVENANCE_FILE,
    SKILL_FILE,
    Package,
    is_name,
    package,
)
from recall_tui.playbooks.writing import write_package
from recall_tui.text.suspicion import suspicious
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


class SkillScreen(ReadingScreen[Package]):
    """The package as it will be written, with its provenance one key away."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.SKILL)]
    scope = Scope.SKILL
    NAME = "Skill"

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__(services, session)
        self._called = ""
        self._proof = False

    def read(self) -> Package:
        """Return the skill."""
        history, now = self.services.history, self.services.now_ms()
        return package(history, self.session, name=self._called, now_ms=now)

    # The text

    def rows(self, value: Package) -> Lines:
        """Return what was kept and left out, then the file itself."""
        name = PROVENANCE_FILE if self._proof else SKILL_FILE
        text = value.files[name]
        steps = notation.counted(value.steps, "step")
        rows: Lines = [[(f"{value.name}/{name}", "strong"), (f"  {steps}", "muted")]]
        left = ", ".join(f"{what} ({count:,})" for what, count in value.left_out)
        if left:
            rows.append([(f"Left out: {left}.", "dim")])
        if value.missing:
            words = f"{value.missing:,} messages of this session were not looked at."
            rows.append([(f"⚠ {words}", "warning")])
        for reason in suspicious(value.files[SKILL_FILE]):
            rows.append([(f"⚠ Looks like orders from elsewhere: {reason}. Read it.", "warning")])
        return [*rows, [], *styled_markdown(text)]

    # Keys

    def action_proof(self) -> None:
        """Show the provenance, or the skill again."""
        self._proof = not self._proof
        self.redraw()

    def action_rename(self) -> None:
        """Give the skill another name."""

        def given(name: str | None) -> None:
            if name:
                self._called = name
                self.reload()

        held = self.value.name if self.value else ""
        hint = "Lower-case letters, digits and single hyphens."
        ask = AskScreen("Name of the skill", hint, value=held, wrong=_bad_name)
        self.app.push_screen(ask, given)

    def action_copy(self) -> None:
        """Copy the skill's text."""
        if self.value is not None:
            self.copy(self.value.files[SKILL_FILE], "skill")

    def action_save(self) -> None:
        """Write the package into a folder that does not exist yet."""
        made = self.value
        if made is None:
            return

        def chosen(folder: str | None) -> None:
            if folder:
                self.run_worker(
                    partial(self._save_in_thread, folder, made), thread=True, group="save",
                    exit_on_error=False, description="write skill",
                )  # fmt: skip

        cwd = self.session.last_cwd or self.session.cwd
        above = cwd if os.path.isdir(cwd) else "~"
        where = os.path.join(above, ".claude", "skills", made.name)
        hint = f"A new folder with {SKILL_FILE} and {PROVENANCE_FILE}, yours alone."
        shown = notation.short_path(where, self.services.home)

        def wrong(folder: str) -> str:
            last = os.path.basename(folder.rstrip("/"))
            return "" if last == made.name else f"a skill's folder has its name: {made.name}"

        ask = AskScreen("Write the skill to", hint, value=shown, wrong=wrong)
        self.app.push_screen(ask, chosen)

    def _save_in_thread(self, folder: str, made: Package) -> None:
        try:
            where = write_package(folder, made.files)
        except RecallError as error:
            self.app.notify(str(error), severity="error", markup=False)
            return
        self.app.notify(f"Skill written to {where}", markup=False)


def _bad_name(name: str) -> str:
    return "" if is_name(name) else "lower-case letters, digits and single hyphens"
