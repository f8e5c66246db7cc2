"""Text that talks to its reader as if to give orders (Q19).

A flag, never a filter: flagged text is shown whole, beside the reason. Six shapes are known: an
override of earlier instructions, a role marker, a privileged marker, secrets to be sent away, a
command to be run from the text, instructions to be fetched from elsewhere. A flag proves nothing
and its absence neither: whoever returns history frames all of it as quoted evidence.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from recall_tui.text.fold import fold
from recall_tui.text.late import late

OVERRIDE: Final = "override of earlier instructions"
ROLE: Final = "role marker"
PRIVILEGED: Final = "privileged marker"
EXFILTRATION: Final = "sends secrets away"
COMMAND: Final = "command to run from the text"
FETCH: Final = "instructions from elsewhere"

READ_CHARS: Final = 200_000
"""Characters looked at, at most: an order to the reader that comes later is not read either."""

_SHAPES: Final = (  # reason, texts of which each row has one in every match, pattern
    (
        OVERRIDE,
        (("ignor", "disregard", "forget", "override", "bypass", "olvida", "oublie", "vergiss",
          "игнорир", "забудь", "忽略", "无视", "忘记", "忘掉", "不要理会", "無視", "忘れ",
          "you are", "act as if"),
         ("instruc", "instruç", "prompt", "rule", "message", "guideline", "context", "anweisung",
          "istruzioni", "инструкци", "указани", "指令", "指示", "提示", "规则", "命令",
          "プロンプト", "ルール", "dan", "jailbroken", "unrestricted", "developer mode", "root",
          "no longer")),
        r"\b(?:ignore|disregard|forget|override|bypass)\W{1,3}(?:\w+\W{1,3}){0,4}?"
        r"(?:previous|prior|earlier|above|preceding|foregoing|system|developer|safety)\W{1,3}"
        r"(?:\w+\W{1,3}){0,2}?(?:instructions?|prompts?|rules?|messages?|guidelines|context)\b"
        r"|\b(?:ignor(?:iere|ier|e|ez|a)|olvida|oublie[zr]?|vergiss)\W{1,3}(?:\w+\W{1,3}){0,4}?"
        r"(?:anweisung(?:en)?|instructions?|instrucciones|instruções|istruzioni)\b"
        r"|(?:игнорируй|забудь)\w*\W{1,3}(?:\w+\W{1,3}){0,3}?(?:инструкци|указани)"
        r"|(?:忽略|无视|忘记|忘掉|不要理会).{0,10}(?:指令|指示|提示|规则)"
        r"|(?:指示|命令|プロンプト|ルール)を?.{0,6}(?:無視|忘れ)"
        r"|\b(?:you are now|from now on,? you are|act as if you (?:are|were|have)) "
        r"(?:\w+ ){0,3}?(?:dan|jailbroken|unrestricted|developer mode|root|no longer)\b",
    ),
    (
        ROLE,
        (("<|", "inst]", "sys>>", "system", "developer", "instruction"),
         ("<|", "inst]", "sys>>", ":")),
        r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|endoftext|channel)\|?>?"
        r"|\[/?inst\]|<</?sys>>"
        r"|^\W{0,4}(?:system|developer)(?: (?:message|prompt|instructions?))?\s*:\s*you\b"
        r"|^#{2,4} ?(?:system|instruction|developer)s?\s*:",
    ),
    (
        PRIVILEGED,
        (("system", "developer", "admin", "important", "anthropic", "openai", "google",
          "operator", "do not"),
         ("prompt", "message", "override", "instruction", " the user")),
        r"</?(?:system[-_](?:prompt|message|override|instruction)|developer[-_]message|"
        r"admin[-_](?:override|message)|important[-_]instructions?)>"
        r"|\b(?:begin|start|end) (?:of )?(?:system|developer|admin) (?:prompt|message|override)\b"
        r"|\b(?:system|admin|developer) override\b"
        r"|\bthis (?:message|instruction) (?:is|comes) from (?:anthropic|openai|google|your "
        r"(?:developer|administrator|operator)s?)\b"
        r"|\bdo not (?:tell|inform|mention (?:this|it) to|reveal (?:this|it) to) the user\b",
    ),
    (
        EXFILTRATION,
        (("key", "secret", "password", "token", "credential", ".env", "id_rsa", "environment var",
          "/.aws/", "/.ssh/"),),
        r"\b(?:send|post|upload|exfiltrate|forward|transmit|leak|email|mail)\W{1,3}"
        r"(?:\w+\W{1,3}){0,6}?(?:api[ _-]?keys?|secrets?|passwords?|tokens?|credentials?|"
        r"private keys?|\.env|id_rsa|environment variables)\W{1,3}(?:\w+\W{1,3}){0,6}?"
        r"(?:to|at|via)\W{1,3}(?:https?|the (?:url|server|address|endpoint)|\S{1,60}[@.]\w)"
        r"|\b(?:curl|wget|nc)\b[^\n]{0,200}(?:\$\(?[a-z_]*(?:key|token|secret|password)|"
        r"\.env\b|id_rsa\b|/\.aws/|/\.ssh/)",
    ),
    (
        COMMAND,
        (("curl", "wget", "iex", "invoke-", "run th", "execute th", "paste th", "base64"),
         ("sh", "iex", "invoke-", "command", "script", "code")),
        r"\b(?:curl|wget)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"
        r"|\b(?:ba)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b"
        r"|\b(?:iex|invoke-expression)\b[^\n]{0,40}\b(?:irm|iwr|invoke-webrequest|downloadstring)\b"
        r"|\b(?:irm|iwr)\b[^\n|]{0,200}\|\s*iex\b"
        r"|\b(?:you must|immediately|now|silently|first) (?:run|execute|paste) (?:the|this|these)"
        r"(?: following)? (?:shell |bash )?(?:commands?|scripts?|code)\b"
        r"|\bbase64 (?:-d|--decode)\b[^\n]{0,80}\|\s*(?:ba|z)?sh\b",
    ),
    (
        FETCH,
        (("instruction", "commands", "orders", "prompt"),
         ("follow", "obey", "execute", "apply", "load", "fetch")),
        r"\b(?:follow|obey|execute|apply|load|fetch)\W{1,3}(?:\w+\W{1,3}){0,3}?"
        r"(?:instructions?|commands|orders|prompts?)\W{1,3}(?:\w+\W{1,3}){0,4}?"
        r"(?:at|from|in|on|found at)\W{1,3}(?:the (?:url|page|link)\b|https?:)",
    ),
)  # fmt: skip

_PATTERNS: Final = tuple(
    (reason, hints, late(pattern, re.MULTILINE)) for reason, hints, pattern in _SHAPES
)


def suspicious(text: str) -> tuple[str, ...]:
    """Return why a text looks like orders to its reader, empty when it does not.

    Letters that only look hidden do not hide: compatibility forms are folded, invisible characters
    are passed over.

    Args:
        text: Marked or readable text; the first `READ_CHARS` characters count.
    """
    plain = _unhidden(text[:READ_CHARS])
    return tuple(
        reason
        for reason, hints, pattern in _PATTERNS
        if all(any(hint in plain for hint in row) for row in hints) and pattern.search(plain)
    )


def _unhidden(text: str) -> str:
    """Return a text folded, in compatibility form, without characters nobody sees."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text)
    unseen = dict.fromkeys(ord(c) for c in set(text) if unicodedata.category(c) == "Cf")
    return fold(text.translate(unseen) if unseen else text)
