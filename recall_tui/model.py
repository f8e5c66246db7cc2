"""The nouns of the house: session, message, material, reference, gap, filter.

Standard library only: every front imports this module, and `recall --version` must stay cheap.
What is imported at every start is a named tuple (`named`), or a class written out: a frozen
dataclass of thirty fields takes 2 ms to make, and each of its objects five times as long; any takes
another millisecond for `dataclasses`.

All text held by these types has passed `text.sanitize` and `text.redact`; times are epoch
milliseconds, 0 when the source does not say.
"""

import re
from collections.abc import Iterable
from enum import IntEnum, StrEnum
from typing import Final

from recall_tui.errors import BadReferenceError
from recall_tui.named import NamedTuple


class Role(StrEnum):
    """Who speaks. `user` is only ever what a person typed."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Kind(IntEnum):
    """What a message is. The numbers are stored: never renumber, only add."""

    PROMPT = 1
    """Typed by a person (queued prompts and picture-only prompts included)."""
    INJECTED = 2
    """Stands in the user's place but was put there by the program."""
    DELEGATION = 3
    """The task a parent agent gave to a subagent."""
    ANSWER = 4
    """What the agent said. Thinking is never stored (Q8)."""
    TOOL_CALL = 5
    TOOL_RESULT = 6
    SUMMARY = 7
    """A compaction or branch summary."""
    NOTICE = 8
    """What the program reports: API errors, interruptions, `/command` output."""

    @property
    def role(self) -> Role:
        """The role this kind speaks in."""
        return _ROLE[self]

    @property
    def word(self) -> str:
        """The kind in JSON answers: `prompt`, `tool_call`, ..."""
        return self.name.lower()


_ROLE: Final = {
    Kind.PROMPT: Role.USER,
    Kind.INJECTED: Role.SYSTEM,
    Kind.DELEGATION: Role.ASSISTANT,
    Kind.ANSWER: Role.ASSISTANT,
    Kind.TOOL_CALL: Role.TOOL,
    Kind.TOOL_RESULT: Role.TOOL,
    Kind.SUMMARY: Role.SYSTEM,
    Kind.NOTICE: Role.SYSTEM,
}


OWN_SHELL: Final = "!"
"""Tool of a command that a person ran from the agent's prompt."""

SEARCHABLE: Final = frozenset(
    {Kind.PROMPT, Kind.DELEGATION, Kind.ANSWER, Kind.TOOL_CALL, Kind.TOOL_RESULT}
)
"""What recall finds: what people and agents said and did, not the program's own words (S0-28)."""


class Flag(IntEnum):
    """Bits of a message's `flags` byte. Stored."""

    ABANDONED = 1
    """On a branch the person rewound away from; still searchable, shown dimmed."""
    SIDECHAIN = 2
    """Written by a subagent inside its parent's file."""
    FAILED = 4
    """A tool result that reports failure, or an error notice."""
    MATERIAL = 8
    """Carries at least one material."""
    WITHIN = 16
    """Said into a turn that was running, or where no turns are known: it begins none."""


class SessionKind(StrEnum):
    """How a session came about."""

    MAIN = "main"
    SUBAGENT = "subagent"
    FORK = "fork"
    AUTOMATED = "automated"
    """Headless or scheduled: nobody typed."""


class Presence(StrEnum):
    """Whether the source a session was read from is still there."""

    PRESENT = "present"
    GONE = "gone"
    """The file vanished; its text is kept (Q2)."""


class Material(NamedTuple):
    """A picture or file that hangs on a message: metadata only, never bytes."""

    id: str
    """Opaque; resolves only through the message that holds it."""
    name: str
    kind: str
    """image | pdf | text | other"""
    mime: str
    bytes: int
    """Decoded size, -1 when the source does not say."""
    width: int = 0
    height: int = 0
    """Pixels, 0 when unknown or not a picture."""
    locator: str = ""
    """Where the harness finds the bytes again (its own notation)."""


class Session(NamedTuple):
    """One conversation, as listed."""

    id: int
    """Row id in the corpus that holds it; meaningless elsewhere."""
    key: str
    """`<harness>:<name>`, unique, stable; `<name>` is the native id unless two files share it."""
    harness: str
    native_id: str
    path: str
    title: str
    cwd: str
    """The directory the session began in."""
    last_cwd: str
    """The latest recorded directory: where a resume must happen."""
    branch: str
    models: tuple[str, ...]
    kind: SessionKind
    parent: str
    """Key of the main session this one belongs to, empty for a main session."""
    started_ms: int
    ended_ms: int
    messages: int
    prompts: int
    tool_calls: int
    errors: int
    materials: int
    size: int
    """Bytes of the source."""
    copied: int = 0
    """Leading messages that are copies of another session's; they count once, there."""
    children: int = 0
    """Subagents and copies folded under it."""
    presence: Presence = Presence.PRESENT
    gone_ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    version: str = ""
    """Version of the agent program that wrote it last."""
    root: str = ""
    """The root the source was discovered under."""
    part: str = ""
    """The session's name inside a path that holds several."""
    archived: bool = False
    """Put away by the person in its own program; still searched, and said so (Q12)."""

    @property
    def name(self) -> str:
        """The session's part of a reference: the key without its harness."""
        return self.key.partition(":")[2]

    @property
    def project(self) -> str:
        """Last component of the directory, for both slashes."""
        return self.cwd.rstrip("\\/").replace("\\", "/").rpartition("/")[2]


