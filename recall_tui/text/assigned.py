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

FOLLOW: Final = b" \t\"'`\\=:!_-]>[?\n(|*%\xe2\xef\xe6\xe4\xe3\xeb"
"""What may follow a sensitive word that is assigned to; the last are first bytes of a line between
cells, of full-width separators and of `is` in Chinese, Japanese and Korean."""

_VALUE_BYTES: Final = 4096
"""Bound of a value; the scan looks on past a value this long."""
_VARIANT: Final = r"(?:[_-](?:base|prod|production|dev|test|staging|live|main|data|v?[0-9]{1,2}))?"
_CLOSE: Final = r"""(?:\*\*|__)?(?P<kq>(?:\\{0,7}["'`]|%22))?(?:\]\\{0,7}["'`]?)?(?:\*\*|__)?"""
"""What may stand behind a name: Markdown, quotes, the bracket of an index or of a CSS selector."""
_BREAK: Final = r"(?:\\{1,8}n|\s)"
"""White space, also where a line break is written out."""
_VALUE_OF: Final = rf"""(?:,|{_BREAK}){_BREAK}{{0,40}}\\{{0,7}}["']?(?:[Pp]arameter)?[Vv]alue"""
"""Between a name and its value where both are values: `name: TOKEN, value: ...`."""
_OPENED: Final = (
    r"(?:\)\.(?:fill|type|set_?value|send_?keys|press_?sequentially)\("  # By("password").fill(
    r"|[ \t]{1,4}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=[ \t]{0,4})"  # Terraform: { default =
)
"""Between a name in quotes and its value."""
_BESIDE: Final = r"(?:[ \t]{0,40}(?:\||\xe2\x94\x82)[ \t]{0,4}[`*]{0,3})"
"""Between two cells of a table."""
_SEPARATOR: Final = (
    r"(?:"
    r"[ \t]{0,8}(?:\[[^\]\n]{0,24}\])?"  # AWS Secret Access Key [None]:
    # a type: token: str = "...", TOKEN: &'static str = "..."
    r"(?:\??:[ ]?(?:&(?:'static )?)?[A-Za-z][\w.\[\]| ]{1,32}(?==[^=]))?"
    # = == => != : := :- ?= and full-width, as an address or JSON writes them
    r"(?:={1,3}>?|!==?|:(?!:)[=-]?|\?=|\xef\xbc[\x9a\x9d]|%3[Dd]|(?(kq)%3[Aa](?:%20)?|(?!))|\\{1,7}u003[ad])"
    r"(?:\*\*|__)?"
    r"(?:[ \t]|\\(?:\r?\n|\\\\(?:\\\\\\)?n)){0,16}"  # a line goes on behind its backslash
    # the next line: in quotes, as a block of YAML, alone
    rf"(?:[|>][+-]?{_BREAK}{{1,40}}|{_BREAK}{{1,40}}(?:(?=\\{{0,7}}[\"'`])|(?P<alone>)))?"
    # {"secret": {"value": "..."}}
    r"(?:\{\s{0,16}\\{0,7}[\"']value\\{0,7}[\"']\s{0,4}:\s{0,4})?"
    rf"|{_VALUE_OF}\\{{0,7}}[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    r"|(?(kq)(?P<list>[ \t]{0,4},\s{0,16})(?=\\{0,7}[\"'])|(?!))"  # ("token", "..."), argv lists
    rf"|(?(kq){_OPENED}|(?!))(?=\\{{0,7}}[\"'`])"
    r"|[ \t]{0,2}(?:\|\||\?\?)[ \t]{0,2}(?=[\"'`])"  # process.env.TOKEN || "..."
    r"|(?P<call>\()(?=\\{0,7}[\"'`])"  # setToken("...")
    rf"|(?P<cell>{_BESIDE})"
    # a column beside it, as of a listing of the environment
    r"|(?P<column>[ \t]{2,60})(?=\S{16,512}[ \t]{0,64}(?:[\r\n]|\Z))"
    # --token ..., netrc
    r"|(?P<flag>[ \t]{1,4}(?:\\\r?\n[ \t]{0,16})?)(?=[^\s=:-])"
    r"|(?P<tag>>)"  # <password>...</password>
    # `is` in Chinese, Japanese and Korean: 是 为 は 는
    r"|[ \t]{0,2}(?:\xe6\x98\xaf|\xe4\xb8\xba|\xe3\x81\xaf|\xeb\x8a\x94)[ \t]{0,4}"
    r")"
)
_VALUE: Final = (
    r"""(?:(?:[rbfuLN]{1,2}|[$@&])(?=\\{0,7}["']))?(?:<!\[CDATA\[)?"""
    r"""(?P<q>\\{0,7}(?:"{3}|'{3}|["'`])|%22)?"""
    r"(?:(?i:(?P<scheme>bearer|basic|token|apikey|ssws))[ \t]{1,4})?"
    r"""(?P<secret>(?(q)[^"'`\\\s\x80-\xff]|[^"'`\\\s\x80-\xff,;()\[\]{}<>&|])"""
    rf"{{1,{_VALUE_BYTES}}})"
)


def pattern(word: str) -> str:
    """Return the pattern of an assignment to a name that ends in a word (a regex, any case)."""
    return f"(?i:{word}{_VARIANT}){_CLOSE}{_SEPARATOR}{_VALUE}"


SEVERAL: Final = (
    rf"(?i:(?:key|token|secret|password|passwd)s)\\{{0,7}}[\"'`]?[ \t]{{0,8}}[:=][ \t]{{0,4}}"
    r"(?P<secret>\[[^\[\]{}()]{16,8192}\]|\{[^\[\]{}()]{16,8192}\}"
    rf"|(?:{_BREAK}{{1,40}}- [\"']?[^\s\"'\\]{{12,512}}[\"']?){{1,64}}"
    r"|[\w.~+/=@!#%^&*-]{6,512}(?:,[ ]?[\w.~+/=@!#%^&*-]{6,512}){1,64})"
)
"""Several secrets under one name: a list in brackets, of YAML, or with commas between."""
_ELEMENT: Final = late(rb"[^\s\"'`\\,\[\]]{6,512}")


def may_list(low: bytes, _: int, after: int) -> bool:
    """Return whether a list may be assigned to a name in the plural: a cheap first look."""
    return b"=" in low[after : after + 4] or b":" in low[after : after + 4]


def are_secrets(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether one of several values that are assigned together is a secret."""
    word = match[0][:4].lower()
    name = _name_before(raw, match)
    if (word == b"keys" and not _SECRET_KEY.search(name)) or _NO_TOKEN.search(name):
        return False
    values = _ELEMENT.findall(match["secret"])[:64]
    if word == b"pass":
        return match["secret"][:1] not in b"[{\\\n" and all(
            len(value) >= 8 and gates.is_opaque(value, 8) for value in values
        )
    return any(_is_drawn(value) and not gates.is_placeholder(value) for value in values)


_OPENING: Final = late(
    rb"(?:word|wort|wd|phrase|code|orization|entials?|string|e)?+" + _VARIANT.encode()
    + rb"""+[*_]{0,2}+["'`\\]{0,8}(?:\]["'`\\]{0,8})?+[*_]{0,2}+"""
    rb"(?:[ \t]{0,8}(?:\[[^\]\n]{0,24}\])?[=:!?\xef\xe6\xe4\xe3\xeb]|%(?:3[ad]|22)|u00(?:3[ad]|22)"
    rb"""|[ \t]{0,4},\s{0,16}["'\\]|>|\(["'`\\]|[ \t]{0,2}\|\||"""
    + _VALUE_OF.encode() + b"|" + _OPENED.encode() + b"|" + _BESIDE.encode() + rb")"
)  # fmt: skip
_BLANK: Final = 0x20


def may_open(low: bytes, at: int, after: int) -> bool:
    """Return whether an assignment may follow a sensitive word at [at, after): a cheap first look.

    Args:
        low: The lower-cased text.
        at: Where the word starts.
        after: Where it ends.
    """
    first, second = low[after], low[after + 1 : after + 2]
    if first == _BLANK and second not in _AFTER_BLANK:
        return _is_flag(low, at)  # prose, nearly always: no pattern is asked
    if low.startswith(UNLIKE, after):
        return False
    if _OPENING.match(low, after):
        return True
    # `--password value`, `API_TOKEN      value`
    if first not in b" \twpc" and not low.startswith(b"-string", after):
        return False
    return _is_flag(low, at) or (first == _BLANK and second == b" ")


_AFTER_BLANK: Final = b" =:[!?|{,\t\xe2\xef\xe6\xe4\xe3\xeb"
UNLIKE: Final = (b"es", b"ed")
"""What makes `pass` the beginning of `passes` and `passed`."""


def _is_flag(low: bytes, at: int) -> bool:
    """Whether a value may follow without a separator: `--token value`, netrc, `setx`, SQL."""
    above = low[max(0, at - 90) : at]
    near = above[-48:]
    return (
        b"--" in near[-24:]
        or near.startswith(b"-", near.rfind(b" ") + 1)
        or near.endswith((b"api ", b"require"))
        or b"set" in near
        or b"env " in near
        or b"define" in near
        or b"login" in above
        or b"create " in above
        or b"alter " in above
    )


_NAME: Final = late(rb"[\w.$-]{0,48}\Z")
_LOGIN: Final = late(rb"login[ \t]+[^\s]{1,64}\s+\Z")
_SETTING: Final = late(
    rb"(?:\b(?:ENV|setx|setenv|set(?:[ \t]{1,4}-{1,2}[a-zA-Z]{1,12}){1,4}|(?:config(?:ure)?|env)"
    rb"[ \t]{1,4}set)|\#[ \t]{0,4}define)[ \t]{1,4}[^\s=]{0,80}\Z"
    rb"|(?i:\b(?:create|alter)\s+(?:user|role|login)\b[^;\n]{0,64}\Z)"
)
"""What sets a name to the word behind it: Docker, Windows, csh, fish, `aws configure set`, C, SQL.
"""
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
    if name:
        return bool(_PASS_OWNER.search(name))
    return bool(match["q"]) or (b"=" in match[0] and _is_drawn(match["secret"]))


_IN_ENVIRONMENT: Final = late(rb"PASS[A-Z]*=[a-z]")
_NO_PASSWORD: Final = late(
    rb"(?:pass(?:word|wd|phrase)?|secret|postgres|admin|guest|string|settings|config|required|"
    rb"optional|undefined|example)\Z",
    re.IGNORECASE,
)
_BARE_PASS: Final = late(rb"pass(?![wpce])", re.IGNORECASE)
_PASS_OWNER: Final = late(
    rb"(?:[-_.]|db|user|admin|root|login|mail|smtp|ftp|sql|http|auth|ssh|store|key|require)\Z",
    re.IGNORECASE,
)


def is_token(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a token or secret is assigned: a literal that is not made of words."""
    return (
        gates.is_opaque(match["secret"], 8)
        and _is_literal(raw, match)
        and not _NO_TOKEN.search(_name_before(raw, match))
    )


def is_token_said(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a token is given where no colon is needed, and no other name comes first."""
    return b"=" not in match["secret"].rstrip(b"=") and is_token(raw, match)


_NO_TOKEN: Final = late(
    rb"(?:next|page|pagination|continuation|sync|cursor|resume|eos|bos|pad|unk|cls|sep|mask|"
    rb"start|starting|stop|end|special|max|lock|change|request|update|idempotency)[._-]?\Z",
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
        and sum(0x30 <= byte <= 0x39 for byte in value) >= (2 if may_be_hex else 3)
    )


_SECRET_KEY: Final = late(
    rb"(?:api|app|private|secret|ssh|service[ _-]?account|access|auth|encryption|signing|master|"
    rb"account|subscription|shared|admin|client|webhook|server|deploy|license|hmac|jwt|crypto)"
    rb"[ ._-]{0,2}\Z",
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
        (before in b"\"'`#" or name.startswith(b"--"))
        and re.search(rb"[0-9]", value)
        and not _SENSITIVE.search(value)
    ):
        return False  # a list of names
    if match["flag"] is not None and match[0].isascii():  # Chinese needs no colon
        above = raw[max(0, match.start() - 90) : match.start()]
        is_flag = name.startswith(b"-") or _LOGIN.search(above) or _SETTING.search(above)
        if not (is_flag or name == b"require" or (name == b"api " and _is_drawn(value))):
            return False
    if match["call"] is not None and not _SETTER.search(name):
        return False  # what is asked for: `getToken("name")`
    if match["column"] is not None and not (
        before in b"\n\xff" and (name + match[0][:4]).isupper() and _is_drawn(value)
    ):
        return False
    if match["cell"] is not None and not _CELL.search(raw, max(0, start - 8), start):
        return False
    if match["alone"] is not None and not (
        match["q"] or (_is_drawn(value) and after in b"\r\n\\\xff")
    ):
        return False  # the next entry, nearly always
    if match["tag"] is not None and (
        before != b"<" or not raw.startswith((b"</", b"]]></"), match.end("secret"))
    ):
        return False
    if match["q"]:
        if after not in b"\"'`\\\n\xff" and len(value) < _VALUE_BYTES:
            return False  # a blank: a sentence
    elif (after in b"([{" and after) or gates.is_code(value):
        return False
    return not gates.is_placeholder(value)


_SENSITIVE: Final = late(rb"(?:key|token|secret|password|credentials?)s?\Z", re.IGNORECASE)
_SETTER: Final = late(
    rb"(?:set|with|use|change|update|reset)[_a-z]*\Z|=[ \t]{0,4}\Z|(?<![A-Za-z_.])\Z", re.IGNORECASE
)
_CELL: Final = late(rb"(?:\||\xe2\x94\x82)[ \t]{0,4}[`*]{0,3}\Z")


def _is_drawn(value: bytes) -> bool:
    """Whether a value says by itself that a machine drew it: long, of all kinds, or long hex."""
    if len(value) < 16 or not gates.is_random(value, 3.0):
        return False
    digits = sum(0x30 <= byte <= 0x39 for byte in value)
    mixed = value.lower() != value != value.upper()
    return gates.is_opaque(value, 16) and digits >= 2 and (mixed or bool(_HEX.match(value)))


def _is_basic(value: bytes) -> bool:
    """Whether this is base64 of `user:password`."""
    try:
        return b":" in binascii.a2b_base64(value + b"==")[:256]
    except binascii.Error:
        return False
