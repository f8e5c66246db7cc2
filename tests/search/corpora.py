"""Corpora made from a few messages, and the naive scan they are all compared with."""

from __future__ import annotations

import json
import os
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import regex

from recall_tui.harnesses.base import Parsed, Source
from recall_tui.model import SEARCHABLE, Filter, Kind, Material, Message, Session, SessionKind
from recall_tui.search.cold import ColdCorpus
from recall_tui.search.ports import Declined
from recall_tui.search.reach import coverage_of
from recall_tui.search.sessions import admitted, named
from recall_tui.store.block import Block, BlockKind
from recall_tui.store.build import BlockBuilder
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.ingest import prepare
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import sync
from recall_tui.text.fold import fold
from recall_tui.text.redact import CLOSE, OPEN, mark, shown
from recall_tui.text.sanitize import sanitize
from recall_tui.text.words import is_word
from tests.store.toy import Toy, line


@dataclass
class Said:
    """One message of a made-up session."""

    text: str
    time_ms: int = 0
    kind: Kind = Kind.PROMPT
    tool: str = ""
    record: str = ""
    materials: tuple[Material, ...] = ()


@dataclass
class Talk:
    """One made-up session."""

    name: str
    said: list[Said] = field(default_factory=list)
    copied: int = 0
    cwd: str = "/work/app"
    kind: SessionKind = SessionKind.MAIN
    ended_ms: int = 0
    harness: str = "claude"

    @property
    def end(self) -> int:
        return max([self.ended_ms, *(s.time_ms for s in self.said)])


def session_of(talk: Talk, row: int) -> Session:
    times = [s.time_ms for s in talk.said if s.time_ms]
    return Session(
        id=row, key=f"{talk.harness}:{talk.name}", harness=talk.harness, native_id=talk.name,
        path=f"/history/{talk.name}.jsonl", title=talk.name, cwd=talk.cwd, last_cwd=talk.cwd,
        branch="main", models=(), kind=talk.kind, parent="", started_ms=min(times, default=0),
        ended_ms=talk.end, messages=len(talk.said), prompts=0, tool_calls=0, errors=0,
        materials=0, size=0, copied=talk.copied, root="/history",
    )  # fmt: skip


class MemoryCorpus:
    """Sessions in memory, cut into blocks of a few messages."""

    divided = False
    """Whether a child is worth it."""

    def __init__(self, talks: list[Talk], *, block_size: int = 3, name: str = "index") -> None:
        self.name = name
        self.talks = talks
        self.rows = [session_of(talk, row) for row, talk in enumerate(talks)]
        self.built = [self._pack(talk, block_size) for talk in talks]
        self.yielded = 0

    @staticmethod
    def _pack(talk, block_size):
        builders = {kind: BlockBuilder(kind) for kind in BlockKind}
        built = []
        for position, said in enumerate(talk.said):
            kind = BlockKind.TOOL if said.kind is Kind.TOOL_RESULT else BlockKind.TALK
            parsed = Parsed(
                said.kind, said.text, said.time_ms, tool=said.tool, materials=said.materials
            )
            builders[kind].add(position, prepare(parsed))
            if len(builders[kind]) == block_size:
                built.append(builders[kind].take())
        built += [b for builder in builders.values() if (b := builder.take())]
        return built

    def sessions(self, chosen):
        return sorted(admitted(self.rows, chosen), key=lambda s: -s.ended_ms)

    def blocks(self, chosen):
        found = []
        for session in self.sessions(chosen):
            for built in self.built[session.id]:
                times = built.meta.times
                last = max(t or session.ended_ms for t in times)
                found.append((last, session.id, built))
        found.sort(key=lambda item: -item[0])
        for number, (last, row, built) in enumerate(found):
            self.yielded += 1
            yield Block(
                number, row, built.kind, last, built.meta.pack(), built.fold,
                lambda built=built: built.raw, lambda built=built: built.attributes,
                self.rows[row].copied,
            )  # fmt: skip

    def divisible(self, chosen):
        return self.divided

    def coverage(self, chosen):
        held = self.sessions(chosen)
        said = (s.kind for row in held for s in self.talks[row.id].said[row.copied :])
        return coverage_of(held)._replace(searchable=sum(kind in SEARCHABLE for kind in said))

    def session(self, row):
        return self.rows[row]

    def find(self, name):
        return named(name, self.rows)

    def messages(self, row, start=0, stop=None):
        found = []
        for built in self.built[row]:
            block = Block(0, row, built.kind, 0, built.meta, built.fold, lambda b=built: b.raw)
            for index, position in enumerate(built.meta.positions):
                if position >= start and (stop is None or position < stop):
                    found.append(
                        Message(
                            self.rows[row].key,
                            position,
                            Kind(built.meta.kinds[index]),
                            built.meta.times[index],
                            block.text_of(index),
                            built.meta.digests[index],
                            built.meta.flags[index],
                        )
                    )
        return sorted(found, key=lambda m: m.position)

    def candidates(self, terms, chosen):
        return Declined("in memory")

    def gaps(self, chosen):
        return []


