"""Reads the first generation: one JSON file `{session{id, timestamp}, items[]}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses import fields
from recall_tui.harnesses.codex import bare, origin
from recall_tui.harnesses.codex.reader import CodexTranscript
from recall_tui.harnesses.codex.records import Bare, Meta, decode
from recall_tui.harnesses.jsonl import REFUSED
from recall_tui.harnesses.streams import read_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Parsed


_BLANK: Final = b"\xef\xbb\xbf\0\r\n\t "


class _File(msgspec.Struct):
    session: msgspec.Raw
    items: list[msgspec.Raw] = []


class WholeTranscript(CodexTranscript):
    """One pass over a file of the first generation; see `base.Transcript`."""

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`. A file cut in its rewrite is torn, and empty."""
        try:
            data = read_document(self.source.path)
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error
        try:
            file = msgspec.json.decode(data.strip(_BLANK), type=_File)
            meta = decode(file.session, Meta)
        except msgspec.ValidationError:
            raise SourceError(f"{self.source.path}: not a session of Codex") from None
        except (msgspec.MsgspecError, RecursionError):
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
            try:
                found = decode(raw, Bare)
            except (msgspec.MsgspecError, RecursionError):  # lone surrogates, no UTF-8
                found = decode(msgspec.json.encode(fields.decode(bytes(raw))), Bare)
            return self.settled(bare.item(self, found))
        except REFUSED:
            self.unparsed += 1
            return []
