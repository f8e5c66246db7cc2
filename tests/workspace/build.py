"""Faithful workspaces: the ledger app's tables as spec/sources.md 1.2 ... 1.7 describe them.

`Workspace` writes `runtime.sqlite` of a schema version (23, 26, 27 or 28) record by record, as the
app does: compact JSON, non-ASCII as it is, ordinals, chunks of 64 KiB, artifacts. `MemoryStore`
writes `memory.sqlite`.
`big` makes one of a wanted shape: sessions x turns, of which some hold a marker.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

CHUNK = 65_536
DAY = 86_400_000
START = 1_760_000_000_000
TOKEN = "ghp_" + "x7Kq2mVb9TzR4wLc8NhJ5sDf1GpY3uAe6XoQ"
"""Credential-shaped, and nobody's."""

METADATA = """
CREATE TABLE session_metadata_schema (scope TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE operational_schema_migrations (scope TEXT, version INTEGER, applied_at INTEGER);
CREATE TABLE session_metadata (
  session_id TEXT PRIMARY KEY, payload_json TEXT NOT NULL, created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL, last_message_at INTEGER, name TEXT NOT NULL,
  is_flagged INTEGER NOT NULL, is_archived INTEGER NOT NULL, has_unread INTEGER NOT NULL,
  {status}
  parent_session_id TEXT, revision_root_session_id TEXT, revision_index INTEGER,
  backend TEXT NOT NULL, llm_connection_slug TEXT, model TEXT,
  metadata_version INTEGER NOT NULL, committed_at INTEGER NOT NULL,
  subagent_parent_session_id TEXT, subagent_parent_run_id TEXT
  {external}
);
CREATE INDEX by_recency ON session_metadata
  (is_archived, last_message_at DESC, last_used_at DESC, session_id);
CREATE TABLE session_metadata_tombstones (
  session_id TEXT PRIMARY KEY, deleted_at INTEGER, retirement_unit_id TEXT,
  cleanup_pending INTEGER);
"""
LEGACY = """
CREATE TABLE session_messages (
  session_id TEXT NOT NULL REFERENCES session_metadata ON DELETE CASCADE,
  sequence INTEGER NOT NULL CHECK (sequence >= 0), message_id TEXT NOT NULL,
  message_type TEXT NOT NULL, message_ts INTEGER NOT NULL, record_json TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence));
CREATE INDEX by_identity ON session_messages (session_id, message_id);
CREATE INDEX by_time ON session_messages (session_id, message_ts, sequence);
CREATE TABLE session_message_payloads (
  session_id TEXT NOT NULL, sequence INTEGER NOT NULL,
  record_bytes INTEGER NOT NULL CHECK (record_bytes > 65536),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (session_id, sequence)) WITHOUT ROWID;
CREATE TABLE session_message_chunks (
  session_id TEXT NOT NULL, sequence INTEGER NOT NULL, chunk_index INTEGER NOT NULL,
  data BLOB NOT NULL CHECK (length(data) BETWEEN 1 AND 65536), sha256 TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence, chunk_index)) WITHOUT ROWID;
"""
LEDGER = """
CREATE TABLE runtime_runs (
  run_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT, parent_run_id TEXT);
CREATE TABLE runtime_events (
  event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL, turn_id TEXT NOT NULL, event_seq INTEGER NOT NULL CHECK (event_seq > 0),
  event_kind TEXT NOT NULL, payload_json TEXT NOT NULL, committed_at INTEGER NOT NULL,
  UNIQUE (invocation_id, event_seq));
CREATE INDEX by_run ON runtime_events (session_id, run_id, event_seq);
CREATE INDEX by_session ON runtime_events (session_id, committed_at, event_id);
CREATE TABLE runtime_session_event_ordinals (
  session_id TEXT NOT NULL, ordinal INTEGER NOT NULL CHECK (ordinal > 0),
  event_id TEXT NOT NULL UNIQUE, PRIMARY KEY (session_id, ordinal)) WITHOUT ROWID;
CREATE TABLE runtime_partial_snapshots (
  stream_key TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL, turn_id TEXT NOT NULL, after_event_id TEXT, payload_json TEXT NOT NULL,
  text_content TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE runtime_partial_segments (
  stream_key TEXT NOT NULL, segment_seq INTEGER NOT NULL CHECK (segment_seq > 0),
  text_content TEXT NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (stream_key, segment_seq));
"""
ARTIFACTS = """
CREATE TABLE artifact_records (
  storage_key TEXT PRIMARY KEY, artifact_id TEXT NOT NULL, session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, status TEXT NOT NULL, relative_path TEXT NOT NULL UNIQUE,
  record_json TEXT NOT NULL);
"""
MEMORY = """
CREATE TABLE memory_items (
  item_id TEXT PRIMARY KEY, version INTEGER NOT NULL, content TEXT NOT NULL, kind TEXT NOT NULL,
  statement_type TEXT NOT NULL, temporal_type TEXT NOT NULL, scope_type TEXT NOT NULL,
  scope_key TEXT, event_started_at INTEGER, event_ended_at INTEGER, observed_at INTEGER NOT NULL,
  lifecycle_state TEXT NOT NULL, origin TEXT NOT NULL, content_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  CHECK ((scope_type = 'global') = (scope_key IS NULL)));
CREATE INDEX items_by_scope ON memory_items
  (scope_type, scope_key, lifecycle_state, updated_at DESC, item_id);
CREATE TABLE memory_item_keys (
  item_id TEXT NOT NULL, key_text TEXT NOT NULL, normalized_key TEXT NOT NULL,
  key_type TEXT NOT NULL, key_origin TEXT NOT NULL, PRIMARY KEY (item_id, normalized_key));
CREATE INDEX keys_by_key ON memory_item_keys (normalized_key);
CREATE TABLE memory_item_sources (
  item_id TEXT NOT NULL, session_id TEXT, run_id TEXT, turn_id TEXT, event_id TEXT NOT NULL,
  PRIMARY KEY (item_id, event_id));
CREATE TABLE memory_write_operations (
  operation_id TEXT PRIMARY KEY, operation_type TEXT, request_hash TEXT, result_json TEXT,
  committed_at INTEGER);
CREATE TABLE memory_extraction_cursors (
  session_id TEXT PRIMARY KEY, processed_ordinal INTEGER, updated_at INTEGER);
CREATE TABLE memory_extraction_receipts (
  operation_id TEXT PRIMARY KEY, session_id TEXT, request_hash TEXT, result_json TEXT,
  committed_at INTEGER);
CREATE TABLE memory_extraction_failures (session_id TEXT PRIMARY KEY, from_ordinal INTEGER);
CREATE TABLE memory_compaction_policy_denials (
  session_id TEXT, compaction_checkpoint_id TEXT, denied_at INTEGER);
"""


