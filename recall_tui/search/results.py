"""What a person's search asks and gets back. The agents' side is in `search.recall`."""

from enum import StrEnum

from recall_tui.model import Filter, Kind, Reach, Reference, Session
from recall_tui.named import NamedTuple


class Case(StrEnum):
    """How letters compare."""

    SMART = "smart"
    """Ignored unless the pattern holds an upper-case letter."""
    EXACT = "exact"
    IGNORE = "ignore"


class GrepQuery(NamedTuple):
    """One literal or one regular expression over everything a filter admits."""

    pattern: str
    regex: bool = False
    case: Case = Case.SMART
    word: bool = False
    """Only matches not touching another word character on either side."""
    chosen: Filter = Filter()
    limit: int = 50
    """Hits wanted, at least 1."""
    cursor: str = ""
    """`next` of the page before."""
    count_only: bool = False
    totals: bool = True
    """Count everything that matches. Without it the search ends when the page is full."""
    timeout_s: float = 10.0
    """For a regular expression: seconds per block before that block becomes a gap."""


class Hit(NamedTuple):
    """One message that matches, with a bounded excerpt around its first match."""

    session: Session
    position: int
    kind: Kind
    time_ms: int
    digest: int
    flags: int
    text: str
    """Shown text (secrets are marks made readable), at most `excerpt.EXCERPT_CHARS` characters."""
    spans: tuple[tuple[int, int], ...]
    """Character spans of the matches inside `text`, ascending."""
    occurrences: int
    """Matches in the whole message."""
    cut: bool
    """`text` is not the whole message."""
    tool: str = ""

    @property
    def reference(self) -> Reference:
        """The stable name of the message."""
        return Reference(self.session.harness, self.session.name, self.position, self.digest)


class GrepUpdate:
    """Progress of a streaming search. Counts grow; `hits` are new and final, newest first.

    Attributes:
        total: Messages that match, so far.
        sessions: Sessions with a match, so far.
        next: Cursor of the next page, set on the last update when there is one.
        reach: Filled on the last update.
        exact: On the last update: the counts are of everything, not only of what was looked at.
    """

    __slots__ = ("done", "exact", "hits", "next", "occurrences", "reach", "sessions", "total")

    def __init__(
        self, hits: list[Hit], total: int, occurrences: int, sessions: int, *, done: bool,
        next: str = "", reach: Reach | None = None, exact: bool = True,  # noqa: A002 - its name
    ) -> None:  # fmt: skip
        self.hits = hits
        self.total = total
        self.occurrences = occurrences
        self.sessions = sessions
        self.done = done
        self.next = next
        self.reach = reach or Reach()
        self.exact = exact
