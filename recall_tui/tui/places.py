"""Places inside a session one may go to: prompts, notes, a moment."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, Final

from recall_tui.clock import parse_bound
from recall_tui.model import Flag, Kind
from recall_tui.playbooks.acts import touched
from recall_tui.playbooks.turns import read
from recall_tui.text.marks import shown
from recall_tui.tui import notation
from recall_tui.tui.screens.pick import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from recall_tui.history import History, Skeleton
    from recall_tui.model import Session

_WORDS_CHARS: Final = 300
_PIECE: Final = 32
"""Prompts read together: a screenful and more."""

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\Z")


def prompts(history: History, session: Session, zone: tzinfo) -> list[Place]:
    """Return a session's prompts without their words, each with what followed up to the next."""
    skeleton = history.skeleton(session)
    at = [position for position, kind in enumerate(skeleton.kinds) if kind == Kind.PROMPT]
    return [
        Place(here, "…", _when(skeleton.times[here], zone), _followed(skeleton, here, end))
        for here, end in zip(at, [*at[1:], len(skeleton)], strict=True)
    ]


def worded(
    history: History, session: Session, found: Sequence[Place], near: int
) -> Iterator[tuple[int, list[Place]]]:
    """Yield (row, places with their words) in pieces, those around a row first.

    A session of 80 MB with a thousand prompts takes seconds: what is in view must not wait.

    Args:
        history: Where to read.
        session: Whose prompts.
        found: All of them, as `prompts` returns them.
        near: The row that is looked at.
    """
    starts = range(0, len(found), _PIECE)
    for start in sorted(starts, key=lambda start: abs(start + _PIECE // 2 - near)):
        piece = found[start : start + _PIECE]
        said = {m.position: m for m in read(history, session, [p.position for p in piece])}
        yield (
            start,
            [
                place._replace(words=_line(m.text), reference=str(m.reference))
                if (m := said.get(place.position)) is not None
                else place
                for place in piece
            ],
        )


def notes(history: History, session: Session, zone: tzinfo) -> list[Place]:
    """Return what a person wrote about a session, in the order of the messages."""
    written = sorted(history.notes(session), key=lambda note: (note.position, note.id))
    places = []
    for note in written:
        about = f"message {note.position}" if note.position >= 0 else "the session"
        when = _when(note.at_ms, zone)
        places.append(Place(note.position, _line(note.text), when, about, "✎", str(note.id)))
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
            0, _line(one.title) or "untitled", _when(one.started_ms, zone),
            " · ".join(
                filter(None, (
                    one.kind.value, notation.counted(one.messages, "message"),
                    notation.counted(one.tool_calls, "tool call") if one.tool_calls else "",
                    notation.short_model(one.models),
                    notation.duration(one.ended_ms - one.started_ms),
                ))
            ),
            "", one.key,
        )
        for one in found
    ]  # fmt: skip


def _line(text: str) -> str:
    return " ".join(shown(text[: 4 * _WORDS_CHARS]).split())[:_WORDS_CHARS]


def _when(time_ms: int, zone: tzinfo) -> str:
    if not time_ms:
        return ""
    moment = datetime.fromtimestamp(time_ms / 1000, zone)
    return f"{moment.day} {moment:%b %H:%M} "


def _followed(skeleton: Skeleton, start: int, end: int) -> str:
    """Return `12 tools · 1 failed · 4m`."""
    kinds, flags, times = skeleton.kinds[start:end], skeleton.flags[start:end], skeleton.times
    tools = sum(kind == Kind.TOOL_CALL for kind in kinds)
    failed = sum(bool(flag & Flag.FAILED) for flag in flags)
    words = [notation.counted(tools, "tool call")] if tools else ["talk"]
    words += [f"{failed:,} failed"] if failed else []
    took = notation.duration(times[end - 1] - times[start]) if times[start] else ""
    return " · ".join([*words, took] if took else words)


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
