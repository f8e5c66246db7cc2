"""Find secrets and replace each by a mark (`marks`), so that none is ever stored or matched."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

from recall_tui.named import NamedTuple
from recall_tui.text import gates, unseen
from recall_tui.text.anchors import Anchors, Sought
from recall_tui.text.find import beyond_ascii
from recall_tui.text.late import late
from recall_tui.text.marks import CLOSE, OPEN, mark_spans, plain_pieces, shown
from recall_tui.text.rule import DEFINITE, Rule
from recall_tui.text.rules import ALGORITHM, RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = (
    "CLOSE",
    "OPEN",
    "Finding",
    "findings",
    "is_secret",
    "mark",
    "plain_pieces",
    "secret_starts",
    "shown",
    "version",
)


def version(rules: Iterable[Rule]) -> str:
    """Return what names a table of rules: another for other anchors, patterns, gates."""
    table = [
        (r.name, r.tier, r.anchors, r.pattern, r.gate.__name__, r.back, r.keep, bool(r.begin))
        for r in rules
    ]
    return f"{crc32(repr((ALGORITHM, table)).encode()):08x}"


_ROUNDS: Final = 8
"""Marking a secret can free another's border; past this many rounds the text is one mark."""
_UNSTABLE: Final = f"{OPEN}unstable:{CLOSE}"
_SKIP: Final = 256
"""A refused match this long is passed over whole, so that a huge value is read once."""


class Finding(NamedTuple):
    """A secret in a text, [start, end) in characters."""

    rule: str
    tier: str
    """definite | candidate"""
    start: int
    end: int


class _Hit(NamedTuple):
    """A secret in bytes. `own` is the span its rule saw; merging may widen [start, end)."""

    start: int
    end: int
    order: int
    own: tuple[int, int]

    @property
    def rule(self) -> Rule:
        return RULES[self.order]


def mark(text: str) -> str:
    """Return sanitised text with each secret replaced by a mark; idempotent (S3-54).

    Marks already there stay as they are.
    """
    for _ in range(_ROUNDS):
        raw = text.encode("utf-8", "replace")
        hits = _hits(raw)
        if not hits:
            return text
        text = _replaced(raw, hits)
    return _UNSTABLE


def secret_starts(raw: bytes, low: bytes, beyond: str) -> list[int]:
    """Return where the secrets of several texts joined by byte 0xFF start, in bytes.

    The scan costs a fixed time a call beside its time a byte, and messages are short.

    Args:
        raw: The UTF-8 of sanitised texts, joined. A few hundred kilobytes a call are enough.
        low: The same in lower case.
        beyond: All characters beyond ASCII of the texts.
    """
    starts = [hit.start for hit in _scan(raw, low)]
    if unseen.may_split(raw, beyond):
        starts += [hit.start for hit in _split_hits(raw)]
    return starts


def findings(text: str) -> list[Finding]:
    """Return the secrets of a text in order, overlapping ones merged into one.

    The more certain tier names a merged finding, then the order of the table. Marks are passed
    over.
    """
    raw = text.encode("utf-8", "replace")
    found = []
    at = chars = 0
    for hit in _hits(raw):
        chars += len(raw[at : hit.start].decode())
        length = len(raw[hit.start : hit.end].decode())
        found.append(Finding(hit.rule.name, hit.rule.tier, chars, chars + length))
        at, chars = hit.end, chars + length
    return found


def is_secret(term: str) -> bool:
    """Return whether a search term is credential-shaped: redacting it changes it (S0-12)."""
    return mark(term) != term


def holds_secret(query: str) -> bool:
    """Return whether a query, or a word of it, is credential-shaped."""
    return is_secret(query) or any(map(is_secret, query.split()))


# ---------------------------------------------------------------- the scan


_Ordered: TypeAlias = tuple[tuple[int, Rule], ...]


class _Anchor(NamedTuple):
    """A literal, and the rules that start there with their order."""

    literal: bytes
    rules: _Ordered
    following: dict[int, _Ordered] | None
    """The byte behind the literal -> the rules that it may begin; None: every byte, all rules."""


def _anchors() -> list[_Anchor]:
    table: dict[str, list[tuple[int, Rule]]] = {}
    for order, rule in enumerate(RULES):
        for anchor in rule.anchors:
            table.setdefault(anchor, []).append((order, rule))
    return [
        _Anchor(anchor.encode(), tuple(rules), _following(rules)) for anchor, rules in table.items()
    ]


def _following(rules: Sequence[tuple[int, Rule]]) -> dict[int, _Ordered] | None:
    if all(len(rule.follow) >= _ANY for _, rule in rules):
        return None
    every = set(b"".join(rule.follow for _, rule in rules))
    return {
        byte: tuple((order, rule) for order, rule in rules if byte in rule.follow) for byte in every
    }


_ANY: Final = 256
"""Bytes in a `Rule.follow` that says nothing."""
_TABLE: Final = _anchors()


