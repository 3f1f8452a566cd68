"""Static types and how cel-go prints them.

Source: cel-go, ``checker.FormatCELType``.
"""

from typing import Final, NamedTuple


class Type(NamedTuple):
    """A type: ``kind`` as in cel-go, ``name`` for object and opaque types and type parameters, ``params`` inside."""

    kind: str
    name: str = ""
    params: tuple["Type", ...] = ()

    def __str__(self) -> str:
        return _format(self)


NULL: Final = Type("null")
BOOL: Final = Type("bool")
INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
DYN: Final = Type("dyn")
ANY: Final = Type("any")
TYPE: Final = Type("type")
ERROR: Final = Type("error")
WRAPPER: Final = "wrapper"
SCALARS: Final = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


def list_of(element: Type) -> Type:
    """``list(element)``."""
    return Type("list", "", (element,))


def map_of(key: Type, value: Type) -> Type:
    """``map(key, value)``."""
    return Type("map", "", (key, value))


def type_of(inner: Type) -> Type:
    """``type(inner)``, the type of types."""
    return Type("type", "", (inner,))


def optional_of(inner: Type) -> Type:
    """``optional_type(inner)``."""
    return Type("opaque", "optional_type", (inner,))


def wrapper(kind: str) -> Type:
    """A scalar type that may also be null, as in the wrapper messages of protobuf."""
    return Type(kind, WRAPPER)


def alike(one: Type, two: Type) -> bool:
    """Return whether two types are the same except for a wrapper."""
    return one == two or (one.kind == two.kind and WRAPPER in {one.name, two.name})


def opaque(name: str) -> Type:
    """A type without visible structure, such as ``net.IP``."""
    return Type("opaque", name)


def struct(name: str) -> Type:
    """An object type. The checker's environment has its fields."""
    return Type("struct", name)


def param(name: str) -> Type:
    """A type parameter."""
    return Type("param", name)


def unwrap_optional(held: Type) -> tuple[Type, bool]:
    """Return the type inside an optional, and whether there was one."""
    if held.kind == "opaque" and held.name == "optional_type":
        return held.params[0], True
    return held, False


def _format(held: Type) -> str:
    inner = ", ".join(map(_format, held.params))
    match held.kind:
        case "error":
            return "!error!"
        case "list":
            return f"list({inner})"
        case "map":
            return f"map({inner})"
        case "type":
            return f"type({inner})" if inner else "type"
        case "opaque":
            return f"{held.name}({inner})" if inner else held.name
        case "struct" | "param":
            return held.name
        case _:
            return f"wrapper({held.kind})" if held.name == WRAPPER else held.kind


def format_signature(arguments: list[Type], *, member: bool) -> str:
    """Return the arguments of a call as errors show them: ``(int, int)`` or ``string.(int)``."""
    shown = [str(argument) for argument in arguments]
    if member:
        return f"{shown[0]}.({', '.join(shown[1:])})"
    return f"({', '.join(shown)})"
