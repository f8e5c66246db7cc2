"""Every rule of the table: what it must find, in every dress, and what it must leave alone."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import pytest

from recall_tui.text.redact import findings, mark, shown
from recall_tui.text.rule import CANDIDATE, DEFINITE
from recall_tui.text.rules import RULES
from tests.text.samples import BASE62, HEX, TOKEN_RULES, UPPER, VENDOR_RULES, Maker, token_of

TIERS = {rule.name: rule.tier for rule in RULES}


def only(text):
    found = findings(text)
    assert len(found) == 1, (text, found)
    return found[0], text[found[0].start : found[0].end]


# ---------------------------------------------------------------- tokens known by their prefix

INNER = {
    "azure-client-secret", "azure-devops-token", "terraform-token", "mailchimp-key",
    "new-relic-ingest-key",
}  # fmt: skip
"""Known by what stands in their middle or at their end."""

DRESSES = [
    "{}", "use {} now", "'{}'", '"{}"', "`{}`", "({})", "密钥{}。", "key：{}，", "a\n{}\nb",
    "x={}&y=1", r"line\n{}\nline", "https://host/{}/x", "<{}>", "[{}]", "Bearer {}", "--with={}",
    "%3D{}%26", "[0m{}", "{}.", "{},", "é{}é",
]  # fmt: skip


@pytest.mark.contract("S3-53")
@pytest.mark.parametrize("rule", [*TOKEN_RULES, *VENDOR_RULES])
@pytest.mark.parametrize("seed", range(4))
def test_a_token_is_found_in_every_dress(rule, seed):
    token = token_of(rule, Maker(seed))
    for dress in DRESSES:
        text = dress.format(token)
        finding, secret = only(text)
        assert token in secret, (text, secret)
        assert TIERS[finding.rule] == finding.tier
        if "{}" in (dress, dress.strip("'\"`()[]")):
            assert finding.rule == rule
            assert secret == token
        assert token not in mark(text)


PREFIXED = [rule for rule in TOKEN_RULES if rule not in INNER]


@pytest.mark.parametrize("rule", PREFIXED)
def test_a_token_keeps_its_prefix_and_its_end_and_little_else(rule):
    token = token_of(rule, Maker(5))
    seen = shown(mark(f"x {token} y"))
    assert seen.startswith(f"x [redacted:{rule} {token[:3]}")
    assert seen.endswith(f"…{token[-4:]}] y")
    kept = next(r.keep for r in RULES if r.name == rule)
    assert seen == f"x [redacted:{rule} {token[: kept[0]]}…{token[-kept[1] :]}] y"


MADE_OF_PARTS = INNER | {"jwt", "sendgrid-key", "langsmith-key", "onepassword-token", "age-key"}


@pytest.mark.parametrize("rule", [rule for rule in TOKEN_RULES if rule not in MADE_OF_PARTS])
def test_a_token_that_was_typed_in_a_row_is_documentation(rule):
    token = token_of(rule, Maker(1))
    keep = next(r.keep for r in RULES if r.name == rule)[0]
    head = token[: max(keep, token.rfind("-", 0, 14) + 1, token.rfind("_", 0, 14) + 1)]
    for body in ("x" * 90, "abcdefghijklmnopqrstuvwxyz" * 4, "1234567890" * 9, "AbAbAbAb" * 12):
        assert findings(f"export KEY={head}{body[: len(token) - len(head)]}") == [], (head, body)


def docs():
    return [
        "AK" + "IAIOSFODNN7EXAMPLE", "AK" + "IAI44QH8DHBEXAMPLE", "sk-" + "ant-api03-...",
        "sk-" + "ant-<your-key>",
        "ghp" + "_" + "x" * 36, "ghp" + "_your_token_here", "github" + "_pat_" + "X" * 50,
        "xox" + "b-your-token",
        "xoxb" + "-not-a-real-token-" + "0123", "AI" + "za" + "X" * 35, "glpat" + "-" + "x" * 20,
        "sk-fading-circle-dot-1", "sk-cube-grid", "task-runner-2026", "desk-and-more-things-22",
        "hf_hub_download",
        "hf_model_name_or_path_for_the_model", "npm_config_registry",
        "npm_lifecycle_event_name_and_more", "pypi-server",
        "SG.eu-central-1.compute", "eyJ", "eyJhbGciOiJIUzI1NiJ9", "lsv2_pt_your_key",
        "xai-org/grok-prompts", "pplx-api",
        "gsk_batch_size", "sk_test_helper", "rk_live_", "AIzaSy", "AKIA", "asian",
        "risk-assessment-framework-2",
    ]  # fmt: skip


@pytest.mark.parametrize("text", docs())
def test_documentation_and_ordinary_names_stay(text):
    assert findings(text) == []
    assert mark(f"see {text} in the docs") == f"see {text} in the docs"


# ---------------------------------------------------------------- private keys


@pytest.mark.contract("S3-54")
@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_goes_as_a_whole_block(kind):
    key = Maker(3).pem(kind)
    finding, secret = only(f"cat id\n{key}\ndone")
    assert finding.rule == "private-key-block"
    assert finding.tier == DEFINITE
    assert secret == key
    assert shown(mark(f"a\n{key}\nb")) == "a\n[redacted:private-key-block]\nb"


def test_a_private_key_in_other_dresses():
    key = Maker(4).pem()
    body = key.split("\n")[1]
    numbered = "\n".join(f"{n:6}→{line}" for n, line in enumerate(key.split("\n"), 1))
    quoted = "\n".join(f"> {line}" for line in key.split("\n"))
    diff = "\n".join(f"+{line}" for line in key.split("\n"))
    removed = "\n".join(f"-{line}" for line in key.split("\n"))
    escaped = key.replace("\n", "\\n")
    legacy = key.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128,AB\n\n", 1)
    for text in (numbered, quoted, diff, removed, f'{{"k": "{escaped}"}}', legacy):
        marked = mark(text)
        assert body not in marked, text
        assert key.split("\n")[-2] not in marked, text


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_private_key_inside_of_json_inside_of_json(times):
    lines = Maker(6).pem(lines=8).split("\n")
    for part in (lines, lines[:5], lines[4:]):  # whole, and cut off on either side
        text = "\n".join(part)
        for _ in range(times):
            text = json.dumps({"key": text})
        marked = mark(text)
        assert not [line for line in part if len(line) == 64 and line in marked], text


def test_a_private_key_in_base64_is_one_and_a_certificate_is_none():
    for kind in ("RSA ", "", "EC ", "OPENSSH "):
        held = base64.b64encode(Maker(7).pem(kind).encode()).decode()
        assert only(f"value: {held}\n")[1] == held
    public = Maker(7).pem().replace("RSA PRIVATE KEY", "CERTIFICATE")
    assert findings(f"ca: {base64.b64encode(public.encode()).decode()}") == []
    config = "client-key-data: " + Maker(7).drawn(1200)
    assert only(config)[1] == config.split()[1]


def test_a_private_key_that_was_cut_off_is_hidden_as_far_as_it_goes():
    key = Maker(5).pem(lines=8)
    for cut in (200, 330, len(key) - 40):
        marked = mark(f"head -5 key\n{key[:cut]}\n\nThat is the key, and this text stays.")
        for line in key[:cut].split("\n")[1:]:
            assert len(line) < 16 or line not in marked
        assert marked.endswith("That is the key, and this text stays.")


def test_what_only_names_a_private_key_stays():
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    for body in ("\n...\n", "\nMIIE...\n", " and ", "\n<base64>\n", "\n" + "A" * 64 + "\n"):
        assert findings(f"{begin}{body}{end}") == []
    public = Maker(1).pem().replace("PRIVATE", "PUBLIC")
    assert findings(public) == []


# ---------------------------------------------------------------- assigned secrets

TOKENISH = [
    "api_key={}", "API_KEY = '{}'", 'apiKey: "{}"', '"api-key": "{}"', "X-Api-Key: {}", "secret={}",
    "client_secret: {}", "AWS_SECRET_ACCESS_KEY={}", "aws_secret_access_key = {}", "AccountKey={};",
    "AWS Secret Access Key [None]: {}", "access_token={}&x=1", "?token={}", "auth_token: '{}'",
    "GITHUB_TOKEN={}", "--token {}", "--token={}", '"--api-key", "{}"', "api_key: str = '{}'",
    r"\"token\": \"{}\"", "token => '{}'", "token := \"{}\"", "SECRET_KEY_BASE={}", "API_KEY_2={}",
    "os.environ['API_KEY'] = '{}'", "setItem('token', '{}')", "<api_key>{}</api_key>",
    "export SECRET=\\\n  {}", "token：{}", "密钥 secret={}。", "- name: API_TOKEN\n  value: {}",
    "Authorization: Bearer {}", "authorization: token {}", "'Authorization': 'Bearer {}'",
    "if token == '{}':", "credentials={}", "private_key: {}",
    "//registry.example.org/:_authToken={}", "${{API_KEY:-{}}}",
    "setx API_KEY {}", "ENV API_KEY {}", "setenv API_TOKEN {}", "set -gx API_TOKEN {}",
    "aws configure set aws_secret_access_key {}", "npm config set //r.example/:_authToken {}",
    '{{"name":"API_TOKEN","value":"{}"}}', r"- name: API_TOKEN\n  value: {}", "TOKEN=$'{}'",
    'token = """{}"""', r"secret=\\\\\\n  {}", r"token=b\"{}\"", "AZURE_DEVOPS_EXT_PAT={}",
    "--passphrase {}",
]  # fmt: skip


@pytest.mark.contract("S3-53")
@pytest.mark.parametrize("form", TOKENISH)
@pytest.mark.parametrize(
    "value",
    [Maker(1).drawn(40), Maker(2).drawn(40, HEX), Maker(3).uuid(), Maker(4).drawn(20),
     Maker(5).drawn(12, HEX)],
    ids=["base62", "hex40", "uuid", "short", "hex12"],
)  # fmt: skip
def test_a_value_given_a_sensitive_name_is_a_secret(form, value):
    text = form.format(value)
    _, secret = only(text)
    assert secret.strip("-") == value
    assert value not in mark(text)
    assert mark(text).startswith(text[: text.index(value)].rstrip("-"))


@pytest.mark.parametrize(
    "form",
    ["password={}", "PASSWORD='{}'", '"password": "{}"', "passwd: {}", "db_pass = '{}'", "pwd={};",
     "passphrase: '{}'", "PGPASSWORD={} psql", "--password {}", "--password={}", "Password：{}",
     "login mei\n  password {}", "<password>{}</password>", "密码：{}",
     "账号 admin，密码 {}", "密码是{}。", "密码为 {}",
     "パスワードは {}", "비밀번호: {}", "MYSQL_ROOT_PASSWORD: {}", "mot de passe: {}",
     "--passphrase {}",
     '"pass": "{}"'],
)  # fmt: skip
@pytest.mark.parametrize("value", ["hunter2x", "S3cure!pw", "p@ssw0rd", "correct-horse!", "123456"])
def test_a_password_needs_not_look_drawn(form, value):
    finding, secret = only(form.format(value))
    assert secret == value
    assert finding.rule == "assigned-password"
    assert finding.tier == CANDIDATE


def test_a_password_of_letters_is_one_where_it_is_no_word_or_the_environment_says_so():
    drawn = "rEihH" + "gGLNlWIrh"
    assert only(f"password={drawn}")[1] == drawn
    assert only("MYSQL_PASSWORD=letmein")[1] == "letmein"
    assert findings("POSTGRES_PASSWORD=postgres") == findings("password=letmein") == []
    assert findings("DB_PASSWORD=os.environ") == findings("PASSWORD=getpass()") == []


NOT_ASSIGNED = [
    'password = os.environ["DB_PASSWORD"]', "password = getpass.getpass()", "token: str",
    "token: string;",
    "password: Optional[str] = None", "key = value", "api_key = config.api_key",
    "api_key=<your-key>",
    "API_KEY=xxxxxxxxxxxx", "API_KEY=${API_KEY}", "token=$TOKEN", "password=***",
    "password: [redacted]",
    'password: "Enter your password"', "token = response.json()['token2']", "password=%s",
    "pass: 12 fail: 3",
    "PASS: test_login_2 (0.31s)", "pass took=6063ms", "secret: my-app-secret-1",
    "token_count = 123456",
    "max_token: 4096000", "next_token=AbC123dEf456", "const token = await getToken2()",
    "public_key=AbC123dEf456gH7",
    "key: sha256-cache-v1", "primary_key: user_id_2", "password_hash", "keyboard: qwerty123",
    "author: 1234abcd5678efgh", "monkey=a1b2c3d4e5f6", "tokens: 1a2b3c4d5e6f", "token: v1.2.3",
    "secret: 2026-11-30",
    "pwd: /home/mei/src1", "PWD=/srv/app2", "ssh_key: ~/.ssh/id_ed25519",
    "key_file=certs/server1.pem",
    "Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN1}",
    "Bearer token authentication v2 scheme",
    "'password' => 'required|string|min:8'",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:MySecret-a1b2c3",
    "AsmToken::TokenKind2 T", "the key to the problem is that 2 of 3 fail", "token limit of 200000",
    "secret santa 2026!", '"token", "Hello 123"', "api_key: your-key-1234",
    "SECRET_KEY: test-secret-key-for-ci-only",
    'fields = ["password", "email!"]', '_rule("pass", "pass(?:word)?")',
    "input_token: ExclusiveStartShardId", "password: changeme123",
    "密码长度 8-20 位", "请输入密码：admin",
    "password=password",
    "--token-file t0ken.txt",
    "for key, value2 in items4:", "key = f'{user}:{id2}'", "passport: AB1234567",
    "compass: n0rth42", "passed: 12x of 30", "set the token to zero, then go", "the env token ab12",
    "the cache key is 8f14e45fceea167a5a36dedd4bea2543", "the key is user_id_2024_11", "set KEY x1",
    "the secret is src/app/config2.toml", "token is expired_at_2025", "http://localhost:8080#a@b",
    "google-single-global-glass-globe", "the API_KEY environment variable of 2 services",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_ASSIGNED)
def test_code_placeholders_and_prose_stay(text):
    assert findings(text) == []


class TestHex:
    """Q14: bare hex is a commit id, until a sensitive name is given to it."""

    sha = Maker(9).drawn(40, HEX)

    @pytest.mark.parametrize("length", [7, 8, 12, 32, 40, 56, 64])
    def test_bare_hex_is_no_secret(self, length):
        assert findings(Maker(length).drawn(length, HEX)) == []

    @pytest.mark.parametrize(
        "form",
        ["commit: {}", "commit {}", "sha={}", "tree {}", "parent: {}", '"digest": "{}"', "hash={}",
         "etag: {}",
         "revision={}", "checksum: {}", "sha256:{}", "index {}..{}", "key: {}", '"cache_key": "{}"',
         "id={}"],
    )  # fmt: skip
    def test_hex_under_an_ordinary_name_is_none_either(self, form):
        assert findings(form.format(self.sha, self.sha)) == []

    @pytest.mark.parametrize(
        "form", ["api_key={}", "password: {}", '"secret": "{}"', "token={}", "?key={}",
        "&maps_key={}"]
    )  # fmt: skip
    def test_hex_under_a_sensitive_name_is_one(self, form):
        assert only(form.format(self.sha))[1] == self.sha


def test_a_weak_name_needs_a_value_that_is_nothing_else():
    value = Maker(2).drawn(39)
    assert only(f"STRIPE_KEY={value}")[1] == value
    assert findings(f"STRIPE_KEY={value[:12]}") == []
    digest = Maker(2).drawn(40, HEX)
    assert only(f"MAPS_KEY={digest}")[1] == digest
    assert findings(f"maps_key={digest}") == findings(f"CACHE_KEY={digest}") == []
    assert findings(f"stripe_key={value.lower()}") == []
    assert findings("stripe_key=Some/Path/To/File2/Name3/And4") == []


def test_basic_authorization_is_base64_of_a_pair():
    pair = "bWVpOmh1bnRlcg=="
    assert only(f"Authorization: Basic {pair}")[1] == pair
    assert findings("Authorization: Basic realm") == []


# ---------------------------------------------------------------- URLs


@pytest.mark.parametrize("scheme", ["postgres", "https", "mongodb+srv", "redis", "amqp"])
def test_a_password_in_a_url_goes_and_the_rest_stays(scheme):
    password = Maker(1).drawn(16)
    text = f"{scheme}://app:{password}@db.internal:5432/prod?x=1"
    finding, secret = only(text)
    assert finding.rule == "basic-auth-url"
    assert secret == password
    assert (
        shown(mark(text)) == f"{scheme}://app:[redacted:basic-auth-url]@db.internal:5432/prod?x=1"
    )


@pytest.mark.parametrize(
    "url",
    ["https://example.org:8080/a@b", "postgres://user:password@localhost/db",
     "postgres://postgres:postgres@db/x",
     "https://user:<password>@host", "https://u:${PASS}@host", "https://u:***@host",
     "git@github.com:a/b.git",
     "ssh://git@host:22/repo", "http://[::1]:80/", "https://medium.com/@user:x",
     "s3://bucket:part/key@2x.png", "http://localhost:3000?mail=a@b.example"],
)  # fmt: skip
def test_urls_without_a_password_stay(url):
    assert findings(f"see {url} there") == []


def test_a_password_in_a_url_may_hold_what_should_be_escaped():
    for password in ("p@ss#w0rd1", "a@b@c1"):
        assert only(f"postgres://app:{password}@db.example/x")[1] == password
    two = "http://a:1b2c3d@x.example,http://e:4f5g6h@y.example"
    assert [two[f.start : f.end] for f in findings(two)] == ["1b2c3d", "4f5g6h"]


@pytest.mark.parametrize(
    "kind", ["pat", "dt", "rt", "ptt", "cbt", "soat", "ft", "imt", "agent", "ffct"]
)
def test_every_kind_of_gitlab_token(kind):
    token = f"gl{kind}-" + Maker(2).drawn(20)
    assert only(f"git clone {token} x")[0].rule == "gitlab-pat"


def test_base64_that_begins_with_a_slash_is_no_path():
    values = ["/" + Maker(seed).drawn(39, BASE62) for seed in range(100)]
    assert sum(value in mark(f"SECRET_KEY={value}") for value in values) < 3
    assert findings("SECRET_KEY=/run/secrets/django_key_2") == []
    assert findings("api_key: /home/mei/.config/service-tokens/api2") == []


def test_webhooks_are_secrets_in_their_path():
    make = Maker(8)
    slack = f"T{make.drawn(8, UPPER)}/B{make.drawn(8, UPPER)}/{make.drawn(24)}"
    text = f"curl https://hooks.slack.com/services/{slack} -d x"
    assert only(text) == (findings(text)[0], slack)
    discord = make.drawn(68)
    assert only(f"https://discord.com/api/webhooks/{'12345678' * 2}/{discord}")[1] == discord


# ---------------------------------------------------------------- known by their place

IN_PLACE = [
    ("curl -u admin:{} https://x.example/api", "command-password"),
    ("curl -sS --user 'admin:{}' https://x.example/api", "command-password"),
    ("curl -X POST \\\n  -uadmin:{} https://x.example", "command-password"),
    ('["curl", "-u", "admin:{}", "https://x.example"]', "command-password"),
    ("mysql -h db -u root -p{} app -e 'select 1'", "command-password"),
    ("mysqldump -uroot -p'{}' app > x.sql", "command-password"),
    ("mongosh -u root -p {} --eval 1", "command-password"),
    ("az login -p {}", "command-password"),
    ("htpasswd -nbB admin {}", "command-password"),
    ('{{"command": "htpasswd -b users me {}"}}', "command-password"),
    ("openssl rsa -in a.pem -passin pass:{} -out b.pem", "command-password"),
    ("my API key is {}, use it", "assigned-secret"),
    ("der Token ist {}.", "assigned-secret"),
    ("sshpass -p {} ssh root@10.0.0.1", "command-password"),
    ("redis-cli -h cache -a {} ping", "command-password"),
    ("docker login -u me -p {} registry.example", "command-password"),
    ("echo {} | docker login -u me --password-stdin", "command-password"),
    ("requests.get(url, auth=('admin', '{}'))", "command-password"),
    ("Cookie: theme=dark; sessionid={}", "cookie"),
    ("set-cookie: connect.sid=s%3A{}.abc; Path=/", "cookie"),
    ('"cookie": "sid={}"', "cookie"),
    (r'{{\"Cookie\": \"sid={}\"}}', "cookie"),
    ("curl -b 'session={}' https://x.example", "cookie"),
    ("https://a.blob.example/c/b?sv=2022&sr=b&sig={0}{0}%3D", "signed-url"),
    ("https://b.s3.example/k?X-Amz-Signature={0}{0}", "signed-url"),
    ("https://{}@git.example/a/b.git", "basic-auth-url"),
    ("https://{}:x-oauth-basic@git.example/a/b.git", "basic-auth-url"),
    ("the password is {}", "assigned-password"),
    ("Passwort: {}", "assigned-password"),
    ("новый пароль: {}", "assigned-password"),
    ("la contraseña es {}", "assigned-password"),
]  # fmt: skip


@pytest.mark.contract("S3-53")
@pytest.mark.parametrize(("form", "rule"), IN_PLACE)
def test_a_secret_is_known_by_the_place_it_stands_in(form, rule):
    for seed in range(4):
        value = Maker(seed).drawn(20)
        text = form.format(value)
        assert value not in mark(text)
        assert rule in {finding.rule for finding in findings(text)}
        assert mark(mark(text)) == mark(text)


@pytest.mark.parametrize(
    "text",
    ["curl -u $USER:$PASSWORD https://x", "curl -u user:password https://x", "curl -u ${A}:${B} x",
     "curl -u <user>:<password> https://x", "docker run -u 1000:1000 image", "curl -u me https://x",
     "mysql -u root -p app", "mysql -p$PASS app", "mysql --port=3306 -P 3306",
     "sshpass -p $PASS ssh x", "sshpass -e ssh x", "redis-cli -a $REDIS ping", "login -p",
     "npm login -p", "echo $TOKEN | docker login --password-stdin",
     "auth=('user', 'password')", "auth=(user, password)", "Cookie: theme=dark; lang=en",
     "cookie = parse_cookie(header)", 'cookies = {"session": session_id}',
     "Cookie: session=<token>",
     "document.cookie = 'theme=dark_mode_enabled'", "Set-Cookie: a=b; Path=/; HttpOnly; Secure",
     "sig=function_of_everything_that_was_said_before", "signature=sha256", "?sig=abc",
     "https://github.com/a/b", "https://medium.com/@someone/an-article-about-things-0a1b2c",
     "https://0123456789abcdef0123456789abcdef@app.example/2",
     "mongosh -p 27017", "mongodump -p $PASS", "openssl rsa -passin pass:$PASS", "az login -p",
     "htpasswd -b file user $PASS", "the token is invalid_since_2024", "a key is a key is a key",
     "the password is wrong", "the password is required", "password is 8 characters",
     "Passwort: erforderlich", "-----END PRIVATE KEY-----",
     "prose before it\n-----END PRIVATE KEY-----"],
)  # fmt: skip
def test_places_without_a_secret_stay(text):
    assert findings(text) == []


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("prefix", ["", "    ", "+", "> ", "  12\t", "  12→"])
def test_a_key_whose_beginning_was_cut_off_goes_as_far_as_its_lines_go(kind, prefix):
    lines = Maker(3).pem(kind, lines=12).split("\n")
    half = "\n".join(prefix + line for line in lines[6:])
    text = f"and the rest of it:\n{half}\nthat was all"
    told = shown(mark(text))
    assert not any(line[:24] in told for line in lines[6:-1])
    assert told.startswith("and the rest of it:\n") and told.endswith("\nthat was all")
    escaped = "\\n".join(lines[6:])
    assert not any(line[:24] in shown(mark(f'"x": "{escaped}"')) for line in lines[6:-1])


def test_a_certificate_is_no_key():
    lines = Maker(3).pem("", lines=8).replace("PRIVATE KEY", "CERTIFICATE")
    assert findings(lines) == findings(lines[200:]) == []


def test_a_token_cut_before_its_signature_is_one_still():
    make = Maker(4)
    token = "eyJ" + make.drawn(20) + ".eyJ" + make.drawn(60)
    for text in (token, token + "."):
        assert only(text)[1] == text
    assert findings("eyJ" + make.drawn(20) + "." + make.drawn(4)) == []


# ---------------------------------------------------------------- the table itself


def test_every_rule_has_a_sample_here():
    found = set()
    make = Maker(7)
    texts = [token_of(rule, make) for rule in TOKEN_RULES]
    texts += [form.format(make.drawn(40)) for form in (*TOKENISH, "Bearer {}")]
    texts += ["password=hunter2x", make.pem(), f"a://b:{make.drawn(9)}@c"]
    texts.append("https://hooks.slack.com/services/" + make.drawn(44, BASE62))
    texts += [token_of(rule, make) for rule in VENDOR_RULES]
    texts += [form.format(make.drawn(20)) for form, _ in IN_PLACE]
    texts += ["12345678:AA" + make.drawn(33), "$6" + "$" + make.drawn(90)]
    texts += ["seed phrase: " + "word " * 11 + "word"]
    texts += [base64.b64encode(token_of("github-pat", make).encode()).decode()]
    for text in texts:
        found.update(finding.rule for finding in findings(text))
    assert {rule.name for rule in RULES} == found


def test_the_table_is_well_formed():
    rng = random.Random(1)
    for rule in RULES:
        assert rule.tier in (DEFINITE, CANDIDATE)
        assert all(anchor == anchor.lower() and anchor for anchor in rule.anchors)
        assert rule.name.replace("-", "").isalnum()
        assert not rule.compiled.groupindex.keys() - {
            "secret", "body", "q", "kq", "scheme", "list", "flag", "tag", "user", "lines",
            "call", "cell", "column", "alone",
        }  # fmt: skip
        # A rule's name inside a mark must not look like an assignment itself.
        assert findings(f"{rule.name}:{Maker(rng.randrange(99)).drawn(4)}…") == []


def test_no_file_of_ours_holds_what_looks_like_a_secret():
    repository = Path(__file__).resolve().parents[2]
    files = [*(repository / "recall_tui").rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    assert len(files) > 20
    for path in files:
        definite = [f for f in findings(path.read_text("utf-8")) if f.tier == DEFINITE]
        assert definite == [], path
