"""Recall's answers as JSON objects (S0-96, S0-108, S0-8): the one shape of the CLI and of MCP.

Standard library only. Text of envelopes is already redacted and cut; here it is only renamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.clock import to_iso
from recall_tui.model import Kind
from recall_tui.search.reach import gap_shape, reach_shape
from recall_tui.search.recall import why as words
from recall_tui.search.recall.marker import NOTICE
from recall_tui.search.recall.policy import POLICY_VERSION
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Fact, Material, Reference, Session
    from recall_tui.search.recall.envelope import (
        Envelope,
        More,
        Passage,
        PassageMessage,
        TermHit,
        Why,
    )
    from recall_tui.search.recall.request import RefusedError

Json: TypeAlias = "dict[str, object]"

_TOKEN_PIXELS: Final = 750
"""Pixels of a picture that cost about one token (S0-5: about 1,500 for a screenshot)."""


def envelope(answer: Envelope, *, paths: bool = False) -> Json:
    """Return an answer.

    Args:
        answer: The envelope.
        paths: Name the files of the sessions (for a person's own command line).
    """
    return {
        "notice": NOTICE,
        "policy": POLICY_VERSION,
        "terms": list(answer.terms),
        "dates": list(answer.dates),
        "facts": facts(answer.facts),
        "passages": [passage(held, paths=paths) for held in answer.passages],
        "materials": [_of_message(held.reference, held.material) for held in answer.materials],
        "unmatched_terms": list(answer.unmatched),
        "matches": answer.matches,
        "sessions_matching": answer.sessions_matching,
        "counts_estimated": answer.estimated,
        "searched_every_session": answer.searched_every_session,
        "reach": reach_shape(answer.reach),
        "gaps": [gap_shape(known) for known in answer.reach.gaps],
    }


def passage(held: Passage, *, paths: bool = False) -> Json:
    """Return one passage."""
    return {
        "session_id": held.session.key,
        "title": held.session.title,
        "session": session(held.session, paths=paths),
        **({"turn_id": f"{held.session.key}#{held.turn}"} if held.turn >= 0 else {}),
        "anchor_message_id": str(held.anchor),
        "sequence": held.sequence,
        "is_current_session": held.is_current,
        "last_message_at": to_iso(held.session.ended_ms),
        "matched_terms": list(held.matched),
        "score": round(held.score, 4),
        "why": why(held.why),
        "has_more_before": held.has_more_before,
        "has_more_after": held.has_more_after,
        "truncated": held.truncated,
        "messages": [message(one) for one in held.messages],
    }


def more(answer: More, *, paths: bool = False) -> Json:
    """Return a longer passage."""
    return {
        "notice": NOTICE,
        "session_id": answer.session.key,
        "title": answer.session.title,
        "session": session(answer.session, paths=paths),
        **({"turn_id": f"{answer.session.key}#{answer.turn}"} if answer.turn >= 0 else {}),
        "anchor_message_id": str(answer.anchor),
        "sequence": answer.sequence,
        "is_current_session": answer.is_current,
        "has_more_before": answer.has_more_before,
        "has_more_after": answer.has_more_after,
        "truncated": answer.truncated,
        "messages": [message(one) for one in answer.messages],
    }


def message(held: PassageMessage) -> Json:
    """Return one message of a passage; fields that say nothing are left out."""
    shape: Json = {
        "message_id": str(held.reference),
        "role": _ROLES[held.kind],
        "match_kind": held.kind.word,
        "timestamp": to_iso(held.time_ms),
        "text": held.text,
    }
    if held.is_anchor:
        shape["is_anchor"] = True
    if held.cut:
        shape["cut"] = True
    if held.tool:
        shape["tool"] = held.tool
    if held.suspicious:
        shape["suspicious"] = True
    if held.materials:
        shape["materials"] = [material(one) for one in held.materials]
    return shape


_ROLES: Final = {
    Kind.PROMPT: "user",
    Kind.DELEGATION: "user",
    Kind.ANSWER: "assistant",
    Kind.TOOL_CALL: "tool",
    Kind.TOOL_RESULT: "tool",
}
"""A passage knows three roles (S0-96). Other kinds are not in passages."""


def size(held: PassageMessage) -> int:
    """Return the UTF-8 bytes a message takes in an answer, its JSON included (S0-89)."""
    return len(json.dumps(message(held), ensure_ascii=False).encode("utf-8", "replace"))


def passage_size(held: Passage) -> int:
    """Return the UTF-8 bytes a passage takes in an answer."""
    return len(json.dumps(passage(held), ensure_ascii=False).encode("utf-8", "replace"))


def facts(held: Sequence[Fact]) -> list[Json]:
    """Return what a distilled layer says."""
    return [
        {"content": f.content, "kind": f.kind, "observed_at": to_iso(f.observed_ms)} for f in held
    ]


FRAME_BYTES: Final = 4096
"""About what of an answer is neither passage nor fact: reach, gaps and names."""


def facts_size(held: Sequence[Fact]) -> int:
    """Return the UTF-8 bytes an answer takes without its passages and their materials."""
    said = json.dumps(facts(held), ensure_ascii=False)
    return FRAME_BYTES + len(said.encode("utf-8", "replace"))


def materials_size(held: Passage) -> int:
    """Return the UTF-8 bytes the materials of a passage take in the list of all of them."""
    listed = [_of_message(m.reference, one) for m in held.messages for one in m.materials]
    return len(json.dumps(listed, ensure_ascii=False).encode("utf-8", "replace")) if listed else 0


def _of_message(reference: Reference, held: Material) -> Json:
    return {"message_id": str(reference), **material(held)}


def material(held: Material) -> Json:
    """Return what is known about a material; never where its bytes lie.

    One that cannot be fetched has no `material_id` (S0-110), and is told of all the same.
    """
    pixels = held.width * held.height
    return {
        **({"material_id": held.id} if held.id else {}),
        "name": held.name,
        "kind": held.kind,
        "mimeType": held.mime,
        "bytes": held.bytes,
        **({"width": held.width, "height": held.height} if pixels else {}),
        **({"estimated_tokens": max(1, pixels // _TOKEN_PIXELS)} if pixels else {}),
    }


def session(held: Session, *, paths: bool = False) -> Json:
    """Return where a passage comes from (Q32)."""
    return {
        "harness": held.harness,
        "kind": held.kind.value,
        "parent": held.parent,
        "cwd": held.cwd,
        "branch": held.branch,
        "presence": held.presence.value,
        "archived": held.archived,
        **({"path": hide(held.path)} if paths else {}),
    }


def why(held: Why) -> Json:
    """Return why a passage is in the answer, in fields and as the one line."""
    return {
        "tier": held.tier.word,
        "terms": [_hit(t) for t in held.terms],
        "missing": list(held.missing),
        "fields": list(held.fields),
        "count": held.count,
        "weight": held.weight,
        "session_kind": held.session_kind,
        "pushed": list(held.pushed),
        "weak": held.weak,
        "line": words.line(held),
    }


def _hit(held: TermHit) -> Json:
    near: Json = {"near": True} if held.near else {}
    return {"term": held.spelling, "sort": held.sort, "count": held.count, **near}


def refusal(error: RefusedError) -> Json:
    """Return the one shape of an error (S0-8)."""
    return {
        "kind": "recall_error",
        "ok": False,
        "reason": error.reason.value,
        "message": f"{error.message}; {error.hint}" if error.hint else error.message,
    }
