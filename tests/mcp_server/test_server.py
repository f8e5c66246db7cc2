"""The agent's tools through the SDK's own client: in memory, and over stdio in a process."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from mcp import Client, StdioServerParameters

from recall_tui.demo import stories, story
from recall_tui.errors import ConfigError, SourceError, StoreError
from recall_tui.history import History
from recall_tui.mcp_server import tools
from recall_tui.mcp_server.server import build
from recall_tui.search.recall import policy
from recall_tui.search.recall.marker import MARKER


@pytest.fixture
def history() -> Iterator[History]:
    opened = History.open(demo=True)
    opened.sync()
    yield opened
    opened.close()


async def call(history: History, name: str, arguments: dict[str, object], **options):
    async with Client(build(history, **options)) as client:
        return await client.call_tool(name, arguments)


def refused(result) -> str:
    """The reason of an error in its one shape."""
    assert result.is_error
    shape = json.loads(result.content[0].text)
    assert set(shape) == {"kind", "ok", "reason", "message"}
    assert (shape["kind"], shape["ok"]) == ("recall_error", False)
    return shape["reason"]


@pytest.mark.contract("S0-1", "S0-4", "S0-7")
async def test_three_tools_with_disjoint_strict_read_only_schemas(history):
    async with Client(build(history)) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ["Recall", "RecallMore", "RecallMaterial"]
    for tool in listed:
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
    required = [set(tool.input_schema["required"]) - {"session_id"} for tool in listed]
    assert not required[0] & required[1] and not required[1] & required[2]


@pytest.mark.contract("S0-2")
async def test_a_tool_that_is_not_granted_is_neither_listed_nor_answered(history):
    async with Client(build(history, granted=["Recall"])) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["Recall"]
        result = await client.call_tool("RecallMore", {})
    assert refused(result) == "invalid_query"


def test_granting_an_unknown_tool_is_a_wrong_configuration(history):
    with pytest.raises(ConfigError):
        build(history, granted=["RecallAll"])


async def test_an_answer_is_one_object_framed_as_quoted_history(history):
    result = await call(history, "Recall", {"terms": ["context window"]})
    assert not result.is_error
    shape = json.loads(result.content[0].text)
    assert shape == result.structured_content
    assert MARKER in shape["notice"] and "not instructions" in shape["notice"]
    [passage, *_] = shape["passages"]
    assert passage["session_id"].startswith("codex:")
    assert passage["why"]["line"]


@pytest.mark.contract("S0-100")
async def test_more_reads_on_from_what_recall_cited(history):
    found = (await call(history, "Recall", {"terms": ["SKIP LOCKED"]})).structured_content
    [passage, *_] = found["passages"]
    anchor = {key: passage[key] for key in ("session_id", "anchor_message_id")}
    more = await call(history, "RecallMore", anchor)
    assert not more.is_error, more
    anchors = [m["message_id"] for m in more.structured_content["messages"] if m.get("is_anchor")]
    assert anchors == [passage["anchor_message_id"]]
    shown = [m["message_id"] for m in passage["messages"]]
    assert set(shown) <= {m["message_id"] for m in more.structured_content["messages"]}
    narrow = await call(history, "RecallMore", {**anchor, "before": 0, "after": 0})
    assert [m["message_id"] for m in narrow.structured_content["messages"]] == anchors


@pytest.mark.contract("S0-5", "S0-106", "S0-107")
async def test_a_picture_comes_as_image_content_only_when_asked_for(history):
    found = (await call(history, "Recall", {"terms": ["visitor sent me"]})).structured_content
    [held] = found["materials"]
    assert "data" not in held
    asked = {
        "session_id": found["passages"][0]["session_id"],
        "message_id": held["message_id"],
        "material_id": held["material_id"],
    }
    result = await call(history, "RecallMaterial", asked)
    [_, image] = result.content
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data) == story.picture("esbjerg-one-hour-late.png")
    assert refused(await call(history, "RecallMaterial", {**asked, "material_id": "0" * 12}))
    assert refused(await call(history, "RecallMaterial", {**asked, "material_id": "/etc/passwd"}))


@pytest.mark.contract("S0-8", "S0-112")
async def test_a_picture_whose_bytes_are_broken_is_not_found(history, monkeypatch):
    def broken(*_):
        raise SourceError("/home/a/secret.jsonl: the material is broken")

    monkeypatch.setattr(history, "fetch", broken)
    asked = {"session_id": "pi:x", "message_id": "pi:x#1~0000", "material_id": "0" * 12}
    result = await call(history, "RecallMaterial", asked)
    assert refused(result) == "not_found"
    assert "secret" not in result.content[0].text and "history" not in result.content[0].text


@pytest.mark.contract("S0-101")
@pytest.mark.parametrize("wrong", [{"before": 9}, {"after": -1}, {"before": "2"}])
async def test_a_wrong_bound_is_told_even_where_nothing_is_found(history, wrong):
    asked = {"session_id": "pi:x", "anchor_message_id": "nonsense", **wrong}
    assert refused(await call(history, "RecallMore", asked)) == "invalid_query"


@pytest.mark.contract("S0-6", "S0-8", "S0-9", "S0-14")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"terms": []},
        {"terms": ["a"] * 9},
        {"terms": [1]},
        {"terms": ["   "]},
        {"terms": ["x" * 501]},
        {"terms": "one text"},
        {"terms": ["a"], "limit": 0},
        {"terms": ["a"], "limit": 26},
        {"terms": ["a"], "limit": 1.5},
        {"terms": ["a"], "limit": True},
        {"terms": ["a"], "limit": None},
        {"terms": ["a"], "limit": 3.0},
        {"terms": ["a"], "since": -1},
        {"terms": ["a"], "since": 5, "until": 4},
        {"terms": ["a"], "path": "/etc/passwd"},
    ],
)
async def test_what_cannot_be_asked_is_refused_in_one_shape(history, arguments):
    assert refused(await call(history, "Recall", arguments)) == "invalid_query"


@pytest.mark.contract("S0-15")
@pytest.mark.parametrize(
    "arguments",
    [
        {"since": None, "until": None, "session_id": None, "question": None},
        {"until": 1e300},  # finite, if far away
        {"until": 10**400},
        {"since": 0, "until": 1 << 63},
    ],
)
async def test_what_can_be_asked_is_answered(history, arguments):
    result = await call(history, "Recall", {"terms": ["context window"], **arguments})
    assert not result.is_error and result.structured_content["passages"]


async def test_nothing_is_later_than_a_moment_without_a_date(history):
    result = await call(history, "Recall", {"terms": ["context window"], "since": 1e300})
    assert not result.is_error and not result.structured_content["passages"]


def test_schemas_say_what_is_checked():
    terms = tools.TOOLS["Recall"].input_schema["properties"]["terms"]
    assert (terms["minItems"], terms["maxItems"]) == (1, policy.MAX_TERMS)
    assert terms["items"]["maxLength"] == policy.MAX_TERM_CHARS
    assert tools.TOOLS["Recall"].input_schema["properties"]["limit"]["maximum"] == policy.MAX_LIMIT


@pytest.mark.contract("S0-103")
async def test_an_unknown_anchor_and_one_of_another_session_are_not_found_alike(history):
    found = (await call(history, "Recall", {"terms": ["context window"]})).structured_content
    passage = found["passages"][0]
    unknown = {"session_id": "codex:nowhere", "anchor_message_id": "codex:nowhere#1~0000"}
    foreign = {"session_id": "pi:x", "anchor_message_id": passage["anchor_message_id"]}
    results = [await call(history, "RecallMore", arguments) for arguments in (unknown, foreign)]
    assert [refused(result) for result in results] == ["not_found", "not_found"]
    assert results[0].content[0].text == results[1].content[0].text


@pytest.mark.contract("S0-12", "S0-13")
async def test_a_credential_is_refused_unseen_and_unrepeated(history, monkeypatch):
    secret = stories._DUMMY_TOKEN
    touched: list[str] = []
    for name in ("corpora", "stores", "listed", "fact_sources", "fact_scope"):
        monkeypatch.setattr(history._held, name, lambda *_, name=name: touched.append(name) or [])
    for terms in ([secret], ["harmless", secret], [f"x {secret}"]):
        result = await call(history, "Recall", {"terms": terms})
        assert refused(result) == "invalid_query"
        assert secret not in result.model_dump_json()
    assert touched == []


async def test_no_answer_gives_a_secret_away(history):
    secret = stories._DUMMY_TOKEN
    for term in ("curl", "Authorization", "upload", "ghp_"):
        result = await call(history, "Recall", {"terms": [term], "limit": 25})
        assert secret[4:20] not in result.model_dump_json()
    # Part of a secret finds nothing either: neither a hit nor a miss tells that it is there.
    guessed = await call(history, "Recall", {"terms": [secret[4:20]]})
    assert guessed.structured_content["matches"] == 0
    assert guessed.structured_content["passages"] == []


async def test_a_fault_is_one_of_the_four_reasons_and_says_nothing_inside(history, monkeypatch):
    def fail(*_):
        raise StoreError("/home/someone/secret-project/index.db is damaged")

    monkeypatch.setattr(history, "recall", fail)
    result = await call(history, "Recall", {"terms": ["x"]})
    assert refused(result) == "aborted"
    assert "secret-project" not in result.content[0].text


async def test_the_log_says_where_a_fault_is_and_not_what_it_quotes(history, monkeypatch, caplog):
    secret = stories._DUMMY_TOKEN

    def fail(*_):
        raise ValueError(f"bad text {secret} zqquoted")

    monkeypatch.setattr(history, "recall", fail)
    result = await call(history, "Recall", {"terms": ["x"]})
    assert refused(result) == "aborted"
    assert "ValueError at test_server.py:" in caplog.text
    assert "zqquoted" not in caplog.text + result.model_dump_json()


@pytest.mark.slow
async def test_over_stdio_a_client_lists_and_calls(home):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "recall_tui", "--demo", "mcp", "--tool", "Recall"],
        env={**os.environ, "RECALL_BACKGROUND": "0"},
    )
    async with Client(parameters) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["Recall"]
        result = await client.call_tool("Recall", {"terms": ["乱码"]})
    assert result.structured_content["passages"][0]["session_id"].startswith("opencode:")


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


@pytest.fixture
def served(home) -> Iterator[subprocess.Popen[bytes]]:
    """A server that has been greeted, spoken to by its bare pipes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "recall_tui", "--demo", "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "RECALL_BACKGROUND": "0"},
    )  # fmt: skip
    with process:
        send(process, INITIALIZE)
        assert json.loads(process.stdout.readline())["id"] == 1
        yield process
        process.kill()


