"""Decoding into typed structs, and what to do when a known field has a new type.

Programs change the type of a field from one release to the next. The strict decoder then refuses
the whole line; here it is read again field by field, so that one odd field costs only itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_S = TypeVar("_S", bound=msgspec.Struct)
_NO_RESCUE: Final[Mapping[str, Callable[[msgspec.Raw], object]]] = {}


def decode(
    data: bytes | msgspec.Raw,
    kind: type[_S],
    rescue: Mapping[str, Callable[[msgspec.Raw], object]] = _NO_RESCUE,
) -> _S:
    """Decode an object: strictly when its types are the known ones, else field by field.

    Raises:
        msgspec.MsgspecError, TypeError: It is no such object at all.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError:
        return lenient(data, kind, rescue)


def lenient(
    data: bytes | msgspec.Raw,
    kind: type[_S],
    rescue: Mapping[str, Callable[[msgspec.Raw], object]] = _NO_RESCUE,
) -> _S:
    """Decode an object field by field: one of an unexpected type keeps its default.

    Args:
        data: A JSON object.
        kind: The struct wanted.
        rescue: Field name -> how to read a value of an unexpected type without losing its text.

    Raises:
        msgspec.MsgspecError: It is no JSON object.
        TypeError: A field that must be there is not, or has another type.
    """
    values = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        raw = values.get(field.encode_name)
        if raw is None:
            continue
        try:
            found[field.name] = msgspec.json.decode(raw, type=field.type)
        except msgspec.ValidationError:
            first = bytes(memoryview(raw)[:1])
            inner, inside_list = _struct_of(field.type)
            if field.name in rescue:
                found[field.name] = rescue[field.name](raw)
            elif inner is not None and not inside_list and first == b"{":
                found[field.name] = lenient(raw, inner, rescue)
            elif inner is not None and inside_list and first == b"[":
                found[field.name] = [
                    lenient(item, inner, rescue)
                    for item in msgspec.json.decode(raw, type=list[msgspec.Raw])
                    if bytes(memoryview(item)[:1]) == b"{"
                ]
    return kind(**found)


def _struct_of(kind: object) -> tuple[type[msgspec.Struct] | None, bool]:
    """Return (the struct type among the members of a field's type, whether a list holds it)."""
    for member in (kind, *get_args(kind)):
        if isinstance(member, type) and issubclass(member, msgspec.Struct):
            return member, get_origin(kind) is list
        if get_origin(member) is list:
            inner, _ = _struct_of(member)
            if inner is not None:
                return inner, True
    return None, False
