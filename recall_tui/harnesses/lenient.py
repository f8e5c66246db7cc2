"""Decoding into typed structs, and what to do when a known field has a new type.

Programs change the type of a field from one release to the next. The strict decoder then refuses
the whole line; here it is read again field by field, so that one odd field costs only itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
Number = Annotated[float, msgspec.Meta(ge=0, le=1 << 50)]
"""Numbers of tokens: one beyond reason is left out, for sums must fit into 64 bits."""

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
            if field.name in rescue:
                found[field.name] = rescue[field.name](raw)
            else:
                fitting = _fitting(raw, field.type, rescue)
                if fitting is not None:
                    found[field.name] = fitting
    return kind(**found)


def _fitting(
    raw: msgspec.Raw, kind: object, rescue: Mapping[str, Callable[[msgspec.Raw], object]]
) -> object:
    """Return what of a value fits a field's type, None when nothing does.

    A list keeps the elements that fit; an object in its place is its one element.
    """
    first = _first(raw)
    for option in get_args(kind) or (kind,):
        if isinstance(option, type) and issubclass(option, msgspec.Struct) and first == b"{":
            return lenient(raw, option, rescue)
    for option in (kind, *get_args(kind)):
        if get_origin(option) is list and first in (b"[", b"{"):
            (inner,) = get_args(option)
            items = msgspec.json.decode(raw, type=list[msgspec.Raw]) if first == b"[" else [raw]
            if inner is msgspec.Raw:
                return items
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                return [block for item in items for block in _blocks(item, inner, rescue)]
    return None


def _blocks(
    raw: msgspec.Raw, kind: type[_S], rescue: Mapping[str, Callable[[msgspec.Raw], object]]
) -> list[_S]:
    """Return the struct of one element; a bare string among blocks of text is such a block."""
    if _first(raw) == b"{":
        return [lenient(raw, kind, rescue)]
    if _first(raw) == b'"' and kind.__struct_fields__[:2] == ("type", "text"):
        return [kind("text", msgspec.json.decode(raw))]
    return []


def _first(raw: msgspec.Raw) -> bytes:
    return bytes(memoryview(raw)[:1])
