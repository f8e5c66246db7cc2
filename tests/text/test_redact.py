"""Marking: idempotent, deterministic, the same for one text and for many, and nothing leaks."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.store.edition import RULES_VERSION
from recall_tui.text import gates, redact, rules
from recall_tui.text.batch import ready
from recall_tui.text.fold import fold, fold_bytes
from recall_tui.text.redact import (
    CLOSE,
    OPEN,
    findings,
    is_secret,
    mark,
    plain_pieces,
    shown,
)
from recall_tui.text.sanitize import sanitize
from tests.text.samples import HEX, TOKEN_RULES, Maker, token_of

seeds = st.integers(0, 10_000).map(Maker)
secrets = st.one_of(
    st.builds(token_of, st.sampled_from(TOKEN_RULES), seeds),
    seeds.map(lambda make: f"password={make.drawn(14)}"),
    seeds.map(lambda make: f'"api_key": "{make.drawn(40, HEX)}"'),
    seeds.map(lambda make: f"postgres://app:{make.drawn(16)}@db/x"),
    seeds.map(lambda make: f"Authorization: Bearer {make.drawn(30)}"),
    seeds.map(lambda make: make.pem(lines=2)),
)
glue = st.sampled_from(
    ["", " ", "\n", "=", ": ", '"', "'", ",", "密钥", "password=", "token: ", "-", "_", "://", "@",
     "x",
     "\\n", "sk-", "-----BEGIN PRIVATE KEY-----", "é", "</", "key", "\t", "…", "[", "(", "&"]
)  # fmt: skip
mixtures = st.lists(st.one_of(secrets, glue, st.text(max_size=8)), max_size=10).map(
    lambda parts: sanitize("".join(parts))
)


@pytest.mark.contract("S3-54")
@given(mixtures)
def test_marking_reaches_a_fixed_point(text):
    marked = mark(text)
    assert mark(marked) == marked
    assert findings(marked) == []


@given(mixtures)
def test_findings_are_ordered_disjoint_and_the_same_every_time(text):
    found = findings(text)
    assert found == findings(text)
    last = 0
    for finding in found:
        assert last <= finding.start < finding.end <= len(text)
        last = finding.end


@given(mixtures)
def test_what_is_found_is_gone_and_the_rest_is_untouched(text):
    found, marked = findings(text), mark(text)
    assert bool(found) == (marked != text)
    rest = [text[a.end : b.start] for a, b in pairwise(found)]
    if found:
        rest = [text[: found[0].start], *rest, text[found[-1].end :]]
        pieces = plain_pieces(marked)
        # Later rounds may mark more; what stays is a part of what was there.
        assert all(any(piece in whole for whole in rest) for piece in pieces)
        assert len(pieces) > len(found) or len(pieces) >= 2


@given(secrets)
def test_no_secret_survives_in_what_is_stored_shown_or_searched(secret):
    text = f"before {secret} after"
    marked = mark(text)
    for finding in findings(text):
        hidden = text[finding.start : finding.end]
        assert hidden not in marked
        assert hidden not in shown(marked)
        assert fold(hidden).encode() not in fold_bytes(marked)
        middle = hidden[21:-4] if len(hidden) > 33 else hidden
        assert middle not in shown(marked)


@pytest.mark.contract("S0-36", "S0-37")
def test_a_term_matches_what_survives_redaction_and_nothing_a_mark_says():
    token = token_of("github-pat", Maker(1))
    text = f"export GITHUB_TOKEN={token} # rotate it"
    folded = fold_bytes(mark(text))
    assert fold("rotate it").encode() in folded
    assert fold("GITHUB_TOKEN=").encode() in folded
    for absent in (token, token[:12], token[-8:], "redacted", "github-pat", token[:4]):
        assert fold(absent).encode() not in folded


@given(secrets)
def test_a_credential_shaped_term_is_known(secret):
    assert is_secret(secret)


@pytest.mark.parametrize(
    "term",
    ["", "token", "password", "password=", "api_key", "3f4c48f", "sk-", "ghp_", "BEGIN PRIVATE KEY",
     "context window", "量子密码轮换", "os.environ['TOKEN']", "zebra-quokka-7731",
     "task-2026-11-30", Maker(1).drawn(40, HEX),
     "https://example.org/a?b=c", "user@example.org"],
)  # fmt: skip
def test_what_people_search_for_is_not_refused(term):
    assert not is_secret(term)


def test_real_transcripts_lose_only_what_looks_like_a_secret(shared):
    """Real sessions hold few secrets; a rule that grew too eager would mark many lines."""
    lines = []
    for path in sorted((shared / "transcripts" / "claude-code").rglob("*.jsonl"))[:40]:
        lines += sanitize(path.read_text("utf-8", "replace")[:400_000]).split("\n")
    found = [
        line[finding.start : finding.end].lstrip("-")
        for line, marked in zip(lines, (text for text, _, _ in ready(lines)), strict=True)
        if line != marked
        for finding in findings(line)
    ]
    assert len(lines) > 100
    assert len(found) < len(lines) / 50
    for secret in found:
        assert len(secret) >= 6
        assert " " not in secret
        assert not gates.is_plain(secret.encode()) or secret.isdigit()
        assert not gates.is_code(secret.encode())


def test_a_definite_rule_names_what_a_candidate_found_too():
    token = token_of("anthropic-key", Maker(2))
    (finding,) = findings(f"API_KEY='{token}'")
    assert (finding.rule, finding.tier) == ("anthropic-key", "definite")
    seen = shown(mark(f"Authorization: Bearer {token}"))
    assert seen == f"Authorization: Bearer [redacted:anthropic-key {token[:7]}…{token[-4:]}]"


def test_offsets_are_characters():
    token = token_of("github-pat", Maker(3))
    text = f"密钥😀é {token} 好 {token}"
    assert [text[f.start : f.end] for f in findings(text)] == [token, token]


def test_a_token_broken_at_the_edge_of_a_terminal_goes_whole():
    token = token_of("anthropic-key", Maker(4))
    line = f"$ export ANTHROPIC_KEY={token}"
    wrapped = f"{line[:80]}\n{line[80:]} && run"
    marked = mark(wrapped)
    assert token[-12:-4] not in shown(marked)
    assert marked.endswith(" && run")
    # A commit id or a word on the next line is no part of it.
    for following in ("3f4c48f What a front may ask", "continue", "README2"):
        assert mark(f"{line}\n{following}").endswith(f"\n{following}")


def test_shown_is_for_people_and_leaves_other_text_alone():
    assert shown("no marks here [x]") == "no marks here [x]"
    assert shown(f"a {OPEN}jwt:eyJ…abcd{CLOSE} b") == "a [redacted:jwt eyJ…abcd] b"
    assert shown(f"a {OPEN}assigned-password:{CLOSE} b") == "a [redacted:assigned-password] b"
    assert shown(f"broken {OPEN}x") == f"broken {OPEN}x"


def test_the_pieces_between_marks():
    assert plain_pieces("plain") == ["plain"]
    marked = f"{OPEN}jwt:{CLOSE}a{OPEN}jwt:eyJ…x{CLOSE}{OPEN}jwt:{CLOSE}"
    assert plain_pieces(marked) == ["", "a", "", ""]


def test_marks_that_are_there_stay_as_they_are():
    held = f"password={OPEN}assigned-password:{CLOSE} and {OPEN}github-pat:ghp_…x9Zk{CLOSE}"
    assert mark(held) == held
    token = token_of("npm-token", Maker(1))
    assert mark(f"{held} {token}").startswith(f"{held} {OPEN}npm-token:")
    assert findings(held) == []


def test_a_text_that_never_settles_becomes_one_mark(monkeypatch):
    # Should a rule ever match what marking leaves behind, nothing of the text is kept.
    monkeypatch.setattr(redact, "_replaced", lambda raw, _: raw.decode())
    token = token_of("npm-token", Maker(1))
    assert shown(mark(f"x {token}")) == "[redacted:unstable]"


def test_lone_surrogates_do_not_crash():
    assert mark("a\ud800b") == "a\ud800b"
    assert "hunter2x" not in mark("\ud800 password=hunter2x")


def test_versions_name_the_table(monkeypatch):
    found = redact.version(rules.RULES)
    assert found == RULES_VERSION, f"the rules changed: write {found} into store/edition.py"
    definite = [rule for rule in rules.RULES if rule.tier == redact.DEFINITE]
    assert redact.version(definite) != RULES_VERSION
    assert redact.version(rules.RULES[1:]) != RULES_VERSION
    monkeypatch.setattr(redact, "ALGORITHM", rules.ALGORITHM + 1)
    assert redact.version(rules.RULES) != RULES_VERSION


def test_versions_are_the_same_in_every_process():
    program = "from recall_tui.text import redact, rules; print(redact.version(rules.RULES))"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert done.stdout.split() == [RULES_VERSION]


def test_no_pattern_is_compiled_before_its_anchor_is_met():
    program = (
        "from recall_tui.text import redact, rules; redact.mark('an ordinary line of text');"
        "print([r.name for r in rules.RULES if 'compiled' in vars(r)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
