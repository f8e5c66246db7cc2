"""From a request to an envelope: admission, scan, scores, choice, passages, reach."""

from __future__ import annotations

from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.model import Filter, Flag, Gap, GapKind, Kind, Reference
from recall_tui.named import NamedTuple
from recall_tui.search.reach import reached
from recall_tui.search.recall import dates, passages, policy, reasons, terms, wire
from recall_tui.search.recall.board import Board
from recall_tui.search.recall.envelope import Envelope, Passage
from recall_tui.search.recall.messages import by_messages
from recall_tui.search.recall.narrowing import narrowed
from recall_tui.search.recall.request import aborted, checked
from recall_tui.search.recall.scan import Scan
from recall_tui.search.recall.select import choose
from recall_tui.search.recall.sentences import by_sessions, shortlisted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

    from recall_tui.model import Fact, Reach
    from recall_tui.search.ports import Corpus, FactSource, Stop
    from recall_tui.search.recall.dates import Span
    from recall_tui.search.recall.hits import Scanned
    from recall_tui.search.recall.request import RecallRequest
    from recall_tui.search.recall.select import Choice
    from recall_tui.search.recall.terms import Term


class Asked(NamedTuple):
    """A request as it is looked for."""

    request: RecallRequest
    terms: Sequence[Term]
    spans: tuple[Span, ...]
    zone: tzinfo


def understood(request: RecallRequest, zone: tzinfo) -> Asked:
    """Return a checked request with its terms and the times it names."""
    if request.terms:
        return Asked(request, [terms.literal(term) for term in request.terms], (), zone)
    spans, rest = dates.take(request.sentence, clock.now_ms(), zone)
    return Asked(request, terms.split(rest), spans, zone)


def recall(
    corpora: Sequence[Corpus],
    request: RecallRequest,
    stop: Stop,
    zone: tzinfo,
    layers: Sequence[FactSource] = (),
    scope: str = "",
) -> Envelope:
    """Answer a question with the best passages.

    Args:
        corpora: Where to look. No session may be in two of them.
        request: The question; it is checked before anything is touched.
        stop: Asked between blocks.
        zone: The zone of the days a sentence names.
        layers: Where facts are looked up.
        scope: Folder of the workspace that is asking, for its own facts.

    Raises:
        RefusedError: The question cannot be asked, or the caller stopped (no partial answer).
    """
    started = perf_counter()
    asked = understood(checked(request), zone)
    literal = bool(request.terms)
    running = _running_turn(corpora, request.current_session)
    # A sentence is measured against whole sessions, so it reads them all.
    read = narrowed(corpora, asked.terms, request.chosen) if literal else corpora
    asked, scan = _scanned(read, asked, stop, running)
    board = Board(corpora, request.chosen, scan)
    every = list(read) == list(corpora)
    if not every and not board.counted:
        every = True
        asked, scan = _scanned(corpora, asked, stop, running)
        board = Board(corpora, request.chosen, scan)
    if stop():
        raise aborted()
    ranked = (
        by_messages(board, request.limit)
        if literal
        else by_sessions(board, request.sentence, asked.spans, zone, request.limit)
    )
    choices = choose(
        ranked,
        request.limit,
        whole=not literal,
        expand=request.expand,
        recent=request.recent,
    )
    if stop():
        raise aborted()
    words = [term.spelling for term in asked.terms if term.telling]
    found_facts = (fact for layer in layers for fact in layer.facts(words, scope))
    facts = tuple(islice(found_facts, policy.MAX_FACTS))
    reach = reached(corpora, request.chosen)
    reach.zone = request.zone
    envelope = _envelope(board, asked, choices, facts, reach)
    envelope = envelope._replace(searched_every_session=every)
    reach.add(_gaps(asked, scan.found, envelope))
    if not layers:
        reach.add([Gap(GapKind.NO_FACTS, 1, "no fact matched: there is no layer of facts")])
    for layer in layers:
        reach.add(layer.gaps(matched=bool(facts)))
    reach.elapsed_ms = (perf_counter() - started) * 1000
    return envelope


def _scanned(
    corpora: Sequence[Corpus],
    asked: Asked,
    stop: Stop,
    running: Mapping[tuple[int, int], int],
) -> tuple[Asked, Scan]:
    """Scan; once more when a word is nowhere and something like it was said."""
    # Named times decide as well, and what they add is no matter of words: nothing is put off.
    enough = 0 if asked.request.terms or asked.spans else shortlisted(asked.request.limit)
    scan = Scan(corpora, asked.request, asked.terms, running, enough)
    if not scan.run(stop):
        raise aborted()
    pairs = zip(asked.terms, scan.found.tallies, strict=True)
    guesses = {
        n: terms.with_typos(term)
        for n, (term, tally) in enumerate(pairs)
        if not tally.seen and terms.may_be_typo(term)
    }
    meant = _said(corpora, asked.request, guesses, stop, running) if guesses else {}
    if not meant:
        return asked, scan
    guessed = [meant.get(n, term) for n, term in enumerate(asked.terms)]
    again = Scan(corpora, asked.request, guessed, running, enough)
    if not again.run(stop):
        raise aborted()
    return asked._replace(terms=guessed), again


def _said(
    corpora: Sequence[Corpus],
    request: RecallRequest,
    guesses: Mapping[int, Term],
    stop: Stop,
    running: Mapping[tuple[int, int], int],
) -> dict[int, Term]:
    """Return those of some guesses that anybody said: talk is a third of the text.

    Most words that are nowhere are not misspelt, and not worth a second look at everything.
    """
    kinds = request.chosen.kinds_admitted - {Kind.TOOL_RESULT}
    if not kinds:
        return dict(guesses)
    talk = request._replace(chosen=request.chosen._replace(kinds=tuple(kinds), roles=()))
    scan = Scan(corpora, talk, list(guesses.values()), running)
    if not scan.run(stop):
        raise aborted()
    pairs = zip(guesses.items(), scan.found.tallies, strict=True)
    return {n: guess for (n, guess), tally in pairs if tally.seen}


