"""What an edit changed, told line by line from the text of its call."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple
from recall_tui.text.redact import shown

if TYPE_CHECKING:
    from recall_tui.model import Message

_COMPARED_LINES: Final = 400
"""Lines on both sides up to which they are compared; of more all are taken out and put in."""


class Edit(NamedTuple):
    """The lines of an edit's call beyond its first, each behind a sign."""

    rows: list[str]
    """`-` taken out, `+` put in, a blank for what stayed."""
    put_in: int
    taken_out: int


def edit(message: Message) -> Edit | None:
    """Return what a call changed; None for a call that is no edit.

    Nor is there one whose lines are no longer those that were counted: a secret in it was cut out
    with the ends of its lines, say.
    """
    if not message.changes:
        return None
    total, *places = message.changes
    lines = shown(message.text).split("\n")
    if len(lines) != total or len(places) % 3:
        return None
    rows: list[str] = []
    at = 1  # the first line is that of the call
    for start, old, new in zip(places[::3], places[1::3], places[2::3], strict=True):
        middle = start + old
        end = middle + new
        if not at <= start <= middle <= end <= total:
            return None
        rows += [" " + line for line in lines[at:start]]
        rows += _compared(lines[start:middle], lines[middle:end])
        at = end
    rows += [" " + line for line in lines[at:]]
    signs = [row[0] for row in rows]
    return Edit(rows, signs.count("+"), signs.count("-"))


def _compared(old: list[str], new: list[str]) -> list[str]:
    """Return two texts as one, line by line."""
    if len(old) + len(new) > _COMPARED_LINES:
        return [*("-" + line for line in old), *("+" + line for line in new)]
    rows: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [" " + line for line in old[a:b]]
        else:
            rows += ["-" + line for line in old[a:b]]
            rows += ["+" + line for line in new[c:d]]
    return rows
