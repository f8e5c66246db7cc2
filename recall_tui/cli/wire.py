"""The JSON shapes of the command line. Internal types are never serialised as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.clock import to_iso
from recall_tui.model import Flag
from recall_tui.text.cut import cut_bytes
from recall_tui.text.marks import shown
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from recall_tui.model import Gap, Material, Message, Reach, Session
    from recall_tui.search.results import Hit
    from recall_tui.store.sync.progress import SyncProgress

Json: TypeAlias = "dict[str, object]"

MESSAGE_BYTES: Final = 4096
"""UTF-8 bytes of a message in an answer that is not asked to be full (S0-87)."""


def session_ref(session: Session) -> Json:
    """Return the part of a session that goes with every hit."""
    return {
        "key": session.key,
        "harness": session.harness,
        "native_id": session.native_id,
        "title": session.title,
        "cwd": session.cwd,
        "branch": session.branch,
        "path": hide(session.path),
        "kind": session.kind.value,
    }


def session_full(session: Session) -> Json:
    """Return everything a listing knows about a session."""
    return session_ref(session) | {
        "last_cwd": session.last_cwd,
        "project": session.project,
        "models": list(session.models),
        "parent": session.parent,
        "started_ms": session.started_ms,
        "started": to_iso(session.started_ms),
        "ended_ms": session.ended_ms,
        "ended": to_iso(session.ended_ms),
        "messages": session.messages,
        "prompts": session.prompts,
        "tool_calls": session.tool_calls,
        "errors": session.errors,
        "materials": session.materials,
        "children": session.children,
        "copied": session.copied,
        "size": session.size,
        "presence": session.presence.value,
        "archived": session.archived,
        "gone": to_iso(session.gone_ms),
        "tokens_in": session.tokens_in,
        "tokens_out": session.tokens_out,
        "cost_usd": session.cost_usd,
        "version": session.version,
    }


def hit(found: Hit) -> Json:
    """Return one message that matches."""
    return {
        "ref": str(found.reference),
        "session": session_ref(found.session),
        "role": found.kind.role.value,
        "kind": found.kind.word,
        "time_ms": found.time_ms,
        "time": to_iso(found.time_ms),
        "text": found.text,
        "spans": [list(span) for span in found.spans],
        "cut": found.cut,
        "occurrences": found.occurrences,
        "tool": found.tool,
    }


def message(held: Message, limit_bytes: int = 0) -> Json:
    """Return one message.

    Args:
        held: The message; its text is marked text.
        limit_bytes: Bytes of UTF-8 its text may take; 0 means all.
    """
    text = shown(held.text)
    shortened, cut = cut_bytes(text, limit_bytes) if limit_bytes else (text, False)
    return {
        "ref": str(held.reference),
        "position": held.position,
        "role": held.role.value,
        "kind": held.kind.word,
        "time_ms": held.time_ms,
        "time": to_iso(held.time_ms),
        "text": shortened,
        "cut": cut,
        "tool": held.tool,
        "duration_ms": held.duration_ms,
        "model": held.model,
        "failed": bool(held.flags & Flag.FAILED),
        "abandoned": bool(held.flags & Flag.ABANDONED),
        "materials": [material(one) for one in held.materials],
    }


def material(held: Material) -> Json:
    """Return what is known about a material; never where its bytes lie."""
    return {
        "id": held.id,
        "name": held.name,
        "kind": held.kind,
        "mime": held.mime,
        "bytes": held.bytes,
        "width": held.width,
        "height": held.height,
    }


def gap(known: Gap) -> Json:
    """Return one gap."""
    from recall_tui.search.reach import gap_shape

    return gap_shape(known)


def answer(reach: Reach) -> Json:
    """Return the two fields every answer ends with: how far it reached, and its gaps."""
    from recall_tui.search.reach import reach_shape

    return {"reach": reach_shape(reach), "gaps": [gap(known) for known in reach.gaps]}


def progress(state: SyncProgress) -> Json:
    """Return where a sync stands."""
    return {
        "sessions": state.sessions,
        "messages": state.messages,
        "files": {
            "seen": state.seen,
            "parsed": state.parsed,
            "appended": state.appended,
            "unchanged": state.unchanged,
            "failed": state.failed,
            "gone": state.gone,
        },
        "bytes": state.bytes_done,
        "seconds": round(state.seconds, 3),
    }


def progress_line(state: SyncProgress) -> Json:
    """Return a line of `index --watch --json`: it also says how far a pass is."""
    return progress(state) | {
        "bytes_done": state.bytes_done,
        "bytes_total": state.bytes_total,
        "done": state.done,
    }
