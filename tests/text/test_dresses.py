"""Secrets as sessions show them: in SQL, in a browser's test, in a table, split by the unseen."""

from __future__ import annotations

import base64
import json
import string

import pytest

from recall_tui.text.batch import ready
from recall_tui.text.redact import findings, is_secret, mark
from tests.text.samples import BASE62, HEX, UPPER, Maker, token_of

LOWER = string.ascii_lowercase + string.digits

NAMED = [
    # code
    'client.setApiKey("{}");', '.withToken("{}")', "setPassword('{}')", "SET PASSWORD('{}')",
    "const apiKey = process.env.API_KEY || '{}';", 'let token = process.env["TOKEN"] ?? "{}";',
    'const API_KEY: &str = "{}";', 'static TOKEN: &\'static str = "{}";', '#define API_KEY "{}"',
    'string apiKey = @"{}";', "api_key=\n        '{}',", "API_KEY ?= {}", "hmac_key: {}",
    "http.Header.Add('Authorization', 'SSWS {}')",
    # configuration
    "password: >-\n  {}\n", "password: |\n  {}\n", '"token": {{"value": "{}"}}',
    '{{"ParameterKey": "DbPassword", "ParameterValue": "{}"}}', '{{"SecretString": "{}"}}',
    'variable "db_password" {{\n  type = string\n  default = "{}"\n}}', "requirepass {}",
    "<password><![CDATA[{}]]></password>", "[remote]\npass = {}\n",
    # a shell
    "x \\\n  --token \\\n  {} run", "Connect-It -Password '{}'", "terraform -token {}",
    "set --universal --export API_TOKEN {}", "npx convex env set API_KEY {}",
    "aws secretsmanager create-secret --secret-string {}", "keytool -storepass {}",
    # SQL
    "CREATE USER app WITH PASSWORD '{}';", "ALTER LOGIN sa WITH PASSWORD = N'{}';",
    "alter user postgres password '{}'",
    # a browser's test
    "await page.fill('#password', '{}')", "await page.fill('input[name=\"password\"]', '{}')",
    "page.getByLabel('Password').fill('{}')", "find_element(By.NAME, 'password').send_keys('{}')",
    # what an agent writes
    "**API key**: `{}`", "- **Password:** `{}`", "| Password | `{}` |", "| `API_KEY` | {} | yes |",
    "│ Password │ {} │", "here's the token:\n{}\n", "HOME=/root\nAPI_TOKEN              {}\n",
    "the api key {} works", "das Passwort lautet {}", "senha: {}", "密钥：{}", "令牌: {}",
    # an address
    "redirect=https%3A%2F%2Fx%2F%3Faccess_token%3D{}", r"a\u0026access_token\u003d{}",
    "%22password%22%3A%20%22{}%22",
]  # fmt: skip

PLACED = [
    "CREATE USER a IDENTIFIED BY '{}';", "CREATE USER a IDENTIFIED WITH sha256 BY '{}';",
    "zip -r -P {} a.zip a", "7z a -p{} a.7z a", "ldapsearch -x -D cn=admin -w {}",
    "smbclient //h/s -U 'me%{}'", "http -a me:{} GET x.example", "https -A bearer -a {} x.example",
    "gh secret set API_KEY --body {}", "az keyvault secret set -n x --value {}",
    "aws ssm put-parameter --name /db --value {} --type SecureString",
    "echo {} | gh secret set API_KEY", "printf '{}' | wrangler secret put API_KEY",
    "echo -n '{}' | vercel env add API_KEY production", "echo -n {} | gcloud secrets create x",
    "echo '{}' | sudo -S apt update", "echo 'root:{}' | chpasswd",
    "docker login -u me --password-stdin <<< '{}'",
    "$p = ConvertTo-SecureString '{}' -AsPlainText", "server.login('me@x.example', '{}')",
    "db.example:5432:app:app_rw:{}\n", "*:*:*:postgres:{}\n",
    "requests.get(u, cookies={{'session': '{}'}})",
    "#HttpOnly_.x.example\tTRUE\t/\tTRUE\t1893456000\tsessionid\t{}\n",
    '{{"name": "sid", "value": "{}", "domain": "x", "httpOnly": true}}',
    r'{{\"name\":\"sid\",\"value\":\"{}\",\"httpOnly\":true}}',
    "https://a.webhook.office.com/webhookb2/{0}@{0}/IncomingWebhook/{0}",
]  # fmt: skip


@pytest.mark.contract("S3-53")
@pytest.mark.parametrize("form", [*NAMED, *PLACED])
def test_a_secret_in_the_dress_sessions_show_it_in(form):
    for seed in range(4):
        value = Maker(seed).drawn(24)
        text = form.format(value)
        marked = mark(text)
        assert value[4:-4] not in marked
        assert mark(marked) == marked


