"""The text of a generated module, and the values of its names.

No text of a definition becomes code: strings, numbers, property names and the called functions of this program are
constants in numbered slots. A slot contains data that `marshal` can write, so a module can be stored and restored
without its definition.

A stored module names its functions. The names are resolved against a fixed registry of modules, `_MODULES`, and the
modules are imported by name when the code first calls them: most objects need none of the CEL libraries, which would
triple the time of a warm start.
"""

import marshal
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import CodeType
from typing import Any, Final, NamedTuple

from ovnguard.validators.cel.values.cel_values import UInt
from ovnguard.validators.fast.pattern_search import Search, searcher

_FILE: Final = "<ovnguard.validators.fast>"
_LIBRARIES: Final = (
    "authz cidr conversions format_string ip k8s_lists lists named_format optionals quantity regex semver sets standard"
    " strings timestamps k8s_url"
)
_MODULES: Final = frozenset(
    {
        "ovnguard.validators.cel.codegen.rule_runtime",
        "ovnguard.validators.cel.values.equality",
        "ovnguard.validators.cel.values.operations",
        "ovnguard.validators.cel.values.time_values",
        "ovnguard.validators.fast.accept_runtime",
        "ovnguard.validators.fast.ordinary_metadata",
        "ovnguard.validators.go.text",
        "ovnguard.validators.go.url",
        *(f"ovnguard.validators.cel.library.{name}" for name in _LIBRARIES.split()),
    }
)
"""The modules whose functions generated code may call."""
_BUILTINS: Final[dict[str, Callable[..., Any]]] = {
    "builtins:len": len,
    "builtins:float": float,
    "builtins:enumerate": enumerate,
    "builtins:str": str,
    "_operator:eq": operator.eq,
}


class Module(NamedTuple):
    """Generated code with its slots.

    ``constants`` are data, ``helpers`` ovnguard's functions as ``module:name``, ``patterns`` RE2 patterns, and
    ``overloads`` unnamed functions of CEL as ``name/overload``; ``uints`` are CEL's unsigned numbers.
    """

    code: CodeType
    constants: tuple[tuple[str, Any], ...]
    helpers: tuple[tuple[str, str], ...]
    patterns: tuple[tuple[str, str], ...]
    overloads: tuple[tuple[str, str], ...] = ()
    uints: tuple[tuple[str, int], ...] = ()

    @property
    def parts(self) -> tuple[Any, ...]:
        """The parts of the module, as data for `marshal`."""
        return (self.code, self.constants, self.helpers, self.patterns, self.overloads, self.uints)

    def load(self) -> dict[str, Any]:
        """Run the module and return its names. Raises ValueError for a helper outside the registry."""
        names: dict[str, Any] = dict(self.constants)
        for slot, helper in self.helpers:
            names[slot] = _late(names, slot, helper)
        for slot, pattern in self.patterns:
            names[slot] = _late_search(names, slot, pattern)
        for slot, overload in self.overloads:
            names[slot] = _find_overload(overload)
        for slot, number in self.uints:
            names[slot] = UInt(number)
        exec(self.code, names)  # noqa: S102 - the text is ours, see the module's docstring
        return names


def _late(names: dict[str, Any], slot: str, helper: str) -> Callable[..., Any]:
    """Return a function that imports the helper at the first call, and puts the helper itself into its slot."""
    if helper in _BUILTINS:
        return _BUILTINS[helper]
    module, _, name = helper.partition(":")
    if module not in _MODULES:
        raise ValueError(f"{helper} is not a function that generated code may call")

    def first(*arguments: Any) -> Any:
        names[slot] = found = getattr(import_module(module), name)
        return found(*arguments)

    return first


def _late_search(names: dict[str, Any], slot: str, pattern: str) -> Search:
    """Likewise, the search function of a pattern, compiled on the first call."""

    def first(text: str) -> bool:
        names[slot] = found = searcher(pattern)
        return found(text)

    return first


