"""Gates: what was drawn by a machine, and what people write where a secret would stand."""

from __future__ import annotations

import pytest

from recall_tui.text import gates
from tests.text.samples import HEX, Maker

SEEDS = range(300)


def test_entropy_is_shannons():
    assert gates.entropy_bits(b"") == 0
    assert gates.entropy_bits(b"aaaa") == 0
    assert gates.entropy_bits(b"abab") == 1
    assert gates.entropy_bits(bytes(range(256))) == 8


@pytest.mark.parametrize("length", [20, 32, 40, 93])
def test_what_a_machine_draws_is_random(length):
    made = [Maker(seed).drawn(length).encode() for seed in SEEDS]
    assert sum(map(gates.is_random, made)) >= len(made) - 1


def test_drawn_hex_is_random_at_a_lower_bar():
    assert all(gates.is_random(Maker(seed).drawn(32, HEX).encode(), 3.0) for seed in SEEDS)


@pytest.mark.parametrize(
    "typed",
    [b"", b"abc", b"aaaaaaaaaaaaaaaaaaaaaaab", b"xyxyxyxyxyxyxyxyxyxy", b"abcabcabcabcabcabcab",
     b"9k3d-abcdefg-1x2s", b"7f6e5d4c3b2a987654321", b"k2j9d8s7f6g5h4zzzz"],
)  # fmt: skip
def test_what_is_typed_in_a_row_is_repetitive(typed):
    assert gates.is_repetitive(typed)
    assert not gates.is_random(typed)


@pytest.mark.parametrize(
    "value",
    [b"<your-key>", b"${TOKEN}", b"$TOKEN", b"$(cat key)", b"{token}", b"{{ secret }}", b"%(pw)s",
     b"%s", b"%TOKEN%", b"xxxxxxxxxxxx", b"sk-xxxx", b"****", b"...", b"your-api-key", b"YOUR_KEY",
     b"changeme", b"change-me", b"example-key", b"[redacted]", b"AK" + b"IAIOSFODNN7EXAMPLE",
     b"--"],
)  # fmt: skip
def test_placeholders(value):
    assert gates.is_placeholder(value)


@pytest.mark.parametrize("value", [b"hunter2", b"Passw0rd!", b"a$b%c^1", b"p{4", b"100%sure"])
def test_passwords_are_no_placeholders(value):
    assert not gates.is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    [b"os.environ", b"self.token", b"process.env.API_KEY", b"*flags.PWD", b"this?.key", b"getenv(",
     b"settings[", b"Config::token", b"ctx->token"],
)  # fmt: skip
def test_expressions(value):
    assert gates.is_code(value)


@pytest.mark.parametrize(
    "value",
    [b"1234", b"v1.2.3", b"2026-11-30", b"14:00", b"128k", b"/etc/passwd", b"./key.pem", b"~/x",
     b"C:\\keys", b"https://a.b/c", b"id_rsa.pub", b"config.yaml", b"example.org"],
)  # fmt: skip
def test_plain_values(value):
    assert gates.is_plain(value)


@pytest.mark.parametrize(
    "value",
    [b"password", b"new_password_1", b"my-secret-token", b"test-token-123", b"getApiKey",
     b"AuthorizeRemoteTxRequests", b"CloudFrontOriginAccessIdentityList", b"PKCS7PrivateKeyTypes",
     b"required|string|min:8", b"aws:NextAutomationTag", b"ExclusiveStartShardId", b"deploy-1"],
)  # fmt: skip
def test_names_are_wordlike(value):
    assert gates.is_wordlike(value)
    assert not gates.is_opaque(value, 1)


def test_what_a_machine_draws_is_opaque_even_without_a_digit():
    made = [Maker(seed).drawn(24).encode() for seed in SEEDS]
    assert sum(gates.is_opaque(value, 8) for value in made) > 0.98 * len(made)
    letters = [bytes(c for c in value if c > 0x40) for value in made]
    assert sum(gates.is_opaque(value, 8) for value in letters) > 0.9 * len(letters)


def test_a_huge_value_costs_no_more_than_a_long_one():
    huge = b"A1" * 5_000_000
    assert gates.is_repetitive(huge)
    assert not gates.is_random(huge)
    assert not gates.is_placeholder(huge)
