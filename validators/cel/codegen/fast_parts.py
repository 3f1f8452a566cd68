"""Pieces of fast source, and what may be done with the data that they read."""

from dataclasses import dataclass

from validators.cel.codegen.fast_calls import is_scalar
from validators.cel.decl import Decl
from validators.cel.types import Type


class Unsupported(Exception):
    """The rule has no fast form; the exact evaluator runs it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of source with its static type, and the declaration of the data it reads (None: computed)."""

    source: str
    type: Type
    decl: Decl | None = None


def converted(decl: Decl) -> bool:
    """Whether data under the declaration becomes another value before an expression sees it."""
    return decl.format in {"byte", "date", "date-time", "duration"} and decl.shape == "string"


def int_or_string(part: Part) -> bool:
    """Whether the part is data that is either a number or a text."""
    return part.decl is not None and part.decl.shape == "int-or-string" and part.type.kind == "dyn"


def common(one: Part, two: Part) -> Decl | None:
    """The declaration that both branches have; scalars need none."""
    if one.decl is two.decl:
        return one.decl
    if is_scalar(one.type) and is_scalar(two.type):
        return None
    raise Unsupported


def callable_with(part: Part) -> bool:
    """Whether library functions take the part as it is: scalars, opaque values, lists of scalars."""
    if part.type.kind == "list":
        decl = part.decl
        plain = decl is None or (decl.element is not None and decl.element.shape in {"string", "integer", "boolean"})
        return plain and is_scalar(part.type.params[0]) and (decl is None or not converted_element(decl))
    return is_scalar(part.type) or (part.type.kind in {"opaque", "struct", "duration"} and part.decl is None)


def converted_element(decl: Decl) -> bool:
    """Whether elements of a list are converted, or may be null."""
    return decl.element is not None and (decl.element.nullable or converted(decl.element))


def findable(wanted: Type, container: Type) -> bool:
    """Whether Python finds in a container what CEL finds: scalars among their like, since to Python true is 1."""
    return is_scalar(wanted) and container.params[0] == wanted
