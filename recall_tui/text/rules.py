r"""The one table of secret rules.

A rule is found by fixed lower-case anchors (a plain `find` over the lower-cased text, 40 times
faster than one big alternation), and decided by a pattern matched at the anchor on the original
bytes, then by a gate. Patterns are bytes: `\w` and `\b` are ASCII, so a token right after a Chinese
character is found. Every repetition has a bound, so no text takes more than linear time.

Merged from the rules of three systems (S0-12, S2-24, S3-53). Two decisions shape the table (Q14):
bare hex is a commit id, not a secret, until it is assigned to a sensitive name; and high entropy
alone says nothing: a secret is known by its own prefix or by the name it is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from recall_tui.text import assigned, commands, gates
from recall_tui.text.vendors import FEW, VENDORS, Vendor

if TYPE_CHECKING:
    from collections.abc import Callable

ALGORITHM: Final = 3
"""Raise it when a gate or the scan changes: text stored under another value is made anew."""

DEFINITE: Final = "definite"
CANDIDATE: Final = "candidate"


@dataclass(frozen=True)
class Rule:
    """One kind of secret.

    The secret is the pattern's group `secret`, or the whole match; `body` is what a gate judges.
    """

    name: str
    tier: str
    """definite | candidate"""
    anchors: tuple[str, ...]
    """Lower-case literals; one stands in every match."""
    pattern: str
    gate: Callable[[bytes, re.Match[bytes]], bool]
    """Says of (text, match) whether it is a secret."""
    back: int = 0
    """Bytes before the anchor at which the pattern starts."""
    keep: tuple[int, int] = (0, 0)
    """Characters at the start and at the end of the secret that stay visible."""
    follow: bytes = bytes(range(256))
    """The (lower-case) bytes that may come right after the anchor."""
    ready: Callable[[bytes, int, int], bool] | None = None
    """A cheap first look at (lower-cased text, start, end of the anchor)."""
    wraps: bool = False
    """The secret may go on after a line break: a terminal wrapped it."""
    begin: Callable[[bytes, int], int] | None = None
    """Says of (text, anchor) where the pattern starts, when that is no fixed distance."""

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The pattern, compiled when an anchor is first met: most commands never need it."""
        return re.compile(self.pattern.encode())


# ------------------------------------------------------- tokens known by their own prefix

_ESCAPED: Final = r"(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=\[[0-9]m)"
_START: Final = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
"""Where a token may begin: not inside a word, but after an escaped newline, `%3D` or a colour."""


def _drawn(_: bytes, match: re.Match[bytes]) -> bool:
    """For long bodies."""
    body = match["body"]
    return gates.is_random(body) and not gates.is_placeholder(body)


def _patternless(_: bytes, match: re.Match[bytes]) -> bool:
    """For bodies too short, or of too few letters, to measure entropy."""
    body = match["body"]
    return not gates.is_repetitive(body) and not gates.is_placeholder(body)


def _wordless(raw: bytes, match: re.Match[bytes]) -> bool:
    """For a prefix that also begins names: `sk-fading-circle-2`."""
    body = match["body"]
    digits = sum(0x30 <= byte <= 0x39 for byte in body)
    return digits >= 2 and not gates.is_wordlike(body) and _patternless(raw, match)


def _both_parts_drawn(_: bytes, match: re.Match[bytes]) -> bool:
    return all(gates.is_random(part) for part in match["body"].split(b"."))


def _slack(raw: bytes, match: re.Match[bytes]) -> bool:
    """Slack's own documentation counts up: `...0123`."""
    return _drawn(raw, match) and not match["body"].endswith(b"0123")


def _token(
    name: str,
    anchor: str,
    pattern: str,
    keep: tuple[int, int],
    gate: Callable[[bytes, re.Match[bytes]], bool] = _drawn,
    *,
    back: int = 0,
    tier: str = DEFINITE,
    follow: bytes = bytes(range(256)),
    ready: Callable[[bytes, int, int], bool] | None = None,
    wraps: bool = True,
) -> Rule:
    anchors = tuple(anchor.split())
    return Rule(name, tier, anchors, _START + pattern, gate, back, keep, follow, ready, wraps)


