"""Speed as ratios and growth, never as wall clock: a shared machine's clock is not evidence."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from recall_tui.text.batch import ready
from recall_tui.text.cut import cut_bytes, cut_cells, excerpt
from recall_tui.text.fold import fold_bytes, spans
from recall_tui.text.redact import mark
from recall_tui.text.sanitize import sanitize
from tests.ratios import costs_at_most, is_linear
from tests.text.samples import Maker

CODE = '''\
def fetch(self, path: str, *, timeout_s: float = 30.0) -> bytes:
    """Return the body of a page; the session's headers and retry policy apply."""
    response = self.session.get(f"{self.base}/{path}", timeout=timeout_s)
    if response.status_code != 200:
        raise FetchError(f"{path}: {response.status_code} {response.reason}")
    logger.debug("fetched %s: %d bytes in %.1f ms", path, len(response.content), elapsed)
    return response.content  # the caller decodes, for it alone knows the charset

$ git log --oneline | head -3
3f4c48f What a front may ask: the History interface and the shapes of a person's search
tests/search/test_grep.py::test_counts_add_up[keys-7] PASSED                        [ 42%]
The build failed because the parser met a key without a value; adding one fixed it.
'''
MIXED = CODE + "这里的连接超时是因为数据库没有响应，我们需要检查 “日志” — ✓ done\n"


def fresh(text):
    """A copy whose UTF-8 is not cached inside the string object."""
    return (text + "x")[:-1]


@pytest.mark.parametrize("text", [CODE, MIXED], ids=["ascii", "mixed"])
def test_clean_text_costs_little_more_than_counting_a_byte_in_it(text):
    messages = [text] * 600

    def counting():
        return [message.encode().count(b"q") for message in messages]

    assert costs_at_most(8, lambda: [sanitize(fresh(m)) for m in messages], counting, 2e-3)
    assert costs_at_most(10, lambda: [fold_bytes(fresh(m)) for m in messages], counting, 2e-3)


@pytest.mark.skipif(
    find_spec("hyperscan") is None, reason="no hyperscan for this platform: a pass for each literal"
)
def test_all_that_is_done_to_a_text_costs_a_few_counts_of_one_byte():
    messages = [CODE] * 600
    assert costs_at_most(
        30,
        lambda: ready(messages),
        lambda: [message.encode().count(b"q") for message in messages],
    )


HOSTILE = [
    "a", "=", "password=", "password: ", "password = '", "token=a1b2c3d4e5 ", "key",
    "api_key: str = ",
    "eyJ", ".eyJ", "-eyJaaaaaaaaaaa", "sk-", "sk-ant-", "://", "://a:b",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n", "AKIA", '"secret", ', "key" + " " * 40,
    "key\\\\\\\\", "bearer ", "ghp_", "token -- ", "login password ", "token：", "x" * 512 + "=",
    "\x1b", "\x1b[", "\x1b]0;x", "\x9d", "\x9b1", "\u0301", "e\u0301", "\u200d", "ß",
    "\u1100\u1161",
    "\ud800", "\ufdd0a:", "🇩🇪", "İ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_one_huge_line_of_anything_takes_linear_time(piece):
    sizes = 1 << 16, 1 << 18
    texts = [(piece * (size // len(piece) + 1))[:size] for size in sizes]
    for work in (
        sanitize,
        mark,
        fold_bytes,
        lambda text: spans(text, "s"),
        lambda text: cut_bytes(text, len(text) // 2),
        lambda text: cut_cells(text, 100),
        lambda text: excerpt(text, len(text) // 2, len(text) // 2 + 1, 80, 80),
    ):
        assert is_linear(work, *texts)


def test_a_secret_of_a_megabyte_goes_whole():
    value = Maker(1).drawn(1 << 20)
    for form in ("api_key={} end", "'token': '{}' end", "sk-" + "ant-{} end"):
        marked = mark(form.format(value))
        assert len(marked) < 100
        assert marked.endswith(" end")
