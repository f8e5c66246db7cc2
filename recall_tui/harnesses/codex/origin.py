"""What a rollout says about its session as a whole: identity, origin, place, model, tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.clock import from_iso
from recall_tui.harnesses.codex import thread_of
from recall_tui.harnesses.codex.records import Meta, MetaLine, SettingsLine, UsageLine, decode
from recall_tui.harnesses.codex.titles import titles_near
from recall_tui.harnesses.jsonl import REFUSED
from recall_tui.model import SessionKind

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Parsed
    from recall_tui.harnesses.codex.reader import CodexTranscript
    from recall_tui.harnesses.codex.records import Payload

_HEADLESS: Final = ("exec", "mcp")
_TURN_BEGINS: Final = ("task_started", "turn_started")
_WEEK_MS: Final = 7 * 86_400_000


def meta(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take a `session_meta`."""
    take_meta(reader, decode(line, MetaLine).payload)
    return []


def take_meta(reader: CodexTranscript, meta: Meta) -> None:
    """Take facts from a meta; it repeats at every resume.

    The first is the session's own. A fork, or an old session resumed into a new file, has its
    parent's meta behind it and replays the parent's records.
    """
    facts = reader.facts
    if not reader.state.own:
        reader.state.own = True
        facts.saw_id(meta.id or "")
        if meta.id and not os.path.basename(reader.source.path).startswith("rollout-"):
            facts.native_id = meta.id
        facts.saw_time(from_iso(meta.timestamp or ""))
        _take_kind(reader, meta)
    elif meta.id and meta.id not in (facts.native_id, reader.state.own_id):
        if facts.kind is SessionKind.SUBAGENT:
            reader.state.heir = meta.id == facts.parent
        elif not facts.parent:
            facts.kind, facts.parent = SessionKind.FORK, meta.id
        return
    facts.saw_cwd(meta.cwd or "")
    facts.version = meta.cli_version or facts.version
    if meta.git is not None and meta.git.branch:
        facts.branch = meta.git.branch


def _take_kind(reader: CodexTranscript, meta: Meta) -> None:
    """Say whether the session is a subagent's, a fork, or was started by a script."""
    facts = reader.facts
    reader.state.own_id = meta.id or ""
    source = meta.source
    if isinstance(source, dict) and "subagent" in source:
        agent = source["subagent"]
        spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
        parent = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
        facts.kind = SessionKind.SUBAGENT
        facts.parent = meta.parent_thread_id or (parent if isinstance(parent, str) else "")
        facts.parent = facts.parent or meta.forked_from_id or ""
        path = spawn.get("agent_path") if isinstance(spawn, dict) else None
        if isinstance(path, str):  # its task may be encrypted; its name is the path's last part
            facts.title = path.rpartition("/")[2]
    elif base := _base(meta):
        facts.kind, facts.parent = SessionKind.FORK, base
    elif source in _HEADLESS or meta.originator == "codex_exec":
        facts.kind = SessionKind.AUTOMATED


def _base(meta: Meta) -> str:
    """Return the native id of the file that a session goes on from, empty when it does from none.

    A fork does, and a thread whose turns were taken back; since 0.171 both copy nothing.
    """
    base = meta.history_base.thread_id if meta.history_base is not None else None
    if not base:
        return meta.forked_from_id or ""
    thread = meta.forked_from_id or meta.id or ""
    return thread if base == thread else f"{thread}_{base}"


def is_inherited(reader: CodexTranscript, kind: str, payload: Payload) -> bool:
    """Say whether a line of a subagent's file belongs to the turns of its parent.

    A subagent that is given its parent's history has it behind its own meta and its parent's, whole
    or in part; it is read there, once. Ids of turns and sessions are UUIDs that begin with the
    time: a turn that is older than the session is not its own.
    """
    state = reader.state
    turn = payload.turn_id or ""
    if kind == "turn_context" or payload.type in _TURN_BEGINS:
        state.inherited = _is_timed(turn) and _is_timed(state.own_id) and turn < state.own_id
    return state.inherited and kind != "session_meta"


def _is_timed(name: str) -> bool:
    """Say whether an id is a UUID of version 7."""
    return len(name) == 36 and name[14] == "7"


def turn(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take where and with which model a turn runs."""
    facts = reader.facts
    if payload.cwd and payload.cwd != facts.last_cwd:
        facts.saw_cwd(payload.cwd)
    if payload.model and payload.model != reader.state.model:
        reader.state.model = payload.model
        facts.saw_model(payload.model)
    return []


def settings(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take a change of them between turns."""
    return turn(reader, decode(line, SettingsLine).payload.thread_settings, line)


def tokens(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Keep a line that counts tokens: the most frequent one, and only the last counts."""
    reader.usage = line
    return []


def count_tokens(reader: CodexTranscript) -> None:
    """Take the tokens of the last line that counted them."""
    line, reader.usage = reader.usage, None
    if line is None:
        return
    try:
        usage = decode(line, UsageLine).payload
    except REFUSED:
        return  # cut while it is written: it is read again
    total = usage.thread_token_usage or (usage.info and usage.info.total_token_usage)
    if total:
        reader.facts.tokens_in = total.input_tokens
        reader.facts.tokens_out = total.output_tokens


def settle(reader: CodexTranscript) -> None:
    """Complete the facts, at the end of a pass, by what lies beside the lines."""
    count_tokens(reader)
    facts = reader.facts
    titles, thread = titles_near(reader.source.path), thread_of(facts.native_id)
    facts.title = titles.named.get(thread) or facts.title or titles.made.get(thread, "")
    if reader.state.bare and facts.started_ms == facts.ended_ms:
        # Not one record has a time: the file's own is the best there is, unless it was copied.
        written = reader.source.mtime_ns // 1_000_000
        if facts.started_ms < written < facts.started_ms + _WEEK_MS:
            facts.ended_ms = written
