"""A small fixed history behind the `History` interface: the app's tests see nothing else.

Six harnesses, subagents, CJK and emoji, tool calls, a failure, a diff, long output, a picture,
gaps. Times are fixed; `NOW` is the clock of every test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recall_tui.doctor import Check, Level
from recall_tui.errors import BadReferenceError, QueryError, SourceError
from recall_tui.history import History, Resolved
from recall_tui.model import (
    Fact,
    Filter,
    Flag,
    Gap,
    GapKind,
    Kind,
    Material,
    Message,
    Presence,
    Reach,
    Reference,
    Session,
    SessionKind,
)
from recall_tui.search.recall.envelope import (
    Envelope,
    Passage,
    PassageMessage,
    TermHit,
    Tier,
    Why,
)
from recall_tui.search.recall.request import RecallRequest, checked
from recall_tui.search.results import Case, GrepQuery, GrepUpdate, Hit
from recall_tui.store.skeleton import Skeleton
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.store.user import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW = int(datetime(2026, 11, 30, 15, 0, tzinfo=UTC).timestamp() * 1000)
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
HOME = "/home/mei"


CHECKS = [
    Check("sources", Level.OK, "Claude Code", f"{HOME}/.claude: 5 found, 5 indexed"),
    Check("sources", Level.NOTE, "pi", f"{HOME}/.pi/agent: not there"),
    Check("index", Level.OK, "file", f"{HOME}/.recall/index.db: 812 KB, version 2, wal",
          facts={"path": f"{HOME}/.recall/index.db"}),
    Check("index", Level.WARN, "disk", "412 MB free; a rebuild may need 1.0 GB",
          f"make room in {HOME}/.recall, or set RECALL_HOME to another disk"),
    Check("retention", Level.WARN, "claude", "Claude Code deletes transcripts after 30 days",
          "keep them", {"settings": f"{HOME}/.claude/settings.json", "days": 30, "set": False,
                        "sessions": 5, "soon": 2, "soon_days": 7}),
    Check("machine", Level.OK, "recall", "0.1.0, Python 3.11.7, Linux x86_64"),
    Check("terminal", Level.OK, "terminal", "xterm-256color, truecolor, 120×40, utf-8"),
]  # fmt: skip
"""What the doctor says of the machine the tests imagine."""


@dataclass
class Talk:
    """A session being written."""

    harness: str
    title: str
    project: str
    ended: int
    branch: str = "main"
    model: str = "claude-sonnet-5-20260801"
    kind: SessionKind = SessionKind.MAIN
    parent: str = ""
    presence: Presence = Presence.PRESENT
    messages: list[Message] = field(default_factory=list)

    def say(self, kind: Kind, text: str, **more: object) -> Talk:
        message = Message(
            session="",
            position=len(self.messages),
            kind=kind,
            time_ms=0,
            text=text,
            digest=(hash_of(text) & 0xFFFF),
            **more,  # type: ignore[arg-type]
        )
        self.messages.append(message)
        return self

    def you(self, text: str, **more: object) -> Talk:
        return self.say(Kind.PROMPT, text, **more)

    def agent(self, text: str, **more: object) -> Talk:
        return self.say(Kind.ANSWER, text, **more)

    def call(self, tool: str, text: str, result: str, *, failed: bool = False, ms: int = 0) -> Talk:
        name = f"c{len(self.messages)}"
        self.say(Kind.TOOL_CALL, text, tool=tool, call=name)
        flags = Flag.FAILED if failed else 0
        return self.say(
            Kind.TOOL_RESULT, result, tool=tool, call=name, flags=int(flags), duration_ms=ms
        )


def hash_of(text: str) -> int:
    """A small stable digest."""
    value = 5381
    for char in text:
        value = (value * 33 + ord(char)) & 0xFFFFFFFF
    return value


DIFF = """diff --git a/src/limits.py b/src/limits.py
--- a/src/limits.py
+++ b/src/limits.py
@@ -12,7 +12,9 @@ MODELS = {
     "sonnet-4": Limit(200_000),
-    "sonnet-5": Limit(200_000),
+    # The context window grew with the August release.
+    "sonnet-5": Limit(400_000),
 }
"""

ANSWER = """The **context window** of the new model is `400_000` tokens, but the table still says
200k. Two places disagree:

1. `src/limits.py` holds the number the budget is computed from.
2. `docs/models.md` repeats it by hand, so it will drift again.

## What I would change

- read the number from one table
- let the docs be generated from it, as the other pages already are

