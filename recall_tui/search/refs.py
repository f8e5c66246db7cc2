"""What a reference leads to: the same message, a changed one, none, or a whole session.

A reference pins a message by session, position and 16 bits of its content. A message whose content
is another is reported as changed and never passed off as the one that was cited (Q35).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from recall_tui.errors import BadReferenceError
from recall_tui.model import Filter, Reference
from recall_tui.named import NamedTuple
from recall_tui.search.sessions import too_short
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.search.ports import Corpus

SHOWN_CHOICES: Final = 5
"""Sessions named in the error when a reference could mean several."""

_PASTED: Final = " \t\r\n`'\"<>()[]{},;"
"""What is copied along with a reference out of a sentence or a table."""

_PLACE: Final = late(r"#(\d{1,9})(?:~([0-9a-fA-F]{4}))?\Z")


class State(StrEnum):
    """How a reference stands to what is held now."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    SESSION = "session"
    """The reference names no message."""


class Resolution(NamedTuple):
    """What a reference leads to."""

    reference: Reference
    """Complete, as the corpus would write it: a prefix or path became the key; the digest is the
    one that was asked for."""
    corpus: Corpus
    session: Session
    state: State
    message: Message | None
    """The message at the position now; None when there is none."""
    moved_to: int = -1
    """Where the content that was cited stands now, when one other message has its digest."""


class _Asked(NamedTuple):
    name: str
    """Key, native id, prefix of one, or path."""
    position: int
    digest: int


def resolve(asked: Reference | str, corpora: Sequence[Corpus]) -> Resolution:
    """Look a reference up.

    Args:
        asked: A reference; or a session's key, native id, the first 8 or more characters of one,
            or the path of its file, each with or without `#position~digest`.
        corpora: Where to look, first come first served.

    Raises:
        BadReferenceError: No session fits, or several do; says which.
    """
    wanted = _asked(asked)
    corpus, session = _session(wanted, corpora)
    reference = Reference(session.harness, session.name, wanted.position, wanted.digest)
    if wanted.position < 0:
        return Resolution(reference, corpus, session, State.SESSION, None)
    held = corpus.messages(session.id, wanted.position, wanted.position + 1)
    message = held[0] if held else None
    if message is not None and wanted.digest in (-1, message.digest):
        return Resolution(reference, corpus, session, State.SAME, message)
    moved_to = _moved_to(corpus, session, wanted)
    if message is None and moved_to < 0:
        return Resolution(reference, corpus, session, State.GONE, None)
    return Resolution(reference, corpus, session, State.CHANGED, message, moved_to)


def find(name: str, corpora: Iterable[Corpus]) -> list[tuple[Corpus, Session]]:
    """Return the sessions a key, native id, prefix of one, or path names; a session comes once.

    An exact key leaves out everything else, an exact native id every prefix.
    """
    found = _named(name, corpora)
    best = [pair for pair in found if pair[1].key == name]
    return best or [p for p in found if name in (p[1].native_id, p[1].path)] or found


def _named(name: str, corpora: Iterable[Corpus]) -> list[tuple[Corpus, Session]]:
    found: dict[str, tuple[Corpus, Session]] = {}
    for corpus in corpora:
        sessions = corpus.find(name)
        if not sessions and ("/" in name or "\\" in name):
            sessions = [s for s in corpus.sessions(Filter(roots=(name,))) if s.path == name]
        for session in sessions:
            found.setdefault(session.key, (corpus, session))
    return list(found.values())


def _asked(asked: Reference | str) -> _Asked:
    if isinstance(asked, Reference):
        return _Asked(asked.key, asked.position, asked.digest)
    name = asked.strip(_PASTED)
    position = digest = -1
    if place := _PLACE.search(name):
        name = name[: place.start()]
        position = int(place[1])
        digest = int(place[2], 16) if place[2] else -1
    if not name:
        raise BadReferenceError(
            f"not a reference: {asked[:80]!r}", "the form is harness:session#position~digest"
        )
    return _Asked(name, position, digest)


def _session(wanted: _Asked, corpora: Sequence[Corpus]) -> tuple[Corpus, Session]:
    """Return the one session that is meant."""
    found = find(wanted.name, corpora)
    if not found:  # the key was another once: two files share the id now, or no longer do
        harness, _, name = wanted.name.partition(":")
        found = [pair for pair in find(name, corpora) if pair[1].harness == harness] if name else []
    if len(found) > 1 and wanted.position >= 0 and wanted.digest >= 0:
        fitting = [pair for pair in found if _holds(*pair, wanted)]
        found = fitting or found
    if not found:
        raise BadReferenceError(
            f"no session is called {wanted.name[:80]!r}",
            too_short(wanted.name) or "recall sessions lists them; recall index reads new ones",
        )
    if len(found) > 1:
        keys = [session.key for _, session in found]
        shown = ", ".join(keys[:SHOWN_CHOICES]) + (", ..." if len(keys) > SHOWN_CHOICES else "")
        raise BadReferenceError(f"{wanted.name[:80]!r} names {len(keys)} sessions", f"say {shown}")
    return found[0]


def _holds(corpus: Corpus, session: Session, wanted: _Asked) -> bool:
    """Whether a session holds the cited content at the cited position."""
    held = corpus.messages(session.id, wanted.position, wanted.position + 1)
    return bool(held) and held[0].digest == wanted.digest


def _moved_to(corpus: Corpus, session: Session, wanted: _Asked) -> int:
    """Return the position of the one other message with the digest, -1 for none or several."""
    if wanted.digest < 0:
        return -1
    places: list[int] = []
    for block in corpus.blocks(Filter(sessions=(session.key,), include_copies=True)):
        if block.session == session.id:
            meta = block.meta
            pairs = zip(meta.positions, meta.digests, strict=True)
            places += [position for position, digest in pairs if digest == wanted.digest]
    return places[0] if len(places) == 1 else -1
