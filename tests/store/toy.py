"""A harness made for tests: append-only JSONL, one message a line, every feature a store must bear.

A line is `{"id", "kind", "text", "rest", "t", "tool", ...}`, or `{"meta": {...}}` for facts. A line
with `"hold": true` is provisional until a line with `"release": true`. A second harness, `box`,
keeps whole sessions in one JSON file and never checkpoints, like a database.
"""

from __future__ import annotations

import json
import os
from collections import Counter

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Facts, Parsed, Source
from recall_tui.harnesses.files import file_source, walk
from recall_tui.harnesses.jsonl import BadLine, JsonlTranscript
from recall_tui.model import Kind, SessionKind


class ToyTranscript(JsonlTranscript):
    def record(self, line, offset):
        value = json.loads(line)
        if not isinstance(value, dict):
            raise BadLine
        if os.environ.get("TOY_DIE") and value.get("text") == "die":
            os._exit(9)
        if "meta" in value:
            for name, fact in value["meta"].items():
                setattr(self.facts, name, SessionKind(fact) if name == "kind" else fact)
            return []
        if "kind" not in value:
            self.unknown[str(value.get("type", "?"))] += 1
            return []
        if value.get("release"):
            self.release()
        if value.get("hold"):
            self.hold(offset)
        self.facts.saw_time(value.get("t", 0))
        return [
            Parsed(
                Kind[value["kind"].upper()],
                value.get("text", ""),
                value.get("t", 0),
                value.get("id", ""),
                value.get("rest", ""),
                value.get("tool", ""),
                value.get("call", ""),
                value.get("failed", False),
            )
        ]


class Toy:
    id = "toy"
    name = "Toy"
    mark = "ty"

    def roots(self, env, home):
        return [os.path.join(home, ".toy")]

    def discover(self, root, gaps):
        for folder, files in walk(root, gaps):
            for entry in files:
                if entry.name.endswith(".jsonl") and entry.is_file():
                    parent = ""
                    if os.path.basename(folder) == "sub":
                        parent = os.path.basename(os.path.dirname(folder))
                    source = file_source(self.id, entry, entry.name[:-6], root, parent)
                    if source is not None:
                        yield source

    def recognise(self, path, head):
        return path.endswith(".jsonl")

    def begins_midway(self, head):
        for text in head.splitlines():
            value = json.loads(text)
            if "kind" in value:
                return value["id"].encode() if value["kind"] == "summary" else b""
        return b""

    def open(self, source, since=None):
        return ToyTranscript(source, since)

    def material(self, source, locator):
        raise SourceError("none")

    def resume(self, session):
        return None


class BoxTranscript:
    def __init__(self, source):
        self.source = source
        self.facts = Facts(native_id=source.native_id)
        self.unparsed = 0
        self.torn = False
        self.unknown = Counter()
        self.checkpoint = None

    def __iter__(self):
        try:
            with open(self.source.path, "rb") as stream:
                rows = msgspec.json.decode(stream.read())[self.source.part]["rows"]
        except (OSError, msgspec.MsgspecError, KeyError) as error:
            raise SourceError(f"{self.source.path}: {error}") from error
        for row in rows:
            yield Parsed(Kind[row["kind"].upper()], row["text"], row.get("t", 0))


class Box(Toy):
    id = "box"
    name = "Box"
    mark = "bx"

    def discover(self, root, gaps):
        for _, files in walk(root, gaps):
            for entry in files:
                if entry.name.endswith(".box"):
                    with open(entry.path, "rb") as stream:
                        sessions = msgspec.json.decode(stream.read())
                    for name, held in sessions.items():
                        yield Source(
                            "box", entry.path, name, name,
                            sum(len(r["text"]) for r in held["rows"]), held["at"], 0, root,
                        )  # fmt: skip

    def open(self, source, since=None):
        return BoxTranscript(source)


def line(kind="prompt", text="hello", **more):
    """Return one line of a toy session."""
    return json.dumps({"kind": kind, "text": text, **more}) + "\n"