@pytest.mark.parametrize(
    "text",
    ["getToken('name_of_it_2')", "lookup_key('a1b2c3d4e5f6a7b8')", "--- PASS: TestDrawn/b64_x1Y2z3",
     "| token | string 2 |", "| Key | Value |", "| token | The 2nd word |", "token:\n  kind: a1",
     "password:\n  minLength: 8", "export type Token = 'a' | 'b2'", "secret set of 12 rules",
     "identified by 'name_of_it' in the list", "identified by their 2nd name",
     "const key = items[2] || 'none'", "page.fill('#name', 'Mei 2')", "setKey('theme')",
     'import {\n  "MLKEM768X25519PrivateKey",\n  "MLKEM768X25519PublicKey"\n}',
     '"PolicyUpdateToken": "1:p+2RpKR4wPFx7mcrL1UOQQ=="', "--starting-token eyJOZXh0VG9rZW4iOjF9",
     "tokens = ['the', 'cat2', 'sat']", "keys: [8f14e45fceea167a, 5a36dedd4bea2543]",
     "maxTokens: 4096, 8192", "passwords: 3, 4 and 5 letters", "oauth%3Agrant-type%3Ajwt-bearer",
     "$2 is the second, $6 the sixth", "the seed phrase: twelve words", "a phrase of words",
     '{"kty":"RSA","n":"' + "a1B2" * 40 + '","e":"AQAB"}', "echo 12 | sudo -S true",
     'login("me", "required")', "TRUE\t/\tFALSE\t0\tlang\ten", '"value": "en", "httpOnly": true',
     "value of the table: 2026   TOKEN   none", "x-us1", "foo.bar_2024.baz", "AKIA / key",
     "wait for the token\u200b2", "an\u00adother word", "\u26a0\ufe0f token: none"],
)  # fmt: skip
def test_what_only_looks_like_one_of_these_stays(text):
    assert findings(text) == []
    assert mark(text) == text


def test_a_token_with_a_point_in_it_is_no_expression():
    token = "k3xq9z." + Maker(0).drawn(16, LOWER)
    assert token not in mark(f"kubeadm join 10.0.0.1:6443 --token {token}")
    name = "openssl.MLKEM768X25519PrivateKey"
    assert findings(f"token = {name}") == findings(f"private_key = {name}") == []


def test_several_secrets_under_one_name_go_together():
    one, two = Maker(1).drawn(30), Maker(2).drawn(30)
    for text in (
        f"OPENAI_API_KEYS={one},{two}",
        json.dumps({"api_keys": [one, two]}),
        json.dumps({"apiKeys": [one, two]}, indent=2),
        json.dumps(json.dumps({"tokens": [one, two]})),
        f"api_keys:\n  - {one}\n  - '{two}'\n",
        f"tokens = ['{one}', '{two}']",
    ):
        marked = mark(text)
        assert one not in marked
        assert two not in marked


def test_the_two_halves_of_an_access_key_without_names():
    make = Maker(3)
    ident, secret = "AK" + "IA" + make.drawn(16, UPPER), make.drawn(40, BASE62 + "+/")
    for text in (
        f"| AccessKeyId | SecretAccessKey |\n|---|---|\n| {ident} | {secret} |",
        f"name,Access key ID,Secret access key\nme,{ident},{secret}",
        f"ACCESSKEY\t{ident}\t2026-01-01T00:00:00Z\t{secret}\tActive",
        f"mc alias set x http://h {ident} {secret}",
    ):
        assert secret not in mark(text)
    commit = make.drawn(40, HEX)
    assert commit in mark(f"{ident} {commit}")


def test_what_a_password_was_made_into_is_hidden():
    make = Maker(4)
    crypt = BASE62 + "./"
    for value in (
        "$2y$10" + "$" + make.drawn(53, crypt),
        "$6" + "$" + make.drawn(16) + "$" + make.drawn(86, crypt),
        "$apr1" + "$" + make.drawn(8) + "$" + make.drawn(22, crypt),
        "$argon2" + "id$v=19$m=65536,t=3,p=4$" + make.drawn(22) + "$" + make.drawn(43),
        "pbkdf2_" + "sha256$600000$" + make.drawn(22) + "$" + make.drawn(43),
    ):
        [found] = findings(f"admin:{value}")
        assert found.rule == "password-hash"
        assert value[20:] not in mark(f"admin:{value}")


