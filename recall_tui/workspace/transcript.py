"""One session as blocks: the app's records, projected, through the same ingest as the index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recall_tui.model import Flag, Kind
from recall_tui.store.block import TARGET_BYTES, BlockKind
from recall_tui.store.build import BlockBuilder
from recall_tui.store.ingest import BATCH_CHARS, prepare_all
from recall_tui.workspace import ledger, legacy
from recall_tui.workspace.artifacts import Artifacts
from recall_tui.workspace.projection import Projector

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from recall_tui.harnesses.base import Parsed
    from recall_tui.store.build import BuiltBlock
    from recall_tui.workspace.database import Database
    from recall_tui.workspace.headers import Header


@dataclass(slots=True)
class Damage:
    """What a read had to leave out."""

    unparsed: int = 0
    missing: int = 0
    """Archived tool results whose body is not there."""
    corrupt: int = 0
    """Those whose body is another than was archived."""
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Transcript:
    """A session that was read."""

    blocks: list[BuiltBlock]
    damage: Damage


def read(connection: Database, folder: str, header: Header) -> Transcript:
    """Read one session.

    Args:
        connection: The workspace's, open.
        folder: The workspace's folder, where artifacts are.
        header: Of the session.
    """
    if not held(connection, header):
        return Transcript([], Damage())
    artifacts = Artifacts(connection, folder, header.id)
    projector = Projector(header.id, artifacts, child=bool(header.subagent_parent))
    store = (ledger.Ledger if header.ledger else legacy.Legacy)(connection, header.id)
    blocks = list(pack(store.messages(projector), projector.within))
    damage = Damage(store.damaged, projector.missing, projector.corrupt, projector.unknown)
    return Transcript(blocks, damage)


def written(connection: Database, folder: str, header: Header) -> Iterator[Parsed]:
    """Yield the messages of one session as the app wrote them: nothing is redacted.

    For who looks for a secret; nothing of it may be stored or shown. Arguments as of `read`.
    """
    if held(connection, header):
        artifacts = Artifacts(connection, folder, header.id)
        projector = Projector(header.id, artifacts, child=bool(header.subagent_parent))
        store = (ledger.Ledger if header.ledger else legacy.Legacy)(connection, header.id)
        yield from store.messages(projector)


def held(connection: Database, header: Header) -> bool:
    """Whether the store that owns a session's transcript is there at all."""
    if header.ledger:
        return connection.columns(ledger.TABLE) >= ledger.NEEDED
    return connection.columns(legacy.TABLE) >= legacy.NEEDED


def pack(messages: Iterable[Parsed], within: Container[str] = ()) -> Iterator[BuiltBlock]:
    """Yield messages as blocks, talk and tool results apart.

    Args:
        messages: In order.
        within: Records that begin no turn; it may still grow while messages are taken.
    """
    builders = {kind: BlockBuilder(kind) for kind in BlockKind}
    position = 0
    for batch in _batches(messages):
        for parsed, prepared in zip(batch, prepare_all(batch), strict=True):
            of = BlockKind.TOOL if parsed.kind is Kind.TOOL_RESULT else BlockKind.TALK
            builder = builders[of]
            if (builder.full or len(prepared.fold) > TARGET_BYTES) and (built := builder.take()):
                yield built
            flags = prepared.flags | (Flag.WITHIN if parsed.record in within else 0)
            builder.add(position, prepared._replace(flags=flags))
            position += 1
    for builder in builders.values():
        if built := builder.take():
            yield built


def _batches(messages: Iterable[Parsed]) -> Iterator[list[Parsed]]:
    """Yield the messages in batches: looking for secrets costs a fixed time a call."""
    batch: list[Parsed] = []
    held = 0
    for parsed in messages:
        batch.append(parsed)
        held += len(parsed.text) + len(parsed.rest)
        if held > BATCH_CHARS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
