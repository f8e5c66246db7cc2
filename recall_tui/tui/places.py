"""Places inside a session one may go to: notes, files, a moment; and the sessions below it."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, Final

from recall_tui.clock import parse_bound
from recall_tui.model import Kind
from recall_tui.playbooks.acts import touched
from recall_tui.playbooks.relations import link
from recall_tui.playbooks.turns import read
from recall_tui.text.marks import shown
from recall_tui.tui import notation
from recall_tui.tui.screens.pick import Place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from recall_tui.history import History
    from recall_tui.model import Session

_WORDS_CHARS: Final = 300
_PIECE: Final = 32
"""Calls read together."""

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\Z")


def notes(history: History, session: Session, zone: tzinfo) -> list[Place]:
    """Return what a person wrote about a session, in the order of the messages."""
    written = sorted(history.notes(session), key=lambda note: (note.position, note.id))
    places = []
    for note in written:
        about = f"message {note.position}" if note.position >= 0 else "the session"
        written_at = when(note.at_ms, zone)
        places.append(
            Place(note.position, words_of(note.text), written_at, about, "✎", str(note.id))
        )
    return places


def next_file(history: History, session: Session, position: int, by: int) -> int | None:
    """Return where the next (1) or the previous (-1) call stands that is about another file.

    Args:
        history: Where to read.
        session: Where to look.
        position: The message that is looked at: a call, its output, or anything below them.
        by: The direction.
    """
    kinds, cwd = history.skeleton(session).kinds, session.last_cwd or session.cwd
    calls = [at for at, kind in enumerate(kinds) if kind == Kind.TOOL_CALL]
    after = bisect_right(calls, position)
    here: tuple[str, ...] = ()
    if after and position - calls[after - 1] <= 1:
        here = next(
            (touched(call, cwd) for call in read(history, session, calls[after - 1 : after])), ()
        )
    ahead = calls[after:] if by > 0 else calls[:after][::-1]
    for start in range(0, len(ahead), _PIECE):
        piece = sorted(ahead[start : start + _PIECE])
        found = read(history, session, piece)
        for call in sorted(found, key=lambda message: by * message.position):
            if (files := touched(call, cwd)) and files != here:
                return call.position
    return None


def sessions(found: Sequence[Session], zone: tzinfo) -> list[Place]:
    """Return sessions as places: what each is and how much it holds."""
    return [
        Place(
            0, words_of(one.title) or "untitled", when(one.started_ms, zone),
            " · ".join(
                filter(None, (
                    link(one), notation.counted(one.messages, "message"),
                    notation.counted(one.tool_calls, "tool call") if one.tool_calls else "",
                    notation.short_model(one.models),
                    notation.duration(one.ended_ms - one.started_ms),
                ))
            ),
            "", one.key,
        )
        for one in found
    ]  # fmt: skip


def words_of(text: str) -> str:
    """Return the beginning of a text, secrets marked, on one line."""
    return " ".join(shown(text[: 4 * _WORDS_CHARS]).split())[:_WORDS_CHARS]


def when(time_ms: int, zone: tzinfo) -> str:
    """Return `30 Nov 14:05 `; nothing for a time that is not known."""
    if not time_ms:
        return ""
    moment = datetime.fromtimestamp(time_ms / 1000, zone)
    return f"{moment.day} {moment:%b %H:%M} "


def moment(text: str, near_ms: int, zone: tzinfo, now_ms: int) -> int:
    """Return the moment a person named, in epoch milliseconds.

    Args:
        text: A clock time of the day that is looked at, or anything `--since` takes.
        near_ms: A time of that day.
        zone: The zone of both.
        now_ms: The present, for ages.

    Raises:
        QueryError: It is no time.
    """
    clock = _CLOCK.match(text.strip())
    if clock is None:
        return parse_bound(text, end=False, zone=zone, now=now_ms)
    day = datetime.fromtimestamp(near_ms / 1000, zone)
    named = day.replace(hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0)
    return int(named.timestamp() * 1000)


def at_time(times: Sequence[int], when_ms: int) -> int:
    """Return the position of the first message from a moment on; the last when all are older."""
    return next((at for at, time in enumerate(times) if time >= when_ms), len(times) - 1)
