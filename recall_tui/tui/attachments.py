"""What hangs on a message, once its bytes are there: known, kept, opened. Nothing is trusted.

What a file is, is read from its bytes; the name and the type a transcript claims are only shown.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Final

from recall_tui.errors import HandoffError, RecallError
from recall_tui.named import NamedTuple
from recall_tui.paths import full, write_new
from recall_tui.text.sanitize import sanitize
from recall_tui.tui.notation import size
from recall_tui.tui.pictures import MOST_BYTES, Decoded, UnshowableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recall_tui.tui.pictures import RGB, PictureCache

PNG, JPEG, GIF, WEBP = "image/png", "image/jpeg", "image/gif", "image/webp"
PDF, TEXT, UNKNOWN = "application/pdf", "text/plain", "application/octet-stream"

SUFFIXES: Final = {
    PNG: (".png",),
    JPEG: (".jpg", ".jpeg"),
    GIF: (".gif",),
    WEBP: (".webp",),
    PDF: (".pdf",),
    TEXT: (".txt", ".md", ".log", ".json", ".csv"),
    UNKNOWN: (".bin",),
}
"""Suffixes a file of a type may have; the first is the one it gets."""

SHOWN_CHARS: Final = 200_000
"""Characters of a text attachment that are shown; all of it is saved."""

_NAME_CHARS: Final = 80
_UNFIT: Final = re.compile(r"[^\w .()+,@=-]+")


class Content(NamedTuple):
    """The bytes of a material, understood."""

    mime: str
    """What they are, whatever the transcript says."""
    sentence: str = ""
    """Why nothing of them is shown, or what of them is not; empty when all is."""
    picture: Decoded | None = None
    text: str = ""
    """Readable text: no control characters, secrets redacted."""


def mime_of(data: bytes) -> str:
    """Return the type of some bytes by what they begin with."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG
    if data.startswith((b"GIF87a", b"GIF89a")):
        return GIF
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return PDF
    return TEXT if data and _is_text(data) else UNKNOWN


def _is_text(data: bytes) -> bool:
    """Say whether some bytes are UTF-8 without the controls no text has."""
    head = data[:65_536]
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) == len(data) or error.start < len(head) - 3:
            return False
        text = head[: error.start].decode("utf-8")
    return "\0" not in text


def understand(data: bytes, ground: RGB, cache: PictureCache) -> Content:
    """Return what some bytes are and what of them can be shown. Never raises for bad content.

    Args:
        data: The material.
        ground: Colour below transparent parts.
        cache: Takes the decoded picture.
    """
    if not data:
        return Content(UNKNOWN, "The attachment is empty: the source holds no bytes of it.")
    if len(data) > MOST_BYTES:
        return Content(mime_of(data), f"{size(len(data))} is too much to show here.")
    mime = mime_of(data)
    if mime == TEXT:
        return _text(data)
    if mime == PDF:
        return Content(mime, f"A PDF document of {size(len(data))}; a terminal cannot show it.")
    if mime == UNKNOWN:
        head = data[:8].hex(" ")
        return Content(mime, f"{size(len(data))} of an unknown kind; they begin with {head}.")
    try:
        picture = cache.decode(data, ground)
    except UnshowableError as error:
        return Content(mime, str(error))
    return Content(mime, picture=picture)


def _text(data: bytes) -> Content:
    """Return a text fit to be read: what was cut away of it is said."""
    from recall_tui.text.redact import mark, shown

    # Whole lines, so that no secret is cut in two and shown by halves.
    head = data[: 4 * SHOWN_CHARS].decode("utf-8", "replace")
    if len(head) > SHOWN_CHARS or len(data) > 4 * SHOWN_CHARS:
        head = head[:SHOWN_CHARS].rpartition("\n")[0]
        sentence = f"Only the first {size(len(head.encode()))} of {size(len(data))} are shown."
    else:
        sentence = ""
    return Content(TEXT, sentence, text=shown(mark(sanitize(head))))


# Keeping


def default_name(name: str, mime: str) -> str:
    """Return a safe file name for a material: one component, no controls, the suffix of its type.

    Args:
        name: What the transcript calls it.
        mime: What its bytes are, as `mime_of` says.
    """
    suffixes = SUFFIXES.get(mime, SUFFIXES[UNKNOWN])
    last = re.split(r"[\\/]", sanitize(name))[-1]
    stem = _UNFIT.sub("_", last).strip(" ._-")[:_NAME_CHARS].strip(" ._-")
    if not stem:
        stem = "picture" if mime.startswith("image/") else "attachment"
    return stem if stem.lower().endswith(suffixes) else stem + suffixes[0]


def save(path: str, data: bytes, name: str) -> str:
    """Write a new private file and return its path.

    Args:
        path: Where; a folder takes the file under `name`. `~` is the home directory.
        data: What to write.
        name: See `default_name`.

    Raises:
        RecallError: The file is there already, or cannot be written.
    """
    path = full(path.strip())
    if os.path.isdir(path):
        path = os.path.join(path, name)
    try:
        write_new(path, data)
    except FileExistsError as error:
        raise RecallError(f"{path} is there already, and stays as it is", "another name") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RecallError(f"cannot save {path}: {reason}") from error
    return path


def taken(path: str) -> str:
    """Return why a path cannot be saved to, as far as that is known before trying; empty if not."""
    path = os.path.expanduser(path.strip())
    if not path:
        return "a name is needed"
    if os.path.lexists(path) and not os.path.isdir(path):
        return "it is there already; another name"
    return ""


# Opening


def viewer(env: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """Return the command of the system's viewer, a path to be added.

    Raises:
        HandoffError: There is none here.
    """
    if platform == "darwin":
        return ["/usr/bin/open"]
    shows = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("WSL_DISTRO_NAME")
    for name in ("xdg-open", "wslview") if shows else ():
        if (found := shutil.which(name)) is not None:
            return [found]
    raise HandoffError("this terminal has no screen to open a viewer on", "save it instead")


def open_with_viewer(data: bytes, mime: str, env: Mapping[str, str]) -> str:
    """Show bytes in the system's viewer, from a private file that goes when Recall ends.

    The file's name and suffix are ours: a viewer must not take a picture for a script.

    Returns:
        The path of the file.

    Raises:
        HandoffError: There is no viewer, or it cannot be started.
    """
    argv = viewer(env)
    suffix = SUFFIXES.get(mime, SUFFIXES[UNKNOWN])[0]
    try:
        folder = tempfile.mkdtemp(prefix="recall-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, "material" + suffix)
        write_new(path, data)
    except OSError as error:
        raise HandoffError(f"cannot write a file for the viewer: {error.strerror}") from error
    start([*argv, path])
    return path


def open_folder(path: str, env: Mapping[str, str]) -> None:
    """Show a folder in the system's file manager.

    Raises:
        HandoffError: It is gone, or there is no file manager here.
    """
    if not os.path.isdir(path):
        raise HandoffError(f"{path} is not there any more")
    start([*viewer(env), os.path.abspath(path)])


def start(argv: list[str]) -> None:
    """Start a program beside Recall, apart from its terminal.

    Raises:
        HandoffError: It cannot be started.
    """
    try:
        subprocess.Popen(  # noqa: S603 - a fixed program and one path of ours
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise HandoffError(f"cannot start {argv[0]}: {error}") from error