def write_sources(folder: Path, talks: list[Talk], *, late_ms: int = 0) -> list[Source]:
    """Write talks as files of the toy harness, each last written `late_ms` after its end."""
    for talk in talks:
        lines = [json.dumps({"meta": {"ended_ms": talk.end, "cwd": talk.cwd}}) + "\n"]
        lines += [
            line(said.kind.word, said.text, t=said.time_ms, id=said.record, tool=said.tool)
            for said in talk.said
        ]
        path = folder / f"{talk.name}.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        written = (talk.end + late_ms) * 1_000_000
        os.utime(path, ns=(written, written))
    return list(Toy().discover(str(folder), []))


def cold_corpus(folder: Path) -> ColdCorpus:
    return ColdCorpus([(Toy(), source) for source in Toy().discover(str(folder), [])])


@contextmanager
def store_corpus(folder: Path):
    """An index of the toy files below a folder."""
    index = str(folder.parent / f"{folder.name}.data" / "index.db")
    sync(index, [Place(Toy(), str(folder))])
    corpus = StoreCorpus(index)
    try:
        yield corpus
    finally:
        corpus.close()


# ---------------------------------------------------------------- the naive scan


def stored(text: str) -> str:
    """What the store keeps of a text: marked."""
    return mark(sanitize(text))


def plain_runs(marked: str) -> list[str]:
    """The texts between redaction marks, found without the code under test."""
    runs = [""]
    inside = False
    for char in marked:
        if char == OPEN:
            inside = True
            runs.append("")
        elif char == CLOSE:
            inside = False
        elif not inside:
            runs[-1] += char
    return runs


def naive_count(text: str, query) -> int:
    """How often a text matches, the slow and obvious way."""
    runs = plain_runs(stored(text))
    exact = query.case == "exact" or (
        query.case == "smart" and any(c.isupper() or c.istitle() for c in query.pattern)
    )
    if query.regex:
        # In place, so that ^ and a lookbehind see what stands before a redaction.
        whole = unicodedata.normalize("NFC", OPEN.join(runs))
        flags = regex.MULTILINE | (0 if exact else regex.IGNORECASE)
        source = unicodedata.normalize("NFC", query.pattern)
        pattern = regex.compile(rf"(?<!\w)(?:{source})(?!\w)" if query.word else source, flags)
        count = start = 0
        for piece in whole.split(OPEN):
            count += len(list(pattern.finditer(whole, start, start + len(piece))))
            start += len(piece) + 1
        return count
    change = (lambda s: unicodedata.normalize("NFC", s)) if exact else fold
    needle = change(query.pattern)
    return sum(naive_finds(change(run), needle, query.word) for run in runs)


def naive_finds(text: str, needle: str, word: bool) -> int:
    count = at = 0
    while at + len(needle) <= len(text):
        end = at + len(needle)
        alone = not ((at > 0 and is_word(text[at - 1])) or (end < len(text) and is_word(text[end])))
        if text[at:end] == needle and (alone or not word):
            count += 1
            at = end
        else:
            at += 1
    return count


def naive_grep(talks: list[Talk], query):
    """Every match as (session key, position, time shown, count), in the order of grep."""
    found = []
    chosen: Filter = query.chosen
    rows = [session_of(talk, row) for row, talk in enumerate(talks)]
    for talk in (talks[session.id] for session in admitted(rows, chosen)):
        for position, said in enumerate(talk.said):
            time_ms = said.time_ms or talk.end
            if (
                (position < talk.copied and not chosen.include_copies)
                or not chosen.admits_kind(said.kind)
                or (chosen.since_ms is not None and time_ms < chosen.since_ms)
                or (chosen.until_ms is not None and time_ms > chosen.until_ms)
            ):
                continue
            if count := naive_count(said.text, query):
                found.append((-time_ms, f"{talk.harness}:{talk.name}", -position, count))
    return [(key, -behind, count) for _, key, behind, count in sorted(found)]


def drained(updates):
    """All hits of a search in the order handed out, and its last update."""
    hits = []
    last = None
    for update in updates:
        assert last is None or not last.done
        hits += update.hits
        last = update
    assert last is not None and last.done
    return hits, last


def rows(hits):
    return [(h.session.key, h.position, h.occurrences) for h in hits]


def paged(grep, corpora, query, limit):
    """The hits of all pages put end to end."""
    hits = []
    cursor = ""
    for _ in range(10_000):
        page, last = drained(grep(corpora, query._replace(limit=limit, cursor=cursor), never))
        hits += page
        assert len(page) <= limit
        cursor = last.next
        if not cursor:
            return hits
    raise AssertionError("pages without end")


def never() -> bool:
    return False


def readable(text: str) -> str:
    return unicodedata.normalize("NFC", shown(stored(text)))
