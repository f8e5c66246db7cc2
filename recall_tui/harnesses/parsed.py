"""What a reader yields: messages, and what a transcript says about its session as a whole.

Readers and third parties take both from `base`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from recall_tui.model import Kind, Material, SessionKind


class Parsed(msgspec.Struct, gc=False):
    """One message as a reader yields it: raw text, not yet sanitised or redacted."""

    kind: Kind
    text: str
    """What the agents' path may see. For a tool call: the projection of Q5 (command, paths,
    pattern, URL, title), one value a line."""
    time_ms: int = 0
    record: str = ""
    """The native record id when it is globally unique; copies of a record share it."""
    rest: str = ""
    """What lies beyond the horizon: the other string leaves of a tool call's arguments, one a
    line. The horizon of a tool result (10 KiB, S0-30) is applied by the store: leave it whole."""
    tool: str = ""
    call: str = ""
    failed: bool = False
    abandoned: bool = False
    sidechain: bool = False
    duration_ms: int = 0
    model: str = ""
    materials: tuple[Material, ...] = ()
    changes: tuple[int, ...] = ()
    """Of an edit's call: where its text has what is taken out and put in (`arguments.changes`)."""


_SEVERAL: Final = "\0"
"""`stated_id` of a transcript whose records state several: no id is so."""


@dataclass(slots=True)
class Facts:
    """What a transcript says about its session as a whole. Readers fill it while they read."""

    native_id: str = ""
    stated_id: str = ""
    """The id by which the records call the main session they belong to, whatever the file is
    called; see `saw_id`."""
    title: str = ""
    """The program's own title (renamed > generated); empty: the store takes the first prompt."""
    cwd: str = ""
    last_cwd: str = ""
    branch: str = ""
    models: list[str] = field(default_factory=list)
    kind: SessionKind = SessionKind.MAIN
    parent: str = ""
    """Native id of the main session of a subagent, or of the origin of a fork."""
    started_ms: int = 0
    ended_ms: int = 0
    version: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0

    def saw_id(self, native_id: str) -> None:
        """Note the id a record states: what was forgotten is known by it under any file name.

        Records of several sessions in one file are history that was copied or merged: no id then
        speaks for the whole.
        """
        if native_id != self.stated_id and native_id:
            self.stated_id = _SEVERAL if self.stated_id else native_id

    @property
    def known_as(self) -> str:
        """The one id its records state, empty when they state none or several."""
        return "" if self.stated_id == _SEVERAL else self.stated_id

    def saw_time(self, time_ms: int) -> None:
        """Widen the session's span by a record's time."""
        if time_ms > 0:
            if not self.started_ms or time_ms < self.started_ms:
                self.started_ms = time_ms
            self.ended_ms = max(self.ended_ms, time_ms)

    def saw_cwd(self, cwd: str) -> None:
        """Note a working directory; the first is the session's, the latest is where to resume."""
        if cwd:
            self.cwd = self.cwd or cwd
            self.last_cwd = cwd

    def saw_model(self, model: str) -> None:
        """Note a model, once."""
        if model and model not in self.models:
            self.models.append(model)
