"""Writes invented OpenCode sessions in each layout the program has had."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

Record = dict[str, Any]
START = 1_790_000_000_000

SCHEMA = """
CREATE TABLE project(id text PRIMARY KEY, worktree text NOT NULL, time_created integer);
CREATE TABLE session(id text PRIMARY KEY, project_id text NOT NULL, parent_id text,
  slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, revert text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message(id text PRIMARY KEY, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part(id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE account(id text, access_token text);
CREATE TABLE event(id text, data text);
CREATE INDEX message_session_time_created_id_idx ON message(session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part(message_id, id);
CREATE INDEX part_session_idx ON part(session_id);
"""


class Session:
    """One session, built message by message, with ids as the program gives them."""

    def __init__(self, name: str = "one", **info: Any) -> None:
        self.id = f"ses_{name}"
        self.info: Record = {
            "id": self.id,
            "projectID": "global",
            "directory": "/home/dev/work/demo",
            "title": "A title",
            "version": "1.18.33",
            "time": {"created": START, "updated": START + 900_000},
        } | info
        self.messages: list[tuple[Record, list[Record]]] = []
        self._name = name
        self._count = 0
        self._clock = START

    def user(self, *parts: Record | str, **message: Any) -> str:
        """Add a user message; a text stands for a text part."""
        return self._add({"role": "user", "agent": "build"} | message, parts)

    def agent(self, *parts: Record | str, **message: Any) -> str:
        """Add an assistant message."""
        base = {
            "role": "assistant",
            "providerID": "acme",
            "modelID": "acme-large",
            "mode": "build",
            "path": {"cwd": "/home/dev/work/demo", "root": "/home/dev/work/demo"},
            "cost": 0.25,
            "tokens": {
                "input": 10,
                "output": 5,
                "reasoning": 2,
                "cache": {"read": 100, "write": 20},
            },
        }
        return self._add(base | message, parts)

    def _add(self, message: Record, parts: tuple[Record | str, ...]) -> str:
        self._clock += 1000
        message_id = self._next("msg")
        message = {"id": message_id, "sessionID": self.id} | message
        message.setdefault("time", {"created": self._clock, "completed": self._clock + 500})
        made = []
        for part in parts:
            data = {"type": "text", "text": part} if isinstance(part, str) else part
            made.append(
                {"id": self._next("prt"), "messageID": message_id, "sessionID": self.id} | data
            )
        self.messages.append((message, made))
        return message_id

    def _next(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_22d67{self._count:07x}AbCdEf{self._name}"


def tool(name: str = "bash", status: str = "completed", **state: Any) -> Record:
    """A tool part."""
    base: Record = {
        "status": status,
        "input": {"command": "ls -l", "description": "Lists files"},
        "time": {"start": START + 10_000, "end": START + 10_250},
    }
    return {"type": "tool", "callID": f"call_{name}", "tool": name, "state": base | state}


def store(path: Path, *sessions: Session) -> Path:
    """Write sessions into a database, everything checkpointed into the main file."""
    connection = filled(path, *sessions)
    connection.close()
    return path


def filled(path: Path, *sessions: Session) -> sqlite3.Connection:
    """Write sessions into a database in WAL mode and return the connection, still open."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=wal")
    connection.executescript(SCHEMA)
    for session in sessions:
        insert(connection, session)
    connection.commit()
    return connection


def insert(connection: sqlite3.Connection, session: Session) -> None:
    """Add a session's rows."""
    info = session.info
    revert = json.dumps(info["revert"]) if info.get("revert") else None
    connection.execute(
        "INSERT INTO session(id, project_id, parent_id, slug, directory, title, version, revert,"
        " time_created, time_updated) VALUES (?,?,?,?,?,?,?,?,?,?)",
        (session.id, "global", info.get("parentID"), "slug", info.get("directory", ""),
         info["title"], info["version"], revert, info["time"]["created"],
         info["time"]["updated"]),
    )  # fmt: skip
    for message, parts in session.messages:
        created = message["time"]["created"]
        connection.execute(
            "INSERT INTO message VALUES (?,?,?,?,?)",
            (message["id"], session.id, created, created, _data(message, "id", "sessionID")),
        )
        for part in parts:
            connection.execute(
                "INSERT INTO part VALUES (?,?,?,?,?,?)",
                (part["id"], message["id"], session.id, created, created,
                 _data(part, "id", "sessionID", "messageID")),
            )  # fmt: skip


def _data(record: Record, *without: str) -> str:
    return json.dumps({k: v for k, v in record.items() if k not in without})


def tree(storage: Path, *sessions: Session) -> Path:
    """Write sessions as `storage/{session,message,part}`; return the last session's file."""
    for session in sessions:
        info = write(storage / "session" / "global" / f"{session.id}.json", session.info)
        for message, parts in session.messages:
            write(storage / "message" / session.id / f"{message['id']}.json", message)
            for part in parts:
                write(storage / "part" / message["id"] / f"{part['id']}.json", part)
    return info


def old_tree(project: Path, session: Session) -> Path:
    """Write a session as `storage/session/{info,message,part}`."""
    base = project / "storage" / "session"
    for message, parts in session.messages:
        write(base / "message" / session.id / f"{message['id']}.json", message)
        for part in parts:
            write(base / "part" / session.id / message["id"] / f"{part['id']}.json", part)
    return write(base / "info" / f"{session.id}.json", session.info)


def export(path: Path, session: Session) -> Path:
    """Write a session as `opencode export` prints it."""
    messages = [{"info": message, "parts": parts} for message, parts in session.messages]
    return write(path, {"info": session.info, "messages": messages}, indent=2)


def write(path: Path, value: object, indent: int | None = None) -> Path:
    """Write a JSON file, folders included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent), "utf-8")
    return path