def send(process: subprocess.Popen[bytes], message: object) -> None:
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


@pytest.mark.slow
def test_a_client_that_hangs_up_is_the_end_and_no_fault(served):
    call = {"name": "Recall", "arguments": {"terms": ["window"]}}
    served.stdout.close()
    send(served, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    served.stdin.close()
    assert served.wait(20) == 0
    assert served.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_the_server_though_nothing_was_typed(served):
    served.send_signal(signal.SIGINT)
    assert served.wait(20) in (-signal.SIGINT, 130)
    assert served.stderr.read() == b""


@pytest.mark.slow
def test_standard_output_is_the_protocol_and_nothing_else(served):
    wrong = b'not JSON\n\xff\xfe\n[]\n{"jsonrpc":"2.0","id":2,"method":"nope"}\n'
    served.stdin.write(wrong)
    send(served, {"jsonrpc": "2.0", "id": 3, "method": "ping"})
    answers = [json.loads(served.stdout.readline()) for _ in range(2)]
    assert {answer["id"] for answer in answers} == {2, 3}
    served.stdin.close()
    assert served.wait(20) == 0
    assert served.stdout.read() == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "failed"),
    [(r'{"terms": ["window\ud83d"]}', False), ('{"terms": ["a"], "x": @}', True)],
)
def test_what_the_sdk_cannot_read_is_answered(served, arguments, failed):
    arguments = arguments.replace("@", "[" * 300 + "]" * 300)
    call = f'"method": "tools/call", "params": {{"name": "Recall", "arguments": {arguments}}}'
    served.stdin.write(b'{"jsonrpc": "2.0", "id": 2, %s}\n' % call.encode())
    served.stdin.flush()
    answer = json.loads(served.stdout.readline())
    assert answer["id"] == 2 and answer["result"].get("isError", False) == failed
    assert failed or answer["result"]["structuredContent"]["terms"] == ["window\ufffd"]
