"""How these tests ask: one or more made-up corpora, an answer back."""

from __future__ import annotations

from datetime import UTC

from recall_tui.model import Filter, Kind
from recall_tui.search.recall import more as extend
from recall_tui.search.recall import recall
from recall_tui.search.recall.request import MoreRequest, RecallRequest
from tests.search.corpora import MemoryCorpus, Said, Talk, never

DAY_MS = 86_400_000
NOON = 1_700_000_000_000


def talk(name: str, *texts: str | Said, kind: Kind = Kind.PROMPT, day: int = 0, **more) -> Talk:
    """A session: plain texts are messages of one kind, a minute apart."""
    said = []
    for number, text in enumerate(texts):
        one = text if isinstance(text, Said) else Said(text, 0, kind)
        one.time_ms = one.time_ms or NOON + day * DAY_MS + number * 60_000
        said.append(one)
    return Talk(name, said, **more)


def corpus(*talks: Talk) -> MemoryCorpus:
    return MemoryCorpus(list(talks))


def ask(*talks: Talk, terms: tuple[str, ...] = (), sentence: str = "", **options):
    """The envelope for a question put to some sessions."""
    stop = options.pop("stop", never)
    request = RecallRequest(terms=terms, sentence=sentence, **options)
    return recall([corpus(*talks)], request, stop, UTC)


def more_of(corpora, reference, before=8, after=8, **options):
    return extend(corpora, MoreRequest(str(reference), before, after, **options), never)


def anchors(envelope) -> list[tuple[str, int]]:
    return [(p.session.native_id, p.sequence) for p in envelope.passages]


def sessions(envelope) -> list[str]:
    return list(dict.fromkeys(p.session.native_id for p in envelope.passages))


def everything() -> Filter:
    return Filter()
