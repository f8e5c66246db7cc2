"""Secret-shaped samples, put together at run time: no literal here looks like a secret."""

from __future__ import annotations

import random
import re
import string
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

from recall_tui.text.vendors import VENDORS

BASE62 = string.ascii_letters + string.digits
BASE64URL = BASE62 + "-_"
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"


class Maker:
    """Draws bodies; the same seed gives the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def drawn(self, length: int, alphabet: str = BASE62) -> str:
        """A body with at least one digit, one small and one capital letter where there are any."""
        while True:
            body = "".join(self.random.choices(alphabet, k=length))
            kinds = [string.digits, string.ascii_lowercase, string.ascii_uppercase]
            if all(set(body) & set(kind) for kind in kinds if set(kind) & set(alphabet)):
                return body

    def uuid(self) -> str:
        return "-".join(self.drawn(n, HEX) for n in (8, 4, 4, 4, 12))

    def pem(self, kind: str = "RSA ", lines: int = 6) -> str:
        body = "\n".join(self.drawn(64, BASE62 + "+/") for _ in range(lines))
        name = f"{kind}PRIVATE KEY"
        return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


def like(pattern: str, make: Maker) -> str:
    """A text that a pattern of a vendor's table describes, as short as it may be but for a bit."""
    parts = [_like(token, make) for token in _parser.parse(pattern)]
    return "".join(parts)


def _like(token: object, make: Maker) -> str:
    kind, value = token
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.IN:
        fits = re.compile("[\\w-]") if (sre.CATEGORY, sre.CATEGORY_WORD) in value else None
        chars = [c for c in BASE64URL.rstrip("-_") if fits] or _members(value)
        return make.random.choice(chars)
    if kind is sre.MAX_REPEAT:
        least, most, inner = value
        times = least if least > 1 else min(1, most)
        if times > 4 and inner[0][0] is sre.IN:
            members = sorted({_like(inner[0], make) for _ in range(400)})
            return make.drawn(times, "".join(members))
        return "".join(_like(one, make) for _ in range(times) for one in inner)
    if kind is sre.SUBPATTERN:
        return "".join(_like(one, make) for one in value[-1])
    if kind is sre.BRANCH:
        return "".join(_like(one, make) for one in value[1][0])
    return ""  # what may not follow


def _members(value: object) -> list[str]:
    members: list[str] = []
    for kind, held in value:
        if kind is sre.LITERAL:
            members.append(chr(held))
        elif kind is sre.RANGE:
            members += map(chr, range(held[0], held[1] + 1))
        elif held is sre.CATEGORY_DIGIT:
            members += string.digits
    return members


