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

from typing import TYPE_CHECKING, Final

from recall_tui.text import assigned, commands, gates
from recall_tui.text.rule import CANDIDATE, Rule, patternless
from recall_tui.text.tokens import TOKENS

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

ALGORITHM: Final = 4
"""Raise it when a gate or the scan changes: text stored under another value is made anew."""


def _untyped(_: bytes, match: re.Match[bytes]) -> bool:
    """For what has no body of its own."""
    return not gates.is_repetitive(match["secret"])


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
    r"|api\.telegram\.org/bot|(?:[\w-]{1,64}\.)?webhook\.office\.com/webhookb2/"
    r"|hooks\.zapier\.com/hooks/catch/)(?P<secret>(?P<body>[\w:/@-]{12,256}))",
    patternless,
    ready=lambda low, _, after: (
        low.startswith((b"hooks.", b"api.tele"), after)
        or low.find(b"discord", after, after + 24) >= 0
        or low.find(b"webhook.office.", after, after + 80) >= 0
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
        unlike=assigned.UNLIKE,
        ready=assigned.may_open,
        wraps=True,
    )


_ASSIGNED: Final = (
    _named(
        "assigned-password",
        "pass",
        "pass(?:word|wort|wd|phrase|code|e)?",
        assigned.is_password,
        b"wpce",
    ),
    _named("assigned-password", "pwd", "pwd", assigned.is_password),
    Rule(
        "assigned-password",
        CANDIDATE,
        (
            "密码",
            "密碼",
            "口令",
            "パスワード",
            "비밀번호",
            "пароль",
            "contraseña",
            "senha",
            "mot de passe",
        ),
        assigned.pattern(
            "(?:密码|密碼|口令|パスワード|비밀번호|пароль|contraseña|senha|mot de passe ?)"
        ),
        assigned.is_password,
    ),
    Rule(
        "assigned-secret",
        CANDIDATE,
        ("密钥", "密鑰", "令牌", "トークン"),
        assigned.pattern("(?:密钥|密鑰|令牌|トークン)"),
        assigned.is_token_said,
    ),
    _named(
        "assigned-secret", "secret", "secret(?:[_-]?string)?", assigned.is_token, bytes(range(256))
    ),
    _named("assigned-secret", "token", "token", assigned.is_token),
    Rule("assigned-secret", CANDIDATE, ("_pat=",), assigned.pattern("_pat"), assigned.is_token),
    _named("assigned-secret", "cred", "credentials?", assigned.is_token, b"e"),
    _named("assigned-secret", "key", "key", assigned.is_key),
    Rule(
        "assigned-secret",
        CANDIDATE,
        ("keys", "tokens", "secrets", "passwords", "passwds"),
        assigned.SEVERAL,
        assigned.are_secrets,
        follow=b"\"'`\\=: _",
        ready=assigned.may_list,
    ),
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


_OPTIONS: Final = (b" -p", b" -a", b" -w", b" -u", b" -b", b" --body", b" --value")

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
                lambda low, _, after: any(low.find(option, after - 1, after + 220) >= 0
                                          for option in _OPTIONS))
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
        "command-password", ("secret",), commands.PIPED, commands.is_written,
        _follows(b" set", b" put", b" create", b"s create", b"s put", b"s versions"),
        begin=commands.echo_before, follow=b" s",
    ),
    _placed(
        "command-password", ("env add", "sudo -s", "chpassw"), commands.PIPED,
        commands.is_written, begin=commands.echo_before,
    ),
    Rule(
        "command-password", CANDIDATE, ("pass",), commands.HERE, commands.is_written, follow=b"w",
        ready=_follows(b"word-stdin"),
    ),
    _placed(
        "command-password", ("convertto-securestring",), commands.SECURE_STRING,
        commands.is_written,
    ),
    _placed("command-password", ("identified ",), commands.IDENTIFIED, commands.is_login),
    _placed(
        "command-password", ("http ", "https "), commands.HTTPIE, commands.is_written,
        lambda low, _, after: low.find(b" -a", after - 1, after + 200) >= 0
        or low.find(b" --auth", after - 1, after + 200) >= 0,
    ),
    _placed("command-password", ("login",), commands.LOGIN, commands.is_login, follow=b"("),
    _placed("command-password", (":5432:", ":*:"), commands.PGPASS, commands.is_written),
    _placed(
        "assigned-password", ("pass",), commands.IN_FOURS, commands.is_in_fours,
        follow=b"w:=",
    ),
    _placed(
        "assigned-secret", ("akia", "asia"), commands.AWS_PAIR, commands.is_half_of_pair,
    ),
    _placed(
        "password-hash", ("$2a$", "$2b$", "$2y$", "$6$", "$5$", "$y$", "$apr1$", "$argon2",
                          "pbkdf2_sha256$"), commands.HASH, _untyped,
    ),
    _placed("seed-phrase", ("mnemonic", "phrase"), commands.SEED_PHRASE, lambda *_: True),
    _placed(
        "private-key-block", ('"kty',), commands.PRIVATE_JWK, lambda *_: True,
        begin=commands.object_before,
    ),
    _placed("cookie", ("cookie",), commands.COOKIE_TABLE, commands.holds_opaque_values),
    _placed("cookie", ("\ttrue\t", "\tfalse\t"), commands.COOKIE_JAR, commands.is_session),
    _placed(
        "cookie", ("httponly",), commands.COOKIE_STATE, commands.is_session,
        begin=commands.value_before, follow=b"\"'\\",
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

RULES: Final = (*TOKENS, _URL_PASSWORD, _WEBHOOK, *_ASSIGNED, *_PLACED)
"""Every rule. Where findings overlap, a definite one names the whole, then the earlier in here."""
