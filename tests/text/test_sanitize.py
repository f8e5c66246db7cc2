"""No text, whatever it holds, keeps anything a terminal would act on."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_tui.text.sanitize import one_line, sanitize, visible

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS = "".join(map(chr, [*range(32), *range(0x7F, 0xA0)]))
ESCAPES = [
    "\x1b",
    "\x9b",
    "\x9d",
    "\x90",
    "\x1b[",
    "\x1b]",
    "\x1bP",
    "\x07",
    "\x1b\\",
    "\x9c",
    "\x8e",
]
PAYLOADS = ["0;", "31m", "8;;http://x", "52;c;AAAA", "[", "m", "?25h", "(B", "word", " "]
OTHERS = [
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\x00",
    "\x7f",
    "é",
    "狐",
    "\u202e",
    "\u2066",
    "\ufdd0",
    "\ud83d",
]
pieces = st.sampled_from([*ESCAPES, *PAYLOADS, *OTHERS, "\ude00", "\ufdd1", "❤\ufe0f"])
hostile = st.one_of(st.lists(pieces, max_size=12).map("".join), st.text(max_size=60))


def harmful(text):
    return [
        char
        for char in text
        if (unicodedata.category(char) == "Cc" and char not in "\n\t")
        or char in BIDI
        or char in "\ufdd0\ufdd1"
        or unicodedata.category(char) == "Cs"
    ]


@pytest.mark.contract("X-8")
@given(hostile)
@example(CONTROLS)
@example("\x1b" * 50 + "[m" * 50)
def test_nothing_harmful_is_left_and_a_second_pass_finds_nothing(text):
    clean = sanitize(text)
    assert harmful(clean) == []
    assert sanitize(clean) == clean
    clean.encode("utf-8")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn", "Cf")), max_size=80))
def test_letters_marks_and_symbols_of_every_script_stay(text):
    assert sanitize(text) == text


@pytest.mark.parametrize("control", [c for c in CONTROLS if c not in "\n\t\r"])
def test_every_control_character_goes(control):
    assert sanitize(f"a{control}") == "a"
    assert sanitize(f"狐{control}") == "狐"


@pytest.mark.parametrize(
    ("sequence", "what"),
    [
        ("\x1b[1;31m", "a colour"),
        ("\x1b[?25h", "a mode"),
        ("\x1b[2J", "clear"),
        ("\x9b31m", "an 8-bit colour"),
        ("\x1b]0;title\x07", "a window title ended by BEL"),
        ("\x1b]0;title\x1b\\", "a window title ended by ST"),
        ("\x1b]0;title\x9c", "a window title ended by 8-bit ST"),
        ("\x9d0;title\x07", "an 8-bit window title"),
        ("\x1b]8;;https://example.org\x07", "the start of a link"),
        ("\x1b]52;c;c2VjcmV0\x07", "a clipboard write"),
        ("\x1bPq#0;2;0;0;0\x1b\\", "a picture"),
        ("\x1b_Gf=100;AAAA\x1b\\", "a kitty picture"),
        ("\x1b^private\x1b\\", "a private message"),
        ("\x1bOA", "a cursor key"),
        ("\x1bNx", "a character of set 2"),
        ("\x8fA", "an 8-bit single shift"),
        ("\x1b(B", "a character set"),
        ("\x1bc", "a reset"),
        ("\x1b7", "save the cursor"),
    ],
)
def test_a_sequence_goes_as_a_whole(sequence, what):
    assert sanitize(f"before{sequence}after") == "beforeafter", what
    assert sanitize(f"前{sequence}後") == "前後", what


def test_a_link_keeps_its_words():
    assert sanitize("see \x1b]8;;https://example.org\x07the page\x1b]8;;\x07.") == "see the page."


@pytest.mark.parametrize("opening", ["\x1b]0;", "\x9d0;", "\x1bP", "\x1b_", "\x1b^", "\x1bX"])
def test_an_unterminated_sequence_costs_its_introducer_only(opening):
    rest = "title\nsecond line\nthird \x07 line"
    clean = sanitize(opening + rest)
    assert clean.endswith("title\nsecond line\nthird  line")


def test_a_csi_that_was_cut_off_does_not_eat_the_next_line():
    assert sanitize("a\x1b[3\nb") == "a\nb"
    assert sanitize("a\x1b[") == "a"


def test_line_ends():
    assert sanitize("a\r\nb\rc\n\rd\t") == "a\nb\nc\n\nd\t"


def test_surrogates_pair_up_or_become_the_replacement_character():
    assert sanitize("\ud83d\ude00 and \ud83d alone") == "😀 and � alone"


def test_our_marks_cannot_be_forged():
    assert sanitize("\ufdd0github-pat:x\ufdd1") == "�github-pat:x�"


def test_joiners_and_selectors_stay():
    for text in ("👩‍💻", "❤️", "e\u0301", "ก็", "क्षि", "\u200e", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"):
        assert sanitize(text) == text


@given(hostile, st.integers(-1, 30))
def test_a_title_is_one_clean_line_within_its_limit(text, limit):
    line = one_line(text, limit)
    assert len(line) <= max(0, limit)
    assert harmful(line) == []
    assert "\n" not in line
    assert "\t" not in line
    assert "  " not in line
    assert line == line.strip()


def test_a_title_that_is_cut_says_so_and_keeps_whole_characters():
    assert one_line("  fix\n\tthe  build ", 40) == "fix the build"
    assert one_line("fix the build", 8) == "fix the…"
    assert one_line("x 👩‍💻 y", 4) == "x…"


@pytest.mark.contract("X-8")
@given(hostile)
def test_a_path_shows_every_character_it_hides(text):
    seen = visible(text)
    assert harmful(seen) == []
    assert "\n" not in seen
    assert "\t" not in seen
    if not harmful(text) and "\n" not in text and "\t" not in text:
        assert seen == text


def test_a_path_is_not_changed_into_another():
    assert visible("a\x1b[31mb\nc\u202ed\udc80") == r"a\x1b[31mb\nc\u202ed\udc80"
    assert visible("/home/mei/コード/é.py") == "/home/mei/コード/é.py"


def test_separators_of_lines_and_paragraphs_are_line_breaks():
    """Some programs end a line there: one line of an answer would be two, the second forged."""
    assert sanitize("a\u2028b\u2029c") == "a\nb\nc"
    assert sanitize("é\u2028b") == "é\nb"
    assert visible("a\u2028b") == r"a\u2028b"
