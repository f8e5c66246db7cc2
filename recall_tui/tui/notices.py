"""What stands where there is nothing to list: what was looked for, where, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from recall_tui.model import GapKind
from recall_tui.search.results import Case
from recall_tui.tui.gap_words import joined, summary
from recall_tui.tui.lines import cut
from recall_tui.tui.notation import counted

if TYPE_CHECKING:
    from recall_tui.tui.bars import Coverage
    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.lines import Piece
    from recall_tui.tui.searching import Search

Paragraphs: TypeAlias = "list[list[Piece]]"

_SHOWN_CELLS = 240
"""Of a query that found nothing: it stands in the box, too."""


def empty(
    search: Search, coverage: Coverage, keymap: Keymap, home: str, *, among: int
) -> Paragraphs:
    """Return what to say in the place of an empty list.

    Args:
        search: The question and its answer.
        coverage: What is known of the history.
        keymap: The keys in force.
        home: The home directory.
        among: Sessions that the filters admit.
    """
    of_history = search.error == coverage.fault if search.asked else not search.error
    if coverage.fault and of_history:
        return [
            [(f"{coverage.fault[:1].upper()}{coverage.fault[1:]}.", "warning")],
            [],
            [(keymap.shown("gaps"), "strong"), (" says how everything else stands, ", "muted"),
             (keymap.shown("refresh"), "strong"), (" tries again.", "muted")],
        ]  # fmt: skip
    if search.error:
        return _wrong(search)
    if search.asked and coverage.reach.sessions_total:
        if search.question.chips and not among:
            return _all_filtered(search, coverage, keymap)
        return _no_hits(search, coverage, keymap, among)
    return _no_history(coverage, keymap, home)


def _wrong(search: Search) -> Paragraphs:
    """Return why nothing is listed; of a wrong filter, which the row above names, all there are."""
    if not search.question.error:
        return [[(search.error, "warning")]]
    from recall_tui.search.filters import FIELDS

    fields = " ".join(f"{field}:" for field in FIELDS)
    return [[("Nothing was searched.", "title")], [], [("Filters: ", "muted"), (fields, "")]]


def _all_filtered(search: Search, coverage: Coverage, keymap: Keymap) -> Paragraphs:
    """Return that the filters leave nothing to search."""
    return [
        [("The filters leave no session.", "title")],
        [(" · ".join(search.question.chips), "accent")],
        [],
        [(f"None of {coverage.held} is like that.", "muted")],
        *_unsearched(search, coverage, keymap),
        [],
        [(keymap.shown("narrow"), "strong"), (" shows filters that leave something, ", "muted"),
         (keymap.shown("box.clear"), "strong"), (" clears the box.", "muted")],
    ]  # fmt: skip


def _unsearched(search: Search, coverage: Coverage, keymap: Keymap) -> Paragraphs:
    """Return what could not be searched."""
    missing = summary(joined(coverage.gaps, search.gaps), loud=True)
    if not missing:
        return []
    return [
        [],
        [(f"Not everything could be searched: {', '.join(missing)}. ", "warning")],
        [(keymap.shown("gaps"), "strong"), (" says what to do.", "muted")],
    ]


def _no_hits(search: Search, coverage: Coverage, keymap: Keymap, among: int) -> Paragraphs:
    """Return what was searched, what narrowed it, and what could not be searched."""
    question, switches = search.question, search.switches
    pattern = cut(question.pattern, _SHOWN_CELLS)
    words: Paragraphs = [
        [(f"Nothing says “{pattern}”." if pattern else "No session like that.", "title")]
    ]
    if search.recalling:
        words = [[("No passage answers that.", "title")]]
    if question.chips:
        words.append([(f"Among: {' · '.join(question.chips)}.", "accent")])
    held = counted(among, "session") if question.chips else coverage.held
    words += [
        [],
        [
            (f"Looked through {held}: what you typed, what agents ", "muted"),
            ("said, and every tool's input and output.", "muted"),
        ],
    ]
    on = [
        ("Aa exact case", "case", switches.case is Case.EXACT),
        ("\\b whole words", "word", switches.word),
        (".* regular expression", "regex", switches.regex),
    ]
    on = [] if search.recalling else on
    said = [f"{name} ({keymap.shown(action)} turns it off)" for name, action, is_on in on if is_on]
    if said:
        words += [[], [("Switched on: ", "muted"), (", ".join(said), "")]]
    words += _other_way(search, keymap)
    words += _unsearched(search, coverage, keymap)
    return [*words, [], [(keymap.shown("box.clear"), "strong"), (" clears the box.", "muted")]]


def _other_way(search: Search, keymap: Keymap) -> Paragraphs:
    """Return what the other mode would do with the same words."""
    key = (keymap.shown("mode"), "strong")
    if search.recalling:
        return [
            [],
            [key, (" looks for exactly this text, in all of every tool's output.", "muted")],
        ]
    if search.question.pattern and not search.switches.regex:
        one = " " not in search.question.pattern
        words = "this word in any form" if one else "these words in any order and form"
        return [[], [key, (f" looks for {words}.", "muted")]]
    return []


def _no_history(coverage: Coverage, keymap: Keymap, home: str) -> Paragraphs:
    """Return where sessions were looked for, and how to see the demo."""
    if coverage.reading:
        return [
            [("Reading your history for the first time…", "title")],
            [],
            [("The newest sessions come first, within a second or two.", "muted")],
        ]
    words: Paragraphs = [
        [("No agent sessions found yet.", "title")],
        [],
        [
            (
                "Recall reads what Claude Code, Codex, pi, OpenCode, Gemini CLI and Copilot ",
                "muted",
            ),
            ("CLI keep on this machine.", "muted"),
        ],
    ]
    for gap in coverage.gaps:
        if gap.kind in (GapKind.NO_SOURCES, GapKind.EXCLUDED):
            looked = gap.detail.replace(f"{home}/", "~/") if home else gap.detail
            words += [[], [(f"{looked[:1].upper()}{looked[1:]}.", "")]]
    return [
        *words,
        [],
        [(keymap.shown("demo"), "strong"), (" opens a demo history to try it on.", "")],
        [("recall --source PATH", "code"), (" reads sessions from another place.", "muted")],
    ]