_TOKENS: Final = (
    _token("anthropic-key", "sk-", r"sk-ant-(?P<body>[\w-]{19,512})", (7, 4)),
    _token("openai-key", "sk-", r"sk-(?:proj|svcacct|admin)-(?P<body>[\w-]{20,512})", (8, 4)),
    _token("sk-key", "sk-", r"sk-(?P<body>[\w-]{16,512})", (3, 4), _wordless, tier=CANDIDATE),
    _token(
        "stripe-secret", "k_live_ k_test_", r"[sr]k_(?:live|test)_(?P<body>\w{16,512})", (8, 4),
        back=1,
    ),
    _token("groq-key", "gsk_", r"gsk_(?P<body>\w{20,512})", (4, 4)),
    _token("pinecone-key", "pcsk_", r"pcsk_(?P<body>\w{20,512})", (5, 4)),
    _token("xai-key", "xai-", r"xai-(?P<body>[\w-]{20,512})", (4, 4)),
    _token("perplexity-key", "pplx-", r"pplx-(?P<body>\w{20,512})", (5, 4)),
    _token(
        "github-pat", "gh", r"gh[pousr]_(?P<body>[A-Za-z0-9]{20,512})", (4, 4), follow=b"pousr"
    ),
    _token("github-pat", "_pat_", r"github_pat_(?P<body>\w{40,512})", (11, 4), back=6),
    _token(
        "gitlab-pat", "gl",
        r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent|ffct)-(?P<body>[\w.-]{20,512})", (6, 4),
        follow=b"pdrcsaif", ready=lambda low, _, after: low.find(b"-", after, after + 6) > 0,
    ),
    _token(
        "slack-token", "xox",
        r"xox[a-eprs](?:\.xox[bp])?-(?P<body>[A-Za-z0-9%+/-]{10,512})", (5, 4),
        _slack, follow=b"abcdeprs",
    ),
    _token("google-api-key", "aiza", r"AIza(?P<body>[\w-]{35})(?![\w-])", (4, 4), wraps=False),
    _token(
        "aws-access-key", "akia asia", r"A[KS]IA(?P<body>[A-Z0-9]{16})(?!\w)", (4, 4),
        _patternless, wraps=False,
    ),
    _token("huggingface-token", "hf_", r"hf_(?P<body>[A-Za-z0-9]{30,512})", (3, 4)),
    _token(
        "npm-token", "npm_", r"npm_(?P<body>[A-Za-z0-9]{36})(?!\w)", (4, 4), _patternless,
        wraps=False,
    ),
    _token(
        "pypi-token", "pypi-",
        r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)(?P<body>[\w-]{50,1024})", (8, 4),
    ),
    _token(
        "sendgrid-key", "sg.", r"SG\.(?P<body>[\w-]{22}\.[\w-]{43})(?![\w-])", (3, 4),
        _both_parts_drawn, wraps=False,
    ),
    _token(
        "langsmith-key", "lsv2_", r"lsv2_[a-z]{2}_(?P<body>[a-z0-9_]{20,512})", (5, 4),
        _patternless,
    ),
    _token("onepassword-token", "eyj", r"ops_(?P<body>eyJ[\w+/=-]{40,4096})", (4, 4), back=4),
    _token(
        "age-key", "secret", r"AGE-SECRET-KEY-1(?P<body>[A-Z0-9]{58})", (16, 4), back=4,
        wraps=False,
    ),
)  # fmt: skip

_JWT: Final = Rule(
    "jwt",
    CANDIDATE,
    ("eyj",),
    # The third part signs it; a token that was cut off before that still says who is who.
    rf"(?:(?<![\w-])|{_ESCAPED})(?P<body>eyJ[\w-]{{10,4096}}\."
    r"(?:[\w-]{10,8192}\.[\w-]{10,4096}|eyJ[\w-]{10,8192}\.?))",
    _patternless,
    keep=(3, 4),
)

# ------------------------------------------------------- private keys, across lines

_PEM: Final = r"[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----"
_PEM_LINE: Final = (
    r"(?:\\{1,8}r)?(?:\\{1,8}n|\s)[ \t]{0,32}(?:[>|+#*-][ \t]?)?"
    r"(?:[0-9]{1,6}(?:[\t:|]|\xe2\x86\x92|\xe2\x94\x82)[ \t]{0,4})?[A-Za-z0-9+/=]{16,512}+"
)