def _sought(anchor: _Anchor) -> Sought:
    """Return what a scan looks for: where no rule could begin it needs no look."""
    following = anchor.following or {}
    unlike = {pair for _, rule in anchor.rules for pair in rule.unlike}
    none = [
        pair
        for pair in sorted(unlike)
        if pair[0] in following and all(pair in rule.unlike for _, rule in following[pair[0]])
    ]
    return Sought(anchor.literal, bytes(sorted(following)), tuple(none))


_ANCHORS: Final = Anchors([_sought(anchor) for anchor in _TABLE])


def _hits(raw: bytes) -> list[_Hit]:
    """The secrets of a UTF-8 text, ascending, disjoint, outside of marks."""
    hits = list(_scan(raw, raw.lower()))
    if not raw.isascii() and unseen.may_split(raw, beyond_ascii(raw)):
        hits += _split_hits(raw)
    if hits and (marks := mark_spans(raw)):
        starts = [start for start, _ in marks]
        ends = [end for _, end in marks]
        hits = [h for h in hits if bisect_left(starts, h.end) == bisect_right(ends, h.start)]
    return _merged(hits)


def _split_hits(raw: bytes) -> list[_Hit]:
    """The secrets of a text in which characters that nobody sees stand between the letters."""
    parts = unseen.without(raw)
    if parts is None:
        return []
    plain, place = parts
    return [
        _Hit(place(hit.start), place(hit.end), hit.order, (place(hit.own[0]), place(hit.own[1])))
        for hit in _scan(plain, plain.lower())
    ]


def _scan(raw: bytes, low: bytes) -> Iterator[_Hit]:
    length = len(low)
    passed = [0] * len(_TABLE)
    for index, at in _ANCHORS.places(low):
        if at < passed[index]:
            continue
        literal, all_rules, following = _TABLE[index]
        behind = after = at + len(literal)
        if behind == length:
            continue
        rules = all_rules if following is None else following.get(low[behind], ())
        for order, rule in rules:
            if rule.ready is not None and not rule.ready(low, at, behind):
                continue
            start = at - rule.back if rule.begin is None else rule.begin(raw, at)
            match = rule.compiled.match(raw, start) if start >= 0 else None
            if match is None:
                continue
            if rule.gate(raw, match):
                own = match.span("secret" if "secret" in match.re.groupindex else 0)
                end = _whole_end(raw, own, wraps=rule.wraps)
                yield _Hit(own[0], end, order, own)
                after = max(after, end)
            elif match.end() - at > _SKIP:
                after = max(after, match.end())
        passed[index] = after


_WRAP: Final = late(
    rb"\r?\n[ \t]{0,16}((?=[\w-]{0,64}[0-9])(?=[\w-]{0,64}[a-z])(?=[\w-]{0,64}[A-Z])[\w-]{6,512})"
    rb"(?=[\s\"'`,;)]|\Z)"
)
_NARROW: Final = 60
"""No terminal is narrower: a shorter line was not wrapped."""


_LONG: Final = 512
"""A secret this long may have met the bound of its pattern."""
_RUN: Final = late(rb"[\w+/=.~-]*+")


def _whole_end(raw: bytes, own: tuple[int, int], *, wraps: bool) -> int:
    """Where a secret really ends: patterns are bounded, and a terminal breaks long tokens.

    A broken token goes on at the start of the next line, with letters of both cases and digits.
    """
    start, end = own
    if end - start >= _LONG:
        end = _RUN.match(raw, end).end()  # type: ignore[union-attr]  # matches anything
    wrapped = _WRAP.match(raw, end) if wraps else None
    if wrapped is None or gates.is_wordlike(wrapped[1]):
        return end
    is_long_line = end - raw.rfind(b"\n", max(0, start - _NARROW), start) > _NARROW
    return wrapped.end(1) if is_long_line or end - start > _NARROW else end


def _merged(hits: list[_Hit]) -> list[_Hit]:
    hits.sort(key=lambda hit: (hit.start, -hit.end, hit.order))
    merged: list[_Hit] = []
    for hit in hits:
        if not merged or hit.start >= merged[-1].end:
            merged.append(hit)
            continue
        last = merged[-1]
        winner = min(last, hit, key=lambda h: (h.rule.tier != DEFINITE, h.order))
        merged[-1] = _Hit(last.start, max(last.end, hit.end), winner.order, winner.own)
    return merged


def _replaced(raw: bytes, hits: list[_Hit]) -> str:
    parts = []
    at = 0
    for hit in hits:
        kept = _kept(raw[hit.own[0] : hit.own[1]].decode(), *hit.rule.keep)
        parts += [raw[at : hit.start].decode(), f"{OPEN}{hit.rule.name}:{kept}{CLOSE}"]
        at = hit.end
    return "".join([*parts, raw[at:].decode()])


def _kept(secret: str, prefix: int, suffix: int) -> str:
    """The part that may stay visible, if most of the secret is then still hidden."""
    if not suffix or len(secret) < prefix + suffix + 8:
        return ""
    return f"{secret[:prefix]}…{secret[-suffix:]}"
