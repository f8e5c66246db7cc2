"""Questions to a person: only at a terminal, on stderr, because stdout is data."""

from __future__ import annotations

import sys

import click

from recall_tui.errors import QueryError


def at_terminal() -> bool:
    """Say whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirmed(question: str, *, yes: bool, default: bool = False) -> bool:
    """Return the answer to a yes-or-no question.

    Args:
        question: What is asked.
        yes: It was answered beforehand, by `--yes`.
        default: What the Enter key means.

    Raises:
        QueryError: Nobody is there to be asked.
    """
    if yes:
        return True
    if not at_terminal():
        raise QueryError("this must be confirmed, and there is no terminal to ask at", "give --yes")
    return click.confirm(question, default=default, err=True)
