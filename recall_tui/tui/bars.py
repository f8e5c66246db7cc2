"""What the one-line rows of the main screen say: pure functions of what is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple
from recall_tui.search.results import Case
from recall_tui.tui import first_frame, notation
from recall_tui.tui.gap_words import joined, summary
from recall_tui.tui.lines import clean, wrap
from recall_tui.tui.query import Mode
from recall_tui.tui.widgets.row import Part

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from recall_tui.model import Gap, Reach, Session
    from recall_tui.search.recall.envelope import Envelope
    from recall_tui.store.sync.progress import SyncProgress
    from recall_tui.tui.arrangement import Arrangement
    from recall_tui.tui.keymap import Keymap, Scope
    from recall_tui.tui.query import Switches
    from recall_tui.tui.searching import Search


_JUST_NOW_MS: Final = 2000
"""What was read within this is as good as new."""

_MISTAKE_LEAD: Final = "   ✗ "


class Bar(NamedTuple):
    """The parts of a row: flush left, flush right."""

    left: Sequence[Part] = ()
    right: Sequence[Part] = ()


@dataclass(slots=True)
class Coverage:
    """What is known of how far the history was read."""

    reach: Reach
    gaps: list[Gap] = field(default_factory=list)
    progress: SyncProgress | None = None
    subagents: int = 0
    """Of the sessions of `reach`: those that are folded under another."""
    as_of_ms: int = 0
    """When `reach` was read."""
    note: str = ""
    """Why the list is not kept live."""
    fault: str = ""
    """What went wrong since the list was read."""
    live: bool = False
    reading: bool = False
    """A sync is on its way and has not come to its end once: an empty list means nothing yet."""

    @property
    def syncing(self) -> bool:
        """Whether a sync is reading sources now."""
        return bool(self.progress and not self.progress.done and self.progress.bytes_total)

    @property
    def held(self) -> str:
        """What there is, as lists and sums count it: `2,143 sessions and 31 subagents`."""
        sessions = notation.counted(self.reach.sessions_total - self.subagents, "session")
        more = f" and {notation.counted(self.subagents, 'subagent')}" if self.subagents else ""
        return sessions + more

    def age_ms(self, now_ms: int) -> int | None:
        """Return how long ago the sources were compared, None when that is not known or is now."""
        if self.live or self.reach.index_age_ms is None:
            return None
        return self.reach.index_age_ms + max(0, now_ms - self.as_of_ms)


BRAND = Bar([Part(first_frame.BRAND, "heading"), Part(first_frame.PROMPT, "accent")])


def switches(state: Switches, *, narrow: bool) -> Bar:
    """Return the mode and the three switches; one that is on is underlined, too."""
    case = {Case.SMART: ("Aa", "dim"), Case.EXACT: ("Aa", "here"), Case.IGNORE: ("aa", "here")}
    word, ink = case[state.case]
    letters = [
        Part("  "),
        Part(word, ink, "cycle_case"),
        Part("  "),
        Part("\\b", "here" if state.word else "dim", "toggle_word"),
        Part("  "),
        Part(".*", "here" if state.regex else "dim", "toggle_regex"),
    ]
    if state.mode is Mode.RECALL:
        # Letters mean nothing to recall; their place is kept, so that nothing jumps.
        letters = [Part("".rjust(sum(len(part.text) for part in letters)))]
    inks = {state.mode: "here"}
    grep, recall = (Part(mode.value, inks.get(mode, "dim"), "toggle_mode") for mode in Mode)
    both = [Part(state.mode, "here", "toggle_mode"), Part(" " * (6 - len(state.mode)))]
    both = both if narrow else [grep, Part(" ▸ ", "dim", "toggle_mode"), recall]
    return Bar([Part(" "), *both, *letters, Part(" ")])


def status(coverage: Coverage, *, demo: bool) -> Bar:
    """Return how many sessions there are, and whether the list is live."""
    state = "demo" if demo else "live" if coverage.live and not coverage.reading else ""
    listed = coverage.reach.sessions_total - coverage.subagents
    words = notation.counted(listed, "session") if listed or not coverage.reading else ""
    return Bar((), [Part(f"{' · '.join(filter(None, (words, state)))} ", "muted")])


def programs(sessions: Iterable[Session]) -> Bar:
    """Return how many sessions are of which program, each a click away; nothing for one alone."""
    tally = Counter(session.harness for session in sessions)
    if len(tally) < 2:
        return Bar()
    return Bar(
        [
            part
            for harness, count in tally.most_common()
            for part in (
                Part(f" {notation.mark(harness)}", notation.mark_ink(harness), _narrow(harness)),
                Part(f" {count:,} ", "muted", _narrow(harness)),
            )
        ]
    )


def _narrow(harness: str) -> str:
    return f"narrow_to({f'harness:{harness}'!r})"


def count(
    search: Search,
    *,
    sessions: int,
    patient: bool,
    how: Arrangement,
    keymap: Keymap,
    width: int,
    offers: tuple[str, Sequence[str]] = ("", ()),
) -> Bar:
    """Return the filters as understood, and what was found.

    Args:
        search: The question and its answer so far.
        sessions: Sessions listed, for a box without a pattern.
        patient: The search has taken long enough to say so.
        how: The arrangement of sessions.
        keymap: The keys in force.
        width: Cells of the row.
        offers: A filter that is being typed, and what may follow it.
    """
    if offers[1]:
        field, values = offers
        return Bar([Part(f"   {field}: ", "accent"), Part(" · ".join(values), "dim")])
    if search.error:
        return mistake(search.error, width)[0]
    words = " · ".join(search.question.chips)
    chips = [Part(f"   {words}", "accent")] if words else []
    if not search.question.pattern:
        if not chips:
            return Bar(_hints(keymap, recalling=search.recalling), _arranged(how))
        total = Part(f"{notation.counted(sessions, 'session')} ", "strong")
        return Bar(chips, [*_arranged(how), Part("  "), total])
    if search.named:
        return Bar(chips, [Part(f"{notation.counted(sessions, 'session')} named ", "strong")])
    if search.running and search.rows is None:
        return Bar(chips, [Part("searching… ", "muted")] if patient else [])
    if not search.total:
        return Bar(chips, [Part("nothing " if search.recalling else "no hits ", "muted")])
    more = "…" if search.running else ""
    if search.answer is not None:
        return Bar(
            [*chips, *_asked(search.answer, after=bool(chips))], [*_ranked(search.answer, more)]
        )
    return Bar(
        chips,
        [
            Part(f"{notation.counted(search.total, 'hit')}{more}", "strong"),
            Part(f" in {notation.counted(search.sessions, 'session')} ", "muted"),
        ],
    )


def mistake(words: str, width: int) -> list[Bar]:
    """Return what is wrong with the question in one row, or in two that are `width` cells wide."""
    rows = wrap([(clean(words), "warning")], max(1, width - len(_MISTAKE_LEAD) - 1))
    texts = ["".join(text for text, _ in row) for row in rows]
    first, rest = texts[0], " ".join(texts[1:])
    bars = [Bar([Part(f"{_MISTAKE_LEAD}{first}", "warning")])]
    return [*bars, Bar([Part(" " * len(_MISTAKE_LEAD) + rest, "warning")])] if rest else bars


def _hints(keymap: Keymap, *, recalling: bool) -> list[Part]:
    """Return what can be typed in the empty box; what there is no room for stays away."""
    other = "finds exact words" if recalling else "asks a question"
    return [
        Part("   type to search · narrow: ", "dim", "narrow"),
        Part(f"{keymap.shown('narrow')}, since:7d, harness:pi", "dim", "narrow"),
        Part(" · ", "dim", "toggle_mode"),
        Part(f"{keymap.shown('mode')} {other} instead", "dim", "toggle_mode"),
    ]


def selected(count: int, keymap: Keymap) -> Bar:
    """Return how many sessions are selected, and what can be done with them all."""
    deeds = (("list.export", "export"), ("list.pin", "pin"), ("list.copy_else", "copy"))
    acts = [
        part
        for action, words in (*deeds, ("list.back", "let them go"))
        for part in (Part(f"   {keymap.shown(action)} ", "strong"), Part(words, "muted"))
    ]
    words = notation.counted(count, "session")
    return Bar([Part(f" ✓ {words} selected", "accent"), *acts])


def _arranged(how: Arrangement) -> list[Part]:
    """Return how the list is arranged; a click on either part takes the next one."""
    return [
        Part(how.group.value, "muted", "cycle_group"),
        Part(" · ", "dim"),
        Part(f"{how.order.value} ", "muted", "cycle_order"),
    ]


def _asked(answer: Envelope, *, after: bool) -> list[Part]:
    """Return what recall read out of the question beyond its words: days, terms nobody used."""
    words = []
    if answer.dates:
        words.append(f"around {', '.join(day.replace('/', ' to ') for day in answer.dates)}")
    if answer.unmatched:
        words.append(f"nobody says {', '.join(answer.unmatched)}")
    lead = " · " if after else "   "
    return [Part(lead + " · ".join(words), "muted")] if words else []


def _ranked(answer: Envelope, more: str) -> list[Part]:
    """Return how many passages were chosen, and from what."""
    passages = notation.counted(len(answer.passages), "passage")
    sessions = notation.counted(answer.sessions_matching, "session")
    about = "about " if answer.estimated else ""
    return [
        Part(f"{passages}{more}", "strong"),
        Part(f" of {about}{answer.matches:,} matches in {sessions} ", "muted"),
    ]


def banner(coverage: Coverage, search_gaps: Sequence[Gap], key: str, now_ms: int) -> Bar:
    """Return the line that is muted when nothing is missing, and amber when something is."""
    gaps = joined(coverage.gaps, search_gaps)
    loud, quiet = summary(gaps, loud=True), summary(gaps, loud=False)
    details = [Part(f"{key} ", "strong", "app.gaps"), Part("details ", "muted", "app.gaps")]
    if coverage.fault:
        return Bar([Part(f" ⚠ {coverage.fault}", "warning", "app.gaps")], details)
    if coverage.progress is not None and coverage.syncing:
        words = progress_words(coverage.progress)
        return Bar([Part(f"   {words}", "muted")], details if loud else [])
    if coverage.reading and not coverage.reach.sessions_total:
        return Bar([Part("   looking for your history…", "muted")])
    if loud:
        partial = coverage.reach.sessions_total and any(gap.partial for gap in gaps)
        lead = "partial: " if partial else ""
        return Bar([Part(f" ⚠ {lead}{' · '.join(loud)}", "warning", "app.gaps")], details)
    if coverage.note:
        return Bar([Part(f" ⚠ {coverage.note}", "warning", "app.gaps")], details)
    listed = coverage.reach.sessions_total - coverage.subagents
    words = f"   all {notation.counted(listed, 'session')}" if listed else "   no sessions yet"
    if (age := coverage.age_ms(now_ms)) is not None:
        words += f", {notation.span(age)} old" if age >= _JUST_NOW_MS else ", read just now"
    return Bar([Part(" · ".join([words, *quiet]), "dim", "app.gaps")], details if quiet else [])


def progress_words(progress: SyncProgress) -> str:
    """Return `reading your history · 34 % of 2.8 GB · 142 MB/s · 12 s left`."""
    done, total = progress.bytes_done, progress.bytes_total
    words = [f"reading your history · {min(100, round(100 * done / total))} %"]
    words[0] += f" of {notation.size(total)}"
    if progress.seconds > 0.5 and done:
        words.append(f"{notation.size(int(done / progress.seconds))}/s")
        left = (total - done) * progress.seconds / done
        if left > 0:
            words.append(f"{notation.span(int(left * 1000) + 1000)} left")
    words.append("searches already work on what was read")
    return " · ".join(words)


def head(session: Session, *, hits: int, number: int, finding: bool = False) -> Bar:
    """Return the session's title and which hit the current message is.

    Args:
        session: Whose head.
        hits: Messages that match.
        number: Which of them the current one is, 0 for none.
        finding: Something is looked for, so that its absence is worth a word.
    """
    title = session.title.replace("\n", " ") or "untitled"
    words = f"hit {number} of {hits:,} " if number else f"{notation.counted(hits, 'hit')} "
    right = [Part(words, "accent")] if hits else [Part("no hits ", "warning")] if finding else []
    return Bar([Part(" "), Part(title, "title")], right)


def facts(session: Session, *, position: int, now_ms: int, home: str) -> Bar:
    """Return harness, directory, branch, model, age; and where in the session one is."""
    known = (
        notation.short_path(session.last_cwd or session.cwd, home),
        session.branch,
        notation.short_model(session.models),
        notation.age_words(session.ended_ms, now_ms),
    )
    return Bar(
        [
            Part(" "),
            Part(session.harness, notation.mark_ink(session.harness)),
            *(Part(f" · {fact}", "muted") for fact in known if fact),
        ],
        [Part(f"{position + 1:,}/{session.messages:,} ", "dim")],
    )


def keys(keymap: Keymap, *scopes: Scope, idle: Container[str] = ()) -> Bar:
    """Return at most six keys that work where the focus is, help always among them.

    Arguments are those of `Keymap.footer`.
    """
    *first, helping = (
        (
            Part(f"{keymap.shown(action.id)} ", "strong", action.action),
            Part(f"{action.words.lower()}   ", "muted", action.action),
        )
        for action in keymap.footer(*scopes, idle=idle)
    )
    key, words = helping
    return Bar(
        [Part(" "), *(part for parts in first for part in parts)],
        [key, words._replace(text=f"{words.text.rstrip()} ")],
    )
