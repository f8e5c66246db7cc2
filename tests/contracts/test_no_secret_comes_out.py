"""Secrets planted everywhere in sessions of every program: no command prints one, no file keeps it.

A leak is any eight characters in a row of a planted body. Only the path of a file is kept as it is,
for it has to be opened; it is printed without the secret.
"""

from __future__ import annotations

import base64
import json
import random
import string

import pytest

from recall_tui.history import History
from recall_tui.mcp_server import results, server
from recall_tui.search.recall.request import RecallRequest
from recall_tui.search.results import GrepQuery
from tests.contracts.conftest import machine  # noqa: F401 - a fixture
from tests.harnesses.claude import build as claude
from tests.harnesses.codex import build as codex
from tests.harnesses.copilot import build as copilot
from tests.harnesses.gemini import build as gemini
from tests.harnesses.opencode import build as opencode
from tests.harnesses.pi import test_pi as pi
from tests.workspace.build import MemoryStore, Workspace, attachment

RUN = 8
WORDS = ("zqopen", "zqanswer", "zqcmd", "zqout", "zqtitle", "zqerr", "zqpic", "zqarch", "zqfact")


class Planted:
    """Secrets by the place they were put."""

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}
        self._random = random.Random(11)

    def __call__(self, place: str) -> str:
        letters = string.ascii_letters + string.digits
        body = "1aZ" + "".join(self._random.choices(letters, k=33))
        self.bodies[place] = body
        return "ghp" + "_" + body

    def bare(self, place: str) -> str:
        """A secret that nothing but the name it is given tells from a checksum."""
        self.bodies[place] = "".join(self._random.choices("0123456789abcdef", k=32))
        return self.bodies[place]

    def leaks(self, data: bytes | str) -> list[str]:
        low = (data if isinstance(data, bytes) else data.encode("utf-8", "replace")).lower()
        return [
            place
            for place, body in self.bodies.items()
            if any(body[at : at + RUN].lower().encode() in low for at in range(len(body) - RUN + 1))
        ]


@pytest.fixture
def planted(machine, monkeypatch):  # noqa: F811
    put = Planted()
    picture = codex.png(8, 9)
    _claude(machine.home, put)
    _rarer(machine.home, put)
    _codex(machine.home, put, picture)
    _others(machine.home, put, picture)
    _workspace(machine.home, put, picture)
    monkeypatch.setenv("RECALL_WORKSPACE", str(machine.home / "maka"))
    return put


def _claude(home, put) -> None:
    name = "0a1b2c3d-0000-4000-8000-000000000001"
    lines = claude.Lines(
        session=name, cwd=f"/home/a/{put('cwd')}", gitBranch=f"feat/{put('branch')}"
    )
    lines.user(f"zqopen {put('prompt')} ![alt {put('alt text')}](x.png)")
    lines.assistant(
        claude.thinking(put("thinking")), claude.text(f"zqanswer {put('answer')}"),
        model=f"m-{put('model')}",
    )  # fmt: skip
    lines.call("t1", "Bash", command=f"zqcmd {put('argument')}", description=put("description"))
    lines.result("t1", "zqout " + ("x" * 79 + "\n") * 127 + f" {put('horizon')} zqout")
    env = {"env": {"API_KEY": put.bare("named argument")}, "password": put.bare("password")}
    env["args"] = ["serve", "--api-key", put.bare("argument of a list")]
    form = [{"name": "Password", "type": "textbox", "value": put.bare("field of a form")}]
    lines.call(
        "t3", "mcp__web__fill", headers={"X-Api-Key": put.bare("header")}, fields=form, **env
    )
    lines.result("t3", [{"type": "resource", "secret": put.bare("named result")}])
    lines.call("t2", "Write", file_path=f"/a/{put('file path')}.txt", content=put("file body"))
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}
    document = {"type": "document", "title": f"{put('document')}.pdf", "source": source}
    lines.user([claude.text("zqpic"), document])
    lines.raw({"type": "custom-title", "customTitle": f"zqtitle {put('title')}", "sessionId": name})
    lines.raw({"type": put("record type"), "x": 1})
    hidden = put("escaped")
    prompt = {"role": "user", "content": "zqopen @@"}
    lines.add("user", message=prompt)
    escapes = "".join(f"\\u{ord(c):04x}" if n % 3 else c for n, c in enumerate(hidden))
    lines.lines[-1] = lines.lines[-1].replace(b"@@", escapes.encode())
    lines.lines.append(f'{{"broken {put("broken line")}\n'.encode())
    lines.write(home / ".claude/projects" / f"-a-{put('project folder')}" / f"{name}.jsonl")
    file = put("session file")
    other = claude.Lines(session=file)
    other.user("zqopen " + "word " * 38 + put("end of a title"))
    other.write(home / ".claude/projects/-w" / f"{file}.jsonl")


