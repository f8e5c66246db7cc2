"""Secrets that are known by themselves: tokens with a prefix of their own, private keys."""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING, Final

from recall_tui.text import commands, gates
from recall_tui.text.late import late
from recall_tui.text.rule import CANDIDATE, DEFINITE, START, Rule, drawn, patternless
from recall_tui.text.vendors import FEW, VENDORS, Vendor

if TYPE_CHECKING:
    from collections.abc import Callable


def _wordless(raw: bytes, match: re.Match[bytes]) -> bool:
    """For a prefix that also begins names: `sk-fading-circle-2`."""
    body = match["body"]
    digits = sum(0x30 <= byte <= 0x39 for byte in body)
    return digits >= 2 and not gates.is_wordlike(body) and patternless(raw, match)


def _both_parts_drawn(_: bytes, match: re.Match[bytes]) -> bool:
    return all(gates.is_random(part) for part in match["body"].split(b"."))


def _slack(raw: bytes, match: re.Match[bytes]) -> bool:
    """Slack's own documentation counts up: `...0123`."""
    return drawn(raw, match) and not match["body"].endswith(b"0123")


def _token(
    name: str,
    anchor: str,
    pattern: str,
    keep: tuple[int, int],
    gate: Callable[[bytes, re.Match[bytes]], bool] = drawn,
    *,
    back: int = 0,
    tier: str = DEFINITE,
    follow: bytes = bytes(range(256)),
    ready: Callable[[bytes, int, int], bool] | None = None,
    wraps: bool = True,
) -> Rule:
    anchors = tuple(anchor.split())
    return Rule(name, tier, anchors, START + pattern, gate, back, keep, follow, ready, wraps)


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
        "aws-access-key", "akia asia abia", r"A[KSB]IA(?P<body>[A-Z0-9]{16})(?![A-Za-z0-9])",
        (4, 4), patternless, wraps=False,
    ),
    _token("huggingface-token", "hf_", r"hf_(?P<body>[A-Za-z0-9]{30,512})", (3, 4)),
    _token(
        "npm-token", "npm_", r"npm_(?P<body>[A-Za-z0-9]{36})(?![A-Za-z0-9])", (4, 4), patternless,
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
        patternless,
    ),
    _token("onepassword-token", "eyj", r"ops_(?P<body>eyJ[\w+/=-]{40,4096})", (4, 4), back=4),
    _token(
        "azure-client-secret", "7q~ 8q~",
        r"[\w.~-]{3}[78]Q~(?P<body>[\w.~-]{30,33}[\w~-])(?![\w~-])", (0, 4), back=3, wraps=False,
    ),
    _token(
        "azure-devops-token", "azdo", r"(?P<body>[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})(?!\w)",
        (0, 4), back=76, wraps=False,
    ),
    _token(
        "terraform-token", ".atlasv1.", r"(?P<body>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})",
        (0, 4), back=14, wraps=False,
    ),
    _token(
        "mailchimp-key", "-us", r"(?P<body>[0-9a-f]{32})-us[0-9]{1,2}(?![\w-])", (0, 4),
        patternless, back=32, follow=b"0123456789", wraps=False,
    ),
    _token(
        "new-relic-ingest-key", "ffffnra", r"(?P<body>[0-9a-f]{36})FFFFNRAL(?!\w)", (0, 4),
        patternless, back=36, follow=b"l", wraps=False,
    ),
    _token(
        "age-key", "secret", r"AGE-SECRET-KEY-1(?P<body>[A-Z0-9]{58})", (16, 4), back=4,
        wraps=False,
    ),
)  # fmt: skip

_TELEGRAM: Final = Rule(
    "telegram-token",
    DEFINITE,
    (":aa",),
    r"(?<=[0-9]{8}):(?P<secret>AA(?P<body>[\w-]{33}))(?![\w-])",
    drawn,
)

_ENCODED: Final = Rule(
    "encoded-token",
    DEFINITE,
    (
        "z2hwx",
        "z2l0ahvix3bhd",
        "z2xwyxqt",
        "c2stchjvai",
        "c2styw50l",
        "c2tfbgl2zv",
        "qutjq",
        "eg94y",
        "bnbtx",
    ),
    # Base64 of `ghp_`, `github_pat_`, `glpat-`, `sk-proj-`, `sk-ant-`, `sk_live_`, `AKIA`, `xox`,
    # `npm_`, as in the data of a Kubernetes secret.
    rf"{START}(?P<body>(?:Z2hwX|Z2l0aHViX3BhdF|Z2xwYXQt|c2stcHJvai|c2stYW50L|c2tfbGl2ZV|QUtJQ"
    r"|eG94Y|bnBtX)[A-Za-z0-9+/]{20,2048}={0,2})(?![A-Za-z0-9+/=])",
    lambda _, match: _is_encoded_token(match["body"]),
)


def _is_encoded_token(body: bytes) -> bool:
    """Whether base64 holds a token: printable, drawn, and as long as one."""
    try:
        held = binascii.a2b_base64(body + b"===")
    except binascii.Error:
        return False
    return len(held) >= 16 and _PRINTABLE.match(held) is not None and gates.is_random(held, 3.0)


_PRINTABLE: Final = late(rb"[\w=/+.:@\s-]+\Z")


