"""The options commands share, so that they mean the same everywhere."""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recall_tui import clock
from recall_tui.cli.call import Call
from recall_tui.errors import ExitCode, QueryError
from recall_tui.model import Filter, Role
from recall_tui.named import NamedTuple
from recall_tui.paths import full

if TYPE_CHECKING:
    from datetime import tzinfo

Function = TypeVar("Function", bound="Callable[..., Any]")

POSITIVE = click.IntRange(min=1)
"""A limit counts work: 0, a negative number, a fraction and a word are refused alike (Q26)."""


def call_of(ctx: click.Context) -> Call:
    """Return what this run was given."""
    return ctx.ensure_object(Call)


def json_option(function: Function) -> Function:
    """Add `--json`, passed as `as_json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON value; times in UTC."
    )(function)


def exit_zero_option(function: Function) -> Function:
    """Add `--exit-zero`, passed as `exit_zero`."""
    return click.option(
        "--exit-zero", is_flag=True, help="End with 0 also when there is nothing to find."
    )(function)


def exit_zero_or(code: ExitCode, *, exit_zero: bool) -> ExitCode:
    """Return a search's exit code, 0 for a complete "nothing" when `--exit-zero` was given."""
    return ExitCode.FOUND if exit_zero and code is ExitCode.NOTHING else code


def source_options(function: Function) -> Function:
    """Add `--source` and `--demo`; they act on the `Call`, so commands do not receive them."""

    def name_sources(ctx: click.Context, _: click.Parameter, values: Sequence[str]) -> None:
        call_of(ctx).sources += values

    def choose_demo(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001
        if value:
            call_of(ctx).demo = True

    function = click.option(
        "--demo",
        is_flag=True,
        expose_value=False,
        callback=choose_demo,
        help="Use the bundled demo history.",
    )(function)
    return click.option(
        "--source",
        multiple=True,
        metavar="[HARNESS=]PATH",
        expose_value=False,
        callback=name_sources,
        help="Read only this: a harness's home, a folder of sessions, or one file. Repeatable.",
    )(function)


class Asked(NamedTuple):
    """The filter options as they were typed."""

    since: str | None
    until: str | None
    cwd: str
    branch: str
    harness: tuple[str, ...]
    role: tuple[str, ...]
    session: tuple[str, ...]
    mains_only: bool

    def filter(self, zone: "tzinfo") -> Filter:
        """Return what these options let through; a value without an offset is in `zone`.

        Raises:
            QueryError: A time has another shape, or the bounds exclude everything.
            ConfigError: There is no such harness.
        """
        now = clock.now_ms()
        since = clock.parse_bound(self.since, end=False, zone=zone, now=now) if self.since else None
        until = clock.parse_bound(self.until, end=True, zone=zone, now=now) if self.until else None
        if since is not None and until is not None and since > until:
            raise QueryError(
                f"--since {self.since} is after --until {self.until}", "swap the two bounds"
            )
        if self.harness:
            from recall_tui.harnesses import registry

            for name in self.harness:
                registry.get(name)
        return Filter(
            harnesses=self.harness,
            cwd=_folder(self.cwd),
            branch=self.branch,
            since_ms=since,
            until_ms=until,
            roles=tuple(Role(role) for role in self.role),
            sessions=tuple(name.partition("#")[0] for name in self.session),
            mains_only=self.mains_only,
        )


def _folder(text: str) -> str:
    """Return `.`, `..` and `~` as the folder they name; any other text as it is."""
    if text in (".", "..") or text.startswith(("~", "./", "../")):
        return full(text)
    return text


def filter_options(function: Function) -> Function:
    """Add the filters every search and listing has, passed together as `asked: Asked`."""

    @functools.wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes through
        asked = Asked(**{name: kwargs.pop(name) for name in Asked._fields})
        return function(*args, asked=asked, **kwargs)

    options = (
        click.option(
            "--since",
            metavar="TIME",
            help="Not before: 2026-11-30 (that whole day), an ISO time, 7d, 12h, today.",
        ),
        click.option("--until", metavar="TIME", help="Not after; same forms, a day included."),
        click.option(
            "--cwd",
            default="",
            metavar="TEXT",
            help="Only sessions whose folder contains TEXT; '.' is the current folder.",
        ),
        click.option(
            "--branch",
            default="",
            metavar="TEXT",
            help="Only sessions whose git branch contains TEXT.",
        ),
        click.option(
            "--harness",
            multiple=True,
            metavar="NAME",
            help="Only this agent program: claude, codex, pi, opencode, gemini, ... Repeatable.",
        ),
        click.option(
            "--role",
            multiple=True,
            type=click.Choice([role.value for role in Role]),
            help="Only messages of this role; 'user' is what a person typed. Repeatable.",
        ),
        click.option(
            "--session",
            multiple=True,
            metavar="KEY",
            help="Only this session: its key, id or the beginning of its id. Repeatable.",
        ),
        click.option("--mains-only", is_flag=True, help="Leave subagents and forks out."),
    )
    wrapped: Any = gathered
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]
