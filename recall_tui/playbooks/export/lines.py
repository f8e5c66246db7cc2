"""Sessions as lines of JSON: a `session` line, its `message` lines, one `end` line at the last.

Evidence ids are references (Q35), the same in every export; sequence numbers are contiguous, over
pages too; an end that is not complete names where to go on (S3-64 to S3-67).
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from recall_tui import __version__, clock
from recall_tui.model import Flag
from recall_tui.playbooks.markdown import plain
from recall_tui.text.rules import ALGORITHM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.export import Contents

SCHEMA: Final = "recall.session-export.v2"
"""v1 kept its cursors in a store; here a cursor is a reference and a count, and nothing is kept."""


def pieces(sessions: Sequence[Session], contents: Contents) -> Iterator[str]:
    """Yield one line at a time."""
    receipt = sha256()
    stable = True
    for session in sessions:
        if contents.full:
            break
        yield _line("session", _session(session, contents.boundary(session)))
        for number, message in contents.of(session):
            shape = _message(number, message)
            receipt.update(f"{shape['ref']} {shape['sha256']}\n".encode())
            yield _line("message", shape)
        stable = contents.stable(session) and stable
    done = contents.done
    yield _line(
        "end",
        {
            "sessions": done.sessions,
            "messages": done.messages,
            "left_out": done.left_out,
            "complete": not done.next,
            "next": done.next,
            "stable": stable,
            "receipt": receipt.hexdigest(),
        },
    )


def _line(kind: str, shape: dict[str, object]) -> str:
    return json.dumps({"type": kind} | shape, ensure_ascii=False) + "\n"


def _session(session: Session, boundary: int) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "product": f"recall-tui {__version__}",
        "key": session.key,
        "harness": session.harness,
        "native_id": session.native_id,
        "kind": session.kind.value,
        "parent": session.parent,
        "title": plain(session.title),
        "cwd": plain(session.cwd),
        "branch": plain(session.branch),
        "models": list(session.models),
        "started": clock.to_iso(session.started_ms),
        "ended": clock.to_iso(session.ended_ms),
        "boundary": {
            "messages": boundary,
            "receipt": sha256(f"{session.key} {boundary}".encode()).hexdigest()[:32],
        },
        "children_included": False,
        "redaction": ALGORITHM,
    }


def _message(number: int, message: Message) -> dict[str, object]:
    text = plain(message.text)
    return {
        "sequence": number,
        "ref": str(message.reference),
        "sha256": sha256(text.encode("utf-8", "replace")).hexdigest(),
        "position": message.position,
        "role": message.role.value,
        "kind": message.kind.word,
        "time": clock.to_iso(message.time_ms),
        "tool": plain(message.tool),
        "failed": bool(message.flags & Flag.FAILED),
        "abandoned": bool(message.flags & Flag.ABANDONED),
        "text": text,
        "materials": [
            {"name": plain(m.name), "kind": m.kind, "mime": plain(m.mime), "bytes": m.bytes}
            for m in message.materials
        ],
    }
