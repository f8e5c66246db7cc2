"""Continue: where a session stood, whether its place is still there, how to go on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from recall_tui.paths import absolute
from recall_tui.playbooks.continuation import Continuation, continuation
from recall_tui.playbooks.places import is_folder, standing
from recall_tui.text.marks import shown
from recall_tui.text.suspicion import suspicious
from recall_tui.tui import markdown, notation
from recall_tui.tui.asked import Asked, Deed
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.screens.ask import AskScreen
from recall_tui.tui.screens.reading import ReadingScreen, Services, clock_of

if TYPE_CHECKING:
    from textual.binding import BindingType

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.places import Offer
    from recall_tui.playbooks.programs import Command
    from recall_tui.playbooks.turns import Turn
    from recall_tui.tui.lines import Piece

    Lines = list[list[Piece]]

_WHOLE: Final = 3
"""Turns shown with the agent's answer; older ones are one line."""

_PROMPT_ROWS: Final = 4
_ANSWER_ROWS: Final = 10
_ANSWER_CELLS: Final = 64
"""Cells an answer is set in: what 80 columns have room for, so that tables stay tables."""
_CHARS: Final = 8000


class ContinueScreen(ReadingScreen[Continuation]):
    """The last turns, what was left open, and the command. Nothing runs before a second press."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.CONTINUE)]
    scope = Scope.CONTINUE
    NAME = "Continue"

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__(services, session)
        self._folder = ""
        self._named: Offer | None = None
        """A directory that was typed."""

    def read(self) -> Continuation:
        """Return how the session stood, checked against the disk and git."""
        return continuation(self.services.history, self.session)

    # The text

    def rows(self, value: Continuation) -> Lines:
        """Return what was left open, how to go on, then the last turns."""
        return [
            *_left_open(value),
            *self._way(value),
            *_turns(value, self.services),
        ]

    def _way(self, found: Continuation) -> Lines:
        rows: Lines = [[], [("How to go on", "heading")]]
        command = self._command(found)
        if command is not None:
            rows.append([("  ❯ ", "accent"), (command.line, "strong")])
        place = found.place
        if place.exists and place.branch and place.branch_now == place.branch:
            words = f"{self._short(place.cwd)} is on {place.branch}"
            rows.append([("  ✓ ", "success"), (words, "")])
        elif place.exists and not place.notes:
            rows.append([("  ✓ ", "success"), (f"{self._short(place.cwd)} is there", "")])
        rows += [[("  ⚠ ", "warning"), (note, "warning")] for note in found.notes]
        if found.fork is not None:
            key = self.services.keymap.shown("continue.fork")
            rows.append([("    ", ""), (key, "strong"), (" goes on in a copy instead", "muted")])
        offers = [(str(number), offer) for number, offer in enumerate(found.place.offers, 1)]
        key = self.services.keymap.shown("continue.elsewhere")
        if self._named is not None:
            offers.append((key, self._named))
        for shown_key, offer in offers:
            chosen = offer.path == self._folder
            rows.append(
                [
                    ("  ▌ " if chosen else "    ", "bar"),
                    (shown_key, "strong"),
                    (f" {self._short(offer.path)}", "here" if chosen else ""),
                    (f"  {offer.reason}", "muted"),
                ]
            )
        if self._named is None and command is not None and not place.exists:
            rows.append([("    ", ""), (key, "strong"), (" names another directory", "muted")])
        return rows

    def _short(self, path: str) -> str:
        return notation.short_path(path, self.services.home)

    def _command(self, found: Continuation, *, fork: bool = False) -> Command | None:
        """Return the command, in the directory that was chosen."""
        command = found.fork if fork else found.resume
        if command is None or not self._folder:
            return command
        return command._replace(cwd=self._folder)

    # Keys

    def action_resume(self, *, fork: bool = False) -> None:
        """Leave Recall for the session's own program; the first press says so."""
        found = self.value
        command = self._command(found, fork=fork) if found else None
        if found is None:
            return
        if command is None:
            self.say("There is no command for that: hand it off to another program.", "warning")
            return
        if command.cwd and not is_folder(command.cwd):
            key = self.services.keymap.shown("continue.elsewhere")
            offered = "a number takes one of those above, " if found.place.offers else ""
            self.say(f"{command.cwd} is gone: {offered}{key} names another.", "warning")
            return
        if not command.installed:
            self.say(f"{command.argv[0]} is not on the PATH of this machine.", "warning")
            return
        again = self.services.keymap.shown("continue.fork" if fork else "continue.resume")
        warning = f" {command.warning}" if command.warning else ""
        if self.confirmed(f"run {fork}", f"{again} again leaves Recall and runs it.{warning}"):
            self.run(command)

    def action_fork(self) -> None:
        """Go on in a copy."""
        self.action_resume(fork=True)

    def action_copy(self) -> None:
        """Copy the command."""
        command = self._command(self.value) if self.value else None
        if command is not None:
            self.copy(command.line, "command")

    def action_offer(self, number: int) -> None:
        """Go on in another of the directories offered; the same number takes it back."""
        offers = self.value.place.offers if self.value else ()
        if number <= len(offers):
            path = offers[number - 1].path
            self._folder = "" if self._folder == path else path
            self.disarm()
            self.redraw(keep=True)

    def action_elsewhere(self) -> None:
        """Go on in a directory that is typed."""
        if self.value is None or self.value.resume is None:
            return
        offers = self.value.place.offers
        held = self._folder or (offers[0].path if offers else self.value.place.cwd)
        hint = "Its program is started there."
        value = self._short(held) if held.isprintable() else ""
        ask = AskScreen("Go on in", hint, value=value, wrong=_no_folder)
        self.app.push_screen(ask, self._typed)

    def _typed(self, path: str | None) -> None:
        if path is not None:
            self.run_worker(
                partial(self._look_in_thread, absolute(path)), thread=True, group="look",
                exclusive=True, exit_on_error=False, description="directory",
            )  # fmt: skip

    def _look_in_thread(self, path: str) -> None:
        """Ask git about a directory; a repository on a slow share keeps nobody waiting."""
        self.app.call_from_thread(self._go_on_in, standing(path))

    def _go_on_in(self, named: Offer) -> None:
        offers = self.value.place.offers if self.value else ()
        self._named = None if named.path in {offer.path for offer in offers} else named
        self._folder = named.path
        self.disarm()
        self.redraw(keep=True)

    def action_handoff(self) -> None:
        """Hand the session to another program."""
        self.post_message(Asked(Deed.HANDOFF, self.session))


