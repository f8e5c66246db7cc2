"""What is well and what is not, as rows: gaps of answers, the retention guard, the checks."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.doctor import Level
from recall_tui.model import Gap, GapKind
from recall_tui.named import NamedTuple
from recall_tui.tui import notation
from recall_tui.tui.gap_words import LOUD, words
from recall_tui.tui.lines import Line, clean, cut
from recall_tui.tui.listings import Listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.doctor import Check
    from recall_tui.model import Session
    from recall_tui.tui.bars import Coverage

LINE: Final = json.dumps({"cleanupPeriodDays": 3650})[1:-1]
"""Ten years: what the guard offers in place of a month."""

_TEXTS: Final = (".json", ".jsonl", ".toml", ".md", ".txt")
"""Ends of names that an editor can do something with."""

_SIGNS: Final = {
    Level.OK: ("✓", "success"), Level.NOTE: ("·", "muted"), Level.WARN: ("⚠", "warning"),
    Level.FAIL: ("✗", "error"),
}  # fmt: skip
_RANKS: Final = {Level.FAIL: 0, Level.WARN: 1, Level.NOTE: 2, Level.OK: 2}
"""What needs a person comes first."""

_MISSING, _LOST, _KNOWN = "Answers may miss something", "Will be lost", "Good to know"


class Known(NamedTuple):
    """How far the history was read, as of now."""

    gaps: Sequence[Gap]
    coverage: Coverage
    now_ms: int


class Deed(StrEnum):
    """What enter does for a row, in words."""

    READ = "reads the sources now"
    REBUILD = "makes the index anew, beside the old one"
    DEMO = "opens the demo history"
    SETTING = "copies the line and opens the file in your editor"
    FILE = "opens the file in your editor"
    COPY = "copies the next step"
    NOTHING = ""


class Item(NamedTuple):
    """One row: what is the matter, where, and the next step."""

    group: str
    level: Level
    head: str
    detail: str = ""
    action: str = ""
    """The next step in words or as a command."""
    copy: str = ""
    """What is put on the clipboard for it."""
    file: str = ""
    """A file to look at or to change for it."""

    @property
    def deed(self) -> Deed:
        """What enter does for it: the next step itself where Recall can do it, else half of it."""
        if self.action.startswith(_REBUILDS):
            return Deed.REBUILD
        if _READS in self.action or self.action.startswith(_TRIED):
            return Deed.READ
        if self.action.startswith(_SHOWS):
            return Deed.DEMO
        if self.copy == LINE and has_file(self):
            return Deed.SETTING
        if self.action:
            return Deed.COPY
        return Deed.FILE if has_file(self) else Deed.NOTHING


_READS: Final = "recall index"
_TRIED: Final = "what was read before is kept"
_REBUILDS: Final = "recall index --rebuild"
_SHOWS: Final = "recall --demo"
_NAMED_BELOW: Final = "recall doctor names"
_BELOW: Final = "the files are named below, under damage"

_NOW: Final = frozenset({GapKind.NOT_INDEXED, GapKind.UNSETTLED, GapKind.COLD})
"""What a sync that is on its way mends."""


def of_gaps(gaps: Iterable[Gap], *, reading: bool = False) -> list[Item]:
    """Return a row for each gap.

    Args:
        gaps: What is missing.
        reading: A sync is on its way: what it mends needs nobody to do it.
    """
    # Of what the agents' programs will delete the doctor's own row offers more.
    return [_of_gap(gap, reading=reading) for gap in gaps if gap.kind is not GapKind.RETENTION]


def _of_gap(gap: Gap, *, reading: bool) -> Item:
    loud = gap.kind in LOUD
    head = words(gap.kind, max(1, gap.count))
    action = _BELOW if gap.action.startswith(_NAMED_BELOW) else gap.action
    if reading and gap.kind in _NOW:
        action = ""
        gap = gap._replace(detail="being read now")
    return Item(
        _MISSING if loud else _KNOWN,
        Level.WARN if loud else Level.NOTE,
        head or gap.detail,
        gap.detail if head else "",
        action,
        action or gap.where or gap.detail,
        gap.where,
    )


def of_fault(words: str) -> Item:
    """Return the row for what went wrong while looking."""
    return Item(_MISSING, Level.FAIL, "something could not be read", words, "", words)


def of_note(note: str) -> Item:
    """Return the row for why the index is not kept live any more."""
    return Item(_MISSING, Level.WARN, "what is written from now on", note, "recall index", note)


def of_checks(checks: Iterable[Check]) -> list[Item]:
    """Return a row for each check; what Claude Code will delete soon asks for an answer."""
    return [_OWN.get(check.section, _of_check)(check) for check in checks]


def _of_check(check: Check) -> Item:
    return Item(
        check.section.capitalize(), check.level, check.name, check.detail, check.action,
        check.action or check.detail, str(check.facts.get("settings", "")),
    )  # fmt: skip


def _damage(check: Check) -> Item:
    """Return the row of a damaged source: what is wrong with it first, for paths are long."""
    if "path" not in check.facts:
        return _of_check(check)
    path = str(check.facts["path"])
    where = f"{path} {check.facts['part']}".rstrip()
    wrong = check.detail.removeprefix(where).removeprefix(": ")
    return Item("Damage", check.level, wrong, where, check.action, check.detail, path)


def _guard(check: Check) -> Item:
    """Return the row that offers to keep what will be deleted.

    Recall changes no setting of another program: it shows the line, copies it, opens the file.
    """
    soon, file = int(str(check.facts["soon"])), str(check.facts["settings"])
    if not soon:
        return _of_check(check)._replace(head="Claude Code", copy=LINE if check.action else "")
    within = notation.counted(int(str(check.facts["soon_days"])), "day")
    return Item(
        _LOST, Level.WARN,
        f"Claude Code will delete {notation.counted(soon, 'session')} in {within}: keep them?",
        "It deletes after "
        f"{notation.counted(int(str(check.facts['days'])), 'day')}. Recall keeps the text it has "
        "read; pictures and going on with the session would be lost.",
        f"put {LINE} in {file}", LINE, file,
    )  # fmt: skip


_OWN: Final = {"retention": _guard, "damage": _damage}
"""Sections of the doctor's whose rows are not simply its lines."""


