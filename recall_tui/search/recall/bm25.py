"""The factors of BM25, with the weight of a term that is never negative (S0-65 ... S0-75)."""

from __future__ import annotations

from math import log

from recall_tui.search.recall import policy
from recall_tui.store.block import BlockKind


def idf(population: float, frequency: float) -> float:
    """Return the weight of a term that `frequency` of `population` documents hold (S0-68)."""
    population = max(population, frequency)
    return log((population - frequency + 0.5) / (frequency + 0.5) + 1)


def type_weight(kind: int) -> float:
    """Return what the messages of a kind of block weigh beside others (S0-73)."""
    return policy.TOOL_RESULT_WEIGHT if kind == BlockKind.TOOL else 1.0
