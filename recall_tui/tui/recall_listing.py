"""Recall's answer as rows: what was concluded, then the passages by rank, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len

from recall_tui.search.recall import why
from recall_tui.search.results import Hit
from recall_tui.tui import notation
from recall_tui.tui.hit_listing import excerpt_rows
from recall_tui.tui.lines import Line, clean, cut, wrap
from recall_tui.tui.listings import Listing, title_row
from recall_tui.tui.matching import Matcher
from recall_tui.tui.query import any_of

if TYPE_CHECKING:
    from recall_tui.model import Fact, Session
    from recall_tui.search.recall.envelope import Envelope, Passage, PassageMessage

_SNIPPET_CHARS: Final = 600
"""Characters of the anchor that are looked at around its first match."""


class RecallListing(Listing):
    """Facts above passages, three lines each."""

    row_lines: ClassVar[int] = 3

    def __init__(self, answer: Envelope) -> None:
        self.answer = answer
        self.query = any_of(answer.terms)
        self._spans = Matcher(self.query).spans
        if answer.facts:
            self.first = len(answer.facts) if answer.passages else 0
            heads = [(0, notation.counted(len(answer.facts), "fact"))]
            if answer.passages:
                heads.append((len(answer.facts), "What was said"))
            self._set_heads(heads)

    def __len__(self) -> int:
        return len(self.answer.facts) + len(self.answer.passages)

    def key(self, row: int) -> str:
        """Return the reference of a passage's anchor; of a fact, its words."""
        passage = self._passage(row)
        return str(passage.anchor) if passage else self.answer.facts[row].content

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session at the anchor; a fact opens nothing."""
        passage = self._passage(row)
        return (passage.session, passage.sequence) if passage else None

    def copied(self, row: int) -> tuple[str, str]:
        """Return the reference of a passage, the words of a fact."""
        return self.key(row), "reference" if self._passage(row) else "fact"

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return title and age, the match in its words, the reason."""
        passage = self._passage(row)
        if passage is None:
            return _fact_rows(self.answer.facts[row], width, now_ms)
        anchor = next((m for m in passage.messages if m.is_anchor), passage.messages[0])
        age = notation.age(anchor.time_ms or passage.session.ended_ms, now_ms)
        (snippet,) = excerpt_rows(self._hit(passage, anchor), width, 1)
        reason = clean(why.line(passage.why))
        if cell_len(reason) > width - 4:
            reason = _fitting(clean(why.line(passage.why, brief=True)), width - 4)
        return (
            Line(title_row(passage.session, width, age, mark=True)),
            Line(snippet),
            Line((("WHY ", "why"), (reason, "dim"))),
        )

    def why(self, row: int) -> str:
        """Return all of a row's reasons, which the list may show in brief; empty for a fact."""
        passage = self._passage(row)
        return clean(why.line(passage.why)) if passage else ""

    def _passage(self, row: int) -> Passage | None:
        number = row - len(self.answer.facts)
        return self.answer.passages[number] if number >= 0 else None

    def _hit(self, passage: Passage, anchor: PassageMessage) -> Hit:
        """Return the anchor as a hit, its text cut so that the first match is well inside."""
        spans = self._spans(anchor.text)
        start = max(0, spans[0][0] - _SNIPPET_CHARS // 3) if spans else 0
        text = anchor.text[start : start + _SNIPPET_CHARS]
        inside = tuple((a - start, b - start) for a, b in spans if b - start <= len(text))
        return Hit(
            passage.session, passage.sequence, anchor.kind, anchor.time_ms, 0, 0, text, inside,
            len(spans), cut=True, tool=anchor.tool,
        )  # fmt: skip


def _fitting(reason: str, cells: int) -> str:
    """Return as many parts of a reason as there is room for, whole ones."""
    shown, *parts = reason.split(" · ")
    for part in parts:
        if cell_len(f"{shown} · {part} …") > cells and (
            part != parts[-1] or cell_len(reason) > cells
        ):
            return cut(f"{shown} …", cells)
        shown += f" · {part}"
    return cut(shown, cells)


def _fact_rows(fact: Fact, width: int, now_ms: int) -> tuple[Line, ...]:
    """Return a fact on two lines over what sort it is and how old."""
    rows = wrap([(clean(fact.content), "")], max(8, width - 2))
    first, *rest = rows or [[]]
    second = cut("".join(text for row in rest for text, _ in [*row, (" ", "")]).strip(), width - 2)
    age = notation.age_words(fact.observed_ms, now_ms)
    return (
        Line((("◆ ", "accent"), *first)),
        Line((("  ", ""), (second, ""))),
        Line((("  ", ""), (cut(f"{clean(fact.kind)} · noted {age}", width - 2), "dim"))),
    )
