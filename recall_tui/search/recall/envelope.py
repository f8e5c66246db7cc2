"""What recall answers: facts, passages, materials, gaps (S0-120), each bounded and cited."""

from collections.abc import Iterator
from enum import IntEnum

from recall_tui.model import Fact, Kind, Material, Reach, Reference, Session
from recall_tui.named import NamedTuple


class Tier(IntEnum):
    """How strong the evidence of a passage is; a higher tier always ranks above a lower (Q33)."""

    SOME = 1
    """Some of the words."""
    ALL = 2
    """All of the words that tell something, near each other."""
    EXACT = 3
    """An identifier or a phrase, as it was asked for."""

    @property
    def word(self) -> str:
        """The tier in JSON answers."""
        return self.name.lower()


class TermHit(NamedTuple):
    """One term of the question, as a passage holds it."""

    spelling: str
    """As the caller wrote it."""
    count: int  # type: ignore[assignment]  # hides `tuple.count`
    """Occurrences in the passage's evidence."""
    sort: str = "term"
    """term | word | identifier | phrase | run"""
    near: bool = False
    """Whether the passage holds only words like it: near forms, or one edit away."""


class Why(NamedTuple):
    """Why a passage is in the answer. Rendered as one line by `why.line`, and only there."""

    tier: Tier
    terms: tuple[TermHit, ...]
    """What matched."""
    missing: tuple[str, ...]
    """Terms of the question that did not."""
    fields: tuple[str, ...]
    """Where: you | agent | tool call | tool output | title | file name."""
    count: int  # type: ignore[assignment]  # hides `tuple.count`
    """Occurrences of all terms in the evidence."""
    weight: float
    """The type weight of the anchor: 0.5 for tool output."""
    session_kind: str
    """main | subagent | fork | automated"""
    pushed: tuple[str, ...] = ()
    """What moved it, in words: `said on the day asked for`, `words side by side`."""
    weak: bool = False
    """Only words that are everywhere: no evidence to rely on (S3-13)."""


class PassageMessage(NamedTuple):
    """One message of a passage: redacted, cut to its budget."""

    reference: Reference
    kind: Kind
    time_ms: int
    text: str
    """Readable text; secrets are marks made readable, never the secret."""
    cut: bool = False
    is_anchor: bool = False
    tool: str = ""
    materials: tuple[Material, ...] = ()
    """Metadata; names redacted."""
    suspicious: bool = False
    """It talks to the reader as if to give orders (Q19). The text is unchanged."""


class Passage(NamedTuple):
    """A hit with its visible neighbours of the same turn."""

    session: Session
    """Title and paths as shown: redacted."""
    anchor: Reference
    turn: int
    """Position of the prompt the turn began with, -1 when it began with none."""
    sequence: int
    """Position of the anchor in its session."""
    score: float
    """Comparable only inside one answer."""
    matched: tuple[str, ...]
    """The terms that match, as the caller wrote them."""
    why: Why
    messages: tuple[PassageMessage, ...]
    has_more_before: bool
    has_more_after: bool
    truncated: bool
    is_current: bool = False
    family: str = ""
    """Key of the main session it is ranked under."""


class MaterialRef(NamedTuple):
    """A material of the answer, with the message that holds it: metadata only (S0-105)."""

    reference: Reference
    material: Material


class Envelope(NamedTuple):
    """One answer."""

    reach: Reach
    """How far it reached; `reach.gaps` are the gaps."""
    passages: tuple[Passage, ...] = ()
    facts: tuple[Fact, ...] = ()
    terms: tuple[str, ...] = ()
    """What was looked for: the terms, or those the sentence was split into."""
    unmatched: tuple[str, ...] = ()
    """Terms that no searched message holds."""
    dates: tuple[str, ...] = ()
    """Days and months read out of the sentence, ISO: they rank, they do not filter."""
    searched_every_session: bool = True
    """False when a narrowing chose the sessions that were read (S0-123)."""
    matches: int = 0
    """Messages verified to match, in all sessions."""
    sessions_matching: int = 0
    verified: tuple[tuple[str, int], ...] = ()
    """Messages that hold each term (its document frequency), in the order of `terms`."""
    estimated: bool = False
    """Whether a common word of a sentence was counted in a sample of the text: the three numbers
    above are then about right, and not exact."""

    @property
    def materials(self) -> tuple[MaterialRef, ...]:
        """Every material of the passages, each once."""
        return tuple(dict.fromkeys(self._materials()))

    def _materials(self) -> Iterator[MaterialRef]:
        for passage in self.passages:
            for message in passage.messages:
                for material in message.materials:
                    yield MaterialRef(message.reference, material)


class More(NamedTuple):
    """The answer to `MoreRequest`: one longer passage, without a rank."""

    session: Session
    anchor: Reference
    turn: int
    sequence: int
    messages: tuple[PassageMessage, ...]
    has_more_before: bool
    has_more_after: bool
    truncated: bool
    is_current: bool = False


class MaterialBytes(NamedTuple):
    """The answer to `MaterialRequest`."""

    reference: Reference
    material: Material
    data: bytes