class Listed(NamedTuple):
    """A session's place in the list, for who lists a page of many: a tenth of a `Session`."""

    ended_ms: int
    key: str
    parent: str

    @property
    def name(self) -> str:
        """The session's part of a reference: the key without its harness."""
        return self.key.partition(":")[2]


class Message(NamedTuple):
    """One message as shown. `text` is marked text: see `text.redact`."""

    session: str
    """Key of its session."""
    position: int
    kind: Kind
    time_ms: int
    text: str
    digest: int
    """16 bits of the content digest: the `~abcd` of a reference."""
    flags: int = 0
    horizon: int = -1
    """Characters of `text` the agents' path sees; -1 for all."""
    tool: str = ""
    call: str = ""
    """Native id that pairs a call with its result."""
    duration_ms: int = 0
    model: str = ""
    materials: tuple[Material, ...] = ()
    changes: tuple[int, ...] = ()
    """Of an edit's call: lines of `text`, then of each change its first line, from 0, the number
    of lines taken out, and of those put in, which follow them."""

    @property
    def role(self) -> Role:
        """Who speaks."""
        return self.kind.role

    @property
    def reference(self) -> "Reference":
        """The stable name of this message."""
        harness, _, name = self.session.partition(":")
        return Reference(harness, name, self.position, self.digest)


_REFERENCE: Final = r"([a-z][a-z0-9_-]*):([^#\n]+)(?:#([0-9]{1,9})(?:~([0-9a-f]{4}))?)?\Z"


class Reference(NamedTuple):
    """`<harness>:<session>#<position>~<digest4>`, or a session alone.

    Stable over re-sync, growth and moved roots; a changed record resolves as changed (Q35).
    """

    harness: str
    session: str
    position: int = -1
    """-1 when the reference names the whole session."""
    digest: int = -1
    """-1 when the reference does not pin the content."""

    @property
    def key(self) -> str:
        """The session key it names."""
        return f"{self.harness}:{self.session}"

    def __str__(self) -> str:
        if self.position < 0:
            return self.key
        pin = f"~{self.digest:04x}" if self.digest >= 0 else ""
        return f"{self.key}#{self.position}{pin}"

    @classmethod
    def parse(cls, text: str) -> "Reference":
        """Read a reference a person or an agent gave.

        Raises:
            BadReferenceError: The text has another shape.
        """
        match = re.match(_REFERENCE, text.strip())  # compiled once, by the first reference
        if match is None:
            raise BadReferenceError(
                f"not a reference: {text[:80]!r}", "the form is harness:session#position~digest"
            )
        harness, session, position, digest = match.groups()
        return cls(
            harness,
            session,
            int(position) if position is not None else -1,
            int(digest, 16) if digest is not None else -1,
        )


class GapKind(StrEnum):
    """Why an answer may be missing something."""

    NO_SOURCES = "no_sources"
    NOT_INDEXED = "not_indexed"
    COLD = "cold"
    UNSETTLED = "unsettled"
    """Which of two sessions has a message from the other is not known before all is indexed."""
    UNREADABLE = "unreadable"
    UNPARSED = "unparsed"
    UNKNOWN_RECORDS = "unknown_records"
    TORN = "torn"
    GONE = "gone"
    HORIZON = "horizon"
    FILTERED = "filtered"
    EXCLUDED = "excluded"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    NO_FACTS = "no_facts"
    NO_MATCH = "no_match"
    RETENTION = "retention"
    BROKEN_MATERIAL = "broken_material"
    LOCKED = "locked"
    OUTDATED = "outdated"


PARTIAL: Final = frozenset(
    {
        GapKind.NO_SOURCES,
        GapKind.NOT_INDEXED,
        GapKind.UNREADABLE,
        GapKind.UNPARSED,
        GapKind.TIMED_OUT,
        GapKind.CANCELLED,
    }
)
"""Kinds that mean that something was not searched which should have been (Q1). Not what a person
left out, what is no message (records of unknown kinds), nor a last line that is still written."""


