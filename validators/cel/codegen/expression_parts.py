"""Pieces of generated source: their static types, the names and constants in them, and the data that they read."""

from dataclasses import dataclass, replace
from typing import Protocol

from ovnguard.validators.cel.codegen.call_forms import is_scalar
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.static_types import Type


class Unsupported(Exception):
    """The rule has no generated form. The exact evaluator runs it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of source with its static type, and the declaration of the data that it reads (None: computed)."""

    source: str
    type: Type
    decl: Decl | None = None


def converted(decl: Decl) -> bool:
    """Return whether data under the declaration is converted before an expression sees it."""
    return decl.format in {"byte", "date", "date-time", "duration"} and decl.shape == "string"


def int_or_string(part: Part) -> bool:
    """Return whether the part is data that is either a number or a text."""
    return part.decl is not None and part.decl.shape == "int-or-string" and part.type.kind == "dyn"


def common(one: Part, two: Part) -> Decl | None:
    """Return the declaration that both branches have. Scalars need none."""
    if one.decl is two.decl:
        return one.decl
    if is_scalar(one.type) and is_scalar(two.type):
        return None
    raise Unsupported


def callable_with(part: Part) -> bool:
    """Return whether library functions accept the part as it is: scalars, opaque values, lists of scalars."""
    if part.type.kind == "list":
        decl = part.decl
        plain = decl is None or (decl.element is not None and decl.element.shape in {"string", "integer", "boolean"})
        return plain and is_scalar(part.type.params[0]) and (decl is None or not converted_element(decl))
    return is_scalar(part.type) or (part.type.kind in {"opaque", "struct", "duration"} and part.decl is None)


def converted_element(decl: Decl) -> bool:
    """Return whether elements of a list are converted, or may be null."""
    return decl.element is not None and (decl.element.nullable or converted(decl.element))


def findable(wanted: Type, container: Type) -> bool:
    """Return whether Python finds in a container what CEL finds: only scalars of one type, since Python's True equals
    1.
    """
    return is_scalar(wanted) and container.params[0] == wanted


_INVALID = Decl("invalid")


def without_schema(decl: Decl) -> Decl:
    """Return the declaration of data that an optional variable holds, which has lost its schema.

    What the schema would change is left out: formats, numbers, the order of sets, escaped names, null that counts as
    absent. A rule that needs it has no generated form. See `validators.cel.evaluation.native_conversion.native`.
    """
    match decl.shape:
        case "number":
            return _INVALID
        case "string" if converted(decl):
            return _INVALID
        case "array" | "map":
            element = decl.element
            kept = None if element is None or element.nullable else without_schema(element)
            return replace(decl, element=kept, list_type="", list_keys=())
        case "object":
            properties = decl.properties or {}
            fields = {
                identifier: name
                for identifier, name in decl.fields.items()
                if identifier == name and not properties[name].nullable
            }
            return replace(
                decl, fields=fields, properties={name: without_schema(properties[name]) for name in fields.values()}
            )
        case _:
            return decl


class Names(Protocol):
    """Allocates names that are unique in the generated code."""

    def constant(self, value: object) -> str:
        """Return the name of a constant."""

    def function(self, overload: Overload) -> str:
        """Return the name of a call's implementation. Raises `Unsupported`."""

    def matcher(self, pattern: str) -> str:
        """Return the name of a pattern's test. Raises `Unsupported` for a bad pattern."""

    def comparer(self, decl: Decl) -> str:
        """Return the name of a test for equality of data under a declaration. Raises `Unsupported`."""

    def variable(self) -> str:
        """Return the name of a new local variable."""
