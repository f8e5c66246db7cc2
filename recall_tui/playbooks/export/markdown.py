"""Sessions as Markdown: what people and agents said as text, what tools did as code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui import clock
from recall_tui.model import Flag, Kind
from recall_tui.playbooks.markdown import code, fence, line, plain, quote
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.export import Contents


def pieces(sessions: Sequence[Session], contents: Contents) -> Iterator[str]:
    """Yield the text of sessions, a message at a time."""
    for session in sessions:
        if contents.full:
            return
        yield _head(session)
        for _, message in contents.of(session):
            yield _message(message)
        if not contents.stable(session):
            yield "\n*The session grew while it was exported; its new messages are not here.*\n\n"


def _head(session: Session) -> str:
    facts = [
        f"- Session: {code(session.key, 400)}",
        f"- Directory: {code(session.cwd, 400)}" if session.cwd else "",
        f"- Branch: {code(session.branch)}" if session.branch else "",
        f"- From {clock.to_iso(session.started_ms)} to {clock.to_iso(session.ended_ms)}"
        if session.started_ms
        else "",
    ]
    title = line(session.title, 300) or "A session without a title"
    return f"# {title}\n\n" + "\n".join(fact for fact in facts if fact) + "\n\n"


def _message(message: Message) -> str:
    """Return one message: a heading with its reference, then its text."""
    who = notation.SPEAKERS[message.kind].capitalize()
    tool = f" {code(message.tool, 80)}" if message.tool else ""
    notes = [clock.to_iso(message.time_ms), code(str(message.reference), 600)]
    notes += ["failed"] if message.flags & Flag.FAILED else []
    notes += ["rewound"] if message.flags & Flag.ABANDONED else []
    notes += [f"picture or file: {line(m.name, 120) or m.kind}" for m in message.materials]
    head = f"### {who}{tool}\n\n{' · '.join(note for note in notes if note)}\n\n"
    text = plain(message.text).strip("\n")
    return f"{head}{_body(message.kind, text)}\n\n" if text else head


def _body(kind: Kind, text: str) -> str:
    """Return a text as it cannot be taken for the export's own: quoted, or in a fence."""
    if kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        return fence(text)
    return quote(text)
