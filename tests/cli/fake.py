"""A small history in memory, so that the commands are tested for what they print."""

from __future__ import annotations

import os
import re
from copy import copy
from typing import TYPE_CHECKING

from recall_tui.clock import from_iso
from recall_tui.errors import BadReferenceError
from recall_tui.harnesses.base import ResumeCommand, Source
from recall_tui.history import Resolved
from recall_tui.model import (
    Filter,
    Flag,
    Gap,
    GapKind,
    Kind,
    Listed,
    Material,
    Message,
    Presence,
    Reach,
    Reference,
    Session,
    SessionKind,
)
from recall_tui.paths import locate
from recall_tui.search.results import Case, GrepUpdate, Hit
from recall_tui.store.forget import Forgotten
from recall_tui.store.skeleton import Skeleton
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.text.redact import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

NOON = from_iso("2026-11-28T12:00:00+00:00")
MINUTE = 60_000

BUDGET = "claude:8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22"
CHINESE = "codex:019a1b2c-77aa-7c3e-9d10-aaaaaaaaaaaa"
HELPER = "claude:agent-a1b2c3d4"


def session(key: str, title: str, **fields) -> Session:
    harness, _, native_id = key.partition(":")
    plain = {
        "id": abs(hash(key)) % 10**6, "key": key, "harness": harness, "native_id": native_id,
        "path": f"/h/{native_id}.jsonl", "title": title, "cwd": "/home/ann/src/recall",
        "last_cwd": "/home/ann/src/recall", "branch": "main", "models": ("opus",),
        "kind": SessionKind.MAIN, "parent": "", "started_ms": NOON, "ended_ms": NOON,
        "messages": 0, "prompts": 0, "tool_calls": 0, "errors": 0, "materials": 0, "size": 4096,
    }  # fmt: skip
    return Session(**(plain | fields))


def talk(key: str, start_ms: int, *lines: tuple) -> list[Message]:
    return [
        Message(
            session=key, position=position, kind=kind,
            time_ms=start_ms + position * MINUTE if start_ms else 0,
            text=text, digest=0x1000 + position, **(more[0] if more else {}),
        )
        for position, (kind, text, *more) in enumerate(lines)
    ]  # fmt: skip


