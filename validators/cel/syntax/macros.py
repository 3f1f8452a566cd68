"""Macros: calls that the parser turns into presence tests, comprehensions and conditionals before type-checking.

Source: CEL language definition, "Macros"; cel-go ``ext`` packages for two-variable comprehensions, ``sortBy``; cel-go
optional types for ``optMap`` and ``optFlatMap``. The shape of each comprehension decides its cost, so it is cel-go's.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.ast import ACCUMULATOR
from ovnguard.validators.cel.syntax.dialect import LEGACY_ACCUMULATOR
from ovnguard.validators.cel.syntax.node_factory import NodeFactory

BOUND_UNUSED: Final = "#unused"
_ACCUMULATORS: Final = frozenset({ACCUMULATOR, LEGACY_ACCUMULATOR})
SORT_INPUT: Final = "@__sortBy_input__"

Args: TypeAlias = tuple[ast.Expr, ...]
Expander: TypeAlias = Callable[[NodeFactory, int, ast.Expr, Args], ast.Expr]


class MacroError(Exception):
    """The arguments do not fit the macro. ``pos`` is the position of the first bad one."""

    def __init__(self, pos: int, message: str) -> None:
        super().__init__(message)
        self.pos = pos
        self.message = message


def has(build: NodeFactory, pos: int, args: Args) -> ast.Expr:
    """``has(e.f)``."""
    arg = args[0]
    if isinstance(arg, ast.Select) and not arg.test_only:
        return ast.Select(build.id(), pos, arg.operand, arg.field, test_only=True)
    raise MacroError(arg.pos, "invalid argument to has() macro")


def _name(arg: ast.Expr, message: str = "argument must be a simple name") -> str:
    if not isinstance(arg, ast.Ident):
        raise MacroError(arg.pos, message)
    return arg.name


def _reserved(build: NodeFactory) -> frozenset[str]:
    """Names that no variable may have. An accumulator with an ordinary name is hidden by a variable instead."""
    return _ACCUMULATORS if build.dialect.accumulator == ACCUMULATOR else frozenset()


def _one(build: NodeFactory, args: Args, message: str) -> tuple[str, str]:
    name = _name(args[0], message)
    if name in _reserved(build):
        raise MacroError(args[0].pos, "iteration variable overwrites accumulator variable")
    return name, ""


def _two(build: NodeFactory, args: Args) -> tuple[str, str]:
    first, second = _name(args[0]), _name(args[1])
    if first == second:
        raise MacroError(args[1].pos, f"duplicate variable name: {first}")
    for arg, name in ((args[0], first), (args[1], second)):
        if name in _reserved(build):
            raise MacroError(arg.pos, "iteration variable overwrites accumulator variable")
    return first, second


def _names(build: NodeFactory, args: Args, body: int) -> tuple[tuple[str, str], Args]:
    """Return the variables and what follows them: ``body`` parts after one variable, else after two."""
    if len(args) == body + 1:
        return _one(build, args, "argument must be a simple name"), args[1:]
    return _two(build, args), args[2:]


def _all(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    names, (predicate,) = _names(build, args, 1)
    accu = build.literal(pos, True)
    condition = build.call(pos, "@not_strictly_false", build.ident(pos, build.dialect.accumulator))
    step = build.call(pos, "_&&_", build.ident(pos, build.dialect.accumulator), predicate)
    result = build.ident(pos, build.dialect.accumulator)
    accu_pair = (build.dialect.accumulator, accu)
    return build.fold(pos, "all", target, names, accu_pair, condition=condition, step=step, result=result)


def _exists(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    names, (predicate,) = _names(build, args, 1)
    accu = (build.dialect.accumulator, build.literal(pos, False))
    negated = build.call(pos, "!_", build.ident(pos, build.dialect.accumulator))
    condition = build.call(pos, "@not_strictly_false", negated)
    step = build.call(pos, "_||_", build.ident(pos, build.dialect.accumulator), predicate)
    result = build.ident(pos, build.dialect.accumulator)
    return build.fold(pos, "exists", target, names, accu, condition=condition, step=step, result=result)


def _exists_one(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    names, (predicate,) = _names(build, args, 1)
    accu = (build.dialect.accumulator, build.literal(pos, 0))
    more = build.call(pos, "_+_", build.ident(pos, build.dialect.accumulator), build.literal(pos, 1))
    step = build.call(pos, "_?_:_", predicate, more, build.ident(pos, build.dialect.accumulator))
    result = build.call(pos, "_==_", build.ident(pos, build.dialect.accumulator), build.literal(pos, 1))
    condition = build.literal(pos, True)
    return build.fold(pos, "exists_one", target, names, accu, condition=condition, step=step, result=result)


def _listing(
    build: NodeFactory,
    pos: int,
    target: ast.Expr,
    names: tuple[str, str],
    body: tuple[ast.Expr | None, ast.Expr],
    macro: str,
) -> ast.Expr:
    """Return a comprehension that appends ``body[1]`` to a list where ``body[0]`` (if any) holds."""
    keep, element = body
    accu = (build.dialect.accumulator, ast.ListLiteral(build.id(), pos, ()))
    one = ast.ListLiteral(build.id(), pos, (element,))
    result = build.ident(pos, build.dialect.accumulator)
    grown, kept = (build.copy(result), build.copy(result)) if build.dialect.copies_accumulators else (result, result)
    step = build.call(pos, "_+_", grown, one)
    if keep is not None:
        step = build.call(pos, "_?_:_", keep, step, kept)
    condition = build.literal(pos, True)
    return build.fold(pos, macro, target, names, accu, condition=condition, step=step, result=result)


def _map(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    names = _one(build, args, "argument is not an identifier")
    keep = args[1] if len(args) == 3 else None
    return _listing(build, pos, target, names, (keep, args[-1]), "map")


def _filter(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    names = _one(build, args, "argument is not an identifier")
    return _listing(build, pos, target, names, (args[1], args[0]), "filter")


def _transform_list(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    keep = args[2] if len(args) == 4 else None
    return _listing(build, pos, target, _two(build, args), (keep, args[-1]), "transformList")


def _transform_map(build: NodeFactory, pos: int, target: ast.Expr, args: Args, *, entry: bool = False) -> ast.Expr:
    names = _two(build, args)
    accu = (build.dialect.accumulator, ast.MapLiteral(build.id(), pos, ()))
    keys = () if entry else (build.ident(pos, names[0]),)
    step = build.call(pos, "cel.@mapInsert", build.ident(pos, build.dialect.accumulator), *keys, args[-1])
    if len(args) == 4:
        step = build.call(pos, "_?_:_", args[2], step, build.ident(pos, build.dialect.accumulator))
    condition, result = build.literal(pos, True), build.ident(pos, build.dialect.accumulator)
    macro = "transformMapEntry" if entry else "transformMap"
    return build.fold(pos, macro, target, names, accu, condition=condition, step=step, result=result)


def _transform_map_entry(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    return _transform_map(build, pos, target, args, entry=True)


def _bound(build: NodeFactory, pos: int, name: str, value: ast.Expr, body: ast.Expr, result_of: ast.Expr) -> ast.Expr:
    """Return a comprehension over nothing, which only gives ``value`` a name in ``body``."""
    empty = ast.ListLiteral(build.id(), pos, ())
    return build.fold(
        pos,
        "bind",
        empty,
        (BOUND_UNUSED, ""),
        (name, value),
        condition=build.literal(pos, False),
        step=result_of,
        result=body,
    )


def _optional_map(build: NodeFactory, pos: int, target: ast.Expr, args: Args, *, flat: bool = False) -> ast.Expr:
    message = f"{'optFlatMap' if flat else 'optMap'}() variable name must be a simple identifier"
    name = _name(args[0], message)
    present = build.call(pos, "hasValue", target=target)
    value = build.call(pos, "value", target=build.copy(target) if build.dialect.copies_targets else target)
    bound = _bound(build, pos, name, value, args[1], build.ident(pos, name))
    some = bound if flat else build.call(pos, "optional.of", bound)
    return build.call(pos, "_?_:_", present, some, build.call(pos, "optional.none"))


def _optional_flat_map(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    return _optional_map(build, pos, target, args, flat=True)


def _sort_by(build: NodeFactory, pos: int, target: ast.Expr, args: Args) -> ast.Expr:
    if isinstance(target, ast.Literal | ast.MapLiteral | ast.Message):
        message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target.pos, message)
    keys = _map(build, pos, build.ident(pos, SORT_INPUT), args)
    call = build.call(pos, "@sortByAssociatedKeys", keys, target=build.ident(pos, SORT_INPUT))
    return _bound(build, pos, SORT_INPUT, target, call, build.ident(pos, SORT_INPUT))


MEMBER_MACROS: Final[dict[tuple[str, int], Expander]] = {
    ("all", 2): _all,
    ("exists", 2): _exists,
    ("exists_one", 2): _exists_one,
    ("map", 2): _map,
    ("map", 3): _map,
    ("filter", 2): _filter,
    ("optMap", 2): _optional_map,
    ("optFlatMap", 2): _optional_flat_map,
    ("all", 3): _all,
    ("exists", 3): _exists,
    ("existsOne", 3): _exists_one,
    ("exists_one", 3): _exists_one,
    ("transformList", 3): _transform_list,
    ("transformList", 4): _transform_list,
    ("transformMap", 3): _transform_map,
    ("transformMap", 4): _transform_map,
    ("transformMapEntry", 3): _transform_map_entry,
    ("transformMapEntry", 4): _transform_map_entry,
    ("sortBy", 2): _sort_by,
}


def expand(build: NodeFactory, pos: int, function: str, target: ast.Expr | None, args: Args) -> ast.Expr | None:
    """Return the expansion if the call is a macro of this environment, else None. Wrong arguments become issues."""
    try:
        if target is None:
            return has(build, pos, args) if function == "has" and len(args) == 1 else None
        expander = MEMBER_MACROS.get((function, len(args)))
        if expander is None or f"{function}/{len(args)}" not in build.macros:
            return None
        return expander(build, pos, target, args)
    except MacroError as fault:
        return build.issue(fault.pos, fault.message)