def _find_overload(overload: str) -> Callable[..., Any]:
    from ovnguard.validators.cel.checking.environments import (
        find_overload,  # few rules need it, and it loads every library
    )

    function, _, overload_id = overload.partition("/")
    found = find_overload(function, overload_id).implementation
    if found is None:
        raise ValueError(f"{overload} has no implementation")
    return found


def _path(function: Callable[..., Any]) -> str:
    path = f"{function.__module__}:{function.__qualname__}"
    ours = function.__module__ in _MODULES and "." not in function.__qualname__ and "<" not in path
    if not ours and path not in _BUILTINS:
        raise ValueError(f"{path} is not a function that generated code may call")
    return path


class Source:
    """Collects functions and slots."""

    def __init__(self) -> None:
        self._functions: list[str] = []
        self._constants: dict[bytes, tuple[str, Any]] = {}
        self._helpers: dict[str, str] = {}
        self._patterns: dict[str, str] = {}
        self._overloads: dict[str, str] = {}
        self._fixed: dict[str, str] = {}
        self._uints: dict[int, str] = {}
        self._count = 0

    def name(self, letter: str) -> str:
        """Return a new name."""
        self._count += 1
        return f"{letter}{self._count}"

    def local(self) -> str:
        """A name for a local variable."""
        return self.name("l")

    def constant(self, value: Any) -> str:
        """The slot of a value; equal values of one type share one. Raises ValueError for one that cannot be stored."""
        key = marshal.dumps(value, 2)
        if key not in self._constants:
            self._constants[key] = (self.name("K"), value)
        return self._constants[key][0]

    def helper(self, function: Callable[..., Any]) -> str:
        """Return the slot of a function of a registered module or builtin. Raises ValueError for any other."""
        path = _path(function)
        return self._helpers.setdefault(path, f"H{len(self._helpers)}")

    def fixed(self, name: str, function: Callable[..., Any]) -> None:
        """Bind a function to a fixed name in the text."""
        self._fixed[name] = _path(function)

    def pattern(self, regex: str) -> str:
        """The slot of the search function of an RE2 pattern."""
        return self._patterns.setdefault(regex, f"P{len(self._patterns)}")

    def overload(self, name: str, overload_id: str) -> str:
        """The slot of a function of CEL."""
        return self._overloads.setdefault(f"{name}/{overload_id}", f"O{len(self._overloads)}")

    def uint(self, number: int) -> str:
        """The slot of an unsigned number of CEL."""
        return self._uints.setdefault(number, f"U{len(self._uints)}")

    def add(self, text: str) -> None:
        """Add the text of a function."""
        self._functions.append(text)

    @property
    def size(self) -> int:
        """The length of the text in characters."""
        return sum(map(len, self._functions))

    def module(self) -> Module:
        """Compile the collected functions."""
        code = compile("\n".join(self._functions), _FILE, "exec", dont_inherit=True, optimize=2)
        return Module(
            code,
            tuple(self._constants.values()),
            (*((slot, path) for path, slot in self._helpers.items()), *self._fixed.items()),
            tuple((slot, regex) for regex, slot in self._patterns.items()),
            tuple((slot, overload) for overload, slot in self._overloads.items()),
            tuple((slot, number) for number, slot in self._uints.items()),
        )


class Body:
    """The lines of one function, which returns False when a check fails."""

    def __init__(self, name: str, *parameters: str) -> None:
        self.name = name
        self.lines = [f"def {name}({', '.join(parameters)}):"]
        self.level = 1
        self.loops = 0

    def line(self, text: str) -> None:
        """Add a statement."""
        self.lines.append(" " * self.level + text)

    def refuse(self, condition: str) -> None:
        """Add code that returns False when the condition holds."""
        self.line(f"if {condition}: return False")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put the lines that are added inside under ``head``; a block without a line gets ``pass``."""
        self.line(head)
        before = len(self.lines)
        self.level += 1
        self.loops += head.startswith("for ")
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.level -= 1
        self.loops -= head.startswith("for ")

    def text(self, last: str = "return True") -> str:
        """The whole function."""
        self.line(last)
        return "\n".join(self.lines)