def stringify(value: object) -> str:
    """JSON as the app writes it: no spaces, non-ASCII as it is, but lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)


def _bound(text: str) -> str:
    """A text as it can be a column."""
    return text.encode("utf-8", "replace").decode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Made:
    """One session while it is being made."""

    id: str
    ledger: bool
    ms: int
    number: int = 0
    turn: int = 0
    run: str = ""


@dataclass
class Workspace:
    """A workspace on disk while it is being made; `done` closes it."""

    folder: Path
    version: int = 28
    wal: bool = False
    made: dict[str, Made] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "runtime.sqlite"
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute(f"PRAGMA journal_mode={'wal' if self.wal else 'delete'}")
        self.db.execute("PRAGMA synchronous=OFF")
        status = "status TEXT, status_updated_at INTEGER," if self.version <= 26 else ""
        external = (
            ", external_adapter_id TEXT, external_source_session_id TEXT"
            if self.version >= 28
            else ""
        )
        self.db.executescript(
            METADATA.format(status=status, external=external) + LEGACY + LEDGER + ARTIFACTS
        )
        self.db.execute(
            "INSERT INTO session_metadata_schema VALUES ('session', ?)", (self.version,)
        )
        self.db.execute(
            """INSERT INTO operational_schema_migrations
            VALUES ('runtime', 12, 1), ('artifact', 1, 1)"""
        )
        self.db.execute("PRAGMA user_version=12")
        self.db.execute("BEGIN")

    def done(self) -> Path:
        """Commit and close; returns the folder."""
        self.db.execute("COMMIT")
        self.db.close()
        return self.folder

    def commit(self) -> None:
        self.db.execute("COMMIT")
        self.db.execute("BEGIN")

    # ------------------------------------------------------------ sessions

    def session(self, name: str, *, ledger: bool = True, ms: int = START, title: str = "",
                subagent_of: str = "", **header) -> Made:  # fmt: skip
        stated = {
            "id": name, "workspaceRoot": "/work/app", "cwd": "/work/app", "createdAt": ms,
            "lastUsedAt": ms, "name": title, "titleIsManual": False, "isFlagged": False,
            "labels": [], "isArchived": False, "hasUnread": False, "backend": "ai-sdk",
            "llmConnectionSlug": "main", "model": "model-1", "schemaVersion": 1,
            **({"transcriptLedgerVersion": 1} if ledger else {}), **header,
        }  # fmt: skip
        columns = {
            "session_id": name, "payload_json": stringify(stated), "created_at": ms,
            "last_used_at": ms, "last_message_at": stated.get("lastMessageAt"), "name": title,
            "is_flagged": 0, "is_archived": int(stated["isArchived"]), "has_unread": 0,
            "parent_session_id": stated.get("parentSessionId"),
            "revision_root_session_id": stated.get("revisionRootSessionId"),
            "revision_index": stated.get("revisionIndex"), "backend": stated["backend"],
            "llm_connection_slug": "main", "model": stated["model"], "metadata_version": 1,
            "committed_at": ms, "subagent_parent_session_id": subagent_of or None,
        }  # fmt: skip
        marks = ", ".join("?" * len(columns))
        self.db.execute(
            f"INSERT INTO session_metadata ({', '.join(columns)}) VALUES ({marks})",
            tuple(columns.values()),
        )
        self.made[name] = Made(name, ledger, ms, run=f"{name}-run")
        return self.made[name]

    def user(self, session: Made, text: str, **more) -> str:
        """A prompt; begins a turn."""
        session.turn += 1
        if session.ledger:
            return self.event(session, {"kind": "text", "text": text, **more}, role="user")
        return self.row(session, "user", {"text": text, **more})

    def steer(self, session: Made, text: str) -> str:
        """What a person says into the turn that is running."""
        session.turn -= 1
        return self.user(session, text)

    def assistant(self, session: Made, text: str, *, thinking: str = "") -> str:
        if not session.ledger:
            more = {"thinking": thinking} if thinking else {}
            return self.row(session, "assistant", {"text": text, **more, "modelId": "model-1"})
        if thinking:
            self.event(session, {"kind": "thinking", "text": thinking}, role="model")
        return self.event(session, {"kind": "text", "text": text}, role="model")

    def call(self, session: Made, tool: str, args: object, *, intent: str = "") -> str:
        name = f"{session.id}-call-{session.number}"
        if session.ledger:
            actions = {
                "stateDelta": {"displayName": tool, **({"intent": intent} if intent else {})}
            }
            content = {"kind": "function_call", "id": name, "name": tool, "args": args}
            self.event(session, content, role="model", actions=actions)
        else:
            more = {"intent": intent} if intent else {}
            self.row(session, "tool_call", {"toolName": tool, "args": args, **more}, name=name)
        return name

    def result(self, session: Made, call: str, content: object, *, failed: bool = False) -> str:
        if session.ledger:
            return self.event(
                session,
                {"kind": "function_response", "id": call, "name": "Tool", "result": content,
                 "isError": failed},
                role="tool",
            )  # fmt: skip
        return self.row(
            session, "tool_result", {"toolUseId": call, "isError": failed, "content": content}
        )

    # ------------------------------------------------------------ the ledger

    def event(self, session: Made, content: dict | None, *, role: str, kind: str = "",
              run: str = "", ordinal: bool = True, payload: str = "", **more) -> str:  # fmt: skip
        session.number += 1
        session.ms += 1000
        name = f"{session.id}-event-{session.number}"
        run = run or session.run
        author = {"model": "agent"}.get(role, role)
        stated = {
            "id": name, "invocationId": f"{session.id}-inv", "runId": run,
            "sessionId": session.id, "turnId": f"turn-{session.turn}", "ts": session.ms,
            "partial": False, "role": role, "author": author,
            **({"content": content} if content is not None else {}), **more,
        }  # fmt: skip
        self.db.execute(
            "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)",
            (name, session.id, f"{session.id}-inv", run, f"turn-{session.turn}", session.number,
             kind or (content or {}).get("kind") or "runtime_fact", payload or stringify(stated),
             session.ms + 3),
        )  # fmt: skip
        if ordinal:
            self.db.execute(
                "INSERT INTO runtime_session_event_ordinals VALUES (?,?,?)",
                (session.id, session.number, name),
            )
        return name

    def run(self, session: Made, run: str, parent: str | None) -> None:
        self.db.execute(
            "INSERT INTO runtime_runs VALUES (?,?,?,?)",
            (run, session.id, f"{session.id}-inv", parent),
        )

    def stream(self, session: Made, pieces: list[str], *, kind: str = "text") -> str:
        """A text still arriving: a snapshot and segments."""
        session.number += 1
        name = f"{session.id}-stream-{session.number}"
        stated = {
            "id": name, "invocationId": f"{session.id}-inv", "runId": session.run,
            "sessionId": session.id, "turnId": f"turn-{session.turn}", "ts": session.ms + 500,
            "partial": True, "role": "model", "author": "agent", "status": "streaming",
            "content": {"kind": kind, "text": ""},
        }  # fmt: skip
        self.db.execute(
            "INSERT INTO runtime_partial_snapshots VALUES (?,?,?,?,?,?,?,?,?)",
            (name, session.id, f"{session.id}-inv", session.run, f"turn-{session.turn}", None,
             stringify(stated), _bound(pieces[0]), session.ms + 500),
        )  # fmt: skip
        self.db.executemany(
            "INSERT INTO runtime_partial_segments VALUES (?,?,?,?)",
            [(name, number, _bound(p), session.ms) for number, p in enumerate(pieces[1:], 1)],
        )
        return name

    # ------------------------------------------------------------ before the ledger

    def row(self, session: Made, kind: str, record: dict, *, name: str = "") -> str:
        """One message; chunked when it is long."""
        session.ms += 1000
        sequence = session.number
        session.number += 1
        name = name or f"{session.id}-message-{sequence}"
        stated = {"type": kind, "id": name, "turnId": f"turn-{session.turn}", "ts": session.ms}
        whole = stringify(stated | record).encode()
        chunked = len(whole) > CHUNK
        marker = stringify({"$maka": {"format": "chunked-record", "version": 1}})
        self.db.execute(
            "INSERT INTO session_messages VALUES (?,?,?,?,?,?)",
            (session.id, sequence, name, kind, session.ms, marker if chunked else whole.decode()),
        )
        if chunked:
            self.db.execute(
                "INSERT INTO session_message_payloads VALUES (?,?,?,?)",
                (session.id, sequence, len(whole), sha256(whole)),
            )
            pieces = [whole[at : at + CHUNK] for at in range(0, len(whole), CHUNK)]
            rows = [(session.id, sequence, i, p, sha256(p)) for i, p in enumerate(pieces)]
            # Last first: nothing may rely on the order of insertion.
            self.db.executemany(
                "INSERT INTO session_message_chunks VALUES (?,?,?,?,?)", reversed(rows)
            )
        return name

    # ------------------------------------------------------------ artifacts

    def artifact(
        self, session: Made, name: str, data: bytes, *, status: str = "live",
        title: str = "file", mime: str = "text/plain", write: bool = True,
    ) -> str:  # fmt: skip
        path = f"{session.id}/{name}"
        record = {
            "id": name, "sessionId": session.id, "turnId": "turn-1", "createdAt": session.ms,
            "name": title, "kind": "file", "sizeBytes": len(data), "mimeType": mime,
            "status": status, "relativePath": path,
        }  # fmt: skip
        self.db.execute(
            "INSERT INTO artifact_records VALUES (?,?,?,?,?,?,?)",
            (f"{session.id}/{name}", name, session.id, session.ms, status, path,
             stringify(record)),
        )  # fmt: skip
        if write:
            target = self.folder / "artifacts" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return name

    def archived(self, session: Made, call: str, content: object, *, body: bytes | None = None,
                 write: bool = True) -> None:  # fmt: skip
        """A tool result that moved into an artifact; `body` is written in its place."""
        data = stringify(content).encode()
        name = f"tool-result-archive-{session.number}"
        self.artifact(session, name, data if body is None else body, write=write)
        self.result(
            session, call,
            {"kind": "archived_tool_result", "status": "not_loaded",
             "runtimeEventId": f"{session.id}-event-1", "toolCallId": call, "toolName": "Bash",
             "artifactId": name, "bodySha256": sha256(data), "originalEstimatedTokens": 3000,
             "originalBytes": len(data), "rewriteVersion": 1, "reason": "budget"},
        )  # fmt: skip


def attachment(name: str, session: str, artifact: str, *, kind: str = "image",
               mime: str = "image/png", size: int = 10) -> dict:  # fmt: skip
    """An attachment kept by the app."""
    ref = {"kind": "session_file", "sessionId": session, "relativePath": artifact}
    return {"kind": kind, "name": name, "mimeType": mime, "bytes": size, "ref": ref}


class MemoryStore:
    """`memory.sqlite` while it is being made."""

    def __init__(self, folder: Path, version: int = 5) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(folder / "memory.sqlite", isolation_level=None)
        self.db.executescript(MEMORY)
        self.db.execute(f"PRAGMA user_version={version}")

    def item(
        self, name: str, content: str, keys: list[str], *, scope: str | None = None,
        state: str = "active", updated: int = START, kind: str = "knowledge",
    ) -> None:  # fmt: skip
        self.db.execute(
            "INSERT INTO memory_items VALUES (?,1,?,?,'fact','undated',?,?,NULL,NULL,?,?,?,?,?,?)",
            (name, content, kind, "workspace" if scope else "global", scope, updated, state,
             "agent_extracted", sha256(content.encode()), START, updated),
        )  # fmt: skip
        self.db.executemany(
            "INSERT INTO memory_item_keys VALUES (?,?,?,'exact','llm')",
            [(name, key, key.lower()) for key in keys],
        )
        self.db.execute(
            "INSERT INTO memory_item_sources VALUES (?,?,'r','t',?)", (name, f"s-{name}", name)
        )

    def done(self) -> None:
        self.db.close()


# ---------------------------------------------------------------- of a wanted shape

_PROSE = """the cache keeps a stale entry when two workers write at once so the lock has to cover
both read and write of one key before the next request comes in from another process and asks"""
WORDS = _PROSE.split()
CJK = "模型的上下文窗口有多大这个问题我们昨天讨论过结果显示缓存没有更新需要重新加载配置文件"


def prose(rng: random.Random, words: int) -> str:
    if rng.random() < 0.2:
        return "".join(rng.choice(CJK) for _ in range(words * 2))
    return " ".join(rng.choice(WORDS) for _ in range(words))


def big(folder: Path, *, sessions: int = 200, turns: int = 10, matching: int = 3,
        marker: str = "zebrafinch", result_bytes: int = 1200, legacy: int = 0,
        seed: int = 1) -> Path:  # fmt: skip
    """A workspace of `sessions` x `turns`, `matching` of them with a marker, evenly spread.

    Args:
        result_bytes: Length of a tool result; 178 MB need about 80,000 of it at 200 x 10.
        legacy: How many of the sessions lie in the store before the ledger.
    """
    rng = random.Random(seed)
    workspace = Workspace(folder)
    every = sessions // matching if matching else 0
    for number in range(sessions):
        made = workspace.session(
            f"session-{number:04d}", ledger=number >= legacy, ms=START + number * DAY,
            title=f"session {number}",
        )  # fmt: skip
        marked = matching and number % every == 0 and number // every < matching
        for turn in range(turns):
            said = prose(rng, 30)
            if marked and turn == turns // 2:
                said = f"{said} {marker} {prose(rng, 5)}"
            workspace.user(made, said)
            workspace.assistant(made, prose(rng, 60), thinking=prose(rng, 40))
            call = workspace.call(made, "Bash", {"command": f"rg -n key src/{turn}"})
            lines = "\n".join(prose(rng, 12) for _ in range(max(1, result_bytes // 80)))
            workspace.result(made, call, {"kind": "terminal", "cwd": "/work", "output": lines})
            workspace.assistant(made, prose(rng, 80))
    return workspace.done()
