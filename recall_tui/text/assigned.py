r"""Secrets known by the name they are given: `password=...`, `"api_key": "..."`, headers, flags.

One pattern reads what follows the sensitive word: the rest of the name, a separator, quotes, an
authentication scheme, the value. A gate then looks at the name as a whole and at the value. Most
assignments in code hold no secret (`token: str`, `password = os.environ["X"]`, `key=<your key>`),
so the gates ask what a value is made of before they believe the name.
"""

from __future__ import annotations

import binascii
import re
from typing import Final

from recall_tui.text import gates
from recall_tui.text.late import late

FOLLOW: Final = b" \t\"'`\\=:!_-]>[?\n\xef\xe6\xe4\xe3\xeb"
"""What may follow a sensitive word that is assigned to; the last are first bytes of full-width
separators and of `is` in Chinese, Japanese and Korean."""

_VALUE_BYTES: Final = 4096
"""Bound of a value; the scan looks on past a value this long."""
_VARIANT: Final = r"(?:[_-](?:base|prod|production|dev|test|staging|live|main|data|v?[0-9]{1,2}))?"
_CLOSE: Final = r"""(?P<kq>\\{0,7}["'`])?\]?"""
_BREAK: Final = r"(?:\\{1,8}n|\s)"
"""White space, also where a line break is written out."""
_VALUE_OF: Final = rf"""(?:,|{_BREAK}){_BREAK}{{0,40}}\\{{0,7}}["']?value"""
"""Between a name and its value where both are values: `name: TOKEN, value: ...`."""
_SEPARATOR: Final = (
    r"(?:"
    r"[ \t]{0,8}(?:\[[^\]\n]{0,24}\])?"  # AWS Secret Access Key [None]:
    r"(?:\??:[ ]?[A-Za-z][\w.\[\]| ]{1,32}(?==[^=]))?"  # a type: token: str = "..."
    r"(?:={1,3}>?|!==?|:(?!:)[=-]?|\xef\xbc[\x9a\x9d])"  # = == => != : := :- and full-width
    r"(?:[ \t]|\\(?:\r?\n|\\\\(?:\\\\\\)?n)){0,16}"  # a line goes on behind its backslash
    rf"|{_VALUE_OF}\\{{0,7}}[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    r"|(?(kq)(?P<list>[ \t]{0,4},\s{0,16})(?=\\{0,7}[\"'])|(?!))"  # ("token", "..."), argv lists
    r"|(?P<flag>[ \t]{1,4})(?=[^\s=:-])"  # --token ..., netrc
    r"|(?P<tag>>)"  # <password>...</password>
    # `is` in Chinese, Japanese and Korean: 是 为 は 는
    r"|[ \t]{0,2}(?:\xe6\x98\xaf|\xe4\xb8\xba|\xe3\x81\xaf|\xeb\x8a\x94)[ \t]{0,4}"
    r")"
)
_VALUE: Final = (
    r"""(?:(?:[rbfu]{1,2}|\$)(?=\\{0,7}["']))?(?P<q>\\{0,7}(?:"{3}|'{3}|["'`]))?"""
    r"(?:(?i:(?P<scheme>bearer|basic|token|apikey))[ \t]{1,4})?"
    r"""(?P<secret>(?(q)[^"'`\\\s\x80-\xff]|[^"'`\\\s\x80-\xff,;()\[\]{}<>&|])"""
    rf"{{1,{_VALUE_BYTES}}})"
)


def pattern(word: str) -> str:
    """Return the pattern of an assignment to a name that ends in a word (a regex, any case)."""
    return f"(?i:{word}{_VARIANT}){_CLOSE}{_SEPARATOR}{_VALUE}"


_OPENING: Final = late(
    rb"(?:word|wd|phrase|code|e|orization|entials?)?" + _VARIANT.encode() + rb"""["'`\\]{0,8}\]?"""
    rb"(?:[ \t]{0,8}(?:\[[^\]\n]{0,24}\])?[=:!?\xef\xe6\xe4\xe3\xeb]"
    rb"""|[ \t]{0,4},\s{0,16}["'\\]|>|""" + _VALUE_OF.encode() + rb")"
)
_BLANK: Final = 0x20


def may_open(low: bytes, at: int, after: int) -> bool:
    """Return whether an assignment may follow a sensitive word at [at, after): a cheap first look.

    Args:
        low: The lower-cased text.
        at: Where the word starts.
        after: Where it ends.
    """
    if low[after] == _BLANK and low[after + 1 : after + 2] not in b" =:[!\t,\xef\xe6\xe4\xe3\xeb":
        return _is_flag(low, at)  # prose, nearly always: no pattern is asked
    if _OPENING.match(low, after):
        return True
    return low[after] in b"\twpc" and _is_flag(low, at)  # `--password value`


def _is_flag(low: bytes, at: int) -> bool:
    """Whether a value may follow without a separator: `--token value`, netrc, `setx`."""
    return (
        low.find(b"--", max(0, at - 24), at) >= 0
        or low.find(b"login", max(0, at - 90), at) >= 0
        or low.find(b"set", max(0, at - 48), at) >= 0
        or low.find(b"env ", max(0, at - 40), at) >= 0
    )


_NAME: Final = late(rb"[\w.$-]{0,48}\Z")
_LOGIN: Final = late(rb"login[ \t]+[^\s]{1,64}\s+\Z")
_SETTING: Final = late(
    rb"\b(?:ENV|setx|setenv|set[ \t]{1,4}-[a-zA-Z]{1,3}|config(?:ure)?[ \t]{1,4}set)"
    rb"[ \t]{1,4}[^\s=]{0,80}\Z"
)
"""What sets a name to the word behind it: Docker, Windows, csh, fish, `aws configure set`."""
_HEX: Final = late(rb"[0-9A-Fa-f-]+\Z")
_COMPOUND: Final = late(rb"[_|/:.]|-.*-")
_UNLIKE_A_WORD: Final = late(rb"[0-9!@#$%^&*+=?~;:,]")


def is_password(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a password is assigned: people choose them, so they need not look drawn.

    It holds a digit or a symbol, or is no word; in `DB_PASSWORD=letmein` a word is one too.
    """
    value = match["secret"]
    if len(value) < 6 or not (
        _UNLIKE_A_WORD.search(value.rstrip(b".,:;="))
        or gates.letters_are_drawn(value)
        or (_IN_ENVIRONMENT.match(match[0]) and not _NO_PASSWORD.match(value))
    ):
        return False
    if not _is_literal(raw, match):
        return False
    if _BARE_PASS.match(match[0]) and not _is_pass_name(_name_before(raw, match), match):
        return False
    if value.isdigit():
        return True
    return not gates.is_plain(value) and not (gates.is_wordlike(value) and _COMPOUND.search(value))


def _is_pass_name(name: bytes, match: re.Match[bytes]) -> bool:
    """Whether `...pass` means a password: not `PASS: test_login_2`, `compass`, `CoveragePass`."""
    return bool(match["q"]) if not name else bool(_PASS_OWNER.search(name))


_IN_ENVIRONMENT: Final = late(rb"PASS[A-Z]*=[a-z]")
_NO_PASSWORD: Final = late(
    rb"(?:pass(?:word|wd|phrase)?|secret|postgres|admin|guest|string|settings|config|required|"
    rb"optional|undefined|example)\Z",
    re.IGNORECASE,
)
_BARE_PASS: Final = late(rb"pass(?![wpce])", re.IGNORECASE)
_PASS_OWNER: Final = late(
    rb"(?:[-_.]|db|user|admin|root|login|mail|smtp|ftp|sql|http|auth)\Z", re.IGNORECASE
)


def is_token(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a token or secret is assigned: a literal that is not made of words."""
    return (
        gates.is_opaque(match["secret"], 8)
        and _is_literal(raw, match)
        and not _NO_TOKEN.search(_name_before(raw, match))
    )


_NO_TOKEN: Final = late(
    rb"(?:next|page|pagination|continuation|sync|cursor|resume|eos|bos|pad|unk|cls|sep|mask|"
    rb"start|stop|end|special|max|lock|change|request|idempotency)[._-]?\Z",
    re.IGNORECASE,
)


def is_key(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a key that opens something is assigned.

    A name like `api_key` or `private_key` says so; any other `..._key` needs a value that cannot
    be a name, a path or a digest.
    """
    value = match["secret"]
    if not gates.is_opaque(value, 8) or not _is_literal(raw, match):
        return False
    name = _name_before(raw, match)
    if _OPEN_KEY.search(name):
        return False
    if _SECRET_KEY.search(name):
        return True
    start = match.start() - len(name)
    in_query = start > 0 and raw[start - 1] in b"?&"  # `?maps_key=...`
    in_environment = name.isupper() and match[0][:3] == b"KEY"  # `MAPS_KEY=...`
    may_be_hex = in_query or in_environment
    return (
        len(value) >= 20
        and (may_be_hex or not _HEX.match(value))
        and gates.is_random(value)
        and (may_be_hex or value != value.lower() != value.upper() != value)
        and value.count(b"/") < 3
        and sum(0x30 <= byte <= 0x39 for byte in value) >= 3
    )


_SECRET_KEY: Final = late(
    rb"(?:api|app|private|secret|ssh|service[ _-]?account|access|auth|encryption|signing|master|"
    rb"account|subscription|shared|admin|client|webhook|server|deploy|license)[ ._-]{0,2}\Z",
    re.IGNORECASE,
)
_OPEN_KEY: Final = late(
    rb"(?:public|pub|primary|foreign|cache|object|s3|sort|row|idempotency|partition|host|session|"
    rb"publishable|site)[._-]?\Z",
    re.IGNORECASE,
)


def is_authorization(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether an `Authorization` header or an `auth` entry carries a credential."""
    if not _is_literal(raw, match):
        return False
    scheme, value = (match["scheme"] or b"").lower(), match["secret"]
    if scheme == b"basic":
        return _is_basic(value)
    return gates.is_opaque(value, 8 if scheme else 16)


def is_bearer(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether the word after `Bearer` is a token, not prose."""
    return gates.is_opaque(match["secret"], 16)


_URL_BYTES: Final = 128 + 1 + 256 + 1
"""Of a user name, a password and what stands behind either in a URL, at most."""


def may_name_user(low: bytes, _: int, after: int) -> bool:
    """Return whether a user and a password may follow `://`: a cheap first look."""
    return low.find(b"@", after, after + _URL_BYTES) >= 0


def is_url_password(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether `scheme://user:password@host` gives a password, not the word for one."""
    value = match["secret"]
    trivial = re.fullmatch(
        rb"(?i:pass(?:word|wd)?|pwd|secret|token|key|pw|xxx+|user(?:name)?)", value
    )
    is_port = b"#" in value and value.partition(b"#")[0].isdigit()
    return not (trivial or is_port or value == match["user"] or gates.is_placeholder(value))


def _name_before(raw: bytes, match: re.Match[bytes]) -> bytes:
    """The part of the assigned name before the sensitive word: `aws_secret_access_` of `..._key`.

    `secret access key` in words counts as one name.
    """
    start = match.start()
    before = raw[max(0, start - 48) : start]
    spoken = re.search(rb"(?i:secret access|api|private|access|account) \Z", before)
    if spoken:
        return spoken[0]
    name = _NAME.search(before)
    return name[0] if name else b""


def _is_literal(raw: bytes, match: re.Match[bytes]) -> bool:
    """Whether the value is written out: no expression, no placeholder, no sentence."""
    value, after = match["secret"], raw[match.end("secret") : match.end("secret") + 1]
    name = _name_before(raw, match)
    start = match.start() - len(name)
    before = raw[start - 1 : start] if start else b""
    if (
        before == b":"
        and not match["flag"]
        and b"=" not in raw[match.start() : match.start("secret")]
    ):
        return False  # a path of names: `Type::Token`, `arn:aws:...:secret:name`
    if match["list"] is not None and not (
        (before in b"\"'`" or name.startswith(b"--")) and re.search(rb"[0-9]", value)
    ):
        return False  # a list of names
    if match["flag"] is not None and match[0].isascii():  # Chinese needs no colon
        above = raw[max(0, match.start() - 90) : match.start()]
        if not (name.startswith(b"-") or _LOGIN.search(above) or _SETTING.search(above)):
            return False
    if match["tag"] is not None and (
        before != b"<" or raw[match.end("secret") : match.end("secret") + 2] != b"</"
    ):
        return False
    if match["q"]:
        if after not in b"\"'`\\\n\xff" and len(value) < _VALUE_BYTES:
            return False  # a blank: a sentence
    elif (after in b"([{" and after) or gates.is_code(value):
        return False
    return not gates.is_placeholder(value)


def _is_basic(value: bytes) -> bool:
    """Whether this is base64 of `user:password`."""
    try:
        return b":" in binascii.a2b_base64(value + b"==")[:256]
    except binascii.Error:
        return False