def _rarer(home, put) -> None:
    """Plant in what a session holds besides talk: what waits, what was summed up, what failed."""
    name = "0a1b2c3d-0000-4000-8000-000000000002"
    lines = claude.Lines(session=name, cwd="/home/a")
    lines.queue("enqueue", f"zqopen {put('queued')}")
    lines.user(f"zqopen {put('summed up')}", isCompactSummary=True)
    lines.raw({"type": "summary", "summary": f"zqtitle {put('summary')}", "leafUuid": "x"})
    lines.raw({"type": "ai-title", "aiTitle": f"zqtitle {put('ai title')}", "sessionId": name})
    lines.system("informational", content=f"zqerr {put('system')}")
    lines.system("api_error", error={"message": put("api error")}, content=put("api error words"))
    lines.attachment("hook_blocking_error", blockingError={"blockingError": put("hook")})
    lines.attachment("queued_command", prompt=f"zqopen {put('queued command')}")
    lines.attachment(put("attachment kind"), content="x")
    lines.call(
        "t1", "Task", description=f"zqcmd {put('task')}", prompt=f"zqopen {put('task prompt')}",
        subagent_type=put("agent kind"),
    )  # fmt: skip
    lines.result("t1", [claude.text(f"zqout {put('task result')}")], twin={"x": put("twin")})
    lines.call("t2", f"mcp__{put('tool name')}__run", query=f"zqcmd {put('query')}")
    deep = json.dumps({"a": [json.dumps({"b": {"api_key": put.bare("JSON in JSON")}})]})
    lines.result("t2", f"zqout {deep}", is_error=True)
    lines.call("t3", "Edit", file_path="/a", old_string="API_KEY=\n" + put("old string"),
               new_string=f'+ const KEY = process.env.KEY || "{put("new string")}"')  # fmt: skip
    lines.result("t3", f"zqout    12\u2192 {put('numbered')}\n    13\u2192-{put('removed')}")
    colour = put("coloured")
    lines.user(f"zqopen \x1b[31m{colour[:9]}\x1b[0m{colour[9:20]}\x1b[1m{colour[20:]}")
    unseen = put("unseen")
    lines.user(f"zqopen {unseen[:9]}\u200b{unseen[9:]}")
    lines.user(f"zqopen the password is {put.bare('said')}a1 and **API key**: `{put.bare('bold')}`")
    source = {"type": "text", "media_type": "text/plain", "data": f"zq {put('text attachment')}"}
    lines.user([claude.text("zqpic"), {"type": "document", "title": "a.txt", "source": source}])
    lines.assistant(claude.text(f"zqanswer {put('failed answer')}"), isApiErrorMessage=True)
    lines.add("user", message={"role": "user", "content": {"odd": put("odd content")}})
    folder = home / ".claude/projects/-rarer"
    lines.write(folder / f"{name}.jsonl")
    agent = claude.Lines(session=name, isSidechain=True, agentId=put("agent id"))
    agent.user(f"zqopen {put('agent prompt')}")
    agent.write(folder / name / "subagents" / f"agent-{put('agent file')}.jsonl")


def _codex(home, put, picture) -> None:
    remote = f"https://me:{put('remote')}@git.example/a/b"
    rollout = codex.Rollout(
        cwd=f"/a/{put('codex cwd')}", git={"branch": put("codex branch"), "repository_url": remote}
    )
    rollout.prompt(f"zqopen {put('codex prompt')}").answer(f"zqanswer {put('codex answer')}")
    rollout.reasoning(put("codex reasoning"))
    rollout.call("shell", {"command": ["bash", "-lc", f"zqcmd {put('codex argument')}"]})
    rollout.output(json.dumps({"output": f"zqout {put('codex output')}", "metadata": {}}))
    rollout.call("mcp", {"auth": {"client_secret": put.bare("codex named")}}).output("ok")
    rollout.call(f"tool-{put('codex tool')}", {"input": "x"}).output("ok")
    rollout.event("error", message=f"zqerr {put('codex error')}")
    image = {"type": "input_image", "image_url": codex.data_url(picture)}
    rollout.said("user", {"type": "input_text", "text": "zqpic"}, image)
    rollout.write(home / ".codex/sessions/2026/02/03")


