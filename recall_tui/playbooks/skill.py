"""Skill-ify: a standard SKILL.md package from what worked, with its provenance (S3-6, S3-7, Q17).

The text becomes instructions one day, so a person reads it before it is written; ids, dates and
paths of that day are placeholders in it, and kept in the provenance beside it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from recall_tui import __version__, clock
from recall_tui.errors import BadReferenceError, NothingFoundError, QueryError, RecallError
from recall_tui.playbooks import markdown
from recall_tui.playbooks.recipe import Recipe, recipe
from recall_tui.playbooks.turns import all_turns, read
from recall_tui.text.cut import cut_bytes
from recall_tui.text.marks import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.ports import Past
    from recall_tui.playbooks.recipe import Evidence, Pitfall, Step

SCHEMA: Final = "recall.skill-provenance.v1"
SKILL_FILE: Final = "SKILL.md"
PROVENANCE_FILE: Final = "provenance.json"

MESSAGES: Final = 20_000
"""Messages read at most; a longer session's skill says so."""

STEPS: Final = 20
"""Steps of a skill at most: the first ones, then those are said to be missing."""

NAME_CHARS: Final = 64
DESCRIPTION_BYTES: Final = 1000
"""The standard allows 64 characters of name and 1,024 of description."""

RESERVED: Final = ("anthropic", "claude")
"""What Anthropic's programs refuse in a skill's name; angle brackets in a description likewise."""

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


@dataclass(slots=True, frozen=True)
class Package:
    """A skill, ready to be read and then written."""

    name: str
    files: dict[str, str]
    """File name -> text: the skill and its provenance."""
    steps: int
    left_out: tuple[tuple[str, int], ...]
    """What was not kept, and how often."""
    missing: int
    """Messages of the session that were not looked at."""


@dataclass(slots=True, frozen=True)
class Checked:
    """One piece of evidence, looked up again."""

    reference: str
    state: str
    """same | changed | gone."""
    why: str


def package(past: Past, session: Session, *, name: str = "", now_ms: int) -> Package:
    """Return a skill made from what worked in a session. Nothing is written.

    Args:
        past: The history.
        session: Which session.
        name: Name of the skill; made from the title when empty.
        now_ms: The present, for the provenance.

    Raises:
        QueryError: The name has another form.
        NothingFoundError: Nothing in the session worked; a plain `RecallError` if not all was read.
    """
    if name and not is_name(name):
        raise QueryError(
            f"not a skill's name: {name!r}", "lower-case letters, digits and single hyphens"
        )
    turns, missing = all_turns(past, session, MESSAGES)
    made = recipe(turns, session.last_cwd or session.cwd)
    if not made.steps:
        failure = RecallError if missing else NothingFoundError
        raise failure(
            f"no command or edit that worked was found in {session.key}",
            "recall repeat shows its prompts",
        )
    if len(made.steps) > STEPS:
        made.left_out["later steps"] = len(made.steps) - STEPS
        del made.steps[STEPS:]
    titled = made.inputs.template(session.title or made.purpose)
    title = titled.placeholders()
    lasting = " ".join(piece for piece in titled.pieces if isinstance(piece, str))
    called = name or slug(lasting, session)
    text = _skill(called, title, made, session, now_ms)
    proof = _provenance(past, called, made, session, now_ms)
    files = {
        SKILL_FILE: text,
        PROVENANCE_FILE: json.dumps(proof, ensure_ascii=False, indent=2) + "\n",
    }
    return Package(called, files, len(made.steps), tuple(made.left_out.items()), missing)


def is_name(name: str) -> bool:
    """Say whether the standard allows a skill to be called so."""
    return len(name) <= NAME_CHARS and _NAME.match(name) is not None


def slug(title: str, session: Session) -> str:
    """Return a skill's name from a title; from the project and id when that has no letters."""
    for text in (title, f"{session.project} {session.native_id[:8]}", "skill"):
        ascii_only = unicodedata.normalize("NFKD", shown(text)).encode("ascii", "ignore").decode()
        words = re.findall(r"[a-z0-9]+", ascii_only.lower())
        words = [word for word in words if not any(name in word for name in RESERVED)]
        if sum(map(len, words)) >= 6:
            break
    kept = ""
    for word in words or ["skill"]:
        if len(kept) + len(word) + 1 > 48:
            break
        kept += f"-{word}" if kept else word
    return kept or words[0][:48]


# ---------------------------------------------------------------- SKILL.md


def _skill(name: str, title: str, made: Recipe, session: Session, now_ms: int) -> str:
    day = clock.to_iso(now_ms)[:10]
    head = markdown.line(title, 160)
    words = f"{head.rstrip('.')}. Use for work of the same kind: {markdown.line(made.purpose, 400)}"
    description, _ = cut_bytes(
        words.replace("&lt;", "‹").replace(">", "›"),
        DESCRIPTION_BYTES,
    )
    parts = [
        "---",
        f"name: {name}",
        f"description: {json.dumps(description, ensure_ascii=False)}",
        "metadata:",
        f'  generator: "recall-tui {__version__}"',
        f"  source: {json.dumps(session.key, ensure_ascii=False)}",
        f'  date: "{day}"',
        "---",
        "",
        f"# {head}",
        "",
        "## When to use",
        "",
        *(f"- {use}" for use in dict.fromkeys((head, markdown.line(made.purpose, 400)))),
        "",
    ]
    inputs = made.inputs.all
    used = [one for one in inputs if _uses(made, one.name)]
    if used:
        parts += ["## Inputs", "", "Ask for these; the values of the first time do not hold.", ""]
        parts += [f"- `{{{{{one.name}}}}}`: {_KINDS.get(one.kind, one.kind)}" for one in used]
        parts += [""]
    parts += ["## Steps", ""]
    for number, step in enumerate(made.steps, 1):
        parts += [*_step(number, step), ""]
    if made.pitfalls:
        parts += ["## Pitfalls", "", *map(_pitfall, made.pitfalls), ""]
    parts += [
        "## Provenance",
        "",
        f"Distilled by Recall {__version__} on {day} from `{session.key}`. "
        f"`{PROVENANCE_FILE}` names the evidence of each step and why it was kept; "
        "`recall skill --verify FOLDER` says whether it still holds.",
    ]
    return "\n".join(parts) + "\n"


