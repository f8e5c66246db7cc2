"""Attachments and pictures: metadata only, and bytes only through the message that holds them."""

from __future__ import annotations

import os

import pytest

from recall_tui.errors import SourceError
from recall_tui.model import Flag
from recall_tui.workspace import Maka, artifacts
from tests.workspace.build import TOKEN, Workspace, attachment
from tests.workspace.reading import ALL, matching, opened, said

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 30
BOTH = pytest.mark.parametrize("ledger", [True, False], ids=["ledger", "legacy"])


def held(tmp_path, fill, *, ledger: bool = True):
    workspace = Workspace(tmp_path)
    fill(workspace, workspace.session("a", ledger=ledger))
    corpus = opened(workspace.done())
    return corpus, said(corpus, "a")


@BOTH
@pytest.mark.contract("S0-105", "S0-110", "S0-114")
def test_a_pasted_picture_hangs_on_its_message(tmp_path, ledger: bool) -> None:
    def fill(workspace, made):
        workspace.artifact(made, "file-1", PNG)
        workspace.user(
            made, "你看看", attachments=[attachment("image.png", "a", "file-1", size=len(PNG))]
        )

    corpus, (message,) = held(tmp_path, fill, ledger=ledger)
    (material,) = message.materials
    assert (material.name, material.kind, material.mime, material.bytes) == (
        "image.png", "image", "image/png", len(PNG),
    )  # fmt: skip
    assert material.id and "file-1" not in material.id
    assert message.flags & Flag.MATERIAL
    assert corpus.sessions(ALL)[0].materials == 1
    assert matching(corpus, "image.png") == [("a", 0)]


@pytest.mark.contract("S0-111")
def test_malformed_attachments_are_skipped_before_the_cap(tmp_path) -> None:
    good = [attachment(f"file {n}.png", "a", f"file-{n}") for n in range(10)]
    bad = [
        None, 5, "x", {}, [], {**good[0], "name": 5}, {**good[0], "kind": "hologram"},
        {**good[0], "kind": ["image"]}, {**good[0], "mimeType": None}, {**good[0], "bytes": -1},
        {**good[0], "bytes": "10"}, {**good[0], "bytes": True}, {**good[0], "ref": "file-1"},
    ]  # fmt: skip

    def fill(workspace, made):
        workspace.user(made, "look", attachments=[*bad, *good])

    _, (message,) = held(tmp_path, fill)
    assert [one.name for one in message.materials] == [f"file {n}.png" for n in range(8)]


@pytest.mark.contract("S0-108", "S0-110")
@pytest.mark.parametrize(
    "ref",
    [
        {"kind": "workspace_file", "relativePath": "src/a.png"},
        {"kind": "external_file", "absolutePath": "/etc/passwd"},
        {"kind": "session_file", "sessionId": "other", "relativePath": "file-1"},
        {"kind": "session_file", "sessionId": "a", "relativePath": "../../etc/passwd"},
        {"kind": "session_file", "sessionId": "a", "relativePath": "x" * 129},
        {"kind": "session_file", "sessionId": "a"},
    ],
)
def test_only_a_durable_file_of_the_session_gets_an_id(tmp_path, ref: dict) -> None:
    def fill(workspace, made):
        workspace.user(made, "look", attachments=[{**attachment("a.png", "a", "x"), "ref": ref}])

    corpus, (message,) = held(tmp_path, fill)
    (material,) = message.materials
    assert (material.id, material.locator) == ("", "")
    assert matching(corpus, "passwd") == []
    with pytest.raises(SourceError):
        artifacts.read(corpus.place.files.runtime, "a", material.locator)


@pytest.mark.contract("S0-93")
def test_a_file_name_is_redacted(tmp_path) -> None:
    secret = TOKEN

    def fill(workspace, made):
        workspace.user(made, "look", attachments=[attachment(f"{secret}.png", "a", "file-1")])

    corpus, (message,) = held(tmp_path, fill)
    assert secret not in message.materials[0].name
    for block in corpus.blocks(ALL):
        assert secret.lower().encode() not in block.fold


@BOTH
@pytest.mark.contract("S0-105")
def test_a_picture_a_tool_gave_back_is_a_material_and_no_text(tmp_path, ledger: bool) -> None:
    def fill(workspace, made):
        workspace.artifact(made, "shot-1", PNG, title="shot.png", mime="image/png")
        ref = {"kind": "session_file", "sessionId": "a", "relativePath": "shot-1"}
        workspace.result(made, "c", {"kind": "image", "mimeType": "image/png", "ref": ref})

    corpus, (message,) = held(tmp_path, fill, ledger=ledger)
    assert message.text == ""
    (material,) = message.materials
    assert (material.kind, material.name, material.bytes) == ("image", "shot.png", len(PNG))
    assert matching(corpus, "shot-1") == matching(corpus, "image/png") == []


@pytest.mark.contract("S0-106")
def test_bytes_come_only_from_a_live_artifact_of_the_session(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made, other = workspace.session("a"), workspace.session("b")
    workspace.artifact(made, "live", PNG)
    workspace.artifact(made, "gone", PNG, write=False)
    workspace.artifact(made, "deleted", PNG, status="deleted")
    workspace.artifact(other, "others", PNG)
    workspace.artifact(made, "escapes", b"", write=False)
    workspace.artifact(made, "linked", b"", write=False)
    workspace.artifact(made, "folder", b"", write=False)
    workspace.artifact(made, "pipe", b"", write=False)
    workspace.db.execute(
        "UPDATE artifact_records SET relative_path = '../../secret' WHERE artifact_id = 'escapes'"
    )
    folder = workspace.done()
    (tmp_path.parent / "secret").write_text("secret")
    here = folder / "artifacts" / "a"
    (here / "linked").symlink_to("/etc/hostname")
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    runtime = str(folder / "runtime.sqlite")
    assert artifacts.read(runtime, "a", "live") == PNG
    names = ("gone", "deleted", "others", "escapes", "linked", "folder", "pipe", "none", "../x", "")
    for name in names:
        with pytest.raises(SourceError):
            artifacts.read(runtime, "a", name)


def test_the_harness_reads_a_material(tmp_path) -> None:
    def fill(workspace, made):
        workspace.artifact(made, "file-1", PNG)
        workspace.user(made, "look", attachments=[attachment("a.png", "a", "file-1")])

    corpus, (message,) = held(tmp_path, fill)
    session = corpus.sessions(ALL)[0]

    class Source:
        path, part = session.path, session.part

    assert Maka().material(Source, message.materials[0].locator) == PNG
