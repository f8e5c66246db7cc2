"""What is said of a material: before its bytes are read, while they are, and instead of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.tui import notation
from recall_tui.tui.layout import tokens
from recall_tui.tui.pictures import MOST_BYTES
from recall_tui.tui.widgets.row import Part

if TYPE_CHECKING:
    from datetime import tzinfo

    from recall_tui.errors import RecallError
    from recall_tui.model import Material, Message, Session
    from recall_tui.tui.attachments import Content
    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.lines import Piece
    from recall_tui.tui.pictures import Bitmap

_SIGNS: Final = {"image": "▣", "pdf": "▤", "text": "≡"}
_KINDS: Final = {"image": "picture", "pdf": "PDF", "text": "text", "other": "file"}


@dataclass(slots=True)
class Shown:
    """What is known of one material by now."""

    material: Material
    content: Content | None = None
    data: bytes = b""
    tile: Bitmap | None = None
    fetching: bool = False
    failed: str = ""
    """Why its bytes cannot be had."""


def sign_of(material: Material) -> str:
    """Return what stands for a material where there is no picture of it."""
    return _SIGNS.get(material.kind, "▤")


def name_of(material: Material) -> str:
    """Return its name, or that it has none."""
    return material.name or f"unnamed {_KINDS.get(material.kind, 'file')}"


def head_of(material: Material) -> list[Part]:
    """Return its sign and its name."""
    return [Part(f" {sign_of(material)} ", "accent"), Part(name_of(material), "title")]


def facts_of(material: Material) -> list[Part]:
    """Return what the transcript says of it: kind, type, pixels, bytes, tokens."""
    facts = [_KINDS.get(material.kind, material.kind)]
    facts += [material.mime] if material.mime else []
    width, height = material.width, material.height
    if width and height:
        facts.append(f"{width:,} × {height:,} pixels")
    if material.bytes >= 0:
        facts.append(notation.size(material.bytes))
    if material.kind == "image" and width and height:
        facts.append(f"~{tokens(width, height)} tokens")
    return [Part("   " + " · ".join(facts))]


def where_of(session: Session, message: Message, zone: tzinfo) -> str:
    """Return where it hangs: session, speaker, time, reference."""
    when = [notation.clock(message.time_ms, zone)] if message.time_ms else []
    where = [notation.SPEAKERS[message.kind], *when, str(message.reference)]
    return " · ".join([session.title or "untitled", *where])


def words_of(item: Shown, keymap: Keymap, *, off: bool) -> list[list[Piece]]:
    """Return what stands in the place of a picture.

    Args:
        item: The material, and what is known of it.
        keymap: The keys in force.
        off: Pictures are switched off.
    """
    key = keymap.shown
    actions: list[Piece] = [
        (key("material.open"), "strong"), (" opens it with the system's viewer, ", "muted"),
        (key("material.save"), "strong"), (" saves it.", "muted"),
    ]  # fmt: skip
    if item.failed:
        return [[(item.failed, "warning")]]
    if item.fetching:
        return [[("Reading it from its source…", "muted")]]
    if item.content is not None:
        switched: list[Piece] = [("Pictures are switched off (the setting images).", "muted")]
        sentence: list[Piece] = [(item.content.sentence, "title")]
        return [switched if item.content.picture else sentence, [], actions]
    if item.material.bytes > MOST_BYTES:
        held = notation.size(item.material.bytes)
        return [[(f"{held} is too much to show here.", "title")], [], actions]
    return [
        [("Not read yet.", "title")],
        [],
        [
            (key("material.show"), "strong"),
            (" reads it from its source and shows it. Nothing was fetched so far.", "muted"),
        ],
        actions,
    ]


def sentence_of(error: RecallError) -> str:
    """Return an error as a sentence."""
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ")")) else ".")
