"""Names in generated source, and the constants they stand for."""

from dataclasses import dataclass, field
from typing import Any

from validators.cel.codegen.fast_parts import Unsupported
from validators.cel.codegen.fast_runtime import comparer, matcher
from validators.cel.decl import Decl
from validators.cel.library.regex import compiled as compiled_pattern
from validators.cel.signature import Overload


@dataclass(slots=True)
class Names:
    """Hands out names that no other expression of the same function has."""

    prefix: str = "k"
    count: int = 0
    constants: dict[str, Any] = field(default_factory=dict)

    def constant(self, value: Any) -> str:
        """The name of a constant."""
        self.count += 1
        name = f"{self.prefix}{self.count}"
        self.constants[name] = value
        return name

    def function(self, overload: Overload) -> str:
        """The name of what implements a call."""
        return self.constant(overload.implementation)

    def matcher(self, pattern: str) -> str:
        """The name of a test against a pattern. Raises `Unsupported` for a bad one."""
        engine = compiled_pattern(pattern)
        if isinstance(engine, str):
            raise Unsupported
        return self.constant(matcher(engine))

    def comparer(self, decl: Decl) -> str:
        """The name of a test for equality of data under a declaration."""
        return self.constant(comparer(decl))

    def variable(self) -> str:
        """The name of a new local variable."""
        self.count += 1
        return f"{self.prefix}v{self.count}"