_KINDS: Final = {
    "secret": "a secret; never write it down",
    "commit": "a commit id",
    "id": "an identifier",
    "address": "a network address",
    "path": "a path outside the project",
    "ticket": "a ticket or pull request",
    "email": "an e-mail address",
    "url": "an address on the web",
    "date": "a date or time",
}
"""What an input is, for whoever is asked; other kinds speak for themselves."""


def _uses(made: Recipe, name: str) -> bool:
    """Say whether a placeholder stands in the recipe's text."""
    wanted = f"{{{{{name}}}}}"
    texts = [made.purpose, *(step.intent for step in made.steps)]
    texts += [one.text for step in made.steps for one in step.kept]
    texts += [text for fault in made.pitfalls for text in (fault.command, fault.said, fault.then)]
    return any(wanted in text for text in texts)


def _step(number: int, step: Step) -> Iterator[str]:
    lead = f"{number}. "
    yield f"{lead}{markdown.line(step.intent, 300)}"
    if step.files:
        files = ", ".join(markdown.code(file.text) for file in step.files)
        yield f"\n{' ' * len(lead)}Edit {files}."
    if step.commands:
        block = markdown.fence("\n".join(markdown.plain(c.text) for c in step.commands), "sh")
        yield "\n" + markdown.indented(block, len(lead))


def _pitfall(fault: Pitfall) -> str:
    words = f" ({markdown.code(fault.said, 160)})" if fault.said else ""
    return f"- {markdown.code(fault.command)} failed{words}; {markdown.line(fault.then)}."


# ---------------------------------------------------------------- provenance


def _provenance(
    past: Past, name: str, made: Recipe, session: Session, now_ms: int
) -> dict[str, object]:
    """Return where each step comes from and why it was kept; one-off values stand only here."""
    messages = [step.prompt for step in made.steps]
    messages += [m for step in made.steps for one in step.kept for m in one.messages]
    messages += [m for fault in made.pitfalls for m in fault.messages]
    cited = {message.position for message in messages}
    digests = {
        message.position: sha256(shown(message.text).encode("utf-8", "replace")).hexdigest()
        for message in read(past, session, sorted(cited))
    }

    def proofs(cited: Sequence[Message]) -> list[dict[str, str]]:
        return [
            {"ref": str(m.reference), "sha256": digests.get(m.position, "")}
            for m in sorted(cited, key=lambda m: m.position)
        ]

    def kept(one: Evidence) -> dict[str, object]:
        return {"text": one.text, "why": one.why, "evidence": proofs(one.messages)}

    return {
        "schema": SCHEMA,
        "name": name,
        "product": "recall-tui",
        "version": __version__,
        "made": clock.to_iso(now_ms),
        "session": {
            "key": session.key,
            "title": shown(session.title),
            "started": clock.to_iso(session.started_ms),
            "ended": clock.to_iso(session.ended_ms),
            "messages": session.messages,
        },
        "range": [min(cited), max(cited)],
        "inputs": [
            {"name": one.name, "kind": one.kind, "value": one.value} for one in made.inputs.all
        ],
        "steps": [
            {
                "step": number,
                "intent": step.intent,
                "why": "its prompt led to commands or edits that worked",
                "evidence": proofs([step.prompt]),
                "kept": [kept(one) for one in step.kept],
            }
            for number, step in enumerate(made.steps, 1)
        ],
        "pitfalls": [
            {
                "text": fault.command,
                "why": f"it failed ({fault.said}); {fault.then}",
                "evidence": proofs(fault.messages),
            }
            for fault in made.pitfalls
        ],
        "left_out": made.left_out,
    }


def verify(past: Past, provenance: object) -> list[Checked]:
    """Look every piece of evidence up again; in the order of the provenance, each once.

    Raises:
        QueryError: This is no provenance of ours.
    """
    if not isinstance(provenance, dict) or provenance.get("schema") != SCHEMA:
        raise QueryError(
            "this is no provenance of a skill made by Recall", f"schema is not {SCHEMA}"
        )
    found: dict[str, Checked] = {}
    for why, proof in _proofs(provenance):
        reference = str(proof.get("ref", ""))
        if reference and reference not in found:
            found[reference] = Checked(reference, _state(past, reference, proof.get("sha256")), why)
    return list(found.values())


def _proofs(value: object, why: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (reason, evidence) from anywhere in a provenance, in document order."""
    if isinstance(value, dict):
        if "ref" in value:
            yield why, value
            return
        given = value.get("why")
        why = given if isinstance(given, str) else why
        for held in value.values():
            yield from _proofs(held, why)
    elif isinstance(value, list):
        for held in value:
            yield from _proofs(held, why)


def _state(past: Past, reference: str, digest: object) -> str:
    """Return how a cited message stands now; a longer digest tells more than the reference's."""
    try:
        found = past.resolve(reference)
    except BadReferenceError:
        return "gone"
    if found.state != "same" or found.message is None:
        return "gone" if found.state == "gone" else "changed"
    now = sha256(shown(found.message.text).encode("utf-8", "replace")).hexdigest()
    return "same" if digest in ("", now) else "changed"
