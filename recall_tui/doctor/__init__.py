"""What is well and what is not: sources, index, machine, retention. Checks as data.

The command line prints them and the app's health screen shows them. Looking changes nothing: no
file is created, no source is written, and a missing index stays missing (S3-76).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.errors import ConfigError
from recall_tui.model import Filter, Presence
from recall_tui.privacy import is_paused
from recall_tui.search.sessions import under
from recall_tui.text import notation
from recall_tui.workspace import HARNESS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recall_tui.harnesses.base import Source
    from recall_tui.history import History
    from recall_tui.model import Gap, Session
    from recall_tui.paths import Paths
    from recall_tui.store.damage import Damaged
    from recall_tui.store.sync.discover import Place

    LeftOut = Callable[[Iterable[Source], Filter], tuple[int, int]]

DEEP_LIMIT: Final = 64 << 20
"""Bytes of an index whose every page is checked without being asked: about half a second."""

ROOM: Final = 1 << 30
"""Bytes that should be free even for a small index."""
LOW_ROOM: Final = 20 << 30
"""Bytes below which sessions and index may soon have filled the disk (S3-75)."""

CLEANUP_DAYS: Final = 30
"""Days after which Claude Code deletes a transcript when its settings do not say."""
LONG_DAYS: Final = 3650
"""Days from which on its transcripts count as kept (S3-75)."""

SOON_DAYS: Final = 7
"""How far ahead the retention watch looks."""


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, nothing to do."""
    WARN = "warn"
    """Something will be missing or lost; the action says what helps."""
    FAIL = "fail"
    """Recall cannot work: a hard failure."""


@dataclass(slots=True, frozen=True)
class Check:
    """One thing that was looked at."""

    section: str
    """privacy | sources | damage | index | retention | machine | terminal"""
    level: Level
    name: str
    detail: str
    """One line for a person."""
    action: str = ""
    """The next step as words or a command, empty when there is none."""
    facts: dict[str, object] = field(default_factory=dict)
    """The same as values, for programs."""


def examine(
    env: Mapping[str, str], home: str, history: History | None, *, deep: bool = False
) -> list[Check]:
    """Look at everything and return one check a line.

    Args:
        env: The environment.
        home: The home directory.
        history: The opened history, `live` so that looking does not change it; None when opening
            it failed.
        deep: Check every page of the index, however large it is.
    """
    from recall_tui.doctor import damage, machine
    from recall_tui.paths import locate

    paths = history.paths if history is not None else locate(env)  # the demo has its own
    paused = is_paused(paths.data)
    if paused:
        history = None  # then nothing may be read, not even to be counted
    sessions = _sessions(history)
    damaged = history.damaged() if history else []
    return [
        *([_PAUSED] if paused else ()),
        *broken_harnesses(),
        *(
            source_checks(history.places, sessions, damaged, history.sources, history.left_out)
            if history
            else ()
        ),
        *damage.damage_checks(damaged),
        *index_checks(paths, history, deep=deep),
        *retention_checks(env, home, sessions),
        *machine.machine_checks(env),
        *machine.terminal_checks(env),
    ]


_PAUSED: Final = Check(
    "privacy", Level.WARN, "paused", "nothing is searched, shown or indexed", "recall unpause",
    {"paused": True},
)  # fmt: skip


def worst(checks: Sequence[Check]) -> Level:
    """Return the most serious level among checks."""
    order = list(Level)
    return max((check.level for check in checks), key=order.index, default=Level.OK)


# ------------------------------------------------------------------ sources


def broken_harnesses() -> Iterator[Check]:
    """Yield a check for each harness that cannot be loaded: its sessions are not read."""
    from recall_tui.harnesses import registry

    for harness_id in registry.ids():
        try:
            registry.get(harness_id)
        except ConfigError as error:
            yield Check("sources", Level.WARN, harness_id, error.message, "reinstall or remove it")


def source_checks(
    looked: Sequence[Place],
    sessions: Sequence[Session],
    damaged: Sequence[Damaged],
    known: Callable[[Filter], int],
    left_out: LeftOut = lambda *_: (0, 0),
) -> Iterator[Check]:
    """Yield one check a place: found, indexed, left out, skipped, unreadable, gone.

    A folder that was named is looked at for every program: those that left nothing there are not
    worth a line when another did.

    Args:
        looked: Places.
        sessions: Of the index, copies too.
        damaged: Sources that were not, or not wholly, read.
        known: Returns how many sources the index knows.
        left_out: As `History.left_out`.
    """
    there = [place for place in looked if os.path.exists(place.root)]
    checks = {p: _place_check(p, sessions, damaged, known, left_out) for p in there}
    fruitful = {place.root for place, check in checks.items() if check.facts["found"]}
    for place in looked:
        if place in checks:
            check = checks[place]
            if check.level is not Level.OK or check.facts["found"] or place.root not in fruitful:
                yield check
        else:
            facts: dict[str, object] = {"harness": place.harness.id, "path": place.root}
            facts["exists"] = False
            detail = f"{place.root}: not there"
            yield Check("sources", Level.NOTE, place.harness.name, detail, "", facts)
    if not there:
        yield Check(
            "sources", Level.WARN, "nothing found", "no harness has a folder of sessions here",
            "recall --demo, or recall --source PATH",
        )  # fmt: skip


