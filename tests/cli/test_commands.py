"""Every command: in the table, with help, documented, light, and ended with the right code."""

from __future__ import annotations

import click
import pytest

from recall_tui import menu
from recall_tui.cli import COMMANDS, recall
from recall_tui.cli.call import Call
from recall_tui.cli.spec import commands, page
from tests.conftest import REPOSITORY

EVERY = {name: context.command for name, context in commands(recall)}


def test_the_docs_page_does_not_lag() -> None:
    """Make it anew with `recall spec > docs/cli.md`."""
    assert (REPOSITORY / "docs" / "cli.md").read_text("utf-8") == page(recall)


@pytest.mark.parametrize("name", EVERY)
def test_every_command_and_option_has_help(name: str) -> None:
    command = EVERY[name]
    assert command.help and command.help.strip()[0].isupper()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, (name, parameter.name)
            assert parameter.help.rstrip("]").endswith((".", "...")), (name, parameter.help)


def test_the_table_says_one_line_a_command() -> None:
    for name, entry in COMMANDS.items():
        assert entry.about.endswith("."), name
        assert len(entry.about) <= 62, f"{name}: does not fit an 80-column help page"
        assert EVERY[name].short_help == entry.about


def test_the_help_page_tells_the_options_there_are() -> None:
    """It is made without click, which knows the options."""
    context = click.Context(recall)
    told = (option.get_help_record(context) for option in recall.get_params(context))
    assert dict(told) == menu.OPTIONS
    assert " ".join(["recall", *recall.collect_usage_pieces(context)]) == menu.USAGE


@pytest.mark.parametrize("width", [40, 77, 98])
def test_the_help_page_fits(run, monkeypatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width + 2))
    said = run("--demo", "-h").out
    assert said == f"{menu.page(width)}\n"
    lines = said.splitlines()
    assert max(map(len, lines[1:])) <= width
    for name, entry in COMMANDS.items():
        assert f"  {name} " in said
        assert entry.about in " ".join(said.split())


@pytest.mark.parametrize("name", [n for n in EVERY if n])
def test_help_of_a_command_fits_and_ends_with_zero(run, name: str) -> None:
    for flag in ("-h", "--help"):
        ran = run(*name.split(), flag)
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: recall {name}")


@pytest.mark.contract("S3-2")
def test_every_outcome_has_a_command() -> None:
    assert {"search", "grep", "continue", "repeat", "skill"} <= EVERY.keys()


def test_spec_is_for_programs(run) -> None:
    answer = run("spec", "--json").json
    assert answer["exit_codes"].keys() == {"0", "1", "2", "3", "130"}
    by_name = {command["name"]: command for command in answer["commands"]}
    assert by_name.keys() == EVERY.keys()
    grep = {p["name"]: p for p in by_name["grep"]["parameters"]}
    assert grep["pattern"]["required"] is True
    assert (grep["limit"]["flags"], grep["limit"]["default"]) == (["-n", "--limit"], 50)
    assert grep["limit"]["min"] == 1
    assert grep["role"]["choices"] == ["user", "assistant", "tool", "system"]
    assert grep["role"]["multiple"] is True
    assert run("spec").out == page(recall)


def test_an_unknown_command_is_answered_with_a_near_one(run) -> None:
    ran = run("sesions")
    assert ran.code == 2
    assert "did you mean: recall sessions" in ran.err
    assert "recall grep 'parse budget'" in run("parse", "budget").err


def test_without_a_command_the_app_opens(run, monkeypatch) -> None:
    opened = []

    def app(call: Call) -> int:
        opened.append((call.demo, call.sources))
        return 0

    for stream in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    assert run(call=Call(app=app)).code == 0
    assert run("--demo", call=Call(app=app)).code == 0
    assert run("--source", "/", call=Call(app=app)).code == 0
    assert opened == [(False, []), (True, []), (False, ["/"])]


def test_without_a_terminal_the_app_is_refused_with_a_way_on(run) -> None:
    ran = run(call=Call(app=lambda _: 0))
    assert ran.code == 2
    assert "recall sessions" in ran.err


def test_demo_and_source_work_before_and_behind_the_command(run, fake) -> None:
    seen = []

    def opener(call: Call, live: bool):
        seen.append((call.demo, list(call.sources)))
        return fake

    run("--demo", "grep", "x", call=Call(opener=opener))
    run("grep", "x", "--demo", call=Call(opener=opener))
    run("--source", "/", "sessions", "--source", "/usr", call=Call(opener=opener))
    assert seen == [(True, []), (True, []), (False, ["/", "/usr"])]


def test_the_history_is_closed_whatever_happens(run, fake, monkeypatch) -> None:
    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(fake, "sessions", fails)
    assert run("sessions").code == 3
    assert fake.closed


def test_a_shell_can_ask_for_completions(run, monkeypatch) -> None:
    monkeypatch.setenv("_RECALL_COMPLETE", "bash_source")
    assert "_recall_completion" in run().out
    monkeypatch.setenv("_RECALL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "recall se")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run().out == "plain,search\nplain,sessions\n"


@pytest.mark.contract("S0-27")
def test_the_agents_tools_know_the_session_that_asks(run, fake) -> None:
    """Claude Code names it to the servers it starts."""
    asked = []
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "aaaa"}

    def serve(*words):
        call = Call(env, opener=lambda *_: fake, tools=lambda *of: asked.append(of[2]))
        assert run("mcp", *words, call=call).code == 0

    serve()
    serve("--session", "codex:other")
    env.clear()
    serve()
    assert asked == ["claude:aaaa", "codex:other", ""]
