"""Rules as expressions of the generated module: written by `validators.cel.codegen`, constants in slots."""

import operator
from typing import Final

from validators.cel.codegen.function_source import Names, Unsupported, fast_code
from validators.cel.codegen.rule_runtime import HELPERS
from validators.cel.compiled_rule import Rule
from validators.cel.cost.estimate import bound
from validators.cel.declaration import Decl
from validators.cel.overload_declaration import Overload
from validators.cel.values import UInt
from validators.fast import accept_runtime
from validators.fast.generated_module import Source
from validators.fast.limits import Caps

_SCALARS: Final = frozenset({"string", "integer", "boolean", "number"})


def cost_bound(rule: Rule, caps: Caps, loops: int) -> int:
    """The most that one evaluation can cost within the caps; ``loops`` lists and maps are around the rule's node."""

    def size(decl: Decl, inside: int) -> int:
        if decl.shape in {"array", "map"}:
            return min(decl.max_elements, caps.inner if loops + inside else caps.outer)
        return min(decl.max_elements, caps.text)

    return bound(rule.compiled.checked, rule.decl, size)


def expression(rule: Rule, source: Source, value: str, old: str, *, closed: bool) -> str | None:
    """The rule over the names of self and oldSelf; None if it has no such form.

    The expression is true only if the rule holds. If it is false or raises, the rule may hold or not. ``closed``: the
    data has only fields that the declaration of self has.
    """
    names = _SlotNames(source, closed=closed)
    try:
        text = fast_code(rule.compiled.checked, rule.decl, names, self_name=value, old_name=old).source
    except (Unsupported, ValueError):
        return None
    for name, helper in HELPERS.items():
        source.fixed(name, helper)
    return text


class _SlotNames(Names):
    """Names that are slots of a module."""

    def __init__(self, source: Source, *, closed: bool) -> None:
        super().__init__()
        self._source = source
        self._closed = closed

    def constant(self, value: object) -> str:
        return self._source.uint(int(value)) if isinstance(value, UInt) else self._source.constant(value)

    def variable(self) -> str:
        return self._source.local()

    def function(self, overload: Overload) -> str:
        found = overload.implementation
        if found is None:
            raise Unsupported
        try:
            return self._source.helper(found)
        except ValueError:
            return self._source.overload(overload.function, overload.id)

    def matcher(self, pattern: str) -> str:
        return self._source.pattern(pattern)

    def comparer(self, decl: Decl) -> str:
        if not self._closed:
            # Python would find true and 1 equal in what is not declared.
            raise Unsupported
        return self._source.helper(operator.eq if _is_strict(decl) else accept_runtime.same)


def _is_strict(decl: Decl) -> bool:
    """Whether data under the declaration that differs is surely different to CEL, too.

    Sets and maps as lists have no order, and a null counts as absent.
    """
    if decl.nullable or decl.list_type in {"set", "map"}:
        return False
    inner = [*(decl.properties or {}).values(), *([] if decl.element is None else [decl.element])]
    return (bool(inner) or decl.shape in _SCALARS) and all(map(_is_strict, inner))