```python
def budget(model: str, used: int) -> int:
    \"\"\"Return the tokens left for an answer.\"\"\"
    window = MODELS[model].context_window  # one place
    return max(0, window - used - RESERVE)
```

| model | window | was |
| --- | ---: | ---: |
| sonnet-5 | 400k | 200k |
| haiku-5 | 200k | 200k |
"""

LISTING = "\n".join(
    f"src/module_{n:02}.py:{n * 7}: context_window = LIMITS[{n}]" for n in range(31)
)

FAILURE = """============================= test session starts ==============================
collected 41 items

tests/test_limits.py ....F...                                            [ 19%]
FAILED tests/test_limits.py::test_budget - AssertionError: assert 200000 == 400000
========================= 1 failed, 40 passed in 2.31s ========================="""


def talks() -> list[Talk]:
    """Return the fixed sessions, newest first."""
    budget = Talk(
        "codex", "fix token budget", "app", NOW - 25 * MINUTE, "fix/token-budget", "gpt-5.6"
    )
    budget.say(
        Kind.INJECTED, "<environment_context>\n<cwd>/home/mei/src/app</cwd>\n</environment_context>"
    )
    budget.you(
        "how big is the context window of the new model? the budget looks wrong since tuesday"
    )
    budget.call("shell", "rg -n context_window src", LISTING, ms=412)
    budget.agent(ANSWER)
    budget.you(
        "do both, and show me the error from this screenshot first",
        materials=(Material("m1", "overflow.png", "image", "image/png", 412_311, 1280, 800),),
        flags=int(Flag.MATERIAL),
    )
    budget.call("edit", "src/limits.py\n" + DIFF, "ok", ms=31)
    budget.call("shell", "pytest -q tests/test_limits.py", FAILURE, failed=True, ms=2310)
    budget.say(Kind.NOTICE, "API error: overloaded, retried after 4 s", flags=int(Flag.FAILED))
    budget.call("shell", "git diff", DIFF, ms=18)
    budget.agent("Both are done; `test_budget` expected the old number and now passes.")

    skills = Talk("claude", "agent skills catalog", "skills", NOW - 3 * HOUR, "catalog")
    skills.you("list every skill that mentions the context window, as a table")
    skills.call(
        "Grep", "context window", "\n".join(f"skills/{n}/SKILL.md" for n in "abcdefghijk"), ms=88
    )
    skills.agent("Eleven skills mention it; three of them give a number that is out of date.")

    chinese = Talk(
        "gemini",
        "修复搜索框里的中文输入法问题",
        "检索界面",
        NOW - 5 * HOUR,
        "修复/输入法",
        "gemini-3-pro",
    )
    chinese.you(
        "输入法候选框的位置不对，而且搜索“上下文窗口”没有结果。请先看一下日志，再决定怎么修。"
    )
    chinese.call(
        "read_file", "日志/检索.log", "警告：索引落后 3 分钟\n错误：分词器不认识“上下文窗口”", ms=12
    )
    chinese.agent(
        "原因有两个：\n\n1. 光标位置按**字符**计算，而不是按单元格宽度计算；\n2. 旧索引用空格分词，"
        "所以没有空格的中文永远搜不到。\n\n我会改用子串扫描，这样任何长度的中文都能找到。👩‍💻✅"
    )

    emoji = Talk(
        "opencode",
        "🚀 deploy script 👨‍👩‍👧 family emoji in titles",
        "ops",
        NOW - DAY - HOUR,
        "main",
        "glm-5",
    )
    emoji.you("why does the deploy script print 🇩🇪 as two letters? ✈️")
    emoji.agent("A flag is two code points; the terminal joins them only when its font can. 🇩🇪")

    parser = Talk(
        "pi", "rewrite the config parser", "dotfiles", NOW - DAY - 4 * HOUR, "", "claude-opus-5"
    )
    parser.you("rewrite the parser without regular expressions")
    parser.call(
        "bash",
        "python -m timeit -s 'import conf' 'conf.load()'",
        "50 loops, best of 5: 4.1 msec per loop",
        ms=1900,
    )
    parser.agent("It is three times faster and half as long.")
    parser.you("hm, go back, I liked the old error messages", flags=int(Flag.ABANDONED))
    parser.agent("Restored the messages.", flags=int(Flag.ABANDONED))
    parser.say(
        Kind.SUMMARY,
        "The parser was rewritten by hand.\nErrors name line and column.\nNothing is open.",
    )

    copilot = Talk("copilot", "", "web", NOW - 6 * DAY, "feature/sidebar", "gpt-5.6-mini")
    copilot.you("make the sidebar collapse below 900px")
    copilot.agent("Done: one media query, no script.")

    gone = Talk(
        "claude",
        "migrate the billing tables",
        "billing",
        NOW - 34 * DAY,
        "migrate",
        presence=Presence.GONE,
    )
    gone.you("write the migration so that it can be rolled back")
    gone.agent("The migration adds the column first and fills it in batches of 10,000.")
    return [budget, skills, chinese, emoji, parser, copilot, gone]


class FakeHistory(History):
    """The interface, over lists."""

    def __init__(self, written: list[Talk] | None = None, gaps: list[Gap] | None = None) -> None:
        self._sessions: list[Session] = []
        self._messages: dict[str, list[Message]] = {}
        self.live = True
        self._version = 1
        self.grep_calls: list[GrepQuery] = []
        self.recall_calls: list[RecallRequest] = []
        self.facts: list[Fact] = []
        self.past: list[str] = []
        self.kept: set[str] = set()
        self.bytes: dict[str, bytes] = {}
        self.pinned: list[str] = []
        self.written: list[Note] = []
        self.read_to: dict[str, int] = {}
        self._gaps = STANDARD_GAPS if gaps is None else gaps
        for number, talk in enumerate(talks() if written is None else written):
            self.add(talk, number)

    def add(self, talk: Talk, number: int) -> None:
        native = f"0198c{number:03}-7000-4000-8000-00000000{number:04}"
        key = f"{talk.harness}:{native}"
        count = len(talk.messages)
        step = 40_000
        messages = [
            m._replace(
                session=key, time_ms=m.time_ms or talk.ended - (count - 1 - m.position) * step
            )
            for m in talk.messages
        ]
        cwd = f"{HOME}/src/{talk.project}"
        session = Session(
            id=number, key=key, harness=talk.harness, native_id=native,
            path=f"{HOME}/.{talk.harness}/{native}.jsonl", title=talk.title, cwd=cwd, last_cwd=cwd,
            branch=talk.branch, models=(talk.model,), kind=talk.kind, parent=talk.parent,
            started_ms=messages[0].time_ms if messages else talk.ended, ended_ms=talk.ended,
            messages=count, prompts=sum(m.kind is Kind.PROMPT for m in messages),
            tool_calls=sum(m.kind is Kind.TOOL_CALL for m in messages),
            errors=sum(bool(m.flags & Flag.FAILED) for m in messages),
            materials=sum(len(m.materials) for m in messages),
            size=sum(len(m.text) for m in messages),
            children=2 if talk.harness == "claude" and talk.presence is Presence.PRESENT else 0,
            presence=talk.presence,
        )  # fmt: skip
        self._sessions.append(session)
        self._messages[key] = messages
        self._sessions.sort(key=lambda s: -s.ended_ms)

    def append(self, key: str, kind: Kind, text: str) -> None:
        """Write one more message, as a live session does."""
        held = self._messages[key]
        held.append(Message(key, len(held), kind, NOW, text, hash_of(text) & 0xFFFF))
        self._sessions = [
            s._replace(messages=len(held), ended_ms=NOW) if s.key == key else s
            for s in self._sessions
        ]
        self._sessions.sort(key=lambda s: -s.ended_ms)
        self._version += 1

    def close(self) -> None: ...

    def sessions(self, chosen: Filter | None = None, *, limit: int = 0) -> list[Session]:
        found = [s for s in self._sessions if chosen is None or self._admits(s, chosen)]
        return found[:limit] if limit else found

    def _admits(self, session: Session, chosen: Filter) -> bool:
        return (
            (not chosen.harnesses or session.harness in chosen.harnesses)
            and chosen.cwd.lower() in session.cwd.lower()
            and chosen.branch.lower() in session.branch.lower()
            and (chosen.since_ms is None or session.ended_ms >= chosen.since_ms)
        )

    def find(self, name: str) -> list[Session]:
        name = name.partition("#")[0]
        return [s for s in self._sessions if s.key == name or s.native_id.startswith(name)]

    def children(self, session: Session) -> list[Session]:
        return [s for s in self._sessions if s.parent == session.key]

    def grep(
        self, query: GrepQuery, stop: Callable[[], bool] = lambda: False
    ) -> Iterator[GrepUpdate]:
        self.grep_calls.append(query)
        pattern = _compiled(query)
        found: list[Hit] = []
        occurrences = 0
        for session in self._sessions:
            if stop():
                return
            if not self._admits(session, query.chosen):
                continue
            for message in reversed(self._messages[session.key]):
                spans = tuple(m.span() for m in pattern.finditer(message.text) if m.group())
                if not spans or not query.chosen.admits_kind(message.kind):
                    continue
                occurrences += len(spans)
                found.append(_hit(session, message, spans))
        start = int(query.cursor or 0)
        page = found[start : start + query.limit]
        sessions = len({hit.session.key for hit in found})
        half = len(page) // 2
        yield GrepUpdate(page[:half], len(found) // 2, occurrences // 2, sessions, done=False)
        more = str(start + query.limit) if start + query.limit < len(found) else ""
        yield GrepUpdate(
            page[half:],
            len(found),
            occurrences,
            sessions,
            done=True,
            next=more,
            reach=self.reach(query.chosen),
        )

    def recall(self, request: RecallRequest, stop: Callable[[], bool] = lambda: False) -> Envelope:
        request = checked(request)
        self.recall_calls.append(request)
        words = tuple(word for word in request.sentence.lower().split() if len(word) > 3)
        passages = []
        for session in filter(lambda s: self._admits(s, request.chosen), self._sessions):
            found = {w for m in self._messages[session.key] for w in words if w in m.text.lower()}
            if found:
                passages.append(_passage(session, self._messages[session.key], words, found))
        passages.sort(key=lambda passage: -passage.score)
        held = {word for passage in passages for word in passage.matched}
        return Envelope(
            passages=tuple(passages[: request.limit]),
            facts=tuple(fact for fact in self.facts if any(w in fact.content for w in words)),
            reach=self.reach(), terms=words,
            unmatched=tuple(word for word in words if word not in held),
            dates=("2026-11-29/2026-11-30",) if "yesterday" in words else (),
            matches=sum(passage.why.count for passage in passages),
            sessions_matching=len(passages),
        )  # fmt: skip

    def asked(self) -> list[str]:
        return list(self.past)

    def note_asked(self, query: str) -> None:
        self.past = [query, *(other for other in self.past if other != query)]

    def searches(self) -> list[str]:
        return sorted(self.kept)

    def keep_search(self, query: str, *, on: bool = True) -> bool:
        (self.kept.add if on else self.kept.discard)(query)
        return True

    def resolve(self, reference: Reference | str) -> Resolved:
        if isinstance(reference, str):
            reference = Reference.parse(reference)
        for session in self._sessions:
            if session.key == reference.key:
                message = self._messages[session.key][reference.position]
                return Resolved(reference, session, "same", message)
        raise BadReferenceError("no such session")

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        return self._messages[session.key][start:stop]

    def pins(self) -> list[str]:
        return list(self.pinned)

    def pin(self, session: Session, *, on: bool = True) -> None:
        if session.key in self.pinned:
            self.pinned.remove(session.key)
        if on:
            self.pinned.insert(0, session.key)

    def notes(self, session: Session) -> list[Note]:
        return [note for note in self.written if note.key == session.key]

    def add_note(self, session: Session, position: int, text: str) -> int:
        self.written.append(Note(len(self.written) + 1, session.key, position, text, NOW))
        return len(self.written)

    def remove_note(self, number: int) -> None:
        self.written = [note for note in self.written if note.id != number]

    def position(self, session: Session) -> int:
        return self.read_to.get(session.key, -1)

    def set_position(self, session: Session, position: int) -> None:
        self.read_to[session.key] = position

    def material(self, reference: Reference, material_id: str) -> bytes:
        if material_id not in self.bytes:
            raise SourceError(
                f"{HOME}/.codex/x.jsonl is not there any more",
                "its text is kept, its pictures are not",
            )
        return self.bytes[material_id]

    def skeleton(self, session: Session) -> Skeleton:
        skeleton = Skeleton()
        for message in self._messages[session.key]:
            skeleton.kinds.append(message.kind)
            skeleton.flags.append(message.flags)
            skeleton.times.append(message.time_ms)
            skeleton.sizes.append(len(message.text.encode()))
        return skeleton

    def positions_matching(self, session: Session, query: GrepQuery) -> list[int]:
        pattern = _compiled(query)
        return [m.position for m in self._messages[session.key] if pattern.search(m.text)]

    def reach(self, chosen: Filter | None = None) -> Reach:
        return Reach(
            sources=len({s.harness for s in self._sessions}),
            sessions_searched=sum(self._admits(s, chosen or Filter()) for s in self._sessions),
            sessions_total=len(self._sessions),
            index_age_ms=3000,
        )

    def gaps(self) -> list[Gap]:
        return list(self._gaps)

    def version(self) -> int:
        return self._version

    def kept_live(self, *, on: bool) -> None:
        self.live = on

    def sync(self, on_progress=lambda _: None, stop=lambda: False, *, rebuild=False, verify=False):
        return SyncProgress(done=True)


STANDARD_GAPS = [
    Gap(
        GapKind.NOT_INDEXED, 37, "their files were found after the last sync",
        "recall index", f"{HOME}/.claude/projects",
    ),
    Gap(
        GapKind.UNREADABLE, 2, "permission denied",
        f"chmod u+r {HOME}/.codex/sessions/2026/11/*.jsonl", f"{HOME}/.codex/sessions/2026/11",
    ),
    Gap(GapKind.GONE, 1, "the file is no longer there; its text is kept", "", f"{HOME}/.claude/x"),
]  # fmt: skip

_LOOKED = (".claude/projects", ".codex/sessions", ".pi/agent/sessions", ".gemini/tmp")
NO_HISTORY_GAPS = [
    Gap(
        GapKind.NO_SOURCES,
        1,
        f"no sessions in {', '.join(f'{HOME}/{one}' for one in _LOOKED)}",
        "recall --demo shows a sample",
    )
]


def _compiled(query: GrepQuery) -> re.Pattern[str]:
    source = query.pattern if query.regex else re.escape(query.pattern)
    if query.word:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    smart = query.case is Case.SMART and query.pattern != query.pattern.lower()
    flags = 0 if smart or query.case is Case.EXACT else re.IGNORECASE
    try:
        return re.compile(source, flags)
    except re.error as error:
        raise QueryError(f"not a regular expression: {error}") from error


def _hit(session: Session, message: Message, spans: tuple[tuple[int, int], ...]) -> Hit:
    low = max(0, spans[0][0] - 80)
    text = message.text[low : low + 400]
    inside = tuple((a - low, b - low) for a, b in spans if b - low <= len(text))
    return Hit(
        session, message.position, message.kind, message.time_ms, message.digest, message.flags,
        text, inside, len(spans), len(text) < len(message.text), message.tool,
    )  # fmt: skip


def _passage(
    session: Session, messages: list[Message], words: tuple[str, ...], found: set[str]
) -> Passage:
    """Return the message that holds most of the words, with its neighbours."""
    matched = tuple(word for word in words if word in found)
    anchor = max(messages, key=lambda m: (sum(w in m.text.lower() for w in matched), -m.position))
    fields = {Kind.PROMPT: "you", Kind.ANSWER: "agent", Kind.TOOL_CALL: "tool call"}
    counts = {w: sum(m.text.lower().count(w) for m in messages) for w in matched}
    near = messages[max(0, anchor.position - 2) : anchor.position + 3]
    return Passage(
        session=session, anchor=anchor.reference, turn=0, sequence=anchor.position,
        score=len(matched) + sum(counts.values()) / 100, matched=matched,
        why=Why(
            Tier.ALL if len(matched) == len(words) else Tier.SOME,
            tuple(TermHit(word, counts[word], "word") for word in matched),
            tuple(word for word in words if word not in found),
            (fields.get(anchor.kind, "tool output"),), sum(counts.values()),
            0.5 if anchor.kind is Kind.TOOL_RESULT else 1.0, session.kind.value,
        ),
        messages=tuple(
            PassageMessage(
                m.reference, m.kind, m.time_ms, m.text, is_anchor=m is anchor, tool=m.tool
            )
            for m in near
        ),
        has_more_before=anchor.position > 2, has_more_after=False, truncated=False,
    )  # fmt: skip


def big_talk(messages: int) -> Talk:
    """Return a session of many messages of every kind."""
    talk = Talk("claude", "a very long session", "app", NOW - MINUTE)
    while len(talk.messages) < messages:
        number = len(talk.messages)
        talk.you(f"prompt {number}: please look at the needle in step {number}")
        talk.call("Bash", f"make step-{number}", LISTING if number % 3 else "done", ms=number % 900)
        talk.agent(
            f"Step {number} is done.\n\n" + "It went well, as the log says. " * (number % 12)
        )
    return talk


def many_sessions(count: int) -> list[Talk]:
    """Return many short sessions, an hour apart."""
    names = ("claude", "codex", "pi", "opencode", "gemini", "copilot")
    return [
        Talk(names[n % 6], f"session number {n}", f"project-{n % 40}", NOW - n * HOUR).you(
            f"question {n} about the needle"
        )
        for n in range(count)
    ]
