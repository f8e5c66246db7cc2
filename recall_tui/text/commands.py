r"""Secrets known by the place they stand in: on a command line, in a header, in an address.

`curl -u me:secret`, `mysql -psecret`, `Cookie: session=...`, `?sig=...`: there is no name before
these that says "password", so each place has its own pattern, and a gate that asks whether what
stands there is written out.
"""

from __future__ import annotations

import re
from typing import Final

from recall_tui.text import gates
from recall_tui.text.late import late

WORD: Final = r"""(?P<q>["'])?(?P<secret>(?(q)[^"'\r\n\xff]|[^\s"'|;&<>()\\\xff]){4,256})"""
"""An argument of a shell, quoted or not."""

_TO_OPTION: Final = r"\b(?:[^\n|;\xff]|\\\n){0,400}?"
CURL_USER: Final = (
    rf"""curl{_TO_OPTION}[\s"'`,]-(?:-(?:proxy-)?user|[uU])(?:["'],\s{{0,8}}["']|[ =]["']?|["']?)"""
    r"""(?P<user>[^\s:"'/\\$-][^\s:"'/\\$]{0,63}):(?P<secret>[^\s"'\\|;<>()\xff]{3,128})"""
)
CURL_COOKIE: Final = (
    rf"""curl{_TO_OPTION}\s-b\s{{1,4}}["']?(?P<secret>[\w.-]{{1,64}}=[^\r\n"'\\\xff]{{8,4096}})"""
)
PROGRAM_OPTION: Final = {
    "mysql": rf"mysql[a-z]{{0,8}}\b[^\n|;&\xff]{{0,200}}?\s-p(?![\s-]){WORD}",
    "ldap": rf"ldap[a-z]{{2,10}}\b[^\n|;&\xff]{{0,200}}?\s-w\s{{1,4}}{WORD}",
    "zip ": rf"\bzip\b[^\n|;&\xff]{{0,200}}?\s-P\s{{1,4}}{WORD}",
    "7z a ": rf"7z a\b[^\n|;&\xff]{{0,200}}?\s-p(?![\s-]){WORD}",
    "smbclient": rf"smbclient\b[^\n|;&\xff]{{0,200}}?\s-U\s{{1,4}}[\"']?[\w.\\]{{1,64}}%{WORD}",
    "secret set": rf"secret\s+set\b[^\n|;&\xff]{{0,200}}?\s(?:-b|--body|--value)[\s=]{{0,4}}{WORD}",
    "put-parameter": rf"put-parameter\b[^\n|;&\xff]{{0,200}}?\s--value[\s=]{{1,4}}{WORD}",
    "redis-cli": rf"redis-cli\b[^\n|;&\xff]{{0,200}}?\s-a\s{{1,4}}{WORD}",
    "login ": rf"login\b[^\n|;&\xff]{{0,200}}?\s-p\s{{1,4}}{WORD}",
    "mongo": rf"mongo[a-z]{{0,8}}\b[^\n|;&\xff]{{0,200}}?\s-p\s{{1,4}}(?!\d+\b){WORD}",
}
"""Program -> its option for a password."""
SSHPASS: Final = rf"sshpass\s{{1,4}}-p\s{{0,4}}{WORD}"
HTPASSWD: Final = (
    rf"htpasswd\s{{1,4}}-[a-zA-Z]{{0,6}}b[^\n|;&\xff]{{1,200}}?\s(?!-){WORD}"
    r"""\s{0,8}(?:[\n|;&"'\\\xff]|\Z)"""
)
OPENSSL: Final = rf"pass(?:in|out)?\s{{1,4}}pass:{WORD}"
PIPED: Final = (
    r"""(?:echo|printf|<<<)\s{1,4}(?:-n\s{1,4})?""" + WORD + r"""["']?\s{0,4}\|[^\n|\xff]{0,120}?"""
    r"(?:--password-stdin|(?i:secrets?\s+(?:set|put|create|versions))|env\s+add|sudo\s+-S|passwd)"
)
HERE: Final = rf"password-stdin\s{{1,4}}<<<\s{{0,4}}{WORD}"
SECURE_STRING: Final = rf"(?i:convertto-securestring)\s{{1,4}}(?:-String\s{{1,4}})?{WORD}"
IDENTIFIED: Final = (
    rf"(?i:identified\s{{1,4}}(?:with\s{{1,4}}\S{{1,40}}\s{{1,4}})?by)\s{{1,4}}(?=[\"'`]){WORD}"
)
HTTPIE: Final = (
    r"""\bhttps?\b[^\n|;&\xff]{0,200}?\s(?:-a|--auth)[\s=]{1,4}(?P<user>[\w.@-]{1,64}:)?""" + WORD
)
LOGIN: Final = (
    r"""login\(\s{0,16}["'](?P<user>[^"'\n\\]{1,64})["']\s{0,4},\s{0,16}["']"""
    r"""(?P<secret>[^"'\n\\]{6,128})["']"""
)
PAIR: Final = (
    r"""(?i:auth)\s{0,2}=?\s{0,2}\(\s{0,16}\\{0,3}["'](?P<user>[^"'\n\\]{1,64})\\{0,3}["']\s{0,4},"""
    r"""\s{0,16}\\{0,3}["'](?P<secret>[^"'\n\\]{4,128})"""
)
COOKIES: Final = (
    r"""(?i:cookies?)\\{0,3}["']?\s{0,2}(?:[:=]\s{0,2}|\s)(?:\[\s{0,8})?\\{0,3}["']?"""
    r"""(?P<secret>[\w.-]{1,64}=[^\r\n"'\\\xff]{8,4096})"""
)
COOKIE_TABLE: Final = r"cookies?\s{0,2}=\s{0,2}\{(?P<secret>[^{}\xff]{16,4096})\}"
COOKIE_JAR: Final = (
    r"\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[^\t\n\xff]{1,128}\t(?P<secret>[^\s\xff]{8,4096})"
)
"""A line of a file of cookies, as curl and browsers export them."""
COOKIE_STATE: Final = (
    r"""(?P<q>\\{0,3}")value(?P=q)\s{0,4}:\s{0,4}(?P=q)(?P<secret>[^"\\\xff]{8,4096})(?P=q)"""
    r"""[^{}\xff]{0,400}?httpOnly"""
)
"""A cookie in the state of a browser, as a test runner keeps it."""
PGPASS: Final = (
    r"(?<=[\w*])(?::(?:5432|\*)):[^\s:\xff]{1,64}:[^\s:\xff]{1,64}:(?P<secret>[^\s:\xff]{4,128})"
    r"(?=[\r\n\xff]|\\n|\Z)"
)
HASH: Final = (
    r"(?P<secret>\$(?:2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}|(?:[56y]|apr1)\$[^\s:\"'\xff]{20,200}"
    r"|argon2(?:id?|d)\$[^\s:\"'\xff]{40,300})|pbkdf2_sha256\$[0-9]{3,8}\$[^\s:\"'\xff]{40,200})"
)
"""What a password was made into, by crypt, argon2 or Django: it can be guessed from that."""
AWS_PAIR: Final = (
    r"A[KS]IA[A-Z0-9]{16}(?:[\s,|:;/\"'`\\]{1,8}|[\s,|]{1,4}[0-9T:Z-]{20}[\s,|]{1,4})"
    r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"
)
"""The two halves of an access key beside each other, without names: a table, a listing."""
SEED_PHRASE: Final = (
    r"(?i:mnemonic|(?<=seed[ _-])phrase|(?<=secret[ _-])phrase|(?<=recovery[ _-])phrase)"
    r"\W{0,4}[:=]\W{0,8}(?P<secret>[a-z]{3,8}(?:[ ]{1,3}[a-z]{3,8}){11,23})(?![ ]{0,2}[\w,])"
)
IN_FOURS: Final = (
    r"(?i:pass(?:word)?)[\"'`*]{0,3}\s{0,2}[:=]\s{0,2}[\"'`]?"
    r"(?P<secret>[a-z]{4}(?:[ ][a-z]{4}){3})(?![\w ])"
)
"""Sixteen letters in fours, as Google shows a password of an app."""
PRIVATE_JWK: Final = (
    r"""\{[^{}\xff]{0,8192}?\\{0,7}"(?:d|k)\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"[\w-]{20,2048}"""
    r"[^{}\xff]{0,8192}\}"
)
SIGNATURE: Final = r"(?i:sig(?:nature)?)=(?P<secret>(?P<body>[A-Za-z0-9%+/=_~-]{32,1024}))"
IN_ADDRESS: Final = r"://(?P<secret>(?P<body>[A-Za-z0-9_-]{20,255}))(?::x-oauth-basic)?@(?=[\w\[])"
SAID: Final = (
    r"(?i:password|passwort|passphrase|пароль|contraseña)"
    r"""(?:[ ](?:is|was|ist|es|lautet)(?:[ ]now)?)?:?[ ]\\{0,3}["'`]?(?P<secret>[^\s"'`\\]{6,64})"""
)
TOLD: Final = (
    r"""(?i:key|token|secret)[ ](?:is|was|ist|es)(?:[ ]now)?:?[ ]\\{0,3}["'`]?"""
    r"""(?P<secret>[\w.~+/=-]{16,512})"""
)