def _no_folder(path: str) -> str:
    return "" if path.strip() and is_folder(absolute(path)) else "no such directory"


def _left_open(found: Continuation) -> Lines:
    if not found.open:
        return [[("Nothing seems to be left open.", "title")]]
    rows: Lines = [[("Left open", "heading")]]
    for point in found.open:
        place = f"  #{point.reference.position}"
        rows.append(
            [("  · ", "warning"), (f"{point.loose.value}: ", ""), (point.text, "strong"),
             (place, "dim")]
        )  # fmt: skip
    return rows


def _turns(found: Continuation, services: Services) -> Lines:
    rows: Lines = []
    turns = found.turns
    if turns:
        count = "turn" if len(turns) == 1 else notation.counted(len(turns), "turn")
        rows += [[], [(f"The last {count}", "heading")]]
    older = turns[:-_WHOLE]
    for turn in turns[-_WHOLE:]:
        rows += _whole(turn, found.place.cwd, services)
    if older:
        rows += [[], [("Before that, the newest first", "heading")]]
        rows += [row for turn in reversed(older) for row in _brief(turn, services)]
    return rows


def _brief(turn: Turn, services: Services) -> Lines:
    head = turn.prompt or turn.last
    if head is None:
        return []
    did = f"  {len(turn.acts):,} calls" if turn.acts else ""
    line = " ".join(shown(head.text[:600]).split())[:160]
    return [[(f"  {clock_of(head.time_ms, services)}  ", "dim"), (line, "muted"), (did, "dim")]]


def _whole(turn: Turn, cwd: str, services: Services) -> Lines:
    rows: Lines = []
    if turn.prompt is not None:
        said: Lines = [[(line, "")] for line in _text(turn.prompt).split("\n")]
        rows += _said(turn.prompt, "you", said, services, _PROMPT_ROWS)
        if reasons := ", ".join(suspicious(turn.prompt.text)):
            rows.append([("       ⚠ ", "warning"), (f"looks like orders: {reasons}", "warning")])
    if deeds := turn.deeds(cwd):
        rows.append([("         ", ""), (deeds, "muted")])
    if turn.answer is not None:
        answer = markdown.lines_of(_text(turn.answer), _ANSWER_CELLS)
        drawn: Lines = [list(line.pieces) for line in answer]
        rows += _said(turn.answer, "agent", drawn, services, _ANSWER_ROWS)
    return rows


def _text(message: Message) -> str:
    """Return the beginning of a message: more than its first lines need."""
    return shown(message.text[:_CHARS]).strip("\n")


def _said(message: Message, who: str, said: Lines, services: Services, limit: int) -> Lines:
    """Return who spoke, and the first lines of what was said."""
    rows: Lines = [
        [(f"  {clock_of(message.time_ms, services)}  ", "dim"), (who, who),
         (f"  #{message.position}", "dim")]
    ]  # fmt: skip
    kept = said if len(said) <= limit else [*said[:limit], [("…", "dim")]]
    rows += [[("         ", ""), *line] for line in kept]
    return rows
