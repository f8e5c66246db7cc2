"""From what the app stored to messages: the same text for both of its stores (S0-28 ... S0-34).

The text of a message consists of whole string values of the stored JSON, or of parts of them, one a
line; nothing is put inside a line, but the name of a secret before it, both in quotes. So a term
without a line break or a quote that occurs in the text occurs in the stored record, and a scan of
the records misses no message.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses.arguments import leaves, project
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.fields import count, decode, items, mapping, text
from recall_tui.harnesses.images import material_id
from recall_tui.model import Kind, Material
from recall_tui.workspace.artifacts import Artifact, Fault, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.workspace.artifacts import Artifacts

ARCHIVED: Final = "archived_tool_result"
"""Kind of a tool result that moved into an artifact."""

MAX_ATTACHMENTS: Final = 8
"""Attachments of one message (S0-111)."""

_KINDS: Final = {
    "image": "image", "pdf": "pdf", "doc": "other", "code": "text", "other": "other",
}  # fmt: skip
"""Kind of an attachment -> kind of a material."""

_HOST_OWNED: Final = re.compile(
    r"\[(?:(?:tool )?(?:output|result|content|text) )?truncated\b[^\]\n]{0,120}\]"
    r"|(?:\.\.\.|…)? ?[\[(]\d[\d,]* (?:more )?(?:bytes|characters|chars|lines|tokens) "
    r"(?:truncated|omitted|elided)[\])]"
    r"|<(?:output )?truncated\b[^>\n]{0,120}>"
    r"|\[archived tool result\b[^\]\n]{0,200}\]",
    re.IGNORECASE,
)
"""What the app itself writes where it cut or moved something (S0-34)."""

_CAPTION: Final = re.compile(
    r"\[(?:image|file|pdf|document|attachment)(?: (?:attached|attachment|omitted))?"
    r"(?:: [^\]\n]{0,200})?\]",
    re.IGNORECASE,
)
"""What it writes for an attachment that a model could not be shown."""


class Projector:
    """Makes the messages of one session.

    Attributes:
        missing: Archived tool results whose body is not there.
        corrupt: Those whose body is another than was archived.
        unknown: Kinds of content this reader does not know, by name.
        within: Records of the user that begin no turn: said into a running one, or without any.
    """

    def __init__(self, session: str, artifacts: Artifacts, *, child: bool = False) -> None:
        """Make no message yet.

        Args:
            session: Native id.
            artifacts: The session's.
            child: An agent started it: its user is that agent.
        """
        self.missing = 0
        self.corrupt = 0
        self.unknown: Counter[str] = Counter()
        self._session = session
        self._artifacts = artifacts
        self._user = Kind.DELEGATION if child else Kind.PROMPT
        self._turn = ""
        self.within: set[str] = set()

    def turn(self, record: str, turn: str, *, user: bool) -> None:
        """Note which turn a record belongs to, in their order."""
        if user and turn in ("", self._turn):
            self.within.add(record)
        self._turn = turn

    def user(self, record: str, time_ms: int, said: dict[str, Any], author: str = "") -> Parsed:
        """Return what stands in the user's place: the displayed text if there is one (S0-29)."""
        held = tuple(self._attachments(record, said.get("attachments")))
        shown = text(said.get("displayText")) or text(said.get("text"))
        kind = {"host": Kind.INJECTED, "agent": Kind.DELEGATION}.get(author, self._user)
        return Parsed(kind, stripped(shown, captions=bool(held)), time_ms, record, materials=held)

    def assistant(self, record: str, time_ms: int, said: str, model: str = "") -> Parsed:
        """Return what the agent said."""
        return Parsed(Kind.ANSWER, stripped(said), time_ms, record, model=model)

    def tool_call(
        self, record: str, time_ms: int, call: str, tool: str, intent: str, arguments: object
    ) -> Parsed:
        """Return a tool call: its intent, else the small projection of its arguments (Q5).

        Everything else in the arguments lies beyond the horizon.
        """
        seen, rest = project(_lines(arguments))
        if intent.strip():
            seen, rest = intent, "\n".join(filter(None, (seen, rest)))
        return Parsed(
            Kind.TOOL_CALL, stripped(seen), time_ms, record, stripped(rest), tool=tool, call=call
        )

    def tool_result(
        self,
        record: str,
        time_ms: int,
        call: str,
        content: object,
        *,
        tool: str = "",
        failed: bool = False,
        duration_ms: int = 0,
    ) -> Parsed:
        """Return a tool result: every string leaf of its content, one a line (S0-30)."""
        kind = text(mapping(content).get("kind"))
        held: tuple[Material, ...] = ()
        if kind == ARCHIVED:
            tool = tool or text(mapping(content).get("toolName"))
            content = self._archived(mapping(content))
            kind = text(mapping(content).get("kind"))
        if kind == "image":
            picture = self._image(record, mapping(content))
            held = (picture,) if picture is not None else ()
            content = None
        if isinstance(content, dict):
            content = {key: value for key, value in content.items() if key != "kind"}
        return Parsed(
            Kind.TOOL_RESULT, stripped("\n".join(leaves(content))), time_ms, record, tool=tool,
            call=call, failed=failed, duration_ms=duration_ms, materials=held,
        )  # fmt: skip

    def _archived(self, placeholder: dict[str, Any]) -> object:
        """Return the content that was archived; None leaves the placeholder without text."""
        body = self._artifacts.body(
            text(placeholder.get("artifactId")), text(placeholder.get("bodySha256"))
        )
        if isinstance(body, Fault):
            self.missing += body is Fault.MISSING
            self.corrupt += body is Fault.CORRUPT
            return None
        try:
            content = decode(body)
        except ValueError:
            return body.decode("utf-8", "replace")
        # Of an archive inside an archive no body is looked for.
        return None if mapping(content).get("kind") == ARCHIVED else content

    def _attachments(self, record: str, value: object) -> Iterator[Material]:
        """Yield the well-formed attachments, at most `MAX_ATTACHMENTS`."""
        found = 0
        for number, one in enumerate(items(value)):
            material = self._attachment(record, number, mapping(one))
            if material is not None:
                yield material
                found += 1
                if found == MAX_ATTACHMENTS:
                    return

    def _attachment(self, record: str, number: int, one: dict[str, Any]) -> Material | None:
        """Return an attachment's metadata, None when the record is malformed."""
        name, kind, mime, size = (one.get(key) for key in ("name", "kind", "mimeType", "bytes"))
        well_formed = (
            isinstance(name, str)
            and isinstance(kind, str)
            and kind in _KINDS
            and isinstance(mime, str)
            and isinstance(size, (int, float))
            and not isinstance(size, bool)
            and size >= 0
            and isinstance(one.get("ref"), dict)
        )
        if not well_formed:
            return None
        return self._material(record, number, one, text(name), _KINDS[text(kind)], count(size))

    def _image(self, record: str, content: dict[str, Any]) -> Material | None:
        """Return the picture a tool gave back, None when it names none."""
        if not isinstance(content.get("ref"), dict):
            return None
        return self._material(record, 0, content, "", "image", -1)

    def _material(
        self, record: str, number: int, one: dict[str, Any], name: str, kind: str, size: int
    ) -> Material:
        """Return a material; only a durable file of this session gets an id (S0-110)."""
        artifact = _durable(mapping(one.get("ref")), self._session)
        known = self._artifacts.get(artifact) if artifact and size < 0 else None
        return Material(
            material_id(self._session, record, str(number)) if artifact else "",
            name or (known.name if known else ""),
            kind,
            text(one.get("mimeType")),
            size if size >= 0 else _size(known),
            locator=artifact,
        )