def _others(home, put, picture) -> None:
    data = base64.b64encode(picture).decode()
    events = copilot.Events(cwd=f"/a/{put('copilot cwd')}", branch=put("copilot branch"))
    file = {
        "type": "file",
        "path": f"/{put('copilot path')}.png",
        "displayName": put("copilot name"),
    }
    events.prompt(f"zqopen {put('copilot prompt')}", attachments=[file])
    events.call("bash", {"command": f"zqcmd {put('copilot argument')}"})
    events.result(f"zqout {put('copilot result')}")
    events.add("session.error", message=f"zqerr {put('copilot error')}", errorType="x")
    events.write(home / ".copilot/session-state")
    call = gemini.call("run_shell_command", {"command": f"zqcmd {put('gemini argument')}"},
                       f"zqout {put('gemini output')}")  # fmt: skip
    inline = {"mimeType": "image/png", "data": data, "displayName": f"{put('gemini image')}.png"}
    chats = home / ".gemini/tmp" / f"p-{put('gemini folder')}" / "chats"
    gemini.lines(
        chats / "session-2026-11-30T17-00-417c17c0.jsonl", gemini.meta(), gemini.opening(),
        gemini.user(1, f"zqopen {put('gemini prompt')}"),
        gemini.agent(2, f"zqanswer {put('gemini answer')}", toolCalls=[call]),
        gemini.user(3, {"inlineData": inline}, "zqpic"),
    )  # fmt: skip
    talk = opencode.Session("one", title=f"zqtitle {put('opencode title')}")
    image = {"type": "file", "mime": "image/png", "filename": f"{put('opencode file')}.png",
             "url": f"data:image/png;base64,{data}"}  # fmt: skip
    talk.user(f"zqopen {put('opencode prompt')}", image)
    ran = opencode.tool(
        input={"command": f"zqcmd {put('opencode argument')}", "description": "d"},
        output=f"zqout {put('opencode output')}", title=put("opencode tool title"),
    )  # fmt: skip
    talk.agent(f"zqanswer {put('opencode answer')}", ran)
    talk.agent(error={"name": "APIError", "data": {"message": f"zqerr {put('opencode error')}"}})
    opencode.store(home / ".local/share/opencode/opencode.db", talk)
    entries = pi.Entries(cwd=f"/a/{put('pi cwd')}")
    entries.user(f"zqopen {put('pi prompt')}")
    entries.assistant(pi.text(f"zqanswer {put('pi answer')}"))
    entries.add("session_info", name=f"zqtitle {put('pi title')}")
    folder = home / ".pi/agent/sessions/--a--"
    folder.mkdir(parents=True)
    (folder / pi.NAME).write_bytes(b"".join(entries.lines))


def _workspace(home, put, picture) -> None:
    workspace = Workspace(home / "maka")
    held = workspace.session("s-1", title=f"zqtitle {put('ws title')}", cwd=f"/w/{put('ws cwd')}")
    file = attachment(f"{put('ws attachment')}.png", "s-1", "file-1")
    workspace.user(held, f"zqopen {put('ws prompt')}", attachments=[file])
    workspace.artifact(held, "file-1", picture, title=put("ws artifact"))
    call = workspace.call(held, "Bash", {"command": f"zqcmd {put('ws argument')}"},
                          intent=put("ws intent"))  # fmt: skip
    workspace.result(held, call, {"kind": "terminal", "output": f"zqout {put('ws output')}"})
    workspace.call(held, "run", {"args": ["x", "--token", put.bare("ws argument of a list")]})
    value = {"deploy": {"access_token": put.bare("ws named")}}
    workspace.result(held, call, {"kind": "json", "value": value})
    workspace.archived(held, call, {"kind": "x", "output": f"zqarch {put('ws archived')}"})
    workspace.event(held, {"kind": put("ws kind"), "x": 1}, role="model")
    old = workspace.session("s-2", ledger=False)
    workspace.user(old, f"zqopen {put('ws old')}")
    workspace.done()
    memory = MemoryStore(home / "maka")
    fact = put("ws fact")
    memory.item("1", f"zqfact the deploy key is {fact}", ["zqfact", f"key {fact}", fact])
    memory.done()


def _everything(machine):  # noqa: F811
    """Yield (words, what came out) of every command that shows history."""

    def ran(*words):
        told = machine.recall(*words)
        return words, told.out + told.err

    yield ran("grep", "zqopen")  # before there is an index
    yield ran("search", "zqopen", "--json")
    yield ran("index")
    for as_json in ([], ["--json"]):
        yield ran("sessions", *as_json)
        yield ran("doctor", *as_json)
        for word in WORDS:
            yield ran("grep", word, "-C", "5", *as_json)
            yield ran("search", "--term", word, "-n", "25", *(as_json or ["--full"]))
    yield ran("grep", "--paths", "zqopen")
    yield ran("search", "--paths", "what was zqopen about")
    yield ran("sessions", "--paths")
    for session in machine.recall("sessions", "--json").json["sessions"]:
        key = session["key"]
        for command in (
            ["show", key, "--all"], ["continue", key], ["repeat", key], ["handoff", key],
            ["relations", key], ["skill", key], ["forget", key], ["export", key],
            ["export", key, "--format", "html"], ["export", key, "--format", "markdown"],
        ):  # fmt: skip
            yield ran(*command)
            if command[0] != "export":
                yield ran(*command, "--json")


