"""What an agent or a person may ask of recall, checked before anything is touched (S0-9 ... S0-18).

A request that does not pass is refused with one of four reasons and nothing has been listed, read
or looked up by then (S0-13). A refusal never repeats what was asked: the term it refuses may be a
secret.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui.errors import ExitCode, RecallError
from recall_tui.model import Filter
from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy
from recall_tui.text.fold import fold
from recall_tui.text.redact import is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

Number = TypeVar("Number", int, float)


class Reason(StrEnum):
    """Why recall answers with an error: exactly these four (S0-8)."""

    INVALID_QUERY = "invalid_query"
    INCOGNITO_ACTIVE = "incognito_active"
    NOT_FOUND = "not_found"
    ABORTED = "aborted"


_EXITS: Final = {
    Reason.INVALID_QUERY: ExitCode.USAGE,
    Reason.INCOGNITO_ACTIVE: ExitCode.PARTIAL,
    Reason.NOT_FOUND: ExitCode.PARTIAL,
    Reason.ABORTED: ExitCode.INTERRUPTED,
}


class RefusedError(RecallError):
    """Recall does not answer; `reason` says why. The message never holds what was asked."""

    def __init__(self, reason: Reason, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason
        self.exit_code = _EXITS[reason]


class RecallRequest(NamedTuple):
    """A question: either literal `terms` (an agent's), or a `sentence` that is split into terms.

    Checked by `checked` before use; `from_tool` makes one of a tool call's parameters.
    """

    terms: tuple[str, ...] = ()
    """1..8 literals; a message matches when it holds one of them (S0-38)."""
    sentence: str = ""
    """What a person typed: words in any form, "quoted phrases", identifiers, days."""
    question: str = ""
    """Accepted and validated, never matched, never returned (S0-17)."""
    limit: int = policy.DEFAULT_LIMIT
    chosen: Filter = Filter()
    expand: bool = False
    """Rank subagents and forks as sessions of their own instead of under their main one (Q12)."""
    current_session: str = ""
    """Key of the session that is asking: its running turn is left out (S0-27)."""
    recent: bool = False
    """Newest first inside a tier (Q33)."""
    zone: str = "UTC"
    """Name of the zone days in a sentence are meant in; echoed back."""


class MoreRequest(NamedTuple):
    """More messages around one anchor (S0-100)."""

    anchor: str
    """Reference of the anchor: `harness:session#position~digest`."""
    before: int = policy.MORE_NEIGHBOURS
    after: int = policy.MORE_NEIGHBOURS
    current_session: str = ""


class MaterialRequest(NamedTuple):
    """The bytes of one material (S0-106): an id that only the message holding it resolves."""

    anchor: str
    """Reference of the message that holds it."""
    material: str
    """Opaque id, as an answer gave it."""
    current_session: str = ""


def checked(request: RecallRequest, most: int = policy.MAX_PERSON_LIMIT) -> RecallRequest:
    """Return the request with its terms trimmed and each once, the first spelling kept.

    Args:
        request: As it was made.
        most: The greatest limit allowed.

    Raises:
        RefusedError: It cannot be asked (`invalid_query`).
    """
    if bool(request.terms) == bool(request.sentence.strip()):
        raise _invalid("give 1 to 8 terms, or a sentence")
    if not 1 <= request.limit <= most:
        raise _invalid(f"limit must be a whole number from 1 to {most}")
    if len(request.question.strip()) > policy.MAX_QUESTION_CHARS:
        raise _invalid(f"question must be at most {policy.MAX_QUESTION_CHARS} characters")
    since, until = request.chosen.since_ms, request.chosen.until_ms
    if since is not None and until is not None and since > until:
        raise _invalid("since is after until")
    sentence = request.sentence.strip()
    if len(sentence) > policy.MAX_SENTENCE_CHARS:
        raise _invalid(
            f"a sentence has at most {policy.MAX_SENTENCE_CHARS:,} characters",
            "give the lines that tell most",
        )
    _refuse_secrets(*request.terms, sentence, request.question)
    return RecallRequest(
        terms=_terms(request.terms),
        sentence=sentence,
        limit=request.limit,
        chosen=request.chosen,
        expand=request.expand,
        current_session=request.current_session,
        recent=request.recent,
        zone=request.zone,
    )


def _terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms trimmed; those that fold alike once, as spelt first (S0-11)."""
    if len(terms) > policy.MAX_TERMS:
        raise _invalid(f"at most {policy.MAX_TERMS} terms")
    kept: dict[str, str] = {}
    for term in terms:
        trimmed = term.strip()
        if not trimmed:
            raise _invalid("a term must not be empty")
        if len(trimmed) > policy.MAX_TERM_CHARS:
            raise _invalid(f"a term has at most {policy.MAX_TERM_CHARS} characters")
        kept.setdefault(fold(trimmed), trimmed)
    return tuple(kept.values())


def _refuse_secrets(*texts: str) -> None:
    """Refuse credential-shaped texts (S0-12); also each word of one, which could be split off."""
    for text in texts:
        if text and (is_secret(text) or any(is_secret(word) for word in text.split())):
            raise _invalid(
                "a term looks like a credential, and recall does not look for those",
                "search for the words around it",
            )


def checked_more(request: MoreRequest) -> MoreRequest:
    """Return the request when it can be asked.

    Raises:
        RefusedError: A bound is not 0..8, or the anchor is empty or too long.
    """
    for name, value in (("before", request.before), ("after", request.after)):
        if not 0 <= value <= policy.MORE_NEIGHBOURS:
            raise _invalid(f"{name} must be a whole number from 0 to {policy.MORE_NEIGHBOURS}")
    _identifier("anchor", request.anchor)
    return request


def checked_material(request: MaterialRequest) -> MaterialRequest:
    """Return the request when it can be asked.

    Raises:
        RefusedError: An id is empty or too long.
    """
    _identifier("anchor", request.anchor)
    _identifier("material", request.material)
    return request


def _identifier(name: str, value: str) -> None:
    if not 1 <= len(value.strip()) <= policy.MAX_ID_CHARS:
        raise _invalid(f"{name} must have 1 to {policy.MAX_ID_CHARS} characters")


# ------------------------------------------------------------ parameters of a tool call

RECALL_FIELDS: Final = ("terms", "question", "limit", "session_id", "since", "until")
MORE_FIELDS: Final = ("session_id", "anchor_message_id", "before", "after")
MATERIAL_FIELDS: Final = ("session_id", "message_id", "material_id")


def recall_from_tool(parameters: object, current_session: str = "") -> RecallRequest:
    """Return the checked request of the tool `Recall`.

    Raises:
        RefusedError: No object, an unknown or missing parameter, a value of another type or
            outside its bounds.
    """
    given = _object(parameters, RECALL_FIELDS)
    terms = given.get("terms")
    if not isinstance(terms, (list, tuple)) or not all(isinstance(term, str) for term in terms):
        raise _invalid(f"terms must be a list of 1 to {policy.MAX_TERMS} texts")
    if not terms:
        raise _invalid("terms must not be empty")
    session = _text(given, "session_id", required=False)
    question = given.get("question")
    if question is not None and not isinstance(question, str):
        raise _invalid("question must be a text")
    request = RecallRequest(
        terms=tuple(terms),
        question=question or "",
        limit=_whole(given, "limit", policy.DEFAULT_LIMIT, 1, policy.MAX_LIMIT),
        chosen=Filter(
            sessions=(session,) if session else (),
            since_ms=_moment(given, "since"),
            until_ms=_moment(given, "until"),
        ),
        current_session=current_session,
    )
    return checked(request, policy.MAX_LIMIT)


def more_from_tool(parameters: object, current_session: str = "") -> MoreRequest:
    """Return the checked request of the tool `RecallMore`.

    `anchor_message_id` is the reference a passage gave; `session_id` must be its session.

    Raises:
        RefusedError: As of `recall_from_tool`.
    """
    given = _object(parameters, MORE_FIELDS)
    most = policy.MORE_NEIGHBOURS
    session, anchor = _text(given, "session_id"), _text(given, "anchor_message_id")
    before, after = (_whole(given, side, most, 0, most) for side in ("before", "after"))
    return checked_more(MoreRequest(_held_by(session, anchor), before, after, current_session))


def material_from_tool(parameters: object, current_session: str = "") -> MaterialRequest:
    """Return the checked request of the tool `RecallMaterial`.

    Raises:
        RefusedError: As of `recall_from_tool`.
    """
    given = _object(parameters, MATERIAL_FIELDS)
    session, message, material = (_text(given, name) for name in MATERIAL_FIELDS)
    return checked_material(MaterialRequest(_held_by(session, message), material, current_session))


def _held_by(session: str, message: str) -> str:
    """Return the reference of a message; one of another session is not found in this one."""
    if message.partition("#")[0] != session:
        raise not_found()
    return message


def _object(parameters: object, known: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(parameters, dict):
        raise _invalid("the parameters must be an object")
    for name in parameters:
        if name not in known:
            raise _invalid(f"unknown parameter; known are {', '.join(known)}")
    return parameters


def _text(
    given: Mapping[str, object],
    name: str,
    *,
    required: bool = True,
    most: int = policy.MAX_ID_CHARS,
) -> str:
    value = given.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        raise _invalid(f"{name} must be a text")
    trimmed = value.strip()
    if len(trimmed) > most or not trimmed:
        raise _invalid(f"{name} must have 1 to {most} characters")
    return trimmed


def _whole(given: Mapping[str, object], name: str, default: int, least: int, most: int) -> int:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _invalid(f"{name} must be a whole number from {least} to {most}")
    return value


_LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999: no calendar knows a later moment, and no session is from then."""


def _moment(given: Mapping[str, object], name: str) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 <= value < float("inf")
    ):
        raise _invalid(f"{name} must be epoch milliseconds, 0 or more")
    return min(int(value), _LAST_MS)


def _invalid(message: str, hint: str = "") -> RefusedError:
    return RefusedError(Reason.INVALID_QUERY, message, hint)


def not_found() -> RefusedError:
    """Return the one answer for what is unknown, ineligible or running alike (S0-103)."""
    return RefusedError(Reason.NOT_FOUND, "there is no such message in the history")


def bytes_gone() -> RefusedError:
    """Return the answer where a message names a material whose bytes cannot be had any more."""
    return RefusedError(
        Reason.NOT_FOUND, "the bytes of this material are gone from its source, or broken"
    )


def aborted() -> RefusedError:
    """Return the answer to a caller that has stopped waiting (S0-20)."""
    return RefusedError(Reason.ABORTED, "the search was stopped")
