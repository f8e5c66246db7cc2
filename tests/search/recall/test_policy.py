"""A weight never changes without the version that answers carry (Q33)."""

from __future__ import annotations

import hashlib

from recall_tui.search.recall import policy

KNOWN = {"recall-2026.17": "82d7da4abcb210ad"}
"""Version -> digest of all weights. Changed a weight? Give it a new version, and add it here."""


def digest() -> str:
    values = {n: v for n, v in vars(policy).items() if n.isupper() and n != "POLICY_VERSION"}
    return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:16]


def test_the_version_names_these_weights():
    assert KNOWN.get(policy.POLICY_VERSION) == digest()