def token_of(rule: str, make: Maker) -> str:
    """A token that a definite or candidate prefix rule must know."""
    drawn = make.drawn
    kinds = {
        "anthropic-key": lambda: "sk-" + "ant-" + "api03-" + drawn(93, BASE64URL.rstrip("-_")),
        "openai-key": lambda: "sk-" + "proj-" + drawn(48),
        "sk-key": lambda: "sk-" + drawn(32, HEX),
        "stripe-secret": lambda: "sk_" + "live_" + drawn(24),
        "groq-key": lambda: "gsk" + "_" + drawn(52),
        "pinecone-key": lambda: "pcsk" + "_" + drawn(60),
        "xai-key": lambda: "xai" + "-" + drawn(80),
        "perplexity-key": lambda: "pplx" + "-" + drawn(48),
        "github-pat": lambda: "ghp" + "_" + drawn(36),
        "gitlab-pat": lambda: "glpat" + "-" + drawn(20),
        "slack-token": lambda: "xoxb" + "-" + drawn(12, "2468013579") + "-" + drawn(24),
        "google-api-key": lambda: "AI" + "za" + drawn(35),
        "aws-access-key": lambda: "AK" + "IA" + drawn(16, UPPER),
        "huggingface-token": lambda: "hf" + "_" + drawn(34),
        "npm-token": lambda: "npm" + "_" + drawn(36),
        "pypi-token": lambda: "pypi-" + "AgEIcHlwaS5vcmc" + drawn(130),
        "sendgrid-key": lambda: "SG" + "." + drawn(22) + "." + drawn(43),
        "langsmith-key": lambda: "lsv2" + "_pt_" + drawn(32, HEX) + "_" + drawn(10, HEX),
        "onepassword-token": lambda: "ops" + "_" + "eyJ" + drawn(120),
        "age-key": lambda: "AGE-" + "SECRET-" + "KEY-1" + drawn(58, UPPER),
        "jwt": lambda: "eyJ" + drawn(20) + ".eyJ" + drawn(60) + "." + drawn(43),
        "slack-app-token": lambda: (
            f"xapp-{1}-{drawn(11, UPPER)}-{drawn(13, '2468013579')}-{drawn(64, HEX)}"
        ),
        "digitalocean-token": lambda: "dop" + "_v1_" + drawn(64, HEX),
        "together-key": lambda: "tgp" + "_v1_" + drawn(43),
        "shopify-token": lambda: "shp" + "at_" + drawn(32, HEX),
        "wandb-key": lambda: "wandb" + "_v1_" + drawn(70),
        "brevo-key": lambda: "xkey" + "sib-" + drawn(64, HEX) + "-" + drawn(16),
        "elastic-secret": lambda: "e" + "secret_" + drawn(40),
        "bedrock-key": lambda: "bedrock-api" + "-key-" + drawn(120),
        "context7-key": lambda: "ctx7" + "sk-" + make.uuid(),
        "linear-key": lambda: "lin" + "_api_" + drawn(40),
        "notion-token": lambda: "ntn" + "_" + drawn(46),
        "supabase-key": lambda: "sb_" + "secret_" + drawn(31),
        "figma-token": lambda: "figd" + "_" + drawn(40),
        "mailgun-key": lambda: "key" + "-" + drawn(32, HEX),
        "tailscale-key": lambda: "tskey" + "-auth-" + drawn(12) + "-" + drawn(32),
        "databricks-token": lambda: "dap" + "i" + drawn(32, HEX),
        "vault-token": lambda: "hvs" + "." + drawn(90),
        "replicate-token": lambda: "r8" + "_" + drawn(37),
        "nvidia-key": lambda: "nvapi" + "-" + drawn(64),
        "cerebras-key": lambda: "csk" + "-" + drawn(48, "abcdefghijklmnopqrstuvwxyz0123456789"),
        "sentry-token": lambda: "sntrys" + "_eyJ" + drawn(120),
        "grafana-token": lambda: "glsa" + "_" + drawn(32) + "_" + drawn(8, HEX),
        "docker-token": lambda: "dckr" + "_pat_" + drawn(27),
        "atlassian-token": lambda: "ATA" + "TT3" + drawn(180),
        "google-oauth-secret": lambda: "GOC" + "SPX-" + drawn(28),
        "google-oauth-token": lambda: "ya" + "29." + drawn(120),
        "mapbox-token": lambda: "sk" + ".eyJ" + drawn(60) + "." + drawn(22),
        "stripe-webhook-secret": lambda: "whsec" + "_" + drawn(32),
        "azure-client-secret": lambda: drawn(3) + "8Q" + "~" + drawn(34),
        "azure-devops-token": lambda: drawn(76) + "AZ" + "DO" + drawn(4),
        "terraform-token": lambda: drawn(14) + ".atlas" + "v1." + drawn(67),
        "mailchimp-key": lambda: drawn(32, HEX) + "-us" + "12",
        "new-relic-ingest-key": lambda: drawn(36, HEX) + "FFFF" + "NRAL",
    }
    if rule in kinds:
        return kinds[rule]()
    vendor = next(vendor for vendor in VENDORS if vendor.name == rule)
    return vendor.begins + like(vendor.body, make)


VENDOR_RULES = tuple(dict.fromkeys(vendor.name for vendor in VENDORS))


TOKEN_RULES = (
    "anthropic-key", "openai-key", "sk-key", "stripe-secret", "groq-key", "pinecone-key", "xai-key",
    "perplexity-key", "github-pat", "gitlab-pat", "slack-token", "google-api-key",
    "aws-access-key", "huggingface-token", "npm-token", "pypi-token", "sendgrid-key",
    "langsmith-key", "onepassword-token", "age-key", "jwt", "azure-client-secret",
    "azure-devops-token", "terraform-token", "mailchimp-key", "new-relic-ingest-key",
)  # fmt: skip
