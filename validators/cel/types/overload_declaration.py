"""Function declarations, which the library modules write as text: ``"list(T).indexOf(T) -> int"``.

Capital letters are type parameters. A receiver before the first dot makes a member overload. Functions with dots in
their names (``sets.contains``) are global and start with a ``:``.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.lazy_pattern import lazy_pattern

Implementation: TypeAlias = Callable[..., Any]

_NAMED: Final = {
    **{t.kind: t for t in (types.BOOL, types.INT, types.UINT, types.DOUBLE, types.STRING, types.BYTES, types.DYN)},
    "null": types.NULL,
    "timestamp": types.TIMESTAMP,
    "duration": types.DURATION,
    "IP": types.opaque("net.IP"),
    "CIDR": types.opaque("net.CIDR"),
    "Quantity": types.struct("kubernetes.Quantity"),
    "Semver": types.struct("kubernetes.Semver"),
    "URL": types.struct("kubernetes.URL"),
    "Format": types.struct("kubernetes.NamedFormat"),
    "Authorizer": types.struct("kubernetes.authorization.Authorizer"),
    "PathCheck": types.struct("kubernetes.authorization.PathCheck"),
    "GroupCheck": types.struct("kubernetes.authorization.GroupCheck"),
    "ResourceCheck": types.struct("kubernetes.authorization.ResourceCheck"),
    "Decision": types.struct("kubernetes.authorization.Decision"),
}
_TOKEN: Final = lazy_pattern(r"\w+|[()]")


class Overload(NamedTuple):
    """One way to call a function. ``implementation`` takes the receiver first. It is None if nothing can run it.

    The types are kept as text, because a process that evaluates compiled rules needs few of them.
    """

    function: str
    id: str
    member: bool
    argument_types: str
    result_type: str
    implementation: Implementation | None
    non_strict: bool = False
    release: int | None = None
    """The release with this implementation, or None if every release since the function's introduction has it."""

    @property
    def arguments(self) -> tuple[Type, ...]:
        """The types of the arguments, the receiver first."""
        return _types(self.argument_types)

    @property
    def result(self) -> Type:
        """The type of the result."""
        return _types(self.result_type)[0]

    @property
    def key(self) -> tuple[str, str, int | None]:
        """The arguments of `environments.find_overload` that find this overload."""
        return self.function, self.id, self.release

    def of_release(self, release: int) -> "Overload":
        """Return the same overload for one release only."""
        return self._replace(release=release)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the type parameters, in order of appearance."""
        found: dict[str, None] = {}
        for held in (*self.arguments, self.result):
            _collect(held, found)
        return tuple(found)


def _collect(held: Type, found: dict[str, None]) -> None:
    if held.kind == "param":
        found[held.name] = None
    for inner in held.params:
        _collect(inner, found)


def overload(
    overload_id: str, text: str, implementation: Implementation | None, *, non_strict: bool = False
) -> Overload:
    """Read one declaration."""
    head, _, result = text.rpartition(" -> ")
    receiver, _, call = ("", "", head[1:]) if head.startswith(":") else head.rpartition(".")
    function, _, arguments = call.removesuffix(")").partition("(")
    taken = f"{receiver}, {arguments}" if receiver else arguments
    return Overload(function, overload_id, bool(receiver), taken, result, implementation, non_strict)


@cache
def _types(text: str) -> tuple[Type, ...]:
    """Read types with commas between them."""
    words = _TOKEN.findall(text)
    words.reverse()
    found = []
    while words:
        found.append(_type(words))
    return tuple(found)


def _type(words: list[str]) -> Type:
    """Read one type from the end of the words."""
    name = words.pop()
    if not words or words[-1] != "(":
        return types.param(name) if len(name) == 1 and name.isupper() else _NAMED[name]
    words.pop()
    inner = []
    while words[-1] != ")":
        inner.append(_type(words))
    words.pop()
    return types.optional_of(inner[0]) if name == "optional" else Type(name, "", tuple(inner))