def _running_turn(corpora: Sequence[Corpus], current: str) -> dict[tuple[int, int], int]:
    """Return where the turn that is asking begins: (corpus, session) -> position of its prompt."""
    begins: dict[tuple[int, int], int] = {}
    if not current:
        return begins
    for number, corpus in enumerate(corpora):
        # Where turns were taken back, Codex goes on in another file, named after the first.
        further = f"{current}_"
        found = [s for s in corpus.find(further) if s.key.startswith(further)]
        found = found or [s for s in corpus.find(current) if s.key == current]
        for session in sorted(found, key=lambda one: one.ended_ms)[-1:]:
            for block in corpus.blocks(Filter(sessions=(current,), include_copies=True)):
                meta = block.meta
                last = max(
                    (
                        position
                        for position, kind, flags in zip(
                            meta.positions, meta.kinds, meta.flags, strict=True
                        )
                        if kind == Kind.PROMPT and not flags & Flag.WITHIN
                    ),
                    default=-1,
                )
                place = (number, session.id)
                begins[place] = max(begins.get(place, -1), last)
    return begins


def _envelope(
    board: Board, asked: Asked, choices: list[Choice], facts: tuple[Fact, ...], reach: Reach
) -> Envelope:
    found = board.found
    shown = [
        (term, tally)
        for term, tally in zip(asked.terms, found.tallies, strict=True)
        if term.telling or term.sort == "word"
    ]
    return Envelope(
        reach,
        passages=tuple(_passages(board, asked, choices, wire.facts_size(facts))),
        facts=facts,
        terms=tuple(term.spelling for term, _ in shown),
        unmatched=tuple(t.spelling for t, tally in shown if t.telling and not tally.seen),
        dates=tuple(map(str, asked.spans)),
        matches=max(found.matches, *(tally.messages for tally in found.tallies), 0),
        sessions_matching=max(
            len(found.totals), *(round(t.sessions_of(board.size)) for t in found.tallies), 0
        ),
        verified=tuple((term.spelling, tally.messages) for term, tally in shown),
        estimated=found.estimated,
    )


def _passages(board: Board, asked: Asked, choices: list[Choice], taken: int) -> Iterator[Passage]:
    """Yield the passages of the choices while the budget of the envelope lasts.

    Args:
        board: What scoring knows.
        asked: What was asked for.
        choices: Best first.
        taken: Bytes of the answer that are no passages: facts, and what says how far it reached.
    """
    left = policy.ENVELOPE_BYTES - taken
    for number, choice in enumerate(choices):
        share = min(policy.PASSAGE_BYTES, left // (len(choices) - number))
        passage = _passage(board, asked, choice, share)
        if passage is None:
            continue
        size = wire.passage_size(passage) + wire.materials_size(passage)
        if size <= left:  # an anchor with many files costs more than its share
            left -= size
            yield passage


def _passage(board: Board, asked: Asked, choice: Choice, budget: int) -> Passage | None:
    ranked, evidence = choice.ranked, choice.evidence
    session = ranked.session
    why = reasons.why(asked.terms, board, choice)
    bare = Passage(
        session=session,
        anchor=Reference(session.harness, session.name, evidence.position, evidence.digest),
        turn=choice.turn,
        sequence=evidence.position,
        score=choice.score,
        matched=tuple(hit.spelling for hit in why.terms),
        why=why,
        messages=(),
        has_more_before=False,
        has_more_after=False,
        truncated=False,
        is_current=session.key == asked.request.current_session,
        family=choice.family,
    )
    turn = passages.Turn(
        board.corpora[ranked.corpus], session.id, ranked.kinds, choice.turn, choice.after
    )
    around = passages.window(
        turn,
        evidence.position,
        policy.NEIGHBOURS,
        policy.NEIGHBOURS,
        budget - wire.passage_size(bare),
        [needle.decode("utf-8", "replace") for t in asked.terms for needle in t.needles],
        digest=evidence.digest,
    )
    if around is None:
        return None
    return bare._replace(
        messages=around.messages,
        has_more_before=around.has_more_before,
        has_more_after=around.has_more_after,
        truncated=around.truncated,
    )


_ELSE: Final = "try another word for it, an identifier, or a wider time"
_SPLIT: Final = "a term is one literal text: give the words that tell most as terms of their own"


def _is_sentence(term: str) -> bool:
    """Whether an agent's term is one nobody writes the same way twice."""
    return len(term.split()) > 3


def _gaps(asked: Asked, found: Scanned, envelope: Envelope) -> Iterator[Gap]:
    """Yield what the answer lacks, apart from what its corpora know (S0-122)."""
    if not asked.terms and not asked.spans:
        yield Gap(
            GapKind.NO_MATCH, 1, "the question holds only words that are everywhere, or too short",
            'name what it is about, or put a phrase in "quotes"',
        )  # fmt: skip
    if envelope.unmatched:
        named = ", ".join(envelope.unmatched)
        literal = asked.request.terms and any(map(_is_sentence, envelope.unmatched))
        yield Gap(
            GapKind.NO_MATCH, len(envelope.unmatched), f"no message holds: {named}",
            _SPLIT if literal else _ELSE,
        )  # fmt: skip
    beyond = sum(tally.beyond for tally in found.tallies)
    if beyond:
        yield Gap(
            GapKind.HORIZON, beyond,
            "message holds a term only beyond what recall sees of tool calls and long output"
            + (", by estimate" if found.estimated else ""),
            "recall grep searches all of it",
        )  # fmt: skip
