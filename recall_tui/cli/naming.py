"""From what a person typed to the session it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from recall_tui.cli import diagnostics
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode, QueryError, RecallError
from recall_tui.search.reach import exit_code
from recall_tui.search.sessions import too_short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.cli.call import Call
    from recall_tui.history import History
    from recall_tui.model import Listed, Session

L = TypeVar("L", "Session", "Listed")


def named(history: History, name: str) -> Session | None:
    """Return the one session a key, id, beginning of an id or path names, None when none does.

    A beginning that a session shares with its own subagents means the session.

    Raises:
        QueryError: It names more than one.
    """
    found = folded(history.find(name))
    if len(found) > 1:
        keys = ", ".join(one_line(session.key) for session in found[:4])
        raise QueryError(f"{name!r} names {len(found)} sessions: {keys}", "give more of the id")
    return found[0] if found else None


def reference(history: History, ref: str) -> str:
    """Return a reference with the key of the session that its id, or the beginning of one, names.

    Raises:
        QueryError: It names more than one.
    """
    name, place = ref.partition("#")[::2]
    session = named(history, name) if place and ":" not in name else None
    return f"{session.key}#{place}" if session else ref


def folded(found: Sequence[L]) -> list[L]:
    """Return sessions or places without those that belong to a main session in the same list."""
    keys = {session.key for session in found}
    return [session for session in found if session.parent not in keys]


def unknown(history: History, name: str, call: Call) -> ExitCode:
    """Say that nothing has this name; the exit code tells how sure that is (S3-33, Q1)."""
    reach = history.reach()
    diagnostics.say_error(
        RecallError(
            f"no session or message is called {name!r}",
            too_short(name.partition("#")[0])
            or "recall sessions lists ids; a reference is harness:session#position~digest",
        )
    )
    say_how_far(reach, history, call)
    return exit_code(reach, found=False)
