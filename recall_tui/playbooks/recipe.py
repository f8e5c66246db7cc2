"""What worked in a session, apart from what was only that day's: the matter of a skill (S3-6).

Kept: the intent of a prompt that led to work, commands that succeeded and change or check
something, files that were edited. A failure is a pitfall, with what made it pass. Left out, and
said so: looking around, what failed for good, and text that gives orders to its reader.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recall_tui.playbooks.acts import Act, Doing, command, relative, touched
from recall_tui.playbooks.onetime import Inputs
from recall_tui.text.marks import shown
from recall_tui.text.suspicion import suspicious

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message
    from recall_tui.playbooks.turns import Turn

COMMAND_CHARS: Final = 600
"""A longer command is a script of that day, not a step."""

PITFALLS: Final = 8
INTENT_CHARS: Final = 240

_LOOKING_WORDS: Final = (
    "ls cat head tail sed rg grep egrep find fd wc pwd echo which type tree file stat less more "
    "du df ps env printenv date whoami uname true sleep get-childitem get-content select-string "
    "dir nl awk cut sort uniq test [ cd pushd popd history man"
)
_LOOKING: Final = frozenset(_LOOKING_WORDS.split())
_CMDLETS: Final = ("get-", "test-path", "select-", "measure-", "write-host", "resolve-path")
_GIT_WORDS: Final = (
    "status diff log show branch blame rev-parse ls-files remote fetch describe reflog grep "
    "shortlog config worktree"
)
_GIT_LOOKING: Final = frozenset(_GIT_WORDS.split())
_CHECKING: Final = re.compile(
    r"\b(?:pytest|tests?|check|lint|ruff|mypy|tsc|eslint|vitest|jest|clippy|build|verify|validate|"
    r"make|tox|ctest|rspec|phpunit|gradle|mvn)\b"
)
_PARTS: Final = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=\S*\s+")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|\n")
_REFUSED: Final = re.compile(
    r"(?:doesn't|does not) want to (?:proceed|take)|rejected by (?:the )?user|"
    r"tool use was rejected|user (?:rejected|denied|declined|refused)|was not approved|"
    r"interrupted by (?:the )?user",
    re.IGNORECASE,
)

_NAMED: Final = re.compile(r"\w(?:Error|Exception)\b|^(?:error|fatal|panic)\b")
_TELLING: Final = re.compile(
    r"error|fail|exception|denied|not found|cannot|refused|fatal|panic", re.IGNORECASE
)
"""What a line that says what went wrong has in it; the first is surer."""


@dataclass(slots=True, frozen=True)
class Evidence:
    """One thing that was kept, and why."""

    text: str
    """A command, a file; one-off data are placeholders."""
    why: str
    messages: tuple[Message, ...]
    """The messages that show it."""


@dataclass(slots=True, frozen=True)
class Pitfall:
    """A command that failed; one-off data are placeholders."""

    command: str
    said: str
    """The line of its output that says what went wrong."""
    then: str
    """How it ended."""
    messages: tuple[Message, ...]


@dataclass(slots=True, frozen=True)
class Step:
    """One thing to do."""

    intent: str
    """What was asked for, in one sentence; one-off data are placeholders."""
    commands: tuple[Evidence, ...]
    files: tuple[Evidence, ...]
    prompt: Message

    @property
    def kept(self) -> tuple[Evidence, ...]:
        """Everything that was kept of its turn."""
        return (*self.files, *self.commands)


@dataclass(slots=True)
class Recipe:
    """What is worth doing again."""

    purpose: str = ""
    steps: list[Step] = field(default_factory=list)
    pitfalls: list[Pitfall] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    """What was not kept -> how often."""
    inputs: Inputs = field(default_factory=Inputs)

    def leave_out(self, what: str) -> None:
        """Count something that was not kept."""
        self.left_out[what] = self.left_out.get(what, 0) + 1


def recipe(turns: Sequence[Turn], cwd: str) -> Recipe:
    """Return what worked in these turns, paths relative to the directory they worked in."""
    made = Recipe()
    for turn in turns:
        if turn.prompt is None:
            continue
        if suspicious(turn.prompt.text):
            made.leave_out("prompts that look like orders from elsewhere")
            continue
        intent = _intent(made, turn.prompt, cwd)
        made.purpose = made.purpose or intent
        commands = tuple(_commands(made, turn, cwd))
        files = tuple(_files(made, turn, cwd))
        if commands or files:
            made.steps.append(Step(intent, commands, files, turn.prompt))
        else:
            made.leave_out("prompts that led to talk only")
    made.pitfalls = _pitfalls(made, turns, cwd)
    return made


def _intent(made: Recipe, prompt: Message, cwd: str) -> str:
    """Return the first sentence that says something, with one-off data apart."""
    sentences = [s.strip() for s in _SENTENCE.split(prompt.text[: 8 * INTENT_CHARS])]
    said = next((s for s in sentences if _says_something(s)), "") or max(sentences, key=len)
    if len(said) > INTENT_CHARS:
        said = said[:INTENT_CHARS].rsplit(" ", 1)[0] + " …"
    return made.inputs.template(_here(said, cwd)).placeholders()


def _says_something(sentence: str) -> bool:
    """Say whether a sentence is more than "Good." or "Yes, please": four words, or as much."""
    return len(sentence.split()) >= 4 or len(sentence.encode("utf-8")) >= 24


def _here(text: str, cwd: str) -> str:
    """Return a text in which the working directory is `.`: what is below it is no one-off path."""
    if not cwd.strip("/"):
        return text
    return text.replace(f"{cwd.rstrip('/')}/", "").replace(cwd.rstrip("/"), ".")


def _commands(made: Recipe, turn: Turn, cwd: str) -> Iterator[Evidence]:
    """Yield the commands of a turn that are worth running again, each once, where it last ran."""
    acts = turn.did(Doing.RUN)
    last = {command(act.call): at for at, act in enumerate(acts) if not act.failed}
    failures: Counter[str] = Counter()
    for at, act in enumerate(acts):
        line = command(act.call)
        if act.failed and act.result is not None and _refused(act.result):
            made.leave_out("commands that a person refused")
        elif act.failed or act.result is None:
            made.leave_out("commands that failed")
        elif not line or _looks_around(line):
            made.leave_out("commands that only look around")
        elif last[line] != at:
            made.leave_out("commands that ran again later")
        elif len(line) > COMMAND_CHARS:
            made.leave_out("long scripts of that day")
        elif suspicious(line):
            made.leave_out("commands that look like orders from elsewhere")
        else:
            text = made.inputs.template(_here(line, cwd)).placeholders()
            yield Evidence(text, _why(failures[program(line)], line), (act.call, act.result))
        failures[program(line)] += act.failed


def _why(failed: int, line: str) -> str:
    """Return the reason a command is kept: `failed` times the same program had failed before."""
    if failed:
        times = "once" if failed == 1 else f"{failed} times"
        return f"it succeeded after the same program had failed {times}"
    if checks(line):
        return "it checks the result, and it passed"
    return "it ran and succeeded"


def _files(made: Recipe, turn: Turn, cwd: str) -> Iterator[Evidence]:
    """Yield the files a turn edited."""
    edits: dict[str, list[Message]] = {}
    for act in turn.acts:
        if act.doing in (Doing.EDIT, Doing.RUN) and not act.failed:
            for path in touched(act.call, cwd):
                edits.setdefault(relative(path, cwd), []).append(act.call)
    for path, calls in edits.items():
        times = "once" if len(calls) == 1 else f"{len(calls)} times"
        yield Evidence(
            made.inputs.template(path).placeholders(), f"it was edited {times}", tuple(calls)
        )


def _pitfalls(made: Recipe, turns: Sequence[Turn], cwd: str) -> list[Pitfall]:
    """Return the commands that failed, those first that passed in the end; each program once."""
    acts = [act for turn in turns for act in turn.acts]
    solved: dict[str, Pitfall] = {}
    unsolved: dict[str, Pitfall] = {}
    for at, act in enumerate(acts):
        line = command(act.call) if act.doing is Doing.RUN else ""
        name = program(line)
        if not act.failed or act.result is None or not line or len(line) > COMMAND_CHARS:
            continue
        if _refused(act.result) or _looks_around(line):
            continue
        if suspicious(line) or suspicious(act.result.text):
            continue
        saying = _telling(act.result.text)
        passed = _passed(acts[at + 1 :], name)
        changed = _changed(acts[at + 1 : at + 1 + passed], cwd) if passed >= 0 else []
        said = made.inputs.template(_here(saying, cwd)).placeholders()
        text = made.inputs.template(_here(line, cwd)).placeholders()
        then = f"it passed after editing {', '.join(changed)}" if changed else "it passed later"
        group = solved if passed >= 0 else unsolved
        if passed < 0:
            then = "it was not solved here"
        group.setdefault(name, Pitfall(text, said, then, (act.call, act.result)))
    return [*solved.values(), *unsolved.values()][:PITFALLS]


def _refused(result: Message) -> bool:
    """Say whether a call failed because a person did not allow it."""
    return bool(_REFUSED.search(result.text[:400]))


def _passed(later: Sequence[Act], name: str) -> int:
    """Return after how many acts the same program succeeded, -1 for never."""
    return next(
        (
            at
            for at, act in enumerate(later)
            if act.doing is Doing.RUN
            and act.result is not None
            and not act.failed
            and program(command(act.call)) == name
        ),
        -1,
    )


def _changed(between: Sequence[Act], cwd: str) -> list[str]:
    """Return up to three files edited between a failure and the success."""
    paths = [
        relative(path, cwd)
        for act in between
        if act.doing is Doing.EDIT and not act.failed
        for path in touched(act.call, cwd)
    ]
    return list(dict.fromkeys(paths))[:3]


def _telling(output: str) -> str:
    """Return the line of an output that says what went wrong."""
    lines = [line.strip(" \t=-*#_~") for line in shown(output).split("\n")]
    lines = [line for line in lines if line]
    for wanted in (_NAMED, _TELLING):
        if found := next((line for line in reversed(lines) if wanted.search(line)), ""):
            return found
    return lines[-1] if lines else ""


def checks(line: str) -> bool:
    """Say whether a command line checks something: tests, types, a build."""
    return bool(_CHECKING.search(line))


def program(line: str) -> str:
    """Return the program a command line is about: the first that is not `cd` or an assignment."""
    for part in _PARTS.split(line):
        words = _ASSIGNMENT.sub("", part).split()
        if words and words[0] not in ("cd", "sudo", "time", "set", "export", "source"):
            return words[0].lower()
    return ""


def _looks_around(line: str) -> bool:
    """Say whether every part of a command line only reads."""
    for part in _PARTS.split(line.strip()):
        words = _ASSIGNMENT.sub("", part).split()
        if not words or words[0].startswith("#"):
            continue
        name = words[0].lower()
        looking = name in _LOOKING or name.startswith(_CMDLETS)
        looking = looking and ">" not in part.replace("2>&1", "") and "-i" not in words[1:2]
        if not looking and not (name == "git" and len(words) > 1 and words[1] in _GIT_LOOKING):
            return False
    return True