def soon_deleted(home: str, sessions: Sequence[Session]) -> list[Gap]:
    """Return the gap for what Claude Code will delete soon; call it in a worker thread."""
    from recall_tui.doctor.retention import retention_checks

    return [
        Gap(GapKind.RETENTION, int(str(check.facts["soon"])), check.detail, check.action)
        for check in retention_checks(os.environ, home, sessions)
        if check.facts["soon"]
    ]


def progress_line(known: Known) -> str:
    """Return what is being read now, or how old what was read is."""
    from recall_tui.tui.bars import progress_words

    coverage = known.coverage
    if coverage.progress is not None and coverage.syncing:
        return progress_words(coverage.progress)
    facts = [notation.counted(coverage.reach.sources, "source"), coverage.held]
    if coverage.live:
        facts.append("watched for changes")
    elif (age := coverage.age_ms(known.now_ms)) is not None:
        facts.append(f"compared {notation.span(age)} ago")
    return " · ".join(facts)


class HealthListing(Listing):
    """Items under their groups: what answers miss first, what is well last."""

    def __init__(self, items: Iterable[Item], home: str) -> None:
        self._home = home
        given = list(items)
        order = list(dict.fromkeys([_MISSING, _LOST, _KNOWN, *(one.group for one in given)]))
        worst = {group: min((_RANKS[i.level] for i in given if i.group == group), default=0)
                 for group in order}  # fmt: skip
        self.items = sorted(
            given,
            key=lambda one: (
                order.index(one.group) > 1, worst[one.group], order.index(one.group),
                _RANKS[one.level],
            ),
        )  # fmt: skip
        starts = [
            (row, one.group)
            for row, one in enumerate(self.items)
            if not row or one.group != self.items[row - 1].group
        ]
        self._set_heads(starts)

    def __len__(self) -> int:
        return len(self.items)

    def key(self, row: int) -> str:
        """Return group and words."""
        item = self.items[row]
        return f"{item.group}:{item.head}:{item.file}"

    def shown(self, text: str) -> str:
        """Return a text with the home directory as `~`, wherever it stands."""
        text = clean(" ".join(text.split()))
        return text.replace(f"{self._home}/", "~/") if self._home else text

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return what is the matter; the next step, or more about it."""
        item = self.items[row]
        sign, ink = _SIGNS[item.level]
        head, detail = clean(item.head), self.shown(item.detail)
        first = [(f"{sign} ", ink), (cut(head, width - 2), "title")]
        room = width - cell_len(head) - 4
        if item.action:
            first += [("  ", ""), (cut(detail, room), "muted")] if room > 10 else []
            second = [("  ", ""), ("→ ", "accent"), (cut(self.shown(item.action), width - 4), "")]
        else:
            second = [("  ", ""), (cut(detail, width - 2), "muted")]
        return Line(tuple(first)), Line(tuple(second))

    def whole(self, row: int, enter: str) -> list[list[tuple[str, str]]]:
        """Return everything about a row, to be wrapped, and what a key does for it."""
        item = self.items[row]
        lines = [[(self.shown(item.detail), "")]] if item.detail else []
        if item.action:
            lines.append([("→ ", "accent"), (self.shown(item.action), "strong")])
        if item.file and self.shown(item.file) not in self.shown(item.detail + item.action):
            lines.append([(self.shown(item.file), "muted")])
        if item.deed:
            lines.append([(f"{enter} ", "strong"), (item.deed, "muted")])
        return lines


def has_file(item: Item) -> bool:
    """Return whether a row is about a text that can be opened, or made by whoever opens it."""
    made = os.path.isfile(item.file) or os.path.isdir(os.path.dirname(item.file))
    return item.file.endswith(_TEXTS) and made
