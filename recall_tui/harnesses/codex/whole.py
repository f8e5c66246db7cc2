"""Reads the first generation: one JSON file `{session{id, timestamp}, items[]}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses.codex import bare, origin
from recall_tui.harnesses.codex.reader import CodexTranscript
from recall_tui.harnesses.codex.records import Bare, Meta, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Parsed


class _File(msgspec.Struct):
    session: msgspec.Raw
    items: list[msgspec.Raw] = []


class WholeTranscript(CodexTranscript):
    """One pass over a file of the first generation; see `base.Transcript`."""

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`. A file cut in its rewrite is torn, and empty."""
        try:
            with open(self.source.path, "rb") as stream:
                data = stream.read()
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error
        try:
            file = msgspec.json.decode(data, type=_File)
            meta = decode(file.session, Meta)
        except msgspec.ValidationError:
            raise SourceError(f"{self.source.path}: not a session of Codex") from None
        except msgspec.MsgspecError:
            self.torn = True
            return
        del data
        self.state.bare = True
        origin.take_meta(self, meta)
        self.state.now = self.facts.started_ms
        for number, raw in enumerate(file.items):
            self.prefix = f"items.{number}."
            yield from self._item(raw)
        yield from self.finish()

    def _item(self, raw: msgspec.Raw) -> list[Parsed]:
        try:
            return self.settled(bare.item(self, decode(raw, Bare)))
        except (msgspec.MsgspecError, TypeError):
            self.unparsed += 1
            return []