class Gap(NamedTuple):
    """One thing an answer did not reach: typed, counted, with the next action."""

    kind: GapKind
    count: int  # type: ignore[assignment]  # hides `tuple.count`
    detail: str
    """One sentence for a person."""
    action: str = ""
    """The next step as words or a command, empty when there is none."""
    where: str = ""
    """A path, session key or rule name, when one thing is meant."""

    @property
    def partial(self) -> bool:
        """Whether this gap means the search itself was incomplete."""
        return self.kind in PARTIAL


class Fact(NamedTuple):
    """One entry of a distilled layer: what somebody concluded, beside what was said."""

    content: str
    """Readable text, secrets redacted."""
    kind: str
    observed_ms: int = 0


class Filter(NamedTuple):
    """What to look at. Empty fields do not restrict; all set fields must hold.

    `since_ms` and `until_ms` are inclusive. `cwd` and `branch` match as literal, case-insensitive
    substrings (never wildcards, S3-23).
    """

    harnesses: tuple[str, ...] = ()
    cwd: str = ""
    branch: str = ""
    since_ms: int | None = None
    until_ms: int | None = None
    roles: tuple[Role, ...] = ()
    kinds: tuple[Kind, ...] = ()
    sessions: tuple[str, ...] = ()
    """Session keys or unique prefixes of native ids."""
    roots: tuple[str, ...] = ()
    """Only sessions whose source lies under one of these paths (`--source`)."""
    model: str = ""
    mains_only: bool = False
    include_copies: bool = False

    def admits_kind(self, kind: Kind) -> bool:
        """Whether messages of this kind can pass."""
        return (not self.kinds or kind in self.kinds) and (
            not self.roles or kind.role in self.roles
        )

    @property
    def kinds_admitted(self) -> frozenset[Kind]:
        """Every kind that can pass."""
        return frozenset(k for k in Kind if self.admits_kind(k))


class Candidates(NamedTuple):
    """The sessions of a corpus that may hold a term: a superset of those that do (S0-46)."""

    sessions: frozenset[int]


class Declined(NamedTuple):
    """The corpus cannot narrow this question; it must be read in full (S0-48)."""

    reason: str


class Coverage(NamedTuple):
    """What a filter's sessions hold altogether, without listing them."""

    sources: int
    sessions: int
    messages: int
    """Copies count once."""
    oldest_ms: int
    newest_ms: int
    searchable: int | None = None
    """Messages of the kinds recall finds (`SEARCHABLE`), read or not; None when nobody counted."""
    there: int | None = None
    """Sessions without any filter; None: ask for what no filter covers."""


class Reach:
    """How far an answer reached: the other half of every answer.

    Attributes:
        index_age_ms: Milliseconds since the sources were last compared with the index; None without
            an index.
        path: index | cold | mixed: where the text was read.
        since_ms: The filter's bound, echoed; so is `until_ms`.
        gaps: What is missing.
    """

    __slots__ = (
        "elapsed_ms", "gaps", "index_age_ms", "messages_searched", "newest_ms", "oldest_ms", "path",
        "sessions_searched", "sessions_total", "since_ms", "sources", "until_ms", "zone",
    )  # fmt: skip

    def __init__(
        self, *, sources: int = 0, sessions_searched: int = 0, sessions_total: int = 0,
        messages_searched: int = 0, oldest_ms: int = 0, newest_ms: int = 0,
        index_age_ms: int | None = None, path: str = "index", since_ms: int | None = None,
        until_ms: int | None = None, zone: str = "UTC", elapsed_ms: float = 0.0,
        gaps: Iterable[Gap] = (),
    ) -> None:  # fmt: skip
        self.sources = sources
        self.sessions_searched = sessions_searched
        self.sessions_total = sessions_total
        self.messages_searched = messages_searched
        self.oldest_ms = oldest_ms
        self.newest_ms = newest_ms
        self.index_age_ms = index_age_ms
        self.path = path
        self.since_ms = since_ms
        self.until_ms = until_ms
        self.zone = zone
        self.elapsed_ms = elapsed_ms
        self.gaps = list(gaps)

    @property
    def complete(self) -> bool:
        """Whether everything the question covers was searched."""
        return not any(gap.partial for gap in self.gaps)

    def add(self, gaps: Iterable[Gap]) -> None:
        """Join gaps of one kind and place into one counted gap."""
        for gap in gaps:
            for index, held in enumerate(self.gaps):
                if (held.kind, held.where, held.detail) == (gap.kind, gap.where, gap.detail):
                    self.gaps[index] = Gap(
                        gap.kind, held.count + gap.count, gap.detail, gap.action, gap.where
                    )
                    break
            else:
                self.gaps.append(gap)
