"""``@dataclass(frozen=True, slots=True)`` in a fifth of its time, for the classes that every short run makes.

The standard module costs 6 ms to import (it brings inspect, ast and dis) and half a millisecond for each class, because
it writes and compiles six methods for each; the fifty classes of a preflight would take a third of its time. Here only
``__init__`` is written, the other methods are shared. To type checkers, and to `dataclasses` itself (``replace``,
``asdict``, ``fields``), the classes are dataclasses.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from operator import attrgetter

    _NONE: Final = object()

    class _Field:
        """What is special about a field; the arguments are those of `dataclasses.field`."""

        __slots__ = ("compare", "default", "default_factory", "hash", "repr")

        def __init__(self, default: Any, default_factory: Any, repr: bool, hash: bool | None, compare: bool) -> None:
            self.default = default
            self.default_factory = default_factory
            self.repr = repr
            self.hash = compare if hash is None else hash
            self.compare = compare

    def field(
        *,
        default: Any = _NONE,
        default_factory: Any = _NONE,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
    ) -> Any:
        """As `dataclasses.field`."""
        return _Field(default, default_factory, repr, hash, compare)

    def dataclass(*, frozen: bool, slots: bool) -> Any:
        """As `dataclasses.dataclass`, in the one form that there is here; the class has no base but object."""
        assert frozen
        assert slots
        return _made

    def replace(obj: Any, /, **changes: Any) -> Any:
        """As `dataclasses.replace`."""
        for name in obj.__slots__:
            if name not in changes:
                changes[name] = getattr(obj, name)
        return type(obj)(**changes)

    def _made(cls: type) -> type:
        plain = _Field(_NONE, _NONE, True, None, True)
        fields = {}
        for name in cls.__annotations__:
            given = cls.__dict__.get(name, _NONE)
            if given is not _NONE and not isinstance(given, _Field):
                given = field(default=given)
            fields[name] = plain if given is _NONE else given
        kept = {key: one for key, one in cls.__dict__.items() if key not in fields and key not in _REMADE}
        made = type(cls)(
            cls.__name__,
            cls.__bases__,
            {
                **_SHARED,
                **kept,
                "__slots__": tuple(fields),
                "__match_args__": tuple(fields),
                "__qualname__": cls.__qualname__,
                "__dataclass_fields__": _Described(fields),
                "_compared": _getter(name for name, one in fields.items() if one.compare),
                "_hashed": _getter(name for name, one in fields.items() if one.hash),
                "_shown": tuple(name for name, one in fields.items() if one.repr),
            },
        )
        made.__init__ = _initialiser(made, fields)
        return made

    _REMADE: Final = frozenset({"__dict__", "__weakref__"})

    def _getter(names: Iterable[str]) -> Callable[[Any], Any]:
        found = tuple(names)
        return attrgetter(*found) if found else lambda _: ()

    def _initialiser(cls: type, fields: dict[str, _Field]) -> Callable[..., None]:
        # the setters of the slots are a third faster than object.__setattr__, which looks for them every time
        names = {"_none": _NONE, **{f"_set_{name}": getattr(cls, name).__set__ for name in fields}}
        parameters, lines = [], []
        for name, one in fields.items():
            value = name
            if one.default is not _NONE:
                names[f"_default_{name}"] = one.default
                parameters.append(f"{name}=_default_{name}")
            elif one.default_factory is not _NONE:
                names[f"_make_{name}"] = one.default_factory
                parameters.append(f"{name}=_none")
                value = f"_make_{name}() if {name} is _none else {name}"
            else:
                parameters.append(name)
            lines.append(f" _set_{name}(self, {value})")
        # Only names of our own attributes stand in this text.
        exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), names)  # noqa: S102
        return names["__init__"]

    class _Described:
        """The description that `dataclasses` looks for, made when it is looked for."""

        def __init__(self, fields: dict[str, _Field]) -> None:
            self._fields = fields

        def __get__(self, _obj: Any, owner: type) -> Any:
            from dataclasses import MISSING, make_dataclass  # noqa: PLC0415 - see the top
            from dataclasses import field as standard  # noqa: PLC0415

            def known(value: Any) -> Any:
                return MISSING if value is _NONE else value

            twin = make_dataclass(
                owner.__name__,
                [
                    (
                        name,
                        owner.__annotations__[name],
                        standard(
                            default=known(one.default),
                            default_factory=known(one.default_factory),
                            repr=one.repr,
                            hash=one.hash,
                            compare=one.compare,
                        ),
                    )
                    for name, one in self._fields.items()
                ],
            )
            # `dataclasses.replace` looks at every call, and making a twin takes milliseconds
            owner.__dataclass_fields__ = twin.__dataclass_fields__
            return twin.__dataclass_fields__

    def _eq(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self._compared(self) == self._compared(other)

    def _hash(self: Any) -> int:
        return hash(self._hashed(self))

    def _repr(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)
        return f"{type(self).__qualname__}({shown})"

    def _frozen(self: Any, name: str, *_value: Any) -> None:
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - see the top

        raise FrozenInstanceError(f"cannot change field {name!r}")

    def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__)

    _SHARED: Final[dict[str, Any]] = {
        "__eq__": _eq,
        "__hash__": _hash,
        "__repr__": _repr,
        "__setattr__": _frozen,
        "__delattr__": _frozen,
        "__reduce__": _reduce,
    }

__all__ = ["dataclass", "field", "replace"]
