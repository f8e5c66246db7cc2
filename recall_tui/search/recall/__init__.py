"""Recall: the agents' path. A question in, the best passages out, ranked, bounded and cited."""

from recall_tui.search.recall.answer import recall
from recall_tui.search.recall.more import held_material, more

__all__ = ["held_material", "more", "recall"]
