"""Choosing among overloads at run time, where static types did not.

Source: cel-go ``common/decls`` (run-time signatures of overloads): a container fits when its first element does.
"""

from collections.abc import Callable, Sequence
from typing import Final

from validators.cel.operations import LISTS, MAPS, checked, no_overload, type_name
from validators.cel.signature import Overload
from validators.cel.types import Type
from validators.cel.values import Value

_RUNTIME: Final = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "null": "null_type",
}


def fits(held: Type, value: Value) -> bool:
    """Whether a value may be passed for a parameter of this type."""
    kind = held.kind
    if kind in {"dyn", "param", "error"}:
        return True
    name = type_name(value)
    if kind == "list":
        return type(value) in LISTS and (len(value) == 0 or fits(held.params[0], next(iter(value))))
    if kind == "map":
        if type(value) not in MAPS:
            return False
        for key in value:
            return fits(held.params[0], key) and fits(held.params[1], checked(value.find(key)[1]))
        return True
    if kind in {"opaque", "struct"}:
        return name == held.name
    return name == _RUNTIME.get(kind, kind)


def guarded(choices: Sequence[Overload], constants: Sequence[Value], *, checked: bool) -> Callable[..., Value]:
    """One callable for the overloads; with ``checked`` types and one overload it is the implementation itself."""
    single = choices[0].implementation if len(choices) == 1 else None
    if single is not None and checked:
        return single
    candidates = [
        (one.arguments, one.implementation)
        for one in choices
        if one.implementation is not None and len(one.arguments) == len(constants)
    ]

    def call(*arguments: Value) -> Value:
        for wanted, implementation in candidates:
            if all(map(fits, wanted, arguments)):
                return implementation(*arguments)
        raise no_overload()

    return call
