"""Narrowing: where a corpus can name the sessions that may hold a term, only those are read.

It decides how much is read, never what matches nor how it ranks (X-6): the named sessions are read
through the ordinary reader, and what the scores need of the others is counted by the corpus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.model import Declined
from recall_tui.search.without import Narrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Filter
    from recall_tui.search.ports import Corpus
    from recall_tui.search.recall.terms import Term


def narrowed(corpora: Sequence[Corpus], terms: Sequence[Term], chosen: Filter) -> list[Corpus]:
    """Return the corpora as they have to be read for explicit terms, in order.

    A corpus that declines, or cannot count what it would not read (S0-61), is returned as it is.
    """
    needles = [needle for term in terms for needle in term.needles]
    return [_part(corpus, needles, chosen) for corpus in corpora]


def _part(corpus: Corpus, needles: Sequence[bytes], chosen: Filter) -> Corpus:
    try:
        named = corpus.candidates(needles, chosen)
    except ValueError:  # a term that is no text in its folded form is looked for in all of it
        return corpus
    if isinstance(named, Declined) or corpus.coverage(chosen).searchable is None:
        return corpus
    return Narrowed(corpus, named.sessions)
