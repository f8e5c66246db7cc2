"""The words of decoded JSON: what a tool call asked for, and what any result says.

Keys are left out (Q6), with one exception: a name by which a value is known as a secret stays with
it. Without `api_key` nothing tells its 32 hex digits from a checksum, and it would be stored.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def leaves(value: object, skip: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield every string leaf of decoded JSON in document order, without keys (Q6).

    Args:
        value: dict, list or scalar; depth is bounded only by memory (no recursion).
        skip: Keys whose subtree is left out.
    """
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if item:
                yield item
        elif isinstance(item, dict):
            stack.extend(_of_object(k, v, item) for k, v in reversed(item.items()) if k not in skip)
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(_of_list(item)) if item else ())


def _of_object(key: str, value: object, among: Mapping[str, object]) -> object:
    """Return a value of an object as it is told; one called `value` has the name beside it."""
    return _told((among.get("name") or among.get("key")) if key == "value" else key, value)


def _of_list(words: Sequence[object]) -> list[object]:
    """Return the values of a list as they are told; behind `--token` stands what it names."""
    flags = ["", *words[:-1]]
    return [
        _told(flag, word) if isinstance(flag, str) and flag[:1] == "-" else word
        for flag, word in zip(flags, words, strict=True)
    ]


def _told(name: object, value: object) -> object:
    """Return a value; a secret with its name, in JSON, as the rules for secrets know it."""
    if not isinstance(value, str) or not isinstance(name, str):
        return value
    if not _may_name_secret(name) or len(value) > _LONGEST_SECRET:
        return value
    from recall_tui.text.redact import is_secret  # noqa: PLC0415 - hardly any key asks for it

    told = f'"{name}":"{value}"'
    return told if is_secret(told) and not is_secret(value) else value


_LONGEST_SECRET: Final = 4096


@lru_cache(maxsize=4096)
def _may_name_secret(name: str) -> bool:
    low = name[:256].lower()
    return any(word in low for word in ("pass", "pwd", "secret", "token", "cred", "key", "auth"))


PROJECTED: Final = (
    "command",
    "cmd",
    "script",
    "file_path",
    "filePath",
    "filepath",
    "notebook_path",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "directory",
    "dir",
    "workdir",
    "cwd",
    "pattern",
    "query",
    "regex",
    "glob",
    "include",
    "url",
    "uri",
    "title",
    "description",
    "name",
    "subagent_type",
    "skill",
)
"""Argument keys of a tool call that the agents' path sees, in the order they are shown (Q5)."""


_PLACES: Final = {key: place for place, key in enumerate(PROJECTED)}


def project(arguments: object, order: Iterable[str] = PROJECTED) -> tuple[str, str]:
    """Split a tool call's arguments into (projection, rest), each one string leaf a line.

    The projection is the small fixed part of Q5: command, paths, pattern, URL, title. A list of
    words under `command` (Codex `shell`) is one line. URLs lose their query there (it may carry
    tokens); whole they stand in the rest, where a person who pastes one finds it.

    Args:
        arguments: The decoded arguments; a string (undecodable JSON, a patch) is all rest unless
            it is short.
        order: Keys to project.
    """
    if isinstance(arguments, str):
        return ("", arguments)
    if not isinstance(arguments, dict):
        return ("", "\n".join(leaves(arguments)))
    places = _PLACES if order is PROJECTED else {key: place for place, key in enumerate(order)}
    seen: list[tuple[int, str]] = []
    rest: list[str] = []
    for key, value in arguments.items():
        place = places.get(key)
        if isinstance(value, str):
            if place is None:
                if value:
                    rest.append(str(_of_object(key, value, arguments)))
            elif value:
                if key in ("url", "uri") and "?" in value:
                    rest.append(value)
                    value = value.partition("?")[0]  # noqa: PLW2901 - what is shown of it
                seen.append((place, value))
        elif (
            place is not None
            and isinstance(value, list)
            and value
            and all(isinstance(word, str) for word in value)
        ):
            seen.append((place, (" " if key in ("command", "cmd") else "\n").join(value)))
        elif value:
            rest.extend(leaves(value))
    seen.sort()
    return ("\n".join([text for _, text in seen]), "\n".join(rest))


_CHANGES: Final = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("oldText", "newText"),
    ("old_str", "new_str"),
)
"""How the programs call what an edit takes out and what it puts in."""


def changes(arguments: object, text: str, rest: str) -> tuple[int, ...]:
    """Return where in an edit's text the lines stand that it takes out and puts in.

    Args:
        arguments: The decoded arguments.
        text: Their projection, as `project` returned it.
        rest: The other leaves, likewise.

    Returns:
        Lines of both together; then of each change its first line, from 0, the number of lines
        taken out and of those put in, which follow. Nothing for other calls.
    """
    if not isinstance(arguments, dict):
        return ()
    several = arguments.get("edits")
    above = _lines(text)
    found: list[int] = []
    end = 0
    for edit in several if isinstance(several, list) else (arguments,):
        old, new = _change(edit)
        both = "\n".join(filter(None, (old, new)))
        start = rest.find(both, end) if both else -1
        if start < 0 or (start and rest[start - 1] != "\n"):
            continue
        end = start + len(both)
        found += (above + rest.count("\n", 0, start), _lines(old), _lines(new))
    return (above + _lines(rest), *found) if found else ()


def _change(edit: object) -> tuple[str, str]:
    """Return what an edit takes out and puts in; nothing of what is none."""
    if not isinstance(edit, dict):
        return "", ""
    for pair in _CHANGES:
        if pair[0] in edit or pair[1] in edit:
            old, new = (edit.get(key) or "" for key in pair)
            if isinstance(old, str) and isinstance(new, str):
                return old, new
    return "", ""


def _lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0