class FakeHistory:
    """Answers like `history.History` over sessions and messages given to it."""

    def __init__(self, held: dict[Session, list[Message]], gaps: list[Gap] | None = None) -> None:
        self.held = {
            s._replace(
                messages=len(m),
                prompts=sum(x.kind is Kind.PROMPT for x in m),
                started_ms=m[0].time_ms if m else 0,
                ended_ms=max((x.time_ms for x in m), default=0),
            ): m
            for s, m in held.items()
        }
        self.known_gaps = gaps or []
        self.paths = locate(dict(os.environ))
        self.closed = False
        self.synced: list[dict] = []
        self.asked: list[object] = []
        self.state = SyncProgress(
            sessions=3, messages=12, seen=4, parsed=1, appended=1, unchanged=2,
            bytes_done=1_200_000, bytes_total=1_200_000, seconds=0.5, done=True,
        )  # fmt: skip
        self.passes = [self.state]
        self.forgotten: list[str] = []
        self.places: list[Place] = []
        self.caught_up = 0

    def close(self) -> None:
        self.closed = True

    def _admitted(self, chosen: Filter) -> list[Session]:
        return [
            s
            for s in sorted(self.held, key=lambda s: -s.ended_ms)
            if (not chosen.harnesses or s.harness in chosen.harnesses)
            and chosen.cwd.lower() in s.cwd.lower()
            and chosen.branch.lower() in s.branch.lower()
            and (not chosen.mains_only or s.kind is SessionKind.MAIN)
            and (not chosen.sessions or any(n in (s.key, s.native_id) for n in chosen.sessions))
            and (chosen.since_ms is None or s.ended_ms >= chosen.since_ms)
            and (chosen.until_ms is None or s.started_ms <= chosen.until_ms)
        ]

    def sessions(self, chosen: Filter | None = None) -> list[Session]:
        self.asked.append(chosen)
        return self._admitted(chosen or Filter())

    def listed(self, chosen: Filter | None = None) -> list[Listed]:
        return [Listed(s.ended_ms, s.key, s.parent) for s in self.sessions(chosen)]

    def listed_sessions(self, places: Iterable[Listed]) -> list[Session]:
        keys = {place.key for place in places}
        return [s for s in self._admitted(Filter()) if s.key in keys]

    def find(self, name: str) -> list[Session]:
        exact = [s for s in self.held if name in (s.key, s.native_id, s.path)]
        harness, _, prefix = name.rpartition(":")
        return exact or [
            s
            for s in self.held
            if len(prefix) >= 8 and s.native_id.startswith(prefix) and harness in ("", s.harness)
        ]

    def children(self, session: Session) -> list[Session]:
        return [s for s in self.held if s.parent == session.key]

    def grep(self, query, stop=lambda: False):
        self.asked.append(query)
        flags = 0 if query.case is Case.EXACT else re.IGNORECASE
        if query.case is Case.SMART and query.pattern != query.pattern.lower():
            flags = 0
        pattern = query.pattern if query.regex else re.escape(query.pattern)
        wanted = re.compile(rf"\b{pattern}\b" if query.word else pattern, flags)
        hits = []
        for s in self._admitted(query.chosen):
            for m in self.held[s]:
                text = shown(m.text)
                spans = tuple(x.span() for x in wanted.finditer(text))
                if spans and query.chosen.admits_kind(m.kind):
                    hits.append(
                        Hit(s, m.position, m.kind, m.time_ms, m.digest, m.flags, text, spans,
                            len(spans), False, m.tool)
                    )  # fmt: skip
        hits.sort(key=lambda h: -h.time_ms)
        start = int(query.cursor or 0)
        page = [] if query.count_only else hits[start : start + query.limit]
        total = len(hits)
        occurrences = sum(h.occurrences for h in hits)
        sessions = len({h.session.key for h in hits})
        half = len(page) // 2
        yield GrepUpdate(page[:half], half, half, min(1, half), done=False)
        following = str(start + query.limit) if start + query.limit < total else ""
        reach = self.reach(query.chosen)
        yield GrepUpdate(
            page[half:], total, occurrences, sessions, done=True, next=following, reach=reach
        )

    def resolve(self, reference) -> Resolved:
        if isinstance(reference, str):
            reference = Reference.parse(reference)
        for s, messages in self.held.items():
            if s.key == reference.key:
                if not 0 <= reference.position < len(messages):
                    return Resolved(reference, s, "gone", None)
                message = messages[reference.position]
                same = reference.digest in (-1, message.digest)
                return Resolved(reference, s, "same" if same else "changed", message)
        raise BadReferenceError(f"no session {reference.key}")

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        self.asked.append(("messages", start, stop))
        return next(m for s, m in self.held.items() if s.key == session.key)[start:stop]

    def resume(self, session: Session) -> ResumeCommand | None:
        cwd = session.last_cwd or session.cwd
        return ResumeCommand((session.harness, "--resume", session.native_id), cwd, "")

    def skeleton(self, session: Session) -> Skeleton:
        skeleton = Skeleton()
        for message in self.messages(session):
            skeleton.kinds.append(message.kind)
            skeleton.flags.append(message.flags)
            skeleton.times.append(message.time_ms)
            skeleton.sizes.append(len(message.text.encode()))
        return skeleton

    def reach(self, chosen: Filter | None = None) -> Reach:
        chosen = chosen or Filter()
        found = self._admitted(chosen)
        return Reach(
            sources=1 if self.held else 0,
            sessions_searched=len(found),
            sessions_total=len(self.held),
            oldest_ms=min((s.started_ms for s in found if s.started_ms), default=0),
            newest_ms=max((s.ended_ms for s in found), default=0),
            index_age_ms=3000,
            since_ms=chosen.since_ms,
            until_ms=chosen.until_ms,
            elapsed_ms=4.0,
            gaps=list(self.known_gaps),
        )

    def sources(self, chosen: Filter) -> int:
        return self.reach(chosen).sources

    def left_out(self, found, chosen: Filter) -> tuple[int, int]:
        return 0, 0

    def gaps(self) -> list[Gap]:
        return self.known_gaps

    def damaged(self) -> list:
        return []

    def sync(self, on_progress=lambda _: None, stop=lambda: False, **options) -> SyncProgress:
        self.synced.append(options)
        under_way = copy(self.state)
        under_way.done, under_way.bytes_done = False, 600_000
        on_progress(under_way)
        on_progress(self.state)
        return self.state

    def catch_up(self, limit_bytes=None, on_progress=lambda _: None) -> None:
        self.caught_up += 1

    def forget(self, sessions) -> Forgotten:
        self.forgotten += [s.key for s in sessions]
        left = [s.path for s in sessions if os.path.exists(s.path)]
        return Forgotten(list(self.forgotten), left, clean=False)

    def watch(self, on_progress, stop) -> None:
        for state in self.passes:
            on_progress(state)


