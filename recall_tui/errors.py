"""The error tree and the exit codes every front shares."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process of ours says when it ends. Stable: scripts and agents branch on it."""

    FOUND = 0
    NOTHING = 1
    """Searched completely and found nothing."""
    USAGE = 2
    """The call or the configuration is wrong; nothing was searched."""
    PARTIAL = 3
    """Could not search, or found nothing in the part that could be searched."""
    INTERRUPTED = 130


class RecallError(Exception):
    """Something a person can act on.

    Args:
        message: What went wrong and where (file and key, or path and line).
        hint: What to do next; empty when there is nothing useful to say.
    """

    exit_code = ExitCode.PARTIAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ConfigError(RecallError):
    """A configuration file, a root or an environment variable is wrong."""

    exit_code = ExitCode.USAGE


class QueryError(RecallError):
    """A query cannot be asked: bad pattern, bad filter, a term that looks like a credential."""

    exit_code = ExitCode.USAGE


class NothingFoundError(RecallError):
    """All of what was named was read, and it holds nothing of what is wanted."""

    exit_code = ExitCode.NOTHING


class SourceError(RecallError):
    """A session source cannot be read. The session keeps what was read of it before."""


class StoreError(RecallError):
    """Our own store cannot be opened, read or written."""


class StoreBusyError(StoreError):
    """Another process holds the write lock. The message names it."""


class PausedError(RecallError):
    """A person paused Recall, or whether they did cannot be read: nothing is read meanwhile."""


class BadReferenceError(RecallError):
    """A reference is malformed, or names a message that is gone or has changed."""


class HandoffError(RecallError):
    """Another program (agent, editor, viewer) cannot be started."""


class Cancelled(Exception):  # noqa: N818 - control flow, not a fault
    """The caller asked to stop. Never shown as an error."""
