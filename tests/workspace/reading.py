"""Opening made workspaces, and what every corpus is compared by."""

from __future__ import annotations

from recall_tui.model import Filter
from recall_tui.search.workspace import WorkspaceCorpus
from recall_tui.text.fold import fold
from recall_tui.workspace import find
from recall_tui.workspace.catalogue import Place

ALL = Filter()


def opened(folder, **more) -> WorkspaceCorpus:
    """The workspace of a folder."""
    (files,) = find(str(folder))
    return WorkspaceCorpus(Place(files, str(folder)), **more)


def texts(corpus: WorkspaceCorpus, session: str) -> list[str]:
    """The texts of a session's messages, in order."""
    return [message.text for message in said(corpus, session)]


def said(corpus: WorkspaceCorpus, session: str):
    (found,) = corpus.find(f"maka:{session}")
    return corpus.messages(found.id)


def rows(corpus: WorkspaceCorpus, needle: bytes, chosen: Filter = ALL) -> list[tuple]:
    """Every matching message of a filter's blocks, with what it is made of: the predicate."""
    found = []
    for block in corpus.blocks(chosen):
        meta = block.meta
        for index, position in enumerate(meta.positions):
            if needle in block.fold_of(index):
                found.append(
                    (corpus.session(block.session).key, position, meta.kinds[index],
                     meta.times[index], meta.digests[index], block.text_of(index))
                )  # fmt: skip
    return sorted(found)


def narrowed(corpus: WorkspaceCorpus, needle: bytes) -> list[tuple] | None:
    """The same of the candidates alone; None when the corpus declines."""
    named = corpus.candidates([needle], ALL)
    if not hasattr(named, "sessions"):
        return None
    keys = tuple(corpus.session(row).key for row in named.sessions)
    return rows(corpus, needle, Filter(sessions=keys)) if keys else []


def term(word: str) -> bytes:
    return fold(word).encode("utf-8", "replace")


def matching(corpus: WorkspaceCorpus, word: str) -> list[tuple[str, int]]:
    """(native id, position) of the messages that hold a word; equal on both paths."""
    needle = term(word)
    full = rows(corpus, needle)
    short = narrowed(corpus, needle)
    assert short is None or short == full
    return [(key.removeprefix("maka:"), position) for key, position, *_ in full]
