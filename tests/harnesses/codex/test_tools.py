"""Tool calls and outputs, in all the shapes they had."""

from __future__ import annotations

import json

import pytest

from recall_tui.harnesses.codex.tools import read_call, read_output, tool_name
from recall_tui.model import Kind
from tests.harnesses.codex.build import Rollout, data_url, png
from tests.harnesses.steps import source_of

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old body\n+new body\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "text", "rest"),
    [
        ("shell", {"command": ["bash", "-lc", "ls -la"]}, "ls -la", ""),
        ("shell", {"command": ["/bin/zsh", "-c", "ls"], "workdir": "/x"}, "ls\n/x", ""),
        ("shell", {"command": ["rg", "-n", "a b"], "timeout_ms": 5}, "rg -n a b", ""),
        ("container.exec", {"cmd": ["bash", "-lc", "make"]}, "make", ""),
        ("exec_command", {"cmd": "make", "workdir": "/x", "yield_time_ms": 1}, "make\n/x", ""),
        ("shell_command", {"command": "ls", "justification": "to see"}, "ls", "to see"),
        ("apply_patch", {"input": PATCH}, "src/a.py", PATCH),
        ("apply_patch", {"patch": PATCH}, "src/a.py", PATCH),
        ("shell", {"command": ["apply_patch", PATCH]}, "apply_patch\nsrc/a.py", PATCH),
        ("view_image", {"path": "/tmp/a.png"}, "/tmp/a.png", ""),
        ("spawn_agent", {"message": "look around", "agent_type": "x"}, "", "look around\nx"),
        ("write_stdin", {"session_id": 7, "chars": "yes\n"}, "", "yes\n"),
        (
            "fetch",
            {"url": "https://a.example/b?token=abc"},
            "https://a.example/b",
            "https://a.example/b?token=abc",
        ),
    ],
)
def test_the_projection_of_a_call(name, arguments, text, rest):
    assert read_call(name, arguments) == (text, rest)
    assert read_call(name, json.dumps(arguments)) == (text, rest)


def test_a_patch_in_a_heredoc_is_shown_by_its_paths():
    script = f"apply_patch <<'EOF'\n{PATCH}\nEOF\ncargo check"
    text, rest = read_call("shell", {"command": ["bash", "-lc", script]})
    assert text == "apply_patch <<'EOF'\nsrc/a.py\nEOF\ncargo check"
    assert rest == PATCH


def test_every_path_of_a_patch_is_named():
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x\n*** Delete File: old.py\n"
        "*** Update File: a.py\n*** Move to: b.py\n@@\n+*** Add File: not.py\n*** End Patch\n"
    )
    text, rest = read_call("apply_patch", patch)
    assert text == "new.py\nold.py\na.py\nb.py"
    assert rest == patch.strip()


def test_arguments_that_are_no_json_are_kept():
    assert read_call("shell", '{"command": ["bash", ') == ("", '{"command": ["bash", ')
    assert read_call("x", "plain words") == ("", "plain words")
    assert read_call("x", '["a", "b"]') == ("", "a\nb")


def test_javascript_is_shown_by_its_commands():
    script = (
        'const r = await tools.exec_command({cmd: "rg -n \\"a\\" src", workdir: `/x`});\n'
        "await tools.exec_command({ cmd: 'ls' });\ntext(r.output);"
    )
    text, rest = read_call("exec", script)
    assert text == 'rg -n "a" src\n/x\nls'
    assert rest == script
    assert read_call("exec", "text(1 + 1)") == ("text(1 + 1)", "")


def test_names():
    assert tool_name("js", "mcp__node_repl") == "mcp__node_repl__js"
    assert tool_name("spawn_agent", "multi_agent_v1") == "spawn_agent"
    assert tool_name("exec_command", None) == "exec_command"


HEADER = "Chunk ID: 53f6dd\nWall time: 0.5747 seconds\n"