def _holds_key(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether a key stands between the dashes: documentation puts dots or a sentence there."""
    runs = re.findall(rb"[A-Za-z0-9+/=]{16,}", match[0])
    return sum(map(len, runs)) >= 48 and any(gates.is_random(run, 3.0) for run in runs)


_PRIVATE_KEY: Final = Rule(
    "private-key-block",
    DEFINITE,
    ("private key",),
    # With its END line, or cut off: then as far as its lines go. A block numbered by a file
    # viewer, quoted, or written with escaped newlines is one too.
    rf"-----BEGIN {_PEM}(?:(?:[^-\xfe\xff]++|-(?!-)){{0,4096}}+-----END {_PEM}"
    rf"|(?:{_PEM_LINE}){{1,400}})",
    _holds_key,
    begin=lambda raw, at: raw.rfind(b"-----BEGIN ", max(0, at - 36), at),
)


def _holds_tail(raw: bytes, match: re.Match[bytes]) -> bool:
    """Whether the lines before an END line are those of a key, whose beginning was cut off."""
    return match.start("lines") < match.end("lines") and _holds_key(raw, match)


_PRIVATE_KEY_TAIL: Final = Rule(
    "private-key-block",
    DEFINITE,
    ("private key",),
    rf"(?P<lines>(?:[^-\xfe\xff]++|-(?!----)){{0,4096}}+)-----END {_PEM}",
    _holds_tail,
    begin=commands.key_tail,
)

_PRIVATE_KEY_ENCODED: Final = Rule(
    "private-key-block",
    DEFINITE,
    ("ls0tls1crudjti",),
    # Base64 once more, as in a kubeconfig: `-----BEGIN ` and then RSA, PRIVATE, EC, OPENSSH,
    # ENCRYPTED or DSA, not CERTIFICATE or PUBLIC.
    r"LS0tLS1CRUdJTi(?:BSU0|BQUkl|BFQyB|BPUEV|BFTkN|BEU0E)[A-Za-z0-9+/=]{40,8192}",
    lambda *_: True,
)

# ------------------------------------------------------- secrets known by where they stand

_URL_PASSWORD: Final = Rule(
    "basic-auth-url",
    CANDIDATE,
    ("://",),
    r"""://(?P<user>[^\s/?#:@"'<>`\x80-\xff]{0,128}):"""
    r"""(?P<secret>[^\s/?"'<>`\x80-\xff]{1,256})@(?=[\w\[$])""",
    assigned.is_url_password,
    ready=assigned.may_name_user,
)
_WEBHOOK: Final = Rule(
    "webhook-url",
    CANDIDATE,
    ("://",),
    r"://(?:hooks\.slack\.com/services/|(?:\w{1,16}\.)?discord(?:app)?\.com/api/webhooks/\d{1,24}/"
    r"|api\.telegram\.org/bot)(?P<secret>(?P<body>[\w:/-]{24,256}))",
    _patternless,
    ready=lambda low, _, after: (
        low.startswith((b"hooks.", b"api.tele"), after)
        or low.find(b"discord", after, after + 24) >= 0
    ),
)


def _named(
    name: str,
    anchors: str,
    word: str,
    gate: Callable[[bytes, re.Match[bytes]], bool],
    more: bytes = b"",
) -> Rule:
    return Rule(
        name,
        CANDIDATE,
        tuple(anchors.split()),
        assigned.pattern(word),
        gate,
        follow=assigned.FOLLOW + more,
        ready=assigned.may_open,
    )


_ASSIGNED: Final = (
    _named(
        "assigned-password", "pass", "pass(?:word|wd|phrase|code|e)?", assigned.is_password, b"wpce"
    ),
    _named("assigned-password", "pwd", "pwd", assigned.is_password),
    Rule(
        "assigned-password",
        CANDIDATE,
        ("密码", "パスワード", "비밀번호"),
        assigned.pattern("(?:密码|パスワード|비밀번호)"),
        assigned.is_password,
    ),
    _named("assigned-secret", "secret", "secret", assigned.is_token, bytes(range(256))),
    _named("assigned-secret", "token", "token", assigned.is_token),
    Rule("assigned-secret", CANDIDATE, ("_pat=",), assigned.pattern("_pat"), assigned.is_token),
    _named("assigned-secret", "cred", "credentials?", assigned.is_token, b"e"),
    _named("assigned-secret", "key", "key", assigned.is_key),
    _named("authorization", "auth", "auth(?:orization)?", assigned.is_authorization, b"o"),
    Rule(
        "bearer-token",
        CANDIDATE,
        ("bearer",),
        r"(?i:bearer)[ \t]{1,4}(?P<secret>[\w.~+/=-]{16,4096})",
        assigned.is_bearer,
        follow=b" \t",
    ),
)