@pytest.mark.contract("X-3", "S0-93", "S3-53", "S3-60", "X-8")
def test_no_command_prints_and_no_file_keeps_a_planted_secret(machine, planted) -> None:  # noqa: F811
    assert len(planted.bodies) > 50
    for words, out in _everything(machine):
        assert planted.leaks(out) == [], words
    places = {"project folder", "session file", "gemini folder", "agent file"}
    for path in machine.data.rglob("*"):
        if path.is_file():
            assert set(planted.leaks(path.read_bytes())) <= places, path


@pytest.mark.contract("X-3", "S0-36", "S0-42")
def test_no_part_of_a_secret_is_a_hit(machine, planted) -> None:  # noqa: F811
    machine.recall("index")
    with machine.history() as history:
        for place, body in planted.bodies.items():
            for part in (body[4:14], body[12:24].lower(), f"ghp_{body[:6]}", f"key ghp_{body[:5]}"):
                found = history.recall(RecallRequest(terms=(part,)))
                assert not (found.passages or found.facts or found.matches), place
                assert not any(u.total for u in history.grep(GrepQuery(part))), place


@pytest.mark.contract("S0-12", "X-3")
def test_nothing_an_agent_gets_holds_one_and_no_error_repeats_one(machine, planted, caplog) -> None:  # noqa: F811
    machine.recall("index")
    secret = "ghp" + "_" + planted.bodies["prompt"]
    with machine.history() as history:
        answers = [_called(history, "Recall", {"terms": list(WORDS[:8]), "limit": 25})]
        told = json.loads(answers[0])
        for passage in told["passages"]:
            at = {"session_id": passage["session_id"]}
            more = at | {"anchor_message_id": passage["anchor_message_id"]}
            answers.append(_called(history, "RecallMore", more))
        for held in told["materials"]:
            reference = held["message_id"]
            asked = {"session_id": reference.partition("#")[0], "message_id": reference}
            answers.append(
                _called(history, "RecallMaterial", asked | {"material_id": held["material_id"]})
            )
        for tool, asked in (
            ("Recall", {"terms": [secret]}), ("Recall", {"terms": ["x"], "question": secret}),
            ("Recall", {"terms": ["x"], "session_id": secret}), ("Recall", {secret: 1}),
            ("RecallMore", {"session_id": secret, "anchor_message_id": f"{secret}#1"}),
            ("RecallMaterial", {"session_id": "a:b", "message_id": "a:b#1", "material_id": secret}),
        ):  # fmt: skip
            answers.append(_called(history, tool, asked))
    for answer in answers:
        assert planted.leaks(answer) == []
    assert planted.leaks(caplog.text) == []
    for words in (
        ["show", secret], ["more", secret], ["material", secret, secret], ["forget", secret],
        ["search", secret], ["search", "--since", secret, "x"], ["grep", "x", "--cursor", secret],
        ["sessions", "--harness", secret], ["--source", f"/{secret}", "sessions"],
        ["grep", "-E", f"({secret}"], ["config", secret], [secret],
    ):  # fmt: skip
        ran = machine.recall(*words)
        assert ran.code != 0, words
        assert planted.leaks(ran.out + ran.err) == [], words


def _called(history: History, tool: str, parameters: dict) -> str:
    """Everything a client gets for a call, as text."""
    act = {"Recall": server._recall, "RecallMore": server._more, "RecallMaterial": server._material}
    answer = server._guarded(
        lambda asked, stop: act[tool](history, "", asked, stop), parameters, lambda: False
    )
    assert isinstance(answer, results.CallToolResult)
    texts = [c.text for c in answer.content if c.type == "text"]
    assert json.loads(texts[0]) == answer.structured_content
    return texts[0]


@pytest.mark.contract("X-3")
def test_what_a_person_writes_down_keeps_no_secret_either(machine, planted) -> None:  # noqa: F811
    machine.recall("index")
    secret = planted("note")
    with machine.history() as history:
        session = history.sessions()[0]
        history.add_note(session, -1, f"the key is {secret}\nand more")
        assert not history.keep_search(f"x {secret}")
        history.note_asked(secret)
        (note,) = history.notes(session)
        assert note.text.startswith("the key is [redacted") and note.text.endswith("\nand more")
    for path in machine.data.rglob("*"):
        if path.is_file():
            assert "note" not in planted.leaks(path.read_bytes()), path
