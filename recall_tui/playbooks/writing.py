"""Files a playbook leaves: private, whole or not there, never over something or through a link.

The folder is opened once and everything happens below it, so that nobody can put a link in its
place meanwhile.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from recall_tui.errors import HandoffError
from recall_tui.paths import full

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def write_file(path: str, pieces: Iterable[str], *, force: bool = False) -> str:
    """Write a text file of mode 0600, atomically, and return its absolute path.

    Args:
        path: Where to; its folder must exist.
        pieces: The text.
        force: Replace a file that is there. A link or a folder is never replaced.

    Raises:
        HandoffError: Something is there, or the system refuses.
    """
    folder, name = os.path.split(full(path))
    with _opened(folder) as at:
        _put(at, name, pieces, force=force, shown=path)
    return os.path.join(folder, name)


def write_package(folder: str, files: Mapping[str, str], *, force: bool = False) -> str:
    """Write a folder of mode 0700 with files of mode 0600, and return its absolute path.

    Missing folders above it are made, 0700 as well. With `force` the files named are replaced in a
    folder that is there; others in it stay.

    Args:
        folder: Where to.
        files: File name -> text; names without a folder part.
        force: Go into a folder that is there.

    Raises:
        HandoffError: Something is there, it is a link, or the system refuses.
    """
    target = full(folder)
    above, name = os.path.split(target)
    try:
        os.makedirs(above, mode=0o700, exist_ok=True)
    except OSError as error:
        raise _refused(above, error) from error
    with _opened(above) as at:
        try:
            os.mkdir(name, 0o700, dir_fd=at)
        except FileExistsError:
            _only_with_force(at, name, force=force, shown=target)
        except OSError as error:
            raise _refused(target, error) from error
    with _opened(target, os.O_NOFOLLOW) as at:
        for file, text in files.items():
            _put(at, file, [text], force=force, shown=os.path.join(target, file))
    return target


def _put(at: int, name: str, pieces: Iterable[str], *, force: bool, shown: str) -> None:
    """Write one file below an open folder: a draft beside its place first, then into it.

    Without `force` the place is taken first, so that nothing can come there in between.
    """
    draft = f".{name}.{secrets.token_hex(6)}"
    unwanted = [draft]
    try:
        if force:
            _no_link(at, name, shown)
        else:
            os.close(os.open(name, _NEW, 0o600, dir_fd=at))
            unwanted.append(name)
        descriptor = os.open(draft, _NEW, 0o600, dir_fd=at)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as stream:
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, name, src_dir_fd=at, dst_dir_fd=at)
        unwanted.clear()
    except FileExistsError as error:
        raise HandoffError(f"{shown} is there already", "name another, or --force") from error
    except (OSError, ValueError) as error:
        raise _refused(shown, error) from error
    finally:
        for left in unwanted:
            with suppress(OSError, ValueError):
                os.unlink(left, dir_fd=at)


@contextmanager
def _opened(folder: str, follow: int = 0) -> Iterator[int]:
    """Open a folder; with `follow=os.O_NOFOLLOW` a link to one is refused."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | follow)
    except (OSError, ValueError) as error:
        raise _refused(folder, error) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _only_with_force(at: int, name: str, *, force: bool, shown: str) -> None:
    """Refuse a package whose place is taken, unless it may go into a folder that is there."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
        raise HandoffError(f"{shown} is there already and is no folder", "name another")
    if not force:
        raise HandoffError(f"{shown} is there already", "name another, or --force")


def _no_link(at: int, name: str, shown: str) -> None:
    """Refuse to replace anything but a plain file."""
    try:
        status = os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise HandoffError(f"{shown} is no plain file, so it is not replaced", "name another")


def _refused(path: str, error: OSError | ValueError) -> HandoffError:
    reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return HandoffError(f"cannot write {path}: {reason}", "check the folder and its permissions")
