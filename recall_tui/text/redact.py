"""Replace secrets by marks, and marks by words a person can read.

Marked text is what the store keeps: each secret is `U+FDD0 rule ":" kept U+FDD1`, where `kept` is
the part that may stay visible. `sanitize` removes both characters from sources, so every mark in
sanitised text is ours.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

from recall_tui.text.rules import CANDIDATE, DEFINITE, RULES, Rule

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"
_MARK: Final = re.compile(f"{OPEN}([^:{CLOSE}]*):([^{CLOSE}]*){CLOSE}")
_ROUNDS: Final = 4


class Finding(NamedTuple):
    """A secret in a text: [start, end) in characters."""

    rule: str
    tier: str
    start: int
    end: int


def _version(rules: tuple[Rule, ...]) -> str:
    shape = repr(
        [(r.name, r.tier, r.anchors, r.pattern.pattern, r.prefix, r.suffix) for r in rules]
    )
    return hashlib.sha256(shape.encode()).hexdigest()[:12]


RULES_VERSION: Final = _version(RULES)
RULES_VERSION_DEFINITE: Final = _version(tuple(r for r in RULES if r.tier == DEFINITE))


def findings(text: str) -> list[Finding]:
    """Return the secrets of a text, ascending, overlaps merged; marks are not looked into."""
    found = sorted(
        (_found(rule, text, match) for rule in RULES for match in _matches(rule, text)),
        key=lambda f: (f.start, -f.end),
    )
    merged: list[Finding] = []
    for one in found:
        if merged and one.start < merged[-1].end:
            last = merged[-1]
            tier = DEFINITE if DEFINITE in (one.tier, last.tier) else CANDIDATE
            rule = one.rule if one.tier == DEFINITE != last.tier else last.rule
            merged[-1] = Finding(rule, tier, last.start, max(last.end, one.end))
        else:
            merged.append(one)
    return merged


def _matches(rule: Rule, text: str) -> list[re.Match[str]]:
    found = []
    low = text.lower() if rule.pattern.flags & re.IGNORECASE and text.isascii() else text
    for anchor in rule.anchors:
        at = low.find(anchor)
        while at >= 0:
            match = rule.pattern.match(text, at)
            if match is not None and OPEN not in match[0]:
                found.append(match)
            at = low.find(anchor, at + 1)
    return found


def _found(rule: Rule, text: str, match: re.Match[str]) -> Finding:
    start, end = match.span(1 if rule.pattern.groups else 0)
    return Finding(rule.name, rule.tier, start, end)


_KEEP: Final = {rule.name: (rule.prefix, rule.suffix) for rule in RULES}


def mark(text: str) -> str:
    """Return the text with each secret replaced by a mark; idempotent.

    Repeated until nothing more is found (S3-54).
    """
    for _ in range(_ROUNDS):
        found = findings(text)
        if not found:
            break
        parts = []
        at = 0
        for one in found:
            prefix, suffix = _KEEP[one.rule]
            secret = text[one.start : one.end]
            kept = f"{secret[:prefix]}…{secret[-suffix:]}" if prefix and suffix else ""
            parts += [text[at : one.start], OPEN, one.rule, ":", kept, CLOSE]
            at = one.end
        parts.append(text[at:])
        text = "".join(parts)
    return text


def shown(marked: str) -> str:
    """Return marked text as a person reads it: `[redacted:github-pat ghp_…x9Zk]`."""
    if OPEN not in marked:
        return marked
    return _MARK.sub(
        lambda m: f"[redacted:{m[1]} {m[2]}]" if m[2] else f"[redacted:{m[1]}]", marked
    )


def plain_pieces(marked: str) -> list[str]:
    """Return the texts between the marks: one more than there are marks."""
    return _MARK.split(marked)[::3] if OPEN in marked else [marked]


def is_secret(term: str) -> bool:
    """Return whether a search term is itself a secret: redacting it changes it (S0-12)."""
    return mark(term) != term
