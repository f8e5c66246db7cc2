"""What counts as part of a word, for the whole-word check."""

from __future__ import annotations


def is_word(char: str) -> bool:
    """Return whether a character continues a word: letters, digits, underscore in any script."""
    return char == "_" or char.isalnum()