def filled(gaps: list[Gap] | None = None) -> FakeHistory:
    """Three sessions of two harnesses: tool calls, Chinese, an emoji, a secret, an image."""
    image = Material("m1", "screen.png", "image", "image/png", 412_000, 1280, 800)
    return FakeHistory(
        {
            session(BUDGET, "Fix the token budget"): talk(
                BUDGET, NOON,
                (Kind.PROMPT, "how big is the context window\nof the new model?",
                 {"materials": (image,), "flags": int(Flag.MATERIAL)}),
                (Kind.ANSWER, "The context window is 400k tokens, but `limits.py` says 200k."),
                (Kind.TOOL_CALL, "rg -n context_window src", {"tool": "Bash", "duration_ms": 40}),
                (Kind.TOOL_RESULT, "src/limits.py:14: context_window = 200_000\n" * 20,
                 {"flags": int(Flag.FAILED)}),
                (Kind.PROMPT, "change it, my token is \ufdd0github-pat:ghp_…x9Zk\ufdd1"),
                (Kind.ANSWER, "Done. " + "The context window is now right. " * 100),
            ),
            session(
                CHINESE, "修复上下文窗口 🚀 的预算", cwd="/home/ann/项目/演示", branch="功能"
            ): talk(
                CHINESE, NOON + 1440 * MINUTE,
                (Kind.PROMPT, "上下文窗口有多大？"),
                (Kind.ANSWER, "新模型的上下文窗口是 400k。context window\x1b]0;owned\x07 ok"),
            ),
            session(
                HELPER, "", kind=SessionKind.SUBAGENT, parent=BUDGET, presence=Presence.GONE,
                gone_ms=NOON,
            ): talk(HELPER, 0, (Kind.DELEGATION, "count the context windows")),
        },
        gaps,
    )  # fmt: skip


class Program:
    """A harness that finds what it is told."""

    id, name, mark = "codex", "Codex", "cx"

    def __init__(self, found: int = 0, gaps: list[Gap] | None = None) -> None:
        self.found, self.gaps = found, gaps or []

    def discover(self, root: str, gaps: list[Gap]):
        gaps += self.gaps
        for number in range(self.found):
            yield Source(self.id, f"{root}/{number}", "", str(number), 1, 1, 1, root)


def empty() -> FakeHistory:
    """A machine without any history."""
    gap = Gap(GapKind.NO_SOURCES, 1, "no session folder of any harness exists", "recall --demo")
    history = FakeHistory({}, [gap])
    history.places = [Place(Program(), "/home/ann/.codex/sessions"), Place(Program(), "/")]
    return history