def _size(known: Artifact | None) -> int:
    return known.bytes if known else -1


def _durable(ref: dict[str, Any], session: str) -> str:
    """Return the artifact id of a file kept for this session, empty for any other file."""
    kind = text(ref.get("kind")) or text(ref.get("type"))
    artifact = text(ref.get("relativePath"))
    of = text(ref.get("sessionId")) or session
    return artifact if kind == "session_file" and of == session and is_id(artifact) else ""


def _lines(arguments: object) -> object:
    """Return arguments whose lists of words are lines: words must not be joined inside a line."""
    if not isinstance(arguments, dict):
        return arguments
    return {
        key: "\n".join(leaves(value))
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value)
        else value
        for key, value in arguments.items()
    }


def stripped(said: str, *, captions: bool = False) -> str:
    """Return a text without what the app itself wrote into it; what stood around stays apart.

    Args:
        said: As stored.
        captions: The message has attachments, so captions may stand for them.
    """
    if "[" not in said and "<" not in said and "(" not in said:
        return said
    said = _without(_HOST_OWNED, said)
    return _without(_CAPTION, said) if captions else said


def _without(pattern: re.Pattern[str], said: str) -> str:
    if pattern.search(said) is None:
        return said
    return pattern.sub("\n", said).strip("\n")
