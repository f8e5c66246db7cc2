"""Export: complete, redacted, and safe in whatever opens it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from recall_tui.errors import BadReferenceError
from recall_tui.model import Filter, Flag, Kind, Material, Role
from recall_tui.playbooks.export import Cursor, Form, export
from tests.cli.fake import MINUTE, NOON, session, talk
from tests.playbooks.build import KEY, answer, past, prompt, run, several

HOSTILE = (
    "</pre></p><script>alert(1)</script>\n# Heading\n```\n<img src=x onerror=alert(2)>\x1b[31m"
    '\u202e & "quoted" \ufdd0github-pat:ghp_…x9Zk\ufdd1 {{x}} ]]> -->'
)


def exported(history, form: Form, **options):
    pieces, done = export(history, list(history.held), form, **options)
    return "".join(pieces), done


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


class Page(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile():
    return past(
        prompt(HOSTILE), answer(HOSTILE), *run(HOSTILE, HOSTILE * 20, failed=True),
        (Kind.NOTICE, HOSTILE, {"materials": (Material("m", HOSTILE, "image", "image/png", 1),)}),
        title=HOSTILE, cwd=HOSTILE, branch=HOSTILE,
    )[0]  # fmt: skip


@pytest.mark.contract("X-8")
def test_html_holds_no_tag_from_a_transcript() -> None:
    text, _ = exported(hostile(), Form.HTML)
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "object", "link", "base", "form"}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "alert(1)" in page.text and "<script" in page.text, "shown as text"
    assert "default-src 'none'" in text and "http" not in text.partition("<body>")[0].replace(
        "http-equiv", ""
    )
    assert "\x1b" not in text and "\u202e" not in text and "\ufdd0" not in text
    assert "[redacted:github-pat ghp_…x9Zk]" in page.text


@pytest.mark.contract("X-8")
def test_markdown_cannot_be_ended_early() -> None:
    text, _ = exported(hostile(), Form.MARKDOWN)
    fences = [line for line in text.splitlines() if line.startswith("```")]
    assert fences and all(line.startswith("````") for line in fences if line != "```")
    outside = [line for line in text.splitlines() if line.startswith("# ")]
    assert len(outside) == 1 + text.count("\n# Heading"), "only in fences"
    assert all(ch not in text for ch in "\x1b\u202e\ufdd0")
    assert "<script" not in text.splitlines()[0]


@pytest.mark.contract("S3-64", "S3-65")
def test_lines_have_stable_ids_digests_and_an_end() -> None:
    history, _ = past(*[prompt(f"p{n}") for n in range(1001)])
    text, done = exported(history, Form.LINES)
    first, *messages, end = lines(text)
    assert first["schema"] == "recall.session-export.v2" and first["children_included"] is False
    assert [m["sequence"] for m in messages] == list(range(1, 1002))
    assert messages[5]["ref"] == f"{KEY}#5~1005" and len(messages[5]["sha256"]) == 64
    assert end["complete"] and end["stable"] and end["messages"] == done.messages == 1001
    assert exported(history, Form.LINES)[0] == text


@pytest.mark.contract("S3-62", "S3-66", "S3-67", "S3-71")
def test_pages_are_contiguous() -> None:
    history, _ = past(*[prompt(f"p{n}") for n in range(1001)])
    whole = [line["ref"] for line in lines(exported(history, Form.LINES)[0])[1:-1]]
    first = lines(exported(history, Form.LINES, limit=1000)[0])
    assert not first[-1]["complete"] and first[-1]["next"] == f"{KEY}#999~13e7@1001"
    (one,) = history.held
    grown = one._replace(messages=1002)
    history.held = {grown: [*history.held[one], *talk(KEY, NOON, prompt("new"))]}
    after = Cursor.parse(first[-1]["next"])
    rest = lines(exported(history, Form.LINES, limit=1000, after=after)[0])
    assert rest[0]["boundary"] == first[0]["boundary"]
    assert rest[-1]["stable"] is False, "it grew between the pages"
    assert rest[-1]["complete"] and rest[1]["sequence"] == 1001
    assert [m["ref"] for page in (first, rest) for m in page[1:-1]] == whole


def test_pages_go_on_over_sessions_wherever_they_end() -> None:
    """A page that ended with a session said it was complete, and what followed was lost."""
    history, first = past(prompt("a0"), prompt("a1"), prompt("a2"))
    second = session("codex:second@2", "b")
    third = session("codex:third", "c")
    history.held |= {
        one._replace(messages=2): talk(one.key, NOON, prompt("x"), prompt("y"))
        for one in (second, third)
    }
    every = list(history.held)
    whole = [m["ref"] for m in lines("".join(export(history, every, Form.LINES)[0]))
             if m["type"] == "message"]  # fmt: skip
    assert len(whole) == 7 and first in every
    for limit in range(1, 8):
        seen, after, pages = [], None, 0
        while True:
            names = {after.reference.key, *after.rest} if after else {s.key for s in every}
            sessions = [one for one in every if one.key in names]
            pieces, done = export(history, sessions, Form.LINES, limit=limit, after=after)
            page = lines("".join(pieces))
            messages = [m["ref"] for m in page if m["type"] == "message"]
            seen, pages = seen + messages, pages + 1
            assert page[-1]["complete"] is not bool(done.next)
            assert page[-2]["type"] == "message", "no session without a message of it"
            if not done.next:
                break
            after = Cursor.parse(done.next)
            assert str(after) == done.next
        assert seen == whole
        assert pages == -(-7 // limit)


@pytest.mark.contract("S3-66")
def test_growth_meanwhile_does_not_enter_and_is_reported() -> None:
    history, session = past(prompt("one"))
    pieces, done = export(history, [session], Form.LINES)
    head = next(pieces)
    grown = session._replace(messages=2)
    history.held = {grown: [*history.held[session], *history.held[session]]}
    text = head + "".join(pieces)
    assert len(lines(text)) == 3
    assert lines(text)[-1]["stable"] is False and done.unstable == 1


@pytest.mark.parametrize("form", list(Form))
def test_filters_are_honoured_in_every_form(form: Form) -> None:
    history, _ = past(
        prompt("asked"), answer("answered"), prompt("later"), (Kind.INJECTED, "put in"),
    )  # fmt: skip
    chosen = Filter(roles=(Role.USER,), until_ms=NOON + MINUTE)
    text, done = exported(history, form, chosen=chosen)
    assert "asked" in text
    assert not any(word in text for word in ("answered", "later", "put in"))
    assert (done.messages, done.left_out) == (1, 3)
    assert "put in" not in exported(history, form)[0]
    assert "put in" in exported(history, form, chosen=Filter(roles=(Role.SYSTEM,)))[0]


@pytest.mark.parametrize("text", ["", "x", f"{KEY}#1~0001", f"{KEY}#1@3", f"{KEY}#1~0001@x"])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadReferenceError):
        Cursor.parse(text)


def test_several_sessions_and_none() -> None:
    other = KEY.replace("0a1b", "9a9b")
    history = several((KEY, {}, [prompt("one")]), (other, {}, [prompt("two")]))
    text, done = exported(history, Form.HTML)
    assert Page(text).tags.count(("section", {})) == 2 and 'href="#s1"' in text
    assert done.sessions == 2
    assert lines(exported(several(), Form.LINES)[0])[-1]["messages"] == 0


def test_what_failed_or_was_rewound_says_so() -> None:
    history, _ = past(*run("x", "boom", failed=True), prompt("no", flags=int(Flag.ABANDONED)))
    for form in (Form.MARKDOWN, Form.HTML):
        text, _ = exported(history, form)
        assert " · failed" in text and " · rewound" in text
