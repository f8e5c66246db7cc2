"""The one table of secret rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DEFINITE: Final = "definite"
CANDIDATE: Final = "candidate"


@dataclass(slots=True, frozen=True)
class Rule:
    """One kind of secret.

    The pattern is matched at an anchor; group 1, where there is one, is the secret itself.
    """

    name: str
    tier: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    prefix: int
    suffix: int


def _token(name: str, anchors: tuple[str, ...], pattern: str, prefix: int) -> Rule:
    return Rule(
        name,
        DEFINITE,
        anchors,
        re.compile(r"(?<![A-Za-z0-9_])" + pattern, re.ASCII),
        prefix,
        4,
    )


RULES: Final = (
    _token("aws-access-key", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])", 4),
    _token("anthropic-key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{19,}", 7),
    _token(
        "openai-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-"),
        r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}",
        8,
    ),
    _token("gitlab-pat", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,}", 6),
    _token("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36}", 4),
    _token("huggingface-token", ("hf_",), r"hf_[A-Za-z0-9]{30,}", 3),
    _token(
        "github-pat",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,})",
        4,
    ),
    _token(
        "slack-token",
        ("xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-"),
        r"xox[baprs]-[A-Za-z0-9-]{10,}",
        5,
    ),
    _token("stripe-secret", ("sk_live_", "rk_live_"), r"[sr]k_live_[A-Za-z0-9]{16,}", 8),
    _token("google-api-key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}", 4),
    Rule(
        "private-key-block",
        DEFINITE,
        ("-----BEGIN ",),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{48,20000}-----END [A-Z ]{0,40}PRIVATE KEY-----"
        ),
        0,
        0,
    ),
    Rule(
        "basic-auth-url",
        CANDIDATE,
        ("://",),
        re.compile(r"://[^\s/:@]{0,256}:([^\s/@$<{}*]{3,256})@[A-Za-z0-9\[]"),
        0,
        0,
    ),
    Rule(
        "jwt",
        CANDIDATE,
        ("eyJ",),
        re.compile(
            r"(?<![A-Za-z0-9_])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
        ),
        3,
        4,
    ),
    Rule(
        "assigned-secret",
        CANDIDATE,
        ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key"),
        re.compile(
            r"(?:password|passwd|secret|token|api[_-]?key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?"
            r"([A-Za-z0-9+/_~!@#%^&*-]{12,512})(?![A-Za-z0-9(\[.])",
            re.ASCII | re.IGNORECASE,
        ),
        0,
        0,
    ),
)
