"""One passage, extended around its anchor (S0-100 ... S0-104), and the bytes of a material."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.errors import BadReferenceError
from recall_tui.model import SEARCHABLE, Filter, Kind, Reference
from recall_tui.search import refs
from recall_tui.search.recall import passages, policy
from recall_tui.search.recall.board import kinds_of
from recall_tui.search.recall.envelope import More
from recall_tui.search.recall.request import aborted, checked_material, checked_more, not_found
from recall_tui.search.recall.select import turn_of, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Material
    from recall_tui.search.ports import Corpus, Stop
    from recall_tui.search.recall.request import MaterialRequest, MoreRequest
    from recall_tui.search.refs import Resolution


def more(corpora: Sequence[Corpus], request: MoreRequest, stop: Stop) -> More:
    """Return more messages around an anchor.

    Raises:
        RefusedError: The request is malformed, or there is no such message that could be shown:
            unknown, changed, of a kind that is never shown, or in the running turn, all alike.
    """
    checked_more(request)
    if stop():
        raise aborted()
    found = _shown_message(corpora, request.anchor)
    session, message = found.session, found.message
    assert message is not None
    blocks = found.corpus.blocks(Filter(sessions=(session.key,), include_copies=True))
    kinds = kinds_of(block for block in blocks if block.session == session.id)
    starts = turns(kinds)
    first, after = turn_of(starts, message.position, len(kinds))
    current = session.key == request.current_session
    if current and starts and message.position >= starts[-1]:
        raise not_found()
    turn = passages.Turn(found.corpus, session.id, kinds, first, after)
    around = passages.window(
        turn, message.position, request.before, request.after, policy.PASSAGE_BYTES
    )
    if around is None:
        raise not_found()
    return More(
        session, message.reference, first, message.position, around.messages,
        around.has_more_before, around.has_more_after, around.truncated, current,
    )  # fmt: skip


def held_material(
    corpora: Sequence[Corpus], request: MaterialRequest, stop: Stop
) -> tuple[Reference, Material]:
    """Return a material after checking that the message really holds it (S0-106).

    Raises:
        RefusedError: The request is malformed, or no message that could be shown holds it.
    """
    checked_material(request)
    if stop():
        raise aborted()
    found = _shown_message(corpora, request.anchor)
    message = found.message
    assert message is not None
    for material in message.materials:
        if material.id == request.material:
            return message.reference, material
    raise not_found()


def _shown_message(corpora: Sequence[Corpus], anchor: str) -> Resolution:
    """Return the message of a reference, if recall could have shown it."""
    try:
        found = refs.resolve(Reference.parse(anchor), corpora)
    except BadReferenceError:
        raise not_found() from None
    message = found.message
    if found.state is not refs.State.SAME or message is None:
        raise not_found()
    if 0 < found.session.messages <= found.session.copied:
        raise not_found()  # a copy as a whole, or a revision that another stands for (S0-23)
    if message.kind not in SEARCHABLE or (
        message.kind is not Kind.TOOL_RESULT and message.kind not in passages.VISIBLE
    ):
        raise not_found()
    return found
