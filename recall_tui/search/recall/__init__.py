"""Recall: the agents' path. A question in, the best passages out, ranked, bounded and cited."""
