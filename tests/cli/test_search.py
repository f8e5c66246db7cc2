"""`recall search`, `more`, `material`: text, JSON, paths, exit codes, and no way to a secret."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path

import pytest

from recall_tui.cli import main
from recall_tui.search.recall.marker import MARKER
from tests.cli.conftest import Run

SESSION = "8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
        "0000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082"
    )
).decode()


def record(kind: str, number: int, content: object, **more: object) -> dict[str, object]:
    return {
        "type": kind, "uuid": f"00000000-0000-0000-0000-{number:012}", "sessionId": SESSION,
        "parentUuid": f"00000000-0000-0000-0000-{number - 1:012}" if number else None,
        "timestamp": f"2026-11-28T12:{number:02}:00.000Z", "cwd": f"/home/ann/{SECRET}/recall",
        "gitBranch": f"fix-{SECRET}", "version": "2.1.200", "isSidechain": False,
        "userType": "external", "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


@pytest.fixture
def recall(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    """Run `recall ARGS...` on one session whose every field was handed a secret."""
    folder = tmp_path / "projects" / "-home-ann"
    folder.mkdir(parents=True)
    call = {
        "type": "tool_use", "id": "toolu_1", "name": "Bash",
        "input": {"command": f"curl -H 'Authorization: token {SECRET}' https://api.example.org"},
    }  # fmt: skip
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
    }
    records = [
        record("user", 0, f"Deploy with {SECRET} to the staging server\x1b]0;owned\x07"),
        record("assistant", 1, [{"type": "text", "text": f"I deploy with {SECRET} now."}, call]),
        record("user", 2, [{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True,
                            "content": f"error: bad credentials {SECRET} on staging"}]),
        record("user", 3, [{"type": "text", "text": "here is a screenshot of it"}, picture]),
        record("assistant", 4, [{"type": "text", "text": "The screenshot shows a 401."}]),
        {"type": "summary", "summary": f"Deploying with {SECRET}", "leafUuid": "x"},
    ]  # fmt: skip
    path = folder / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")

    def run(*args: str) -> Run:
        code = main([*args, "--source", f"claude={tmp_path / 'projects'}"])
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run


def test_a_question_in_json(recall) -> None:
    ran = recall("search", "--json", "where did we deploy to staging?")
    assert ran.code == 0
    assert ran.json["notice"].startswith(MARKER)
    passage = ran.json["passages"][0]
    assert passage["session_id"] == f"claude:{SESSION}"
    assert passage["session"]["path"].endswith(".jsonl")
    assert passage["why"]["line"] and passage["why"]["tier"]
    assert ran.json["reach"]["complete"] and ran.json["policy"]
    assert {gap["kind"] for gap in ran.json["gaps"]} == {"no_facts"}


@pytest.mark.contract("S3-11", "S3-12")
def test_a_row_has_path_date_place_snippet_and_why(recall) -> None:
    ran = recall("search", "screenshot 401")
    assert ran.code == 0
    lines = [line.strip() for line in ran.out.splitlines() if line.strip()]
    assert lines[0].startswith(MARKER)
    assert lines[1].startswith("1. ") and lines[1].endswith(f"{SESSION}.jsonl")
    assert "2026-11-28" in lines[2] and "main" in lines[2]
    assert any(line.startswith("WHY all words: screenshot, 401") for line in lines)
    assert "searched 1 session" in ran.err


@pytest.mark.contract("S3-8", "S3-11")
def test_paths_only(recall) -> None:
    ran = recall("search", "--paths", "screenshot")
    assert ran.out.splitlines() == [ran.out.strip()] and ran.out.strip().endswith(".jsonl")
    assert recall("search", "--paths", "-0", "screenshot").out.endswith(".jsonl\0")
    nothing = recall("search", "--paths", "zebra")
    assert (nothing.code, nothing.out) == (1, "")


def test_exit_codes(recall) -> None:
    assert recall("search", "screenshot").code == 0
    assert recall("search", "zebra").code == 1
    assert recall("search", "zebra", "--exit-zero").code == 0
    assert recall("search", "-n", "0", "screenshot").code == 2
    assert recall("search", "--since", "soon", "screenshot").code == 2
    assert recall("search", "what is it").code == 1
    assert recall("search", "screenshot", "--until", "2020-01-01").code == 1
    assert recall("search", "-t", *"abcdefghi").code == 2


@pytest.mark.contract("S0-12", "S0-13")
def test_a_credential_is_refused_before_anything_is_touched(recall, monkeypatch) -> None:
    secret = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    recall("index")

    def touched(*_: object, **__: object) -> None:
        raise AssertionError("history was touched")

    for name in ("corpora", "stores", "fact_sources", "fact_scope", "listed"):
        monkeypatch.setattr(f"recall_tui.holdings.Holdings.{name}", touched)
    for name in ("catch_up", "sync"):
        monkeypatch.setattr(f"recall_tui.upkeep.Upkeep.{name}", touched)
    for words in (["--term", secret], [f"what about {secret}"], ["--term", "x", secret, "--json"],
                  ["--paths", secret]):  # fmt: skip
        ran = recall("search", *words)
        assert (ran.code, ran.out) == (2, "")
        assert secret[4:12] not in ran.err and "credential" in ran.err


@pytest.mark.contract("S0-19")
def test_paused(recall, home: Path) -> None:
    recall("index")
    (home / "recall" / "privacy.json").write_text("{")
    for words in (["search", "screenshot"], ["more", f"claude:{SESSION}#0"],
                  ["material", f"claude:{SESSION}#0", "x"]):  # fmt: skip
        ran = recall(*words)
        assert (ran.code, ran.out) == (3, "") and "paused" in ran.err


@pytest.mark.contract("S0-100", "S0-103")
def test_more_of_a_passage(recall) -> None:
    anchor = recall("search", "--json", "screenshot").json["passages"][0]["anchor_message_id"]
    ran = recall("more", anchor, "--json")
    assert [m["message_id"].partition("#")[2][0] for m in ran.json["messages"]] == ["3", "4"] or (
        len(ran.json["messages"]) >= 2
    )
    assert "401" in recall("more", anchor).out
    short = f"{SESSION[:8]}#{anchor.partition('#')[2]}"  # as `show` takes it
    assert recall("more", short).out == recall("more", anchor).out
    assert recall("material", short, "x").err == recall("material", anchor, "x").err
    unknown = recall("more", f"claude:{SESSION}#77~0000")
    assert unknown.code == 3 and "no such message" in unknown.err
    assert recall("more", anchor, "--before", "9").code == 2


@pytest.mark.contract("S0-105", "S0-106", "S0-114", "X-9")
def test_material_is_described_and_saved_on_request_only(recall, tmp_path: Path) -> None:
    shape = recall("search", "--json", "screenshot").json
    held = shape["materials"][0]
    assert held["mimeType"] == "image/png" and "locator" not in held
    before = set(os.listdir(tmp_path))
    told = recall("material", held["message_id"], held["material_id"])
    assert told.code == 0 and "image/png" in told.out
    assert set(os.listdir(tmp_path)) == before

    target = tmp_path / "out.png"
    ran = recall("material", held["message_id"], held["material_id"], "-o", str(target))
    assert ran.code == 0 and target.read_bytes() == base64.b64decode(PIXEL)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    again = recall("material", held["message_id"], held["material_id"], "-o", str(target))
    assert again.code == 2 and "there already" in again.err

    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "elsewhere")
    linked = recall("material", held["message_id"], held["material_id"], "-o", str(link))
    assert linked.code == 2 and not (tmp_path / "elsewhere").exists()
    for wrong in ("nothing", "../../etc/passwd", "/etc/passwd"):
        refused = recall("material", held["message_id"], wrong)
        assert refused.code == 3 and wrong not in refused.out


@pytest.mark.contract("S0-12", "S0-36", "S0-93", "X-3", "X-8")
def test_a_planted_secret_comes_out_nowhere(recall, home: Path) -> None:
    found = recall("search", "--json", "deploy staging credentials")
    assert found.code == 0 and "redacted" in found.out
    anchors = [m["message_id"] for p in found.json["passages"] for m in p["messages"]]
    printed = found.out + found.err
    for words in (
        ["search", "deploy"], ["search", "--full", "deploy staging"],
        ["search", "--paths", "deploy"],
        ["search", "-t", "bad credentials", "error"], ["search", "--json", "-t", "Authorization"],
        ["search", "401"], *(["more", anchor] for anchor in anchors),
        *(["more", anchor, "--json"] for anchor in anchors),
        ["material", anchors[0], "x"], ["more", "rubbish"],
    ):  # fmt: skip
        ran = recall(*words)
        printed += ran.out + ran.err
    assert SECRET not in printed and SECRET[8:30] not in printed and SECRET[-12:] not in printed
    assert "\x1b" not in printed and "owned" not in printed
    for folder, _, names in os.walk(home):
        for name in names:
            assert SECRET[8:30].encode() not in Path(folder, name).read_bytes()


@pytest.mark.contract("S0-12", "S0-13", "X-3")
def test_hit_or_no_hit_tells_nothing_about_a_secret(recall) -> None:
    refused = recall("search", f"who used {SECRET}?")
    assert refused.code == 2 and SECRET not in refused.out + refused.err
    wrong = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"
    same = recall("search", f"who used {wrong}?")
    assert (same.code, same.out, same.err) == (refused.code, refused.out, refused.err)
    # Parts that look like no credential: never found, whether they are in the secret or not.
    for start in range(0, len(SECRET) - 6, 3):
        part = SECRET[start : start + 6]
        for words in (["-t", part], [f'"{part}"'], [part], [f"deploy {part}"]):
            ran = recall("search", "--json", *words)
            if ran.code == 0:
                matched = {t for p in ran.json["passages"] for t in p["matched_terms"]}
                assert part not in matched
