"""Repeat: the prompts as they were typed, one-off data marked, fresh inputs asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from recall_tui.errors import RecallError
from recall_tui.playbooks.onetime import placeholder
from recall_tui.playbooks.repeat import Repetition, described, joined, opening, repetition
from recall_tui.playbooks.writing import write_file
from recall_tui.tui import notation
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.screens.ask import AskScreen, new_file_hint
from recall_tui.tui.screens.reading import ReadingScreen, Services, clock_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.binding import BindingType

    from recall_tui.model import Session
    from recall_tui.playbooks.onetime import Input
    from recall_tui.playbooks.programs import Command
    from recall_tui.playbooks.repeat import Prompt
    from recall_tui.tui.lines import Piece

    Lines = list[list[Piece]]


_AS_IT_WAS: Final = "as it was"


class RepeatScreen(ReadingScreen[Repetition]):
    """A preview of prompts: what belonged to that day stands out until it was asked for anew."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.REPEAT)]
    scope = Scope.REPEAT
    NAME = "Repeat"

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__(services, session)
        self._values: dict[str, str] = {}
        self._asked = False

    def read(self) -> Repetition:
        """Return what was typed."""
        return repetition(self.services.history, self.session)

    # The text

    def rows(self, value: Repetition) -> Iterator[list[Piece]]:
        """Yield the inputs, then each prompt as it will be handed on."""
        if value.prompts:
            count = notation.counted(len(value.prompts), "prompt")
            words = f"{count}, word for word and in order. Nothing runs until you start it."
            yield [(words, "muted")]
            yield []
        else:
            yield [("Nobody typed a prompt in this session.", "title")]
        if flagged := sum(bool(prompt.suspicious) for prompt in value.prompts):
            words = notation.counted(flagged, "prompt looks", "prompts look")
            yield [(f"⚠ {words} like orders from elsewhere. Read them.", "warning")]
            yield []
        yield from self._inputs(value)
        for number, prompt in enumerate(value.prompts, 1):
            yield from self._prompt(number, prompt)
        yield from _rest(value)

    def _inputs(self, found: Repetition) -> Lines:
        if not found.inputs:
            return []
        rows: Lines = [[("Belonged to that day", "heading")]]
        width = max(len(one.name) for one in found.inputs)
        for one in found.inputs:
            fresh = self._values.get(one.name, "")
            rows.append([(f"  {one.name:{width}}  ", "accent"), *_value(one, fresh)])
        if not self._asked:
            key = self.services.keymap.shown("repeat.fill")
            rows.append([("  ", ""), (key, "strong"), (" asks for each anew", "muted")])
        return [*rows, []]

    def _prompt(self, number: int, prompt: Prompt) -> Lines:
        message = prompt.message
        rows: Lines = [
            [
                (f"{number:>2}  ", "you"),
                (f"{clock_of(message.time_ms, self.services)}  #{message.position}", "dim"),
            ]
        ]
        rows += [[("    ", ""), *row] for row in self._pieces(prompt)]
        for held in message.materials:
            name = held.name or f"unnamed {held.kind}"
            rows.append([("    ▣ ", "accent"), (f"{name}: attach it again", "muted")])
        if prompt.suspicious:
            reasons = ", ".join(prompt.suspicious)
            rows.append([("    ⚠ ", "warning"), (f"looks like orders: {reasons}", "warning")])
        return [*rows, []]

    def _pieces(self, prompt: Prompt) -> Lines:
        """Return a prompt's lines, its one-off data in the ink of a match."""
        rows: Lines = [[]]
        for piece in prompt.template.pieces:
            text, ink = (piece, "") if isinstance(piece, str) else (self._put(piece), "match")
            for index, part in enumerate(text.split("\n")):
                if index:
                    rows.append([])
                rows[-1].append((part, ink))
        return rows

    def _put(self, one: Input) -> str:
        return self._values.get(one.name) or one.value or placeholder(one)

    # Keys

    def action_fill(self) -> None:
        """Ask for each input anew; nothing is handed on before that."""
        if self.value is not None and self.value.inputs:
            self._ask(list(self.value.inputs))
        else:
            self._settled()

    def _ask(self, left: list[Input]) -> None:
        if not left:
            self._settled()
            return
        one, rest = left[0], left[1:]
        number = len(self.value.inputs) - len(rest) if self.value else 1
        of = len(self.value.inputs) if self.value else 1

        def given(text: str | None) -> None:
            if text is None:
                self._kept_as_it_was()
                return
            self._values[one.name] = text
            self.redraw(keep=True)
            self._ask(rest)

        needed = "" if one.value else "It was a secret; it was not kept."
        self.app.push_screen(
            AskScreen(
                f"Fresh input {number} of {of}: {one.name}",
                needed or f"It was {one.value[:60]}",
                value=self._values.get(one.name, one.value),
            ),
            given,
        )

    def _kept_as_it_was(self) -> None:
        """Say what a person who was asked enough may do: thousands of prompts name as much."""
        if self.value is not None and not self._asked:
            left = notation.counted(len(self.value.unsettled(self._values)), "input")
            names = (f"repeat.{act}" for act in ("copy", "save", "start"))
            keys = ", ".join(map(self.services.keymap.shown, names))
            words = f"{left} not asked for. {keys} take the prompts as they stand now."
            self.arm(_AS_IT_WAS, words)

    def _settled(self) -> None:
        self._asked = True
        self.redraw(keep=True)
        self.say("Read them once more; then copy, save or start them.", "accent")

    def _text(self) -> list[str] | None:
        """Return the prompts to hand on, None while inputs were not asked for."""
        found = self.value
        if found is None or not found.prompts:
            return None
        if found.inputs and not self._asked and not self.armed(_AS_IT_WAS):
            self.action_fill()
            return None
        if not self._asked:
            self._asked = True
            self.disarm()
        return found.filled(self._values)

    def action_copy(self) -> None:
        """Copy the prompts, inputs filled in."""
        if (prompts := self._text()) is not None:
            self.copy(joined(prompts), "prompts")

    def action_save(self) -> None:
        """Write the prompts to a new file."""
        prompts = self._text()
        if prompts is None:
            return

        def chosen(path: str | None) -> None:
            if path:
                self.run_worker(
                    partial(self._save_in_thread, path, joined(prompts)), thread=True,
                    group="save", exit_on_error=False, description="save prompts",
                )  # fmt: skip

        hint = new_file_hint()
        self.app.push_screen(AskScreen("Save the prompts as", hint, value="prompts.md"), chosen)

    def _save_in_thread(self, path: str, text: str) -> None:
        try:
            where = write_file(path, [text])
        except RecallError as error:
            self.app.notify(str(error), severity="error", markup=False)
            return
        self.app.notify(f"Prompts written to {where}", markup=False)

    def action_start(self) -> None:
        """Leave Recall and start the same program with the first prompt; others are copied."""
        found, prompts = self.value, self._text()
        if found is None or prompts is None:
            return
        try:
            command = opening(found, prompts)
        except RecallError as error:
            self.say(f"{error.message}: {error.hint}.", "warning")
            return
        more = f"; the other {len(prompts) - 1:,} are copied first" if len(prompts) > 1 else ""
        key = self.services.keymap.shown("repeat.start")
        words = f"{key} again leaves Recall and gives {command.argv[0]} the first prompt{more}."
        if self.confirmed("start", words):
            if len(prompts) == 1:
                self.run(command)
                return
            self.run_worker(
                partial(self._copy_and_run, joined(prompts[1:]), command), thread=True,
                group="copy", exclusive=True, exit_on_error=False, description="copy",
            )  # fmt: skip

    def _copy_and_run(self, rest: str, command: Command) -> None:
        """Copy what is left first: once the app has ended nothing would be."""
        from recall_tui.tui.copying import copy_in_thread

        copy_in_thread(self.app, rest, "other prompts")
        self.app.call_from_thread(self.run, command)


def _value(one: Input, fresh: str) -> list[Piece]:
    if fresh and fresh != one.value:
        return [(fresh, "match"), (f"  was {described(one)}", "dim")]
    return [(described(one), "" if one.value else "warning")]


def _rest(found: Repetition) -> Lines:
    """Return what stands on the person's side but was not typed here."""
    words = ", ".join(f"{what} ({count:,})" for what, count in found.left_out)
    return [[(f"Left out: {words}.", "dim")]] if words else []