def _within(begins: str, ahead: int) -> str:
    """Return what base64 has of the beginning of a token wherever so many bytes stand ahead of it.

    The letters at its edges also hold bits of its neighbours.
    """
    encoded = binascii.b2a_base64(bytes(ahead) + begins.encode() + bytes(3), newline=False)
    return encoded[-(-8 * ahead // 6) : 8 * (ahead + len(begins)) // 6].decode()


_BEGINS: Final = (
    "ghp_", "gho_", "github_pat_", "glpat-", "sk-proj-", "sk-ant-", "sk_live_", "AKIA", "npm_",
    "xoxb-", "xoxp-",
)  # fmt: skip
_WITHIN: Final = tuple(_within(begins, ahead) for begins in _BEGINS for ahead in range(3))

_ENCODED_WITHIN: Final = Rule(
    "encoded-token",
    DEFINITE,
    tuple(map(str.lower, _WITHIN)),
    # As in the base64 of a whole `.env`: it begins somewhere inside, not where three bytes do.
    rf"(?<=[A-Za-z0-9+/])(?P<body>(?:{'|'.join(_WITHIN)})"
    r"[A-Za-z0-9+/]{20,4096}={0,2})(?![A-Za-z0-9+/=])",
    lambda _, match: any(_holds_token(match["body"], ahead) for ahead in range(3)),
)
_REST: Final = late(
    rb"(?:%s)([\w-]{16,})" % "|".join(re.escape(begins[1:]) for begins in _BEGINS).encode()
)


def _holds_token(body: bytes, ahead: int) -> bool:
    """Whether base64, read on from inside, goes on as a token does."""
    letters = b"A" * (-(-8 * ahead // 6)) + body.rstrip(b"=")
    held = binascii.a2b_base64(letters[: len(letters) // 4 * 4])
    # Some bits of its first letter are in what stands ahead.
    token = _REST.match(held, ahead + 1)
    return token is not None and gates.is_random(token[1], 3.0)


_JWT: Final = Rule(
    "jwt",
    CANDIDATE,
    ("eyj",),
    # The third part signs it; a token that was cut off before that still says who is who.
    rf"{START}(?P<body>eyJ[\w-]{{10,4096}}\."
    r"(?:[\w-]{10,8192}\.[\w-]{10,4096}|eyJ[\w-]{10,8192}\.?))",
    patternless,
    keep=(3, 4),
)


def _vendor(vendor: Vendor) -> Rule:
    low = vendor.begins.lower()
    anchor = vendor.anchor or low
    back = low.index(anchor)
    rest = low[back + len(anchor) :]
    return Rule(
        vendor.name, DEFINITE, (anchor,),
        f"{START}{re.escape(vendor.begins)}(?P<body>{vendor.body})",
        patternless if vendor.letters == FEW else drawn, back, (len(vendor.begins), 4),
        rest[:1].encode() or bytes(range(256)),
        _stands(low.encode(), back) if back or rest else None, wraps=True,
    )  # fmt: skip


def _stands(literal: bytes, back: int) -> Callable[[bytes, int, int], bool]:
    """Return a first look that wants a literal from `back` bytes before the anchor on."""
    return lambda low, at, _: low.startswith(literal, at - back) if at >= back else False


# ------------------------------------------------------- private keys, across lines

_PEM: Final = r"[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?[ -]----"
_PEM_LINE: Final = (
    # The end of the line before: a string that is joined to the next, or one of a list.
    r"(?:(?:\\{1,8}n)?\\{0,7}[\"'`][ \t]{0,4}[,+.\\]?[ \t]{0,4}|\\)?"
    r"(?:\\{1,8}r)?(?:\\{1,8}n|\s)[ \t]{0,32}(?:[>|+#*-][ \t]?)?"
    # What a viewer or grep writes before a line: its number, its file.
    r"(?:[0-9]{1,6}(?:[\t:|]|\xe2\x86\x92|\xe2\x94\x82)[ \t]{0,4}"
    r"|[\w./~+-]{1,256}[:-](?:[0-9]{1,6}[:-])?)?"
    r"\\{0,7}[\"'`]?[A-Za-z0-9+/=]{16,512}+"
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
    rf"----[- ]BEGIN {_PEM}(?:(?:[^-\xfe\xff]++|-(?!-)){{0,4096}}+----[- ]END {_PEM}"
    rf"|(?:{_PEM_LINE}){{1,400}})",
    _holds_key,
    begin=lambda raw, at: raw.rfind(b"BEGIN ", max(0, at - 31), at) - 5,
)


def _holds_tail(raw: bytes, match: re.Match[bytes]) -> bool:
    """Whether the lines before an END line are those of a key, whose beginning was cut off."""
    return match.start("lines") < match.end("lines") and _holds_key(raw, match)


_PRIVATE_KEY_TAIL: Final = Rule(
    "private-key-block",
    DEFINITE,
    ("private key",),
    rf"(?P<lines>(?:[^-\xfe\xff]++|-(?!----END )){{0,4096}}+)-----END {_PEM}",
    _holds_tail,
    begin=commands.key_tail,
)

_PUTTY_KEY: Final = Rule(
    "private-key-block",
    DEFINITE,
    ("private-lines:",),
    rf"Private-Lines: [0-9]{{1,3}}(?:{_PEM_LINE}){{1,400}}",
    _holds_key,
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

TOKENS: Final = (
    *_TOKENS, *map(_vendor, VENDORS), _TELEGRAM, _ENCODED, _ENCODED_WITHIN, _PRIVATE_KEY,
    _PRIVATE_KEY_TAIL, _PUTTY_KEY, _PRIVATE_KEY_ENCODED, _JWT,
)  # fmt: skip
"""The rules of this module."""