def test_words_that_are_a_key():
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    for form in ('MNEMONIC="{}"', "seed phrase: {}", "recovery_phrase = '{}'"):
        assert words not in mark(form.format(words))
    assert mark(f"the mnemonic {words}") == f"the mnemonic {words}"
    fours = " ".join(("qwmz", "hjkx", "vbtr", "plyd"))
    assert fours not in mark(f"SMTP_PASSWORD='{fours}'")
    assert fours not in mark(f"app password: {fours}")
    assert "that this with from" in mark("password: that this with from")


def test_a_private_key_as_object_and_as_putty_keeps_it():
    make = Maker(5)
    drawn = make.drawn(200, BASE62 + "-_")
    for text in (f'{{"kty":"RSA","n":"a","d":"{drawn}"}}', f'{{"k": "{drawn}", "kty": "oct"}}'):
        assert drawn not in mark(text)
        assert drawn not in mark(json.dumps(text))
    lines = "\n".join(make.drawn(64, BASE62 + "+/") for _ in range(6))
    putty = f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 6\n{lines}\nPrivate-MAC: 00"
    assert not set(lines.split("\n")) & set(mark(putty).split("\n"))
    ssh2 = f"---- BEGIN SSH2 PRIVATE KEY ----\n{lines}\n---- END SSH2 PRIVATE KEY ----"
    assert not set(lines.split("\n")) & set(mark(ssh2).split("\n"))


@pytest.mark.contract("S3-54")
@pytest.mark.parametrize(
    "line",
    ["  '{}\\n' +", '    "{}\\n"', ' "{}",', "id_rsa:{}", "home/me/id_rsa-12-{}", "-{}", "{}\\"],
)
def test_a_private_key_line_by_line_whole_and_cut_off_on_either_side(line):
    lines = Maker(6).pem(lines=8).split("\n")
    for part in (lines, lines[:6], lines[3:]):
        marked = mark("\n".join(line.format(each) for each in part))
        assert not [each for each in part if len(each) == 64 and each in marked]


def test_base64_of_a_token_is_one():
    for rule in ("github-pat", "gitlab-pat", "aws-access-key", "slack-token", "anthropic-key"):
        held = base64.b64encode(token_of(rule, Maker(7)).encode()).decode()
        assert held not in mark(f"data:\n  it: {held}\n"), rule
    assert findings("Z2hwX" + "AAAA" * 20) == []


@pytest.mark.parametrize("ahead", ["A=", "TOKEN=", "export X='", '{"a": "', "a: b\nc: "])
def test_a_token_inside_of_what_base64_holds_is_one(ahead):
    for rule in ("github-pat", "gitlab-pat", "aws-access-key", "slack-token", "anthropic-key"):
        token = token_of(rule, Maker(7))
        held = base64.b64encode(f"{ahead}{token}\nPORT=80\n".encode()).decode()
        end = len(ahead + token) * 8 // 6
        assert held[end - 16 : end] not in mark(held), rule
    assert findings("xdocF" + "AAAA" * 20) == []


UNSEEN = [
    "\u200b", "\u200c", "\u200d", "\u2060", "\u00ad", "\ufeff", "\u200e", "\ufe0f", "\u034f",
    "\u3164", "\U000e0061",
]  # fmt: skip


@pytest.mark.contract("S3-53")
@pytest.mark.parametrize("char", UNSEEN)
def test_characters_nobody_sees_do_not_hide_a_secret(char):
    token = token_of("github-pat", Maker(8))
    for split in (
        token[:9] + char + token[9:],
        char.join(token),
        token[:20] + 3 * char + token[20:],
    ):
        for text in (f"use {split} now", f"é {split}", f"API_KEY={split}{char}."):
            marked = mark(text)
            assert marked.replace(char, "").count(token[8:-4]) == 0
            assert mark(marked) == marked
            assert [found for found, _, _ in ready([text, "x"])] == [marked, "x"]
        assert is_secret(split)


@pytest.mark.parametrize("before", [r"\u0022", r"\u000a", r"\u003d", r"\u001b[32m", r"\x1b[1;32m"])
def test_a_token_right_behind_an_escape(before):
    for rule in ("github-pat", "aws-access-key", "jwt", "linear-key"):
        token = token_of(rule, Maker(9))
        assert token not in mark(before + token)


def test_a_token_between_underscores_of_markdown():
    for rule in ("aws-access-key", "npm-token", "jwt", "linear-key", "digitalocean-token"):
        token = token_of(rule, Maker(10))
        for text in (f"_{token}_", f"__{token}__", f"out_{token}"):
            assert token not in mark(text), rule


def test_an_assigned_key_that_a_terminal_broke_goes_whole():
    value = Maker(11).drawn(60)
    text = f"{'word ' * 11}API_KEY={value[:20]}\n{value[20:]}\nmore"
    assert value[24:40] not in mark(text)