def is_credential(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a user's password is written out."""
    return not match["secret"].isdigit() and is_written(raw, match)


def is_written(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a value is one, and not a variable, a placeholder or a call."""
    value = match["secret"]
    return (
        value[:1] not in b"$<{%`*-"
        and not gates.is_placeholder(value)
        and value.lower().strip(b"'\"") not in _NO_PASSWORD
        and match.groupdict().get("user") != value
    )


_NO_PASSWORD: Final = {b"password", b"passwd", b"pass", b"secret", b"token", b"pwd", b"user"}


def holds_opaque(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether one of some cookies is more than a setting: long and saying nothing."""
    pairs = (part.partition(b"=") for part in re.split(rb";\s*", match["secret"]))
    return any(_is_session(value.strip()) for _, _, value in pairs)


def _is_session(value: bytes) -> bool:
    body = value.split(b" ")[0]
    return (
        len(body) >= 16
        and not gates.is_placeholder(body)
        and (bool(_HEX.fullmatch(body)) or gates.is_opaque(body, 16))
        and not gates.is_repetitive(body)
    )


_HEX: Final = late(rb"[0-9a-fA-F-]{24,128}")


def is_signature(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a parameter of an address signs it: whoever has the address has the rights."""
    before = raw[max(0, match.start() - 6) : match.start()]
    opened = before[-1:] in (b"?", b"&", b";", b"-", b"_") or before[-5:].lower() == b"u0026"
    return opened and gates.is_random(match["body"], 3.0)


def is_opaque_user(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether the user of an address is a token, and not the public key of a Sentry DSN."""
    body = match["body"]
    return gates.is_opaque(body, 20) and gates.is_random(body) and not _PUBLIC.fullmatch(body)


_PUBLIC: Final = late(rb"[0-9a-f]{32}")


def is_said(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a sentence gives a password: letters and digits or signs, and no word."""
    value = match["secret"].rstrip(b".,;:!?)")
    digits = sum(0x30 <= byte <= 0x39 for byte in value)
    letters = sum(chr(byte).isalpha() for byte in value)
    return (
        len(value) >= 6
        and digits > 0
        and letters > 0
        and not gates.is_wordlike(value)
        and not gates.is_plain(value)
        and not gates.is_placeholder(value)
        and not gates.is_code(value)
        and value[:1] not in b"$<{%`*-("
    )


def is_told(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a sentence gives a key or token: a commit, a checksum or an id is none."""
    value = match["secret"].rstrip(b".,;:!?)=")
    return gates.is_opaque(value, 16) and gates.is_random(value) and not _HEX.fullmatch(value)


def holds_opaque_values(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether one of the values of a table of cookies says nothing to a person."""
    return any(
        _is_session(value) for value in re.findall(rb"""[:=]\s*["']([^"']+)""", match["secret"])
    )


def is_session(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a cookie is more than a setting."""
    return _is_session(match["secret"])


def is_half_of_pair(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether forty characters of base64 were drawn, and are no commit id."""
    value = match["secret"]
    return gates.is_random(value) and not _HEX.fullmatch(value) and not gates.is_placeholder(value)


def is_login(raw: bytes, match: re.Match[bytes]) -> bool:
    """Return whether what a call or a statement gives is a password: no word alone."""
    return bool(_UNLIKE_A_WORD.search(match["secret"])) and is_written(raw, match)


def is_in_fours(_: bytes, match: re.Match[bytes]) -> bool:
    """Return whether sixteen letters in fours are no sentence."""
    return gates.letters_are_drawn(match["secret"].replace(b" ", b""))


_UNLIKE_A_WORD: Final = late(rb"[0-9!@#$%^&*+=?~;:]")
_KEY_LINE: Final = late(
    rb"(?:[ \t>|+#*-]{0,16}|[ \t]{0,8}[0-9]{1,6}(?:[\t:|]|\xe2\x86\x92|\xe2\x94\x82)[ \t]{0,4}"
    rb"|[\w./~+-]{1,256}[:-](?:[0-9]{1,6}[:-])?)"
    rb"[\"']?[A-Za-z0-9+/=]{16,512}(?:\\{1,8}n)?[\"' +,\\]{0,8}\r?\Z"
)
_KEY_RUN: Final = late(rb"[A-Za-z0-9+/=]{32,512}(?=\\{0,8}\Z)")
_MOST_LINES: Final = 400
_LINE: Final = 560
"""Bytes of a line of a key at most, with what a viewer or a diff puts before it."""


def key_tail(raw: bytes, at: int) -> int:
    """Return where the lines of a private key begin of which only the end is there; -1 for none.

    Args:
        raw: The text.
        at: Where the words `PRIVATE KEY` of its END line stand.
    """
    end = raw.rfind(b"-----END ", max(0, at - 34), at)
    if end < 0:
        return -1
    stop = b"\\n" if raw[max(0, end - 2) : end] == b"\\n" else b"\n"
    begin = _line_start(raw, end, stop)
    for _ in range(_MOST_LINES):
        if begin < len(stop) or raw[begin - len(stop) : begin] != stop:
            break
        last = begin - len(stop)
        start = _line_start(raw, last, stop)
        line = raw[start:last]
        if _KEY_LINE.match(line) is None:
            # The first of them may stand behind something: `"key": "MIIE...`.
            run = _KEY_RUN.search(line)
            begin = start + run.start() if run else begin
            break
        begin = start
    return begin


def _line_start(raw: bytes, at: int, stop: bytes) -> int:
    found = raw.rfind(stop, max(0, at - _LINE), at)
    return found + len(stop) if found >= 0 else max(0, at - _LINE)


def echo_before(raw: bytes, at: int) -> int:
    """Return where the `echo` begins whose output a program takes as a password."""
    low = max(0, at - 300)
    return max(raw.rfind(b"echo ", low, at), raw.rfind(b"printf ", low, at))


def value_before(raw: bytes, at: int) -> int:
    """Return where the value of a cookie is given whose flag `httpOnly` stands at `at`."""
    low = max(0, at - 4600)
    found = raw.rfind(b'value"', low, at)
    escaped = raw.rfind(b'value\\"', low, at)
    found = max(found, escaped)
    while found > 0 and raw[found - 1] in b'\\"':
        found -= 1
    return found


def object_before(raw: bytes, at: int) -> int:
    """Return where the JSON object begins in which something stands; -1 when it is not near."""
    return raw.rfind(b"{", max(0, at - 8192), at)
