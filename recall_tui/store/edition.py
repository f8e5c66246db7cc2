"""Which rules for secrets and folding these are, without loading one of them.

Every search asks whether the index was made by them, and the rules take as long to load as a whole
search does. A test compares the number with the table: whoever changes a rule changes it here.
"""

from __future__ import annotations

from typing import Final

RULES_VERSION: Final = "12570ac4"
"""Names the whole table: text marked under another value may hold what a new rule knows."""

TEXT_RULES: Final = f"3:{RULES_VERSION}"
"""Names everything that shapes stored text. An index made under another value is built anew: a
secret that a new rule knows must not stay."""
