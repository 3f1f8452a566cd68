"""The variables of policy expressions and their static types, and the compilation of one expression.

Source: apiserver ``pkg/admission/plugin/cel`` (compile.go, composition.go): object, oldObject and params are dyn;
request and namespaceObject have declared fields; variables has one field for each variable declared before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from ovnguard.validators.base.cel_names import escape
from ovnguard.validators.base.field import OMITTED, ErrorType, FieldError
from ovnguard.validators.cel import expression_compiler
from ovnguard.validators.cel.evaluation.planner import Program
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type

OBJECT: Final = "object"
OLD_OBJECT: Final = "oldObject"
PARAMS: Final = "params"
REQUEST: Final = "request"
NAMESPACE: Final = "namespaceObject"
AUTHORIZER: Final = "authorizer"
REQUEST_AUTHORIZER: Final = "authorizer.requestResource"
VARIABLES: Final = "variables"

_AUTHZ: Final = "kubernetes.authorization."
_STRINGS: Final = types.list_of(types.STRING)
_TEXT_MAP: Final = types.map_of(types.STRING, types.STRING)
_RUNTIME_NAMES: Final = {
    "null": "null_type",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}
# What a variable may pass on of its type. Everything else becomes dyn.
_KEPT: Final = frozenset({"bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"})


def _plain(held: Type) -> Decl:
    return Decl("unknown", held)


def object_type(name: str, fields: Mapping[str, Type | Decl]) -> Decl:
    """Return an object type with fields. Names that are not identifiers are escaped."""
    made = Decl("object", types.struct(name))
    made.properties = {key: _plain(held) if isinstance(held, Type) else held for key, held in fields.items()}
    made.fields = {escape(key) or key: key for key in fields}
    return made


def authorizer_type() -> Type:
    """Return the type of ``authorizer``."""
    return types.struct(f"{_AUTHZ}Authorizer")


def _list_of(element: Decl) -> Decl:
    return Decl("array", types.list_of(element.type or types.DYN), element=element)


def _texts(names: str) -> dict[str, Type | Decl]:
    return dict.fromkeys(names.split(), types.STRING)


@cache
def request_type() -> Decl:
    """Return the type of ``request``."""
    kind = object_type("kubernetes.GroupVersionKind", _texts("group version kind"))
    resource = object_type("kubernetes.GroupVersionResource", _texts("group version resource"))
    extra = types.map_of(types.STRING, _STRINGS)
    user = object_type("kubernetes.UserInfo", {**_texts("username uid"), "groups": _STRINGS, "extra": extra})
    return object_type(
        "kubernetes.AdmissionRequest",
        {
            **_texts("subResource requestSubResource name namespace operation"),
            **dict.fromkeys(("kind", "requestKind"), kind),
            **dict.fromkeys(("resource", "requestResource"), resource),
            "userInfo": user,
            "dryRun": types.BOOL,
            "options": types.DYN,
        },
    )


@cache
def namespace_type() -> Decl:
    """Return the type of ``namespaceObject``."""
    metadata = object_type(
        "kubernetes.NamespaceMetadata",
        {
            **_texts("name generateName namespace UID resourceVersion"),
            **dict.fromkeys(("labels", "annotations"), _TEXT_MAP),
            **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), types.TIMESTAMP),
            **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), types.INT),
            "finalizers": _STRINGS,
        },
    )
    condition = object_type(
        "kubernetes.NamespaceCondition",
        {**_texts("status type message reason"), "lastTransitionTime": types.TIMESTAMP},
    )
    status = object_type("kubernetes.NamespaceStatus", {"conditions": _list_of(condition), "phase": types.STRING})
    spec = object_type("kubernetes.NamespaceSpec", {"finalizers": _STRINGS})
    return object_type("kubernetes.Namespace", {"metadata": metadata, "spec": spec, "status": status})


@dataclass(frozen=True, slots=True)
class Environment:
    """What one expression may use: the libraries of 1.``minor`` in a server of 1.``release`` (default: the same).

    ``variables`` is None if there is no composition.
    """

    minor: int
    params: bool
    authorizer: bool
    variables: Mapping[str, Type] | None = None
    release: int | None = None

    def declared(self) -> tuple[dict[str, Type], dict[str, Decl]]:
        """Return variables with their types, and the object types in them by name."""
        held: dict[str, Decl] = {REQUEST: request_type(), NAMESPACE: namespace_type()}
        if self.variables is not None:
            held[VARIABLES] = object_type("kubernetes.variables", dict(self.variables))
        objects: dict[str, Decl] = {}
        for decl in held.values():
            expression_compiler.objects_of(decl, objects)
        found = {name: decl.type or types.DYN for name, decl in held.items()}
        found |= {OBJECT: types.DYN, OLD_OBJECT: types.DYN}
        if self.params:
            found[PARAMS] = types.DYN
        if self.authorizer:
            found[AUTHORIZER] = authorizer_type()
            found[REQUEST_AUTHORIZER] = types.struct(f"{_AUTHZ}ResourceCheck")
        return found, objects


@dataclass(frozen=True, slots=True)
class CompileFault:
    """The expression cannot be used. ``internal``: the API server reports it as an internal error."""

    detail: str
    internal: bool = False

    def at(self, path: str, expression: str) -> FieldError:
        """Return the error about the field that contains the expression."""
        if self.internal:
            return FieldError(ErrorType.INTERNAL, path, OMITTED, self.detail)
        return FieldError(ErrorType.INVALID, path, expression, self.detail)


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression. ``result`` is its static type."""

    text: str
    result: Type
    program: Program


def compile_text(text: str, environment: Environment, *wanted: Type) -> Expression | CompileFault:
    """Compile an expression. ``wanted`` are the allowed result types, empty for any."""
    variables, objects = environment.declared()
    try:
        checked = expression_compiler.check_expression(text, variables, objects, environment.minor, environment.release)
    except expression_compiler.CompileError as fault:
        return CompileFault(f"compilation failed: {fault.text}")
    if wanted and checked.result not in wanted:
        allowed = " ".join(map(go_name, wanted))
        want = f"one of [{allowed}]" if len(wanted) > 1 else allowed
        return CompileFault(f"must evaluate to {want} but got {go_name(checked.result)}")
    # Data has no schema, whatever types are declared: every call chooses its overload at run time.
    open_types = checked._replace(types=dict.fromkeys(checked.types, types.DYN))
    try:
        return Expression(text, checked.result, expression_compiler.instantiate(open_types, environment.minor).program)
    except expression_compiler.InstantiationError as fault:
        return CompileFault(f"program instantiation failed: {fault}", internal=True)


def variable_type(held: Type) -> Type:
    """Return the type that later expressions see for a variable."""
    if held.kind in _KEPT:
        return held
    if held.kind in {"list", "map"}:
        return Type(held.kind, "", tuple(map(variable_type, held.params)))
    return types.DYN


def go_name(held: Type) -> str:
    """Return a type as cel-go's ``Type.String`` prints it."""
    if held.kind == "param":
        return f"<{held.name}>"
    name = held.name or _RUNTIME_NAMES.get(held.kind, held.kind)
    if not held.params:
        return name
    return f"{name}({', '.join(map(go_name, held.params))})"
