r"""Tokens of services, known by the prefix each gives its own: one row a kind.

All anchors are looked for in one pass, so a rare one costs nothing; one that is met often costs a
look each time. Left out are therefore prefixes of two or three letters that also begin or end
names in code (`re_`, `sk_`, `pat`), and kinds without a prefix; those are known by the name they
are assigned to.
"""

from __future__ import annotations

from typing import Final

from recall_tui.named import NamedTuple

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


_HEX32: Final = r"[0-9a-fA-F]{32}(?![A-Za-z0-9])"
_HEX40: Final = r"[0-9a-f]{40}(?![A-Za-z0-9])"
_HEX64: Final = r"[0-9a-f]{64}(?![A-Za-z0-9])"
_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![A-Za-z0-9])"

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
    Vendor("linear-key", "lin_api_", r"[A-Za-z0-9]{40}(?![A-Za-z0-9])"),
    Vendor("notion-token", "ntn_", r"[A-Za-z0-9]{40,64}(?![A-Za-z0-9])"),
    Vendor("notion-token", "secret_", r"[A-Za-z0-9]{43}(?![A-Za-z0-9])", "secret"),
    Vendor("supabase-key", "sb_secret_", r"[\w-]{22,64}", "secret"),
    Vendor("supabase-key", "sbp_", r"(?:v0_)?[0-9a-f]{40}(?![A-Za-z0-9])", "", FEW),
    Vendor("figma-token", "figd_", r"[\w-]{30,128}"),
    Vendor("mailgun-key", "key-", r"[0-9a-f]{32}(?![\w-])", "key", FEW),
    Vendor("tailscale-key", "tskey-", r"[a-z]{2,8}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{20,64}", "key"),
    Vendor("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])", "", FEW),
    Vendor("vault-token", "hvs.", r"[\w-]{24,300}"),
    Vendor("replicate-token", "r8_", r"[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
    Vendor("nvidia-key", "nvapi-", r"[\w-]{60,80}"),
    Vendor("cerebras-key", "csk-", r"[a-z0-9]{48}(?![A-Za-z0-9])", "sk-"),
    Vendor("sentry-token", "sntrys_eyJ", r"[\w+/=-]{64,2048}", "eyj"),
    Vendor("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}(?![A-Za-z0-9])"),
    Vendor("grafana-token", "glc_eyJ", r"[\w+/=-]{32,400}", "eyj"),
    Vendor("docker-token", "dckr_pat_", r"[\w-]{27}(?![\w-])", "_pat_"),
    Vendor("atlassian-token", "ATATT3", r"[\w=-]{60,300}"),
    Vendor("google-oauth-secret", "GOCSPX-", r"[\w-]{28}(?![\w-])"),
    Vendor("google-oauth-token", "ya29.", r"(?:[a-z]\.)?[\w-]{40,2048}"),
    Vendor("mapbox-token", "sk.eyJ", r"[\w-]{40,300}\.[\w-]{20,64}", "eyj"),
    Vendor("brevo-key", "xkeysib-", r"[0-9a-f]{64}-\w{16}(?![A-Za-z0-9])", "key", FEW),
    Vendor("elastic-secret", "esecret_", r"[A-Za-z0-9]{20,64}(?![A-Za-z0-9])", "secret"),
    Vendor("bedrock-key", "bedrock-api-key-", r"[\w+/=-]{40,2048}", "key"),
    Vendor("context7-key", "ctx7sk-", r"[0-9a-f-]{36}(?![A-Za-z0-9])", "sk-", FEW),
    Vendor("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{32,64}"),
    Vendor("gitlab-runner-token", "GR1348941", r"[\w-]{20}(?![\w-])"),
    Vendor("alibaba-access-key", "LTAI", r"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    Vendor("apify-token", "apify_api_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Vendor("artifactory-key", "AKCp", r"[A-Za-z0-9]{60,72}(?![A-Za-z0-9])"),
    Vendor("artifactory-key", "cmVmdGtu", r"[A-Za-z0-9]{48,64}(?![A-Za-z0-9])"),
    Vendor("atlassian-token", "ATCTT3", r"[\w=-]{60,300}"),
    Vendor("atlassian-token", "ATBB", r"[A-Za-z0-9]{28,36}(?![A-Za-z0-9])"),
    Vendor("bedrock-key", "ABSK", r"[A-Za-z0-9+/=]{100,300}"),
    Vendor(
        "braintree-token", "access_token$production$", r"[0-9a-z]{16}\$[0-9a-f]{32}(?![A-Za-z0-9])"
    ),
    Vendor("browserbase-key", "bb_live_", r"[\w-]{24,40}"),
    Vendor("buildkite-token", "bkua_", _HEX40, "", FEW),
    Vendor("circleci-token", "CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-f]{40}(?![A-Za-z0-9])"),
    Vendor("clojars-token", "CLOJARS_", r"[0-9a-f]{60}(?![A-Za-z0-9])", "", FEW),
    Vendor("cloudflare-token", "cfut_", r"[\w-]{40,60}"),
    Vendor("cloudflare-token", "cfat_", r"[\w-]{40,60}"),
    Vendor("cloudflare-token", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}(?![A-Za-z0-9])", "", FEW),
    Vendor("contentful-token", "CFPAT-", r"[\w-]{43}(?![\w-])"),
    Vendor("cursor-key", "key_", _HEX64, "key", FEW),
    Vendor("cursor-key", "crsr_", _HEX64, "", FEW),
    Vendor("dbt-token", "dbtc_", r"[\w-]{32,64}"),
    Vendor("dbt-token", "dbtu_", r"[\w-]{32,64}"),
    Vendor("deno-token", "ddp_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Vendor("docker-token", "dckr_oat_", r"[\w-]{32}(?![\w-])"),
    Vendor("doppler-token", "dp.pt.", r"[A-Za-z0-9]{40,44}(?![A-Za-z0-9])"),
    Vendor("doppler-token", "dp.ct.", r"[A-Za-z0-9]{40,44}(?![A-Za-z0-9])"),
    Vendor("doppler-token", "dp.sa.", r"[A-Za-z0-9]{40,44}(?![A-Za-z0-9])"),
    Vendor("doppler-token", "dp.st.", r"(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])"),
    Vendor("dropbox-token", "sl.u.", r"[\w-]{100,2048}"),
    Vendor("dropbox-token", "sl.B", r"[\w-]{130,2048}"),
    Vendor("duffel-token", "duffel_live_", r"[\w-]{43}(?![\w-])"),
    Vendor("e2b-key", "e2b_", _HEX40, "", FEW),
    Vendor("easypost-key", "EZAK", r"[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    Vendor("firecrawl-key", "fc-", _HEX32, "", FEW),
    Vendor("flutterwave-key", "FLWSECK-", r"[0-9a-f]{32}-X(?![A-Za-z0-9])", "", FEW),
    Vendor("fly-token", "fo1_", r"[\w-]{40,64}"),
    Vendor("fly-token", "fm1r_", r"[A-Za-z0-9+/=]{80,4096}"),
    Vendor("fly-token", "fm2_", r"[A-Za-z0-9+/=]{80,4096}"),
    Vendor("google-refresh-token", "1//0", r"[\w-]{40,512}"),
    Vendor("heroku-key", "HRKU-AA", r"[\w-]{58}(?![\w-])"),
    Vendor("honeycomb-key", "hcaik_01", r"[0-9a-z]{56}(?![A-Za-z0-9])"),
    Vendor("hubspot-token", "pat-na1-", _UUID, "", FEW),
    Vendor("hubspot-token", "pat-eu1-", _UUID, "", FEW),
    Vendor("huggingface-token", "api_org_", r"[A-Za-z0-9]{34}(?![A-Za-z0-9])"),
    Vendor("jina-key", "jina_", r"\w{50,72}(?![A-Za-z0-9])"),
    Vendor("launchdarkly-key", "sdk-", _UUID, "", FEW),
    Vendor("linear-token", "lin_oauth_", _HEX64, "", FEW),
    Vendor("neon-key", "napi_", r"[0-9a-z]{60,68}(?![A-Za-z0-9])"),
    Vendor("netlify-token", "nfp_", r"[A-Za-z0-9]{36,40}(?![A-Za-z0-9])"),
    Vendor("new-relic-key", "NRAK-", r"[A-Z0-9]{27}(?![A-Za-z0-9])"),
    Vendor("nuget-key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    Vendor("onfido-token", "api_live.", r"[\w-]{8,16}\.[\w-]{32}(?![\w-])"),
    Vendor("openai-session", "sess-", r"[A-Za-z0-9]{40}(?![A-Za-z0-9])"),
    Vendor("openshift-token", "sha256~", r"[\w-]{43}(?![\w-])"),
    Vendor("paypal-token", "A21AA", r"[\w-]{80,120}"),
    Vendor("plaid-token", "access-production-", _UUID, "", FEW),
    Vendor("plaid-token", "access-sandbox-", _UUID, "", FEW),
    Vendor("planetscale-token", "pscale_tkn_", r"[\w.=-]{32,64}", "pscale_"),
    Vendor("planetscale-token", "pscale_pw_", r"[\w.=-]{32,64}", "pscale_"),
    Vendor("planetscale-token", "pscale_oauth_", r"[\w.=-]{32,64}", "pscale_"),
    Vendor("posthog-key", "phx_", r"[A-Za-z0-9]{40,52}(?![A-Za-z0-9])"),
    Vendor("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}(?![A-Za-z0-9])", "", FEW),
    Vendor("prefect-key", "pnu_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Vendor("pulumi-token", "pul-", _HEX40, "", FEW),
    Vendor("razorpay-key", "rzp_live_", r"[A-Za-z0-9]{14,20}(?![A-Za-z0-9])"),
    Vendor("readme-key", "rdme_", r"[0-9a-z]{64,72}(?![A-Za-z0-9])"),
    Vendor("render-key", "rnd_", r"[A-Za-z0-9]{28,36}(?![A-Za-z0-9])"),
    Vendor("rubygems-key", "rubygems_", r"[0-9a-f]{48}(?![A-Za-z0-9])", "", FEW),
    Vendor("runpod-key", "rpa_", r"[A-Za-z0-9]{38,48}(?![A-Za-z0-9])"),
    Vendor("sentry-token", "sntryu_", _HEX64, "", FEW),
    Vendor("shippo-token", "shippo_live_", _HEX40, "", FEW),
    Vendor("slack-token", "xwfp-", r"\d{10,14}-[A-Za-z0-9-]{20,64}"),
    Vendor("sonar-token", "sqp_", _HEX40, "", FEW),
    Vendor("sonar-token", "squ_", _HEX40, "", FEW),
    Vendor("sonar-token", "sqa_", _HEX40, "", FEW),
    Vendor(
        "sourcegraph-token",
        "sgp_",
        r"(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}(?![A-Za-z0-9])",
        "",
        FEW,
    ),
    Vendor("square-token", "sq0csp-", r"[\w-]{43}(?![\w-])"),
    Vendor("square-token", "sq0atp-", r"[\w-]{22}(?![\w-])"),
    Vendor("statsig-key", "secret-", r"[A-Za-z0-9]{40,50}(?![A-Za-z0-9])", "secret"),
    Vendor("stytch-secret", "secret-live-", r"[\w-]{36}={0,2}(?![\w-])", "secret"),
    Vendor("swarm-token", "SWMTKN-1-", r"[0-9a-z]{40,60}-[0-9a-z]{20,32}(?![A-Za-z0-9])"),
    Vendor("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9-]{28,64}"),
    Vendor("typeform-token", "tfp_", r"[\w-]{40,64}"),
    Vendor("vault-token", "hvb.", r"[\w-]{100,300}"),
    Vendor(
        "vercel-token", "vercel_blob_rw_", r"[A-Za-z0-9]{14,20}_[A-Za-z0-9]{28,40}(?![A-Za-z0-9])"
    ),
    Vendor("vercel-token", "vcp_", r"[A-Za-z0-9]{24,64}(?![A-Za-z0-9])"),
    Vendor("vercel-token", "vck_", r"[A-Za-z0-9]{24,64}(?![A-Za-z0-9])"),
    Vendor("yandex-key", "AQVN", r"[\w-]{35,38}(?![\w-])"),
)
"""Where two kinds overlap, the earlier one names the finding."""