@pytest.mark.parametrize(
    ("output", "text", "failed", "duration"),
    [
        ("plain", "plain", False, 0),
        ('{"output":"a\\nb","metadata":{"exit_code":0,"duration_seconds":1.2}}', "a\nb", False,
         1200),
        ('{"output": "no", "metadata": {"exit_code": 101, "duration_seconds": 0.3}}',
         "Exit code: 101\nno", True, 300),
        ('{"output":"","metadata":{"exit_code":0}}', "Exit code: 0", False, 0),
        ('{"metadata":{"exit_code":0},"output":"x"}', "x", False, 0),
        ('{"output": 5}', '{"output": 5}', False, 0),
        ('{"output":"cut off', '{"output":"cut off', False, 0),
        (f"{HEADER}Process exited with code 0\nOriginal token count: 97\nOutput:\nUbuntu\n",
         "Ubuntu\n", False, 574),
        (f"{HEADER}Process exited with code 128\nOutput:\nfatal: no\n",
         "Process exited with code 128\nfatal: no\n", True, 574),
        (f"{HEADER}Process exited with code 0\nOutput:\n", "Process exited with code 0", False,
         574),
        (f"{HEADER}Process running with session ID 7\nOutput:\nwait",
         "Process running with session ID 7\nwait", False, 574),
        ("Exit code: 0\nWall time: 2 seconds\nTotal output lines: 9\nOutput:\nOutput: x\n",
         "Output: x\n", False, 2000),
        ('Wall time: 0.06 seconds\nOutput:\n[{"type":"text","text":"a \\"b\\""}]', 'a "b"', False,
         60),
        (f'{HEADER}Process exited with code 0\nOutput:\n[{{"type":"text","text":"a"}}]',
         '[{"type":"text","text":"a"}]', False, 574),
        ('[{"type":"module","text":"a"}]', '[{"type":"module","text":"a"}]', False, 0),
        ('{"status":{"1":{"completed":"all\\ndone"}},"timed_out":false}', "all\ndone", False, 0),
        ('{"status":"ok","data":[1]}', '{"status":"ok","data":[1]}', False, 0),
        ("write_stdin failed: stdin is closed", "write_stdin failed: stdin is closed", True, 0),
        ("execution error: No such file", "execution error: No such file", True, 0),
        ("failed in sandbox None with execution error: x",
         "failed in sandbox None with execution error: x", True, 0),
        ("unsupported call: shell<|channel|>", "unsupported call: shell<|channel|>", True, 0),
        ("Exit code: no header follows this", "Exit code: no header follows this", False, 0),
        ("Script completed\nWall time 0.1 seconds\nOutput:\n\nmade it", "made it", False, 100),
        ("Script failed\nWall time 2 seconds\nOutput:\nError: x", "Error: x", True, 2000),
        ("Script running with cell ID 3\nWall time 9.0 seconds\nOutput:\n",
         "Script running with cell ID 3", False, 9000),
        ("Script completed, it says", "Script completed, it says", False, 0),
    ],
)  # fmt: skip
def test_an_output_without_its_frame(output, text, failed, duration):
    found = read_output(output)
    assert (found.text, found.failed, found.duration_ms) == (text, failed, duration)


def test_calls_and_outputs_belong_together(read):
    rollout = Rollout().turn(model="gpt-x").prompt("go")
    rollout.call("exec_command", {"cmd": "make"}).output("made it")
    rollout.item("custom_tool_call", name="apply_patch", input=PATCH, call_id="p1")
    rollout.item("custom_tool_call_output", call_id="p1", output="Exit code: 1\nOutput:\nno")
    messages, transcript = read(rollout)
    assert [(m.kind, m.tool, m.call, m.text, m.failed) for m in messages[1:]] == [
        (Kind.TOOL_CALL, "exec_command", "call_1", "make", False),
        (Kind.TOOL_RESULT, "exec_command", "call_1", "made it", False),
        (Kind.TOOL_CALL, "apply_patch", "p1", "src/a.py", False),
        (Kind.TOOL_RESULT, "apply_patch", "p1", "Exit code: 1\nno", True),
    ]
    assert messages[1].model == "gpt-x"
    assert not transcript.unknown


