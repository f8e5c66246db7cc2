"""`typing.NamedTuple` for a sixth of what one costs to make: a start makes forty of them.

The standard library's writes a constructor as text and compiles it, and each annotation that is
text as well: 0.7 million instructions a class. Here the first object made compiles the constructor,
and annotations are only names. What is made behaves like the standard library's, and type checkers
see that.
"""

import sys

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
"""Stands for `typing.TYPE_CHECKING`: `typing` itself is 5 ms that `--help` does not need."""

if TYPE_CHECKING or sys.version_info >= (3, 14):  # from then on annotations are compiled late
    from typing import NamedTuple
else:
    from _collections import _tuplegetter

    class _Maker(type):
        """Makes the classes whose body names the fields."""

        def __new__(cls, name, bases, body):
            if bases == (tuple,) or NamedTuple not in bases:  # the base, or what inherits fields
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"a field of {name} without a default follows one that has one")
            getters = {field: _tuplegetter(at, None) for at, field in enumerate(fields)}
            known = {"__slots__": (), "__match_args__": fields, "_fields": fields}
            return super().__new__(
                cls, name, bases, {**body, **getters, **known, "_field_defaults": defaults}
            )

    class NamedTuple(tuple, metaclass=_Maker):
        """Base of tuples whose fields have names; see `typing.NamedTuple`."""

        __slots__ = ()

        def __new__(cls, /, *values, **named):
            """Make an object; later ones are made by a constructor of the class's own."""
            cls.__new__ = staticmethod(_constructor(cls))
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            values = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(values)})"

        def __getnewargs__(self):
            return tuple(self)

    def _constructor(cls):
        names = ", ".join(cls._fields)
        text = f"lambda _cls, {names}: _new(_cls, ({names}{',' if names else ''}))"
        made = eval(text, {"_new": tuple.__new__, "__builtins__": {}})  # noqa: S307 - names of fields
        made.__defaults__ = tuple(cls._field_defaults.values())
        made.__name__ = "__new__"
        made.__qualname__ = f"{cls.__qualname__}.__new__"
        return made
