"""The generated code of one rule as a plain function, and the cost that the API server estimates for a rule.

The product writes the same expressions into the module of a definition (`validators.fast.expression_code`).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.codegen.expression_parts import Unsupported
from ovnguard.validators.cel.codegen.function_source import fast_code
from ovnguard.validators.cel.codegen.rule_runtime import HELPERS
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cel.cost.estimate import bound, estimate
from ovnguard.validators.cel.library.regex import compiled as compiled_pattern
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.errors import ABSENT, EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.values.json_values import wrap
from ovnguard.validators.cel.values.operations import equal

_INT_END: Final = 2**63
_CACHED: Final = 1024
_LONG: Final = 1024
FALLBACK: Final = (
    EvalError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


def estimated_cost(rule: Rule) -> int:
    """The most that one evaluation costs."""
    return estimate(rule.compiled.checked, rule.decl).max


def estimated_message_cost(rule: Rule) -> int:
    """The same for messageExpression, 0 without one."""
    return 0 if rule.message_compiled is None else estimate(rule.message_compiled.checked, rule.decl).max


def cost_bound(rule: Rule, size: int) -> int:
    """What one evaluation cannot exceed when no text, list or map has more than ``size`` parts."""
    return bound(rule.compiled.checked, rule.decl, size)


def fast(rule: Rule) -> Callable[[Any, Any], Any] | None:
    """The rule as a function of self and oldSelf, None when it has no such form.

    True is final on data that has the schema's types exactly.
    """
    try:
        return _function(rule.compiled.checked, rule.decl)
    except Unsupported:
        return None


def confirms(rule: Rule, value: Any, old: Any = ABSENT) -> bool:
    """Whether the generated form accepts. False decides nothing."""
    function = fast(rule)
    if function is None or (old is ABSENT and rule.is_transition and not rule.optional_old_self):
        return False
    before = None if old is ABSENT else old
    if not conforms(value, rule.decl) or (before is not None and not conforms(before, rule.decl)):
        return False
    try:
        return function(value, before) is True
    except FALLBACK:
        return False


def _function(checked: CheckedExpression, decl: Decl) -> Callable[[Any, Any], Any]:
    """Return the generated form as a function of (self, oldSelf). Raises `Unsupported`."""
    names = FunctionNames()
    code = fast_code(checked, decl, names)
    scope: dict[str, Any] = {"__builtins__": {}, **HELPERS, **names.constants}
    made: Callable[[Any, Any], Any] = eval(compile(f"lambda value, old: {code}", "<rule>", "eval"), scope)
    return made


class FunctionNames:
    """Names of one generated function."""

    def __init__(self) -> None:
        self.count = 0
        self.constants: dict[str, Any] = {}

    def constant(self, value: object) -> str:
        self.count += 1
        self.constants[f"k{self.count}"] = value
        return f"k{self.count}"

    def function(self, overload: Overload) -> str:
        return self.constant(overload.implementation)

    def matcher(self, pattern: str) -> str:
        engine = compiled_pattern(pattern)
        if isinstance(engine, str):
            raise Unsupported
        return self.constant(matcher(engine))

    def comparer(self, decl: Decl) -> str:
        return self.constant(comparer(decl))

    def variable(self) -> str:
        self.count += 1
        return f"kv{self.count}"


def matcher(engine: Any) -> Callable[[str], bool]:
    """Return a test against a compiled pattern that caches its results for short texts."""
    search = engine.search

    @lru_cache(maxsize=_CACHED)
    def remembered(text: str) -> bool:
        return search(text) is not None

    def matches(text: str) -> bool:
        return remembered(text) if len(text) <= _LONG else search(text) is not None

    return matches


def comparer(decl: Decl) -> Callable[[Any, Any], bool]:
    """Return a test for equality of data under one declaration: fast for identical data, exact otherwise."""

    def same(one: Any, two: Any) -> bool:
        return one == two or equal(wrap(one, decl), wrap(two, decl))

    return same


_KINDS: Final = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "int-or-string": (int, str),
}


def conforms(value: Any, decl: Decl) -> bool:
    """Return whether data has exactly the types that generated code relies on.

    Data without a schema may be anything.
    """
    if value is None:
        return decl.nullable
    kinds = _KINDS.get(decl.shape)
    if kinds is not None:
        return type(value) in kinds and (type(value) is not int or -_INT_END <= value < _INT_END)
    if decl.shape == "array":
        element = decl.element
        return type(value) is list and element is not None and all(conforms(one, element) for one in value)
    if decl.shape == "map":
        element = decl.element
        return type(value) is dict and element is not None and all(conforms(one, element) for one in value.values())
    if decl.shape == "object":
        inner = decl.properties or {}
        return type(value) is dict and all(conforms(one, inner[key]) for key, one in value.items() if key in inner)
    return True
