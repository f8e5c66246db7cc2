"""Decoding a JSON line whose fields are not all of the type a reader expects.

Every program changes a field's type some day. A typed decoder then refuses the line; this one
leaves the field out and keeps the record. It is the slow path: call it when the strict one refused.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec

from recall_tui.harnesses.jsonl import BadLine

_S = TypeVar("_S", bound=msgspec.Struct)

_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_array: Final = msgspec.json.Decoder(list[msgspec.Raw])


def lenient(data: bytes | msgspec.Raw, kind: type[_S]) -> _S:
    """Return a struct with the fields of a JSON object that fit; the others keep their defaults.

    In a list of blocks (structs that begin with `type` and `text`) a bare string becomes a text
    block, and an object in place of the list is its one element.

    Raises:
        msgspec.DecodeError: It is not JSON.
        BadLine: It is JSON, but no object.
    """
    try:
        values = _object.decode(data)
    except msgspec.ValidationError:
        raise BadLine from None
    target = kind()
    for field in msgspec.structs.fields(kind):
        raw = values.get(field.encode_name)
        if raw is None:
            continue
        try:
            value = msgspec.json.decode(raw, type=field.type)
        except msgspec.ValidationError:
            value = _fitting(raw, field.type)
            if value is None:
                continue
        setattr(target, field.name, value)
    return target


def _fitting(raw: msgspec.Raw, kind: Any) -> Any:  # noqa: ANN401 - any field of any struct
    """Return what of a value fits a field's type, None when nothing does."""
    first = bytes(memoryview(raw)[:1])
    for option in get_args(kind) or (kind,):
        if first == b"{" and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return lenient(raw, option)
        if get_origin(option) is list and first in (b"[", b"{"):
            (inner,) = get_args(option)
            parts = _array.decode(raw) if first == b"[" else [raw]
            return parts if inner is msgspec.Raw else list(_blocks(parts, inner))
    return None


def _blocks(parts: list[msgspec.Raw], kind: Any) -> Any:  # noqa: ANN401
    """Yield the elements of a list that are or can be made blocks."""
    for part in parts:
        first = bytes(memoryview(part)[:1])
        if first == b"{":
            yield lenient(part, kind)
        elif first == b'"':
            yield kind("text", msgspec.json.decode(part))
