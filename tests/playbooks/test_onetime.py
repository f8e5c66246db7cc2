"""One-off data is marked; what the work is about is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.playbooks.onetime import SECRET, Inputs
from recall_tui.text.redact import mark, shown


def found(text: str) -> list[tuple[str, str]]:
    inputs = Inputs()
    inputs.template(text)
    return [(one.kind, one.value) for one in inputs.all]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("at 4f34c838-16f6-5c44-b74c-5dcefb2a8aaa", "id", "4f34c838-16f6-5c44-b74c-5dcefb2a8aaa"),
        ("session ses_a8e40c8eb4205a87 again", "id", "ses_a8e40c8eb4205a87"),
        ("revert 4be1d02 please", "commit", "4be1d02"),
        ("since 2026-10-25T03:12:00+01:00 it", "date", "2026-10-25T03:12:00+01:00"),
        ("on 7 July, 2023", "date", "7 July, 2023"),
        ("am 25.10.2026 um", "date", "25.10.2026"),
        ("在2026年10月25日之前", "date", "2026年10月25日"),
        ("open /home/ann/项目/演示 now", "path", "/home/ann/项目/演示"),
        ("open ~/src/app.", "path", "~/src/app."),
        (r"in C:\Users\ann\a.txt", "path", r"C:\Users\ann\a.txt"),
        ("as in TIDE-142, but", "ticket", "TIDE-142"),
        ("fixes #1071", "ticket", "#1071"),
        ("see PR 17", "ticket", "PR 17"),
        ("on localhost:8080", "port", "8080"),
        ("port 5432", "port", "5432"),
        ("host 10.0.0.7:22", "address", "10.0.0.7:22"),
        ("release 1.24.3-rc1", "version", "1.24.3-rc1"),
        ("mail ann@example.com", "email", "ann@example.com"),
        ("read https://x.example/a?b=c.", "url", "https://x.example/a?b=c"),
        ("order 680532", "number", "680532"),
        ("deploy ws_r25wk6dk now", "id", "ws_r25wk6dk"),
        ("gh pr view 12 --json title", "ticket", "12"),
        ("git checkout -b feat/report-ui-v1", "branch", "feat/report-ui-v1"),
        ("git push -u origin fix/a.b", "branch", "fix/a.b"),
        ('git add -A && git commit -m "feat: don\'t stop"', "message", "feat: don't stop"),
        ("git commit -am 'fix: a (b)'", "message", "fix: a (b)"),
        ("“https://x.example/a”，好", "url", "https://x.example/a"),
        ('open "/Users/ann/My Docs/a b.txt" now', "path", "/Users/ann/My Docs/a b.txt"),
        ("see /var/T/x/Screenshot 2026-11-21 at 01.27.21.png and", "path",
         "/var/T/x/Screenshot 2026-11-21 at 01.27.21.png"),
        ("run /site/lab7/run.sh", "path", "/site/lab7/run.sh"),
        ("`C:\\Users\\ann\\docs`", "path", "C:\\Users\\ann\\docs"),
    ],
)  # fmt: skip
def test_one_off_data(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "do #2 and/or the other", "use UTF-8 and SHA-256", "colour #abf9fc", "run /model",
        "#!/usr/bin/env python", "task_complete", "git@github.com:x", "may be 42 or 3.14",
        "GET /api/reviews/ and /api/users/all", "in ~/.claude/skills/x/SKILL.md", "cost 0.124574",
        "icon_512x512", "ttl 1000000", "colour #93200512 or #0a1b2c3d", "git push origin main",
        'pytest -m "not slow"', '"/Applications/Google Chrome.app/Contents/MacOS/x"', "e2e_tests",
        "deadbeef", "src/app/main.py", "", "上下文窗口有多大？",
    ],
)  # fmt: skip
def test_what_stays(text: str) -> None:
    assert found(text) == []


def test_one_thing_has_one_name_in_every_text() -> None:
    inputs = Inputs()
    first = inputs.template("from 2026-01-01 to 2026-01-02")
    second = inputs.template("again 2026-01-01")
    assert first.placeholders() == "from {{date}} to {{date_2}}"
    assert second.placeholders() == "again {{date}}"
    assert second.filled({"date": "today"}) == "again today"
    assert len(inputs.all) == 2


def test_braces_in_a_text_are_no_inputs() -> None:
    inputs = Inputs()
    template = inputs.template("{{ if .Git }}{{date}} 2026-01-01")
    assert template.filled({"date": "X"}) == "{{ if .Git }}{{date}} X"


def test_a_secret_has_no_old_value() -> None:
    inputs = Inputs()
    template = inputs.template(mark("use ghp_16C7e42F292c6912E7710c838347Ae178B4a here"))
    (one,) = inputs.all
    assert (one.kind, one.value) == (SECRET, "")
    assert template.filled({}) == "use {{secret}} here"
    assert template.filled({"secret": "$TOKEN"}) == "use $TOKEN here"


@given(st.text(max_size=400))
def test_the_pieces_of_any_text_join_to_it(text: str) -> None:
    text = text.replace("\ufdd0", "").replace("\ufdd1", "")
    for inputs in (Inputs(), Inputs("/tmp/a", "\\x")):
        assert inputs.template(text).filled({}) == shown(text)


def test_the_folder_worked_in_is_one_input_and_what_is_below_it_none() -> None:
    inputs = Inputs("/home/ann/app/", "/home/ann/app", "")
    said = inputs.template("read /home/ann/app/src/a.py in /home/ann/app, not /home/ann/app2/x")
    assert said.placeholders() == "read {{folder}}/src/a.py in {{folder}}, not {{path}}"
    assert [one.value for one in inputs.all] == ["/home/ann/app", "/home/ann/app2/x"]
    assert said.filled({"folder": "/w"}).startswith("read /w/src/a.py in /w, not /home")


def test_a_commit_message_from_a_here_document_is_one_input() -> None:
    line = 'git commit -m "$(cat <<\'EOF\'\nfix: it\n\nIt "was" broken.\nEOF\n)" && git push'
    assert Inputs().template(line).placeholders() == 'git commit -m "{{message}}" && git push'
