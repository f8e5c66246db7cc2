"""Many texts at once become what one at a time would."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from recall_tui.text import batch
from recall_tui.text.batch import ready
from recall_tui.text.fold import fold_bytes
from recall_tui.text.redact import mark
from recall_tui.text.sanitize import sanitize
from tests.text.samples import Maker, token_of

SECRETS = [token_of("github-pat", Maker(1)), "password = hunter2x!", "密码：s3cr3t-x9!"]
ODD = ["\x1b[31m", "\x1b]0;标题\x07", "\r\n", "\x9b1m", "\u202e", "\ufdd0", "\ud800", "\0"]
WIDE = ["→ ✓ 设备", "Été", "ßẞ", "İ", "e\u0301", "漢字", "密", "码：s3cr3t-x9!", "🎉"]

texts = st.lists(
    st.lists(st.sampled_from([*SECRETS, *ODD, *WIDE, "plain Text\n", " "]), max_size=5).map("".join)
    | st.text(max_size=8),
    max_size=6,
)


def one_at_a_time(text):
    marked = mark(sanitize(text))
    return marked, marked.encode(), fold_bytes(marked)


@given(texts)
@example([])
@example(["", ""])
@example(["密\x1b]0;标题\x07码：s3cr3t-x9!"])  # the word is whole once the sequence is gone
@example(["a", "\x1b[31mÉ", "b"])
def test_many_texts_are_made_ready_like_one_at_a_time(several):
    assert ready(several) == [one_at_a_time(text) for text in several]


def test_a_secret_never_reaches_over_two_texts():
    token = token_of("github-pat", Maker(1))
    halves = [token[:12], token[12:]]
    assert [text for text, _, _ in ready(halves)] == halves


def test_plain_texts_are_not_looked_at_one_by_one(monkeypatch):
    monkeypatch.delattr(batch, "mark")
    monkeypatch.delattr(batch, "sanitize_encoded")
    monkeypatch.delattr(batch, "fold_encoded")
    assert ready(["Plain", "→ SAME"]) == [
        ("Plain", b"Plain", b"plain"),
        ("→ SAME", "→ SAME".encode(), "→ same".encode()),
    ]
