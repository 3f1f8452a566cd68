"""Function declarations, which the library modules write as text: ``"list(T).indexOf(T) -> int"``.

Capital letters are type parameters. A receiver before the first dot makes a member overload. Functions with dots in
their names (``sets.contains``) are global and start with a ``:``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from validators.cel import types
from validators.cel.types import Type

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
_TOKEN: Final = re.compile(r"[A-Za-z_@][\w@]*|->|[().,:]")


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a function. ``implementation`` takes the receiver first. It is None if nothing can run it."""

    function: str
    id: str
    member: bool
    arguments: tuple[Type, ...]
    result: Type
    implementation: Implementation | None
    non_strict: bool = False
    release: int | None = None
    """The release with this implementation, or None if every release since the function's introduction has it."""

    @property
    def key(self) -> tuple[str, str, int | None]:
        """The arguments of `environments.find_overload` that find this overload."""
        return self.function, self.id, self.release

    def of_release(self, release: int) -> "Overload":
        """Return the same overload for one release only."""
        parts = (self.function, self.id, self.member, self.arguments, self.result, self.implementation)
        return Overload(*parts, self.non_strict, release)

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
    head, _, result = text.rpartition("->")
    name, arguments, member = _head(head.strip())
    made = _Reader(result.strip()).type()
    return Overload(name, overload_id, member, arguments, made, implementation, non_strict)


def _head(text: str) -> tuple[str, tuple[Type, ...], bool]:
    if text.startswith(":"):
        name, _, rest = text[1:].partition("(")
        return name, _Reader(f"({rest}").arguments(), False
    reader = _Reader(text)
    first = reader.maybe_receiver()
    if first is None:
        name, _, rest = text.partition("(")
        return name, _Reader(f"({rest}").arguments(), False
    return reader.next(), (first, *reader.arguments()), True


class _Reader:
    """Reads types from the text of a declaration."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def next(self) -> str:
        """Return the next word."""
        self.at += 1
        return str(self.tokens[self.at - 1])

    def peek(self) -> str:
        """Return the word after the current one, "" at the end."""
        return str(self.tokens[self.at]) if self.at < len(self.tokens) else ""

    def type(self) -> Type:
        """Read one type."""
        name = self.next()
        if name in {"list", "map", "type", "optional"} and self.peek() == "(":
            return _compound(name, self.arguments())
        if len(name) == 1 and name.isupper():
            return types.param(name)
        return _NAMED[name]

    def arguments(self) -> tuple[Type, ...]:
        """Read the types in parentheses."""
        self.next()
        found = []
        while self.peek() != ")":
            found.append(self.type())
            if self.peek() == ",":
                self.next()
        self.next()
        return tuple(found)

    def maybe_receiver(self) -> Type | None:
        """Return the type before the dot of a member overload, or None for a global function."""
        depth = 0
        for at, word in enumerate(self.tokens):
            depth += (word == "(") - (word == ")")
            if word == "." and depth == 0:
                receiver = self.type()
                self.at = at + 1
                return receiver
        return None


def _compound(name: str, inner: tuple[Type, ...]) -> Type:
    if name == "optional":
        return types.optional_of(inner[0])
    return Type(name, "", inner)
