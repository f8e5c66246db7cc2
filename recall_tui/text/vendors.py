r"""Tokens of services, known by the prefix each gives its own: one row a kind.

Each anchor is a pass over every text, so rows share those of other rules where they can (`key`,
`secret`, `eyj`). Left out are rare kinds, prefixes that also begin names in code (`re_`, `fw_`),
and kinds without a prefix; those are known by the name they are assigned to.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MANY: Final = "many"
FEW: Final = "few"


class Vendor(NamedTuple):
    """One kind of token: `begins` and then what `body` describes."""

    name: str
    begins: str
    """As it is written; stays visible."""
    body: str
    """A regular expression: what of it is drawn, and what may not follow."""
    anchor: str = ""
    """Lower-case part of `begins` that is looked for; empty: all of it."""
    letters: str = MANY
    """MANY, or FEW: too few different ones to measure how random it is, as of hex."""


_HEX32: Final = r"[0-9a-fA-F]{32}(?!\w)"
_HEX40: Final = r"[0-9a-f]{40}(?!\w)"
_HEX64: Final = r"[0-9a-f]{64}(?!\w)"

VENDORS: Final = (
    Vendor("slack-app-token", "xapp-", r"\d-[A-Z0-9]{8,16}-\d{10,16}-[0-9a-f]{32,128}", "", FEW),
    Vendor("digitalocean-token", "dop_v1_", _HEX64, "_v1_", FEW),
    Vendor("digitalocean-token", "doo_v1_", _HEX64, "_v1_", FEW),
    Vendor("digitalocean-token", "dor_v1_", _HEX64, "_v1_", FEW),
    Vendor("together-key", "tgp_v1_", r"[\w-]{40,128}", "_v1_"),
    Vendor("shopify-token", "shpat_", _HEX32, "shp", FEW),
    Vendor("shopify-token", "shpca_", _HEX32, "shp", FEW),
    Vendor("shopify-token", "shppa_", _HEX32, "shp", FEW),
    Vendor("shopify-token", "shpss_", _HEX32, "shp", FEW),
    Vendor("wandb-key", "wandb_v1_", r"\w{60,100}", "_v1_"),
    Vendor("linear-key", "lin_api_", r"[A-Za-z0-9]{40}(?!\w)"),
    Vendor("notion-token", "ntn_", r"[A-Za-z0-9]{40,64}(?!\w)"),
    Vendor("notion-token", "secret_", r"[A-Za-z0-9]{43}(?!\w)", "secret"),
    Vendor("supabase-key", "sb_secret_", r"[\w-]{22,64}", "secret"),
    Vendor("supabase-key", "sbp_", r"(?:v0_)?[0-9a-f]{40}(?!\w)", "", FEW),
    Vendor("figma-token", "figd_", r"[\w-]{30,128}"),
    Vendor("mailgun-key", "key-", r"[0-9a-f]{32}(?![\w-])", "key", FEW),
    Vendor("tailscale-key", "tskey-", r"[a-z]{2,8}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{20,64}", "key"),
    Vendor("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?!\w)", "", FEW),
    Vendor("vault-token", "hvs.", r"[\w-]{24,300}"),
    Vendor("replicate-token", "r8_", r"[A-Za-z0-9]{37}(?!\w)"),
    Vendor("nvidia-key", "nvapi-", r"[\w-]{60,80}"),
    Vendor("cerebras-key", "csk-", r"[a-z0-9]{48}(?!\w)", "sk-"),
    Vendor("sentry-token", "sntrys_eyJ", r"[\w+/=-]{64,2048}", "eyj"),
    Vendor("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}(?!\w)"),
    Vendor("grafana-token", "glc_eyJ", r"[\w+/=-]{32,400}", "eyj"),
    Vendor("docker-token", "dckr_pat_", r"[\w-]{27}(?![\w-])", "_pat_"),
    Vendor("atlassian-token", "ATATT3", r"[\w=-]{60,300}"),
    Vendor("google-oauth-secret", "GOCSPX-", r"[\w-]{28}(?![\w-])"),
    Vendor("google-oauth-token", "ya29.", r"[\w-]{40,2048}"),
    Vendor("mapbox-token", "sk.eyJ", r"[\w-]{40,300}\.[\w-]{20,64}", "eyj"),
    Vendor("brevo-key", "xkeysib-", r"[0-9a-f]{64}-\w{16}(?!\w)", "key", FEW),
    Vendor("elastic-secret", "esecret_", r"[A-Za-z0-9]{20,64}(?!\w)", "secret"),
    Vendor("bedrock-key", "bedrock-api-key-", r"[\w+/=-]{40,2048}", "key"),
    Vendor("context7-key", "ctx7sk-", r"[0-9a-f-]{36}(?!\w)", "sk-", FEW),
    Vendor("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{32,64}"),
)
"""Where two kinds overlap, the earlier one names the finding."""