def _vendor(vendor: Vendor) -> Rule:
    low = vendor.begins.lower()
    anchor = vendor.anchor or low
    back = low.index(anchor)
    rest = low[back + len(anchor) :]
    return Rule(
        vendor.name, DEFINITE, (anchor,),
        f"{_START}{re.escape(vendor.begins)}(?P<body>{vendor.body})",
        _patternless if vendor.letters == FEW else _drawn, back, (len(vendor.begins), 4),
        rest[:1].encode() or bytes(range(256)),
        _stands(low.encode(), back) if back or rest else None, wraps=True,
    )  # fmt: skip


def _stands(literal: bytes, back: int) -> Callable[[bytes, int, int], bool]:
    """Return a first look that wants a literal from `back` bytes before the anchor on."""
    return lambda low, at, _: low.startswith(literal, at - back) if at >= back else False


def _placed(
    name: str,
    anchors: tuple[str, ...],
    pattern: str,
    gate: Callable[[bytes, re.Match[bytes]], bool],
    ready: Callable[[bytes, int, int], bool] | None = None,
    *,
    begin: Callable[[bytes, int], int] | None = None,
    follow: bytes = bytes(range(256)),
) -> Rule:
    return Rule(name, CANDIDATE, anchors, pattern, gate, begin=begin, ready=ready, follow=follow)


def _follows(*literals: bytes) -> Callable[[bytes, int, int], bool]:
    """Return a first look that wants one of some literals right behind the anchor."""
    return lambda low, _, after: low.startswith(literals, after)


_PLACED: Final = (
    _placed(
        "command-password", ("curl",), commands.CURL_USER, commands.is_credential,
        lambda low, _, after: low.find(b":", low.find(b"-u", after, after + 400), after + 480) > 0,
    ),
    _placed(
        "cookie", ("curl",), commands.CURL_COOKIE, commands.holds_opaque,
        lambda low, _, after: low.find(b" -b ", after, after + 400) >= 0,
    ),
    *(
        _placed("command-password", (program,), pattern, commands.is_written,
                lambda low, _, after: low.find(b" -p", after - 1, after + 220) >= 0
                or low.find(b" -a", after, after + 220) >= 0)
        for program, pattern in commands.PROGRAM_OPTION.items()
    ),
    Rule(
        "command-password", CANDIDATE, ("pass",), commands.SSHPASS, commands.is_written, back=3,
        follow=b" \t", ready=lambda low, at, after: low[at - 3 : at] == b"ssh",
    ),
    Rule(
        "command-password", CANDIDATE, ("pass",), commands.HTPASSWD, commands.is_written, back=2,
        follow=b"w", ready=lambda low, at, _: low[at - 2 : at] == b"ht",
    ),
    Rule(
        "command-password", CANDIDATE, ("pass",), commands.OPENSSL, commands.is_written,
        follow=b" \tio", ready=lambda low, at, _: low[at - 1 : at] == b"-",
    ),
    _placed(
        "command-password", ("pass",), commands.PIPED, commands.is_written,
        _follows(b"word-stdin"), begin=commands.echo_before, follow=b"w",
    ),
    _placed(
        "command-password", ("auth",), commands.PAIR, commands.is_written,
        lambda low, _, after: b"(" in low[after : after + 5], follow=b"(= ",
    ),
    _placed("cookie", ("cookie",), commands.COOKIES, commands.holds_opaque),
    _placed("signed-url", ("sig=", "signature="), commands.SIGNATURE, commands.is_signature),
    _placed(
        "basic-auth-url", ("://",), commands.IN_ADDRESS, commands.is_opaque_user,
        lambda low, _, after: low.find(b"@", after + 20, after + 280) >= 0,
    ),
    _placed(
        "assigned-password", ("pass",), commands.SAID, commands.is_said,
        _follows(b"word is", b"word was", b"wort ", b"wort:", b"phrase is"), follow=b"wp",
    ),
    _placed(
        "assigned-secret", ("key", "token", "secret"), commands.TOLD, commands.is_told,
        _follows(b" is ", b" was ", b" ist ", b" es "), follow=b" ",
    ),
    _placed("assigned-password", ("пароль", "contraseña"), commands.SAID, commands.is_said),
)  # fmt: skip
"""Rules of places, whose values have no name that gives them away."""

RULES: Final = (
    *_TOKENS, *map(_vendor, VENDORS), _PRIVATE_KEY, _PRIVATE_KEY_TAIL,
    _PRIVATE_KEY_ENCODED, _JWT, _URL_PASSWORD,
    _WEBHOOK, *_ASSIGNED, *_PLACED,
)  # fmt: skip
"""Every rule. Where findings overlap, a definite one names the whole, then the earlier in here."""