def test_an_event_may_know_how_a_call_ended(read):
    rollout = Rollout().prompt("go").call("mcp__x__y", {"q": "a"})
    rollout.event(
        "mcp_tool_call_end", call_id="call_1", duration={"secs": 2, "nanos": 0},
        invocation={"server": "x", "tool": "y"}, result={"Err": "gone"},
    )  # fmt: skip
    rollout.output("gone")
    rollout.call("exec_command", {"cmd": "true"})
    rollout.completed(
        "CommandExecution", id="call_2", exit_code=3, command=["bash", "-lc", "true"],
        aggregated_output="x", duration={"secs": 0, "nanos": 9_000_000},
    )  # fmt: skip
    rollout.output("three")
    messages, _ = read(rollout)
    results = [m for m in messages if m.kind is Kind.TOOL_RESULT]
    assert [(m.text, m.failed, m.duration_ms) for m in results] == [
        ("gone", True, 2000), ("three", True, 9)
    ]  # fmt: skip
    assert len(messages) == 5


def test_rare_kinds(read):
    rollout = Rollout().prompt("go")
    rollout.item("local_shell_call", call_id="l", action={"type": "exec", "command": ["ls", "-a"]})
    rollout.item(
        "web_search_call", id="ws_1",
        action={"type": "search", "query": "rust", "queries": ["rust", "rust lang"]},
    )  # fmt: skip
    rollout.event(
        "web_search_end", call_id="ws_1", query="rust",
        results=[{"type": "text_result", "title": "Rust", "url": "https://rust.example/?a=b",
                  "snippet": "A language", "ref_id": "r1"}],
    )  # fmt: skip
    rollout.item("tool_search_call", call_id="t", arguments={"query": "browser", "limit": 3})
    rollout.item("ghost_snapshot", ghost_commit={"id": "x" * 500})
    rollout.item("reasoning", summary=[], encrypted_content="x")
    rollout.item("hologram_call", x=1).event("hologram_end").line("hologram", {})
    messages, transcript = read(rollout)
    assert [(m.kind.word, m.tool, m.text) for m in messages[1:]] == [
        ("tool_call", "local_shell", "ls -a"),
        ("tool_call", "web_search", "rust"),
        ("tool_result", "web_search", "Rust\nhttps://rust.example/?a=b\nA language"),
        ("tool_call", "tool_search", "browser"),
    ]
    assert dict(transcript.unknown) == {
        "response_item.hologram_call": 1, "event_msg.hologram_end": 1, "hologram": 1
    }  # fmt: skip


def test_pictures_of_outputs(codex, day):
    content = png(1024, 768, 5000)
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + (90).to_bytes(2, "big")
    jpeg += (120).to_bytes(2, "big") + bytes(4000)
    rollout = Rollout().prompt("look").call("view_image", {"path": "/tmp/a.png"})
    parts = [
        {"type": "input_text", "text": "Wall time: 0.2 seconds\nOutput:"},
        {"type": "input_image", "image_url": data_url(content), "detail": "high"},
        {"type": "input_image", "image_url": data_url(jpeg, "image/jpeg")},
        {"type": "input_image", "image_url": None},
        {"type": "input_image", "image_url": "https://a.example/b.png?token=x"},
    ]
    rollout.output(parts)
    source = source_of(codex, rollout.write(day))
    result = list(codex.open(source))[-1]
    assert result.text == ""
    assert result.duration_ms == 200
    first, second, third = result.materials
    assert (first.mime, first.bytes, first.width, first.height) == (
        "image/png", len(content), 1024, 768
    )  # fmt: skip
    assert (second.mime, second.bytes, second.width, second.height) == (
        "image/jpeg", len(jpeg), 120, 90
    )  # fmt: skip
    assert codex.material(source, first.locator) == content
    assert codex.material(source, second.locator) == jpeg
    assert (third.name, third.bytes, third.locator) == ("b.png", -1, "")
    assert len({m.id for m in result.materials}) == 3


def test_a_made_picture(codex, day):
    content = png(64, 64)
    bare = data_url(content).partition(",")[2]
    rollout = (
        Rollout()
        .prompt("draw")
        .item(
            "image_generation_call",
            id="ig_1",
            status="completed",
            revised_prompt="a cat",
            result=bare,
        )
    )
    rollout.event("image_generation_end", call_id="ig_1", result=bare)
    source = source_of(codex, rollout.write(day))
    messages = list(codex.open(source))
    assert [(m.kind.word, m.text) for m in messages[1:]] == [
        ("tool_call", "a cat"), ("tool_result", "")
    ]  # fmt: skip
    (material,) = messages[2].materials
    assert (material.width, material.bytes) == (64, len(content))
    assert codex.material(source, material.locator) == content
