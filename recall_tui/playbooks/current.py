"""The session a command is run from, by the id its program gives to the commands it starts.

Only an exact native id counts; in doubt nothing is taken, and the candidates are named by their
keys alone (S3-69). An id that was inherited from another program around this one is refused
(S3-70).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recall_tui.model import Session
    from recall_tui.playbooks.ports import Past

_IDS: Final = {
    "claude": ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID"),
    "codex": ("CODEX_THREAD_ID", "CODEX_SESSION_ID"),
}
"""Environment variables that hold a native id, by harness."""

_RUNNING: Final = {"claude": "CLAUDECODE"}
"""Set by a program for whatever it starts, so that an older id around it is known as foreign."""

CANDIDATES: Final = 5


def current(past: Past, env: Mapping[str, str], cwd: str) -> Session:
    """Return the session this process was started from.

    Args:
        past: The history.
        env: The environment.
        cwd: The current directory, for the candidates that are named when there is no answer.

    Raises:
        QueryError: No id, more than one, or none that is known; names candidates by key.
    """
    given = _given(env)
    if len(given) != 1:
        reason = "ids of several programs are set" if given else "no program says which it is"
        raise _unknown(past, reason, cwd)
    ((harness, native),) = given.items()
    found = [s for s in past.find(native) if s.native_id == native and s.harness == harness]
    if len(found) != 1:
        raise _unknown(past, "its id names no single session here", cwd)
    return found[0]


def asking(env: Mapping[str, str]) -> str:
    """Return the key of the session a question comes from, empty when no program says which.

    Nothing is looked up: a session that is not known asks like anybody.
    """
    given = _given(env)
    return ":".join(*given.items()) if len(given) == 1 else ""


def _given(env: Mapping[str, str]) -> dict[str, str]:
    """Return the native ids that are set, by harness, without those of programs around this one."""
    found = {
        harness: next((env[name] for name in names if env.get(name)), "")
        for harness, names in _IDS.items()
    }
    running = [harness for harness, marker in _RUNNING.items() if env.get(marker)]
    return {
        harness: native
        for harness, native in found.items()
        if native and (not running or harness in running)
    }


def _unknown(past: Past, reason: str, cwd: str) -> QueryError:
    """Return the refusal, with candidates that hold neither title nor text."""
    near = [s.key for s in past.sessions() if cwd and cwd in (s.cwd, s.last_cwd)][:CANDIDATES]
    hint = f"name one: {', '.join(near)}" if near else "name a session: recall sessions"
    return QueryError(f"the current session is not known: {reason}", hint)
