"""Characters nobody sees inside of a word: the two ways of looking know the same ones."""

from __future__ import annotations

from recall_tui.text.unseen import may_split, without


def test_what_may_split_a_word_is_what_is_taken_out():
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0xE0000, 0xE1000)):
        char = chr(code)
        raw = f"a{char}b".encode()
        told = without(raw) if may_split(raw, char) else None
        assert (told is None) == (without(raw) is None), hex(code)
        assert told is None or told[0] == b"ab"