_OUT: Final = "forgotten, or left out by settings"
_OUT_IN_PLACE: Final = "of the simulator, unfinished, superseded, forgotten or left out by settings"
_TRIED_AGAIN: Final = (
    "what was read before is kept; a file is tried again when it changes or can be opened"
)


def _place_check(
    place: Place,
    sessions: Sequence[Session],
    damaged: Sequence[Damaged],
    known: Callable[[Filter], int],
    left_out: LeftOut,
) -> Check:
    """Compare what lies in a place with what is indexed from it."""
    harness, root = place
    unreadable: list[Gap] = []
    sources = list(harness.discover(root, unreadable))
    here = [s for s in sessions if s.harness == harness.id and under(s.path, root)]
    present = sum(session.presence is Presence.PRESENT for session in here)
    gone = len(here) - present
    lost = [one for one in damaged if one.error and one.harness == harness.id]
    broken = sum(under(one.path, root) for one in lost)
    failed = broken + len(unreadable)
    chosen = Filter(harnesses=(harness.id,), roots=(root,))
    refused, excluded = left_out(sources, chosen)
    found, out = len(sources), refused + excluded
    waiting = max(0, found - refused - (known(chosen) - gone))
    skipped = max(0, found - out - waiting - present - broken)
    in_place = harness.id == HARNESS  # its sessions are in no index, and none are discovered
    words = [
        "" if in_place else f"{found:,} found",
        f"{notation.counted(present, 'session')} read in place"
        if in_place
        else f"{present:,} indexed",
        f"{out:,} {_OUT_IN_PLACE if in_place else _OUT}" if out else "",
        f"{waiting:,} not indexed yet" if waiting else "",
        f"{skipped:,} skipped: no message in them" if skipped else "",
        f"{failed:,} unreadable" if failed else "",
        f"{gone:,} deleted by the agent, text kept" if gone else "",
        *(gap.detail for gap in unreadable),
    ]
    return Check(
        "sources",
        Level.WARN if failed or unreadable or waiting else Level.OK,
        harness.name,
        f"{root}: {', '.join(word for word in words if word)}",
        "recall index" if waiting else _TRIED_AGAIN if failed else "",
        {
            "harness": harness.id, "path": root, "exists": True,
            "found": present if in_place else found, "indexed": 0 if in_place else present,
            "in_place": in_place, "left_out": out, "waiting": waiting, "skipped": skipped,
            "coverage_percent": _percent(min(present, found), found - out - skipped),
            "unreadable": failed, "gone": gone,
        },
    )  # fmt: skip


def _percent(part: int, whole: int) -> int:
    """Return how much of a whole that is, 100 only when it is all of it."""
    return 100 * part // whole if whole > 0 else 100


def _sessions(history: History | None) -> list[Session]:
    """Return every session of the index, copies too: each is a source that was read."""
    return history.sessions(Filter(include_copies=True)) if history else []


# ------------------------------------------------------------------ index


def index_checks(paths: Paths, history: History | None, *, deep: bool = False) -> Iterator[Check]:
    """Yield checks of the index: file, version, integrity, coverage, writer, room on disk."""
    path = paths.index_file
    if not os.path.exists(path):
        yield Check(
            "index", Level.NOTE, "file", f"{path}: not there yet", "recall index",
            {"path": path, "exists": False},
        )  # fmt: skip
    else:
        yield _integrity(path, deep=deep)
        if history is not None:
            yield _coverage(history)
    yield from _writer(path)
    yield _room(paths.data, path)


def _integrity(path: str, *, deep: bool) -> Check:
    """Open the index read-only and check that it is whole."""
    import sqlite3

    from recall_tui.store import schema
    from recall_tui.store.connect import open_reader

    size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
    facts: dict[str, object] = {"path": path, "exists": True, "bytes": size}
    try:
        connection = open_reader(path)
        try:
            version = schema.version(connection)
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
            whole = deep or size <= DEEP_LIMIT
            checked = "every page checked" if whole else "not every page checked (--deep)"
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if whole else "ok"
            connection.execute("SELECT count(*) FROM session").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        verdict, version, mode, checked = str(error), 0, "", ""
    facts |= {"version": version, "journal_mode": mode, "integrity": verdict}
    if verdict != "ok":
        return Check(
            "index", Level.FAIL, "file", f"{path} is damaged: {verdict}",
            "recall index --rebuild makes it anew from the sources", facts,
        )  # fmt: skip
    if version > schema.VERSION:
        return Check(
            "index", Level.FAIL, "file", f"{path} was made by a newer Recall (version {version})",
            "update recall-tui", facts,
        )  # fmt: skip
    detail = f"{path}: {notation.size(size)}, version {version}, {mode}, {checked}"
    return Check("index", Level.OK, "file", detail, "", facts)


def _coverage(history: History) -> Check:
    """Say what the index holds, how old it is, and what it lacks."""
    reach = history.reach()
    age = reach.index_age_ms
    words = [notation.counted(reach.sessions_total, "session")]
    days = [notation.day(ms, clock.local_zone()) for ms in (reach.oldest_ms, reach.newest_ms) if ms]
    if days:
        words.append(" to ".join(dict.fromkeys(days)))
    words.append(f"compared with the sources {notation.duration(age) or '0s'} ago"
                 if age is not None else "never compared with the sources")  # fmt: skip
    partial = [gap for gap in reach.gaps if gap.partial]
    if partial:
        words.append(f"{notation.counted(len(partial), 'gap')}: {partial[0].detail}")
    return Check(
        "index",
        Level.WARN if partial else Level.OK,
        "coverage",
        " · ".join(words),
        partial[0].action if partial else "",
        {
            "sessions": reach.sessions_total,
            "oldest": clock.to_iso(reach.oldest_ms),
            "newest": clock.to_iso(reach.newest_ms),
            "age_ms": age,
            "complete": reach.complete,
        },
    )


def _writer(path: str) -> Iterator[Check]:
    """Yield who is writing the index just now, if anybody."""
    import fcntl

    from recall_tui.store.lock import TAKEN, owner

    lock = path + ".lock"
    try:
        file = os.open(lock, os.O_RDONLY)
    except OSError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in TAKEN:
            words = f"{lock} cannot be locked: {error.strerror or error}"
            hint = "set RECALL_HOME to a folder on a local disk"
            yield Check("index", Level.WARN, "writer", words, hint, {"owner": None})
            return
        who = owner(lock)
        yield Check("index", Level.NOTE, "writer", f"being written by {who}", "", {"owner": who})
    else:
        yield Check("index", Level.OK, "writer", "nobody is writing it", "", {"owner": None})
    finally:
        os.close(file)


def _room(folder: str, index: str) -> Check:
    """Compare the free space with what a rebuild beside the old index would need."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    needed = max(ROOM, os.path.getsize(index) if os.path.exists(index) else 0)
    facts: dict[str, object] = {"folder": folder, "free_bytes": free, "needed_bytes": needed}
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            "index", Level.WARN, "disk", f"{folder} cannot be written",
            "set RECALL_HOME to a folder that can be", facts,
        )  # fmt: skip
    if free < needed:
        return Check(
            "index", Level.WARN, "disk",
            f"{notation.size(free)} free; a rebuild may need {notation.size(needed)}",
            f"make room in {folder}, or set RECALL_HOME to another disk", facts,
        )  # fmt: skip
    low = free < LOW_ROOM
    return Check(
        "index", Level.WARN if low else Level.OK, "disk", f"{notation.size(free)} free",
        f"less than {notation.size(LOW_ROOM)}: sessions and index grow" if low else "", facts,
    )  # fmt: skip


# ------------------------------------------------------------------ retention


def retention_checks(
    env: Mapping[str, str], home: str, sessions: Sequence[Session], now_ms: int | None = None
) -> Iterator[Check]:
    """Yield what Claude Code will delete soon: it removes transcripts by age, without asking."""
    base = env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    if not os.path.isdir(base):
        return
    file = os.path.join(base, "settings.json")
    days, said = cleanup_days(file)
    now = clock.now_ms() if now_ms is None else now_ms
    ages = [
        (now - changed) / notation.DAY_MS
        for session in sessions
        if session.harness == "claude" and under(session.path, base)
        and (changed := _changed_ms(session.path))
    ]  # fmt: skip
    soon = sum(age >= days - SOON_DAYS for age in ages)
    facts: dict[str, object] = {
        "settings": file, "days": days, "set": said, "sessions": len(ages), "soon": soon,
        "soon_days": SOON_DAYS,
    }  # fmt: skip
    rule = f"deletes transcripts after {notation.counted(days, 'day')}"
    detail = f"Claude Code {rule}{'' if said else ' (its default)'}"
    if soon:
        detail += (
            f": {notation.counted(soon, 'session')} of {len(ages):,} will go in the next "
            f"{SOON_DAYS} days; Recall keeps the text it has read"
        )
    elif ages:
        held = notation.counted(len(ages), "session")
        detail += f"; none of {held} goes in the next {SOON_DAYS} days"
    else:
        detail += "; none of its sessions is indexed"
    kept = said and days >= LONG_DAYS and not soon
    action = (
        f'set "cleanupPeriodDays": {LONG_DAYS} in {file}{", and run recall index" if soon else ""}'
    )
    yield Check(
        "retention",
        Level.OK if kept else Level.WARN,
        "claude",
        detail,
        "" if kept else action,
        facts,
    )


def cleanup_days(file: str) -> tuple[int, bool]:
    """Return (days a transcript is kept, whether the settings file says so)."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            value = json.load(stream).get("cleanupPeriodDays")
    except (OSError, ValueError, AttributeError):
        value = None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return int(value), True
    return CLEANUP_DAYS, False


def _changed_ms(path: str) -> int:
    """Return when a file was last written, 0 when it is gone."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0
