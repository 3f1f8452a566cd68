"""The costs of several definitions, ready to be written in any format."""

from dataclasses import dataclass

from ovnguard.validators.cost import DefinitionCost


@dataclass(frozen=True, slots=True)
class Costed:
    """The cost of a definition and its source: a file, or the name of a bundled set."""

    source: str
    cost: DefinitionCost


@dataclass(frozen=True, slots=True)
class CostReport:
    """The costs of all requested definitions; ``problems`` are lines about unusable input."""

    kubernetes: str
    definitions: tuple[Costed, ...]
    problems: tuple[str, ...] = ()

    @property
    def rules(self) -> int:
        """The number of estimated expressions."""
        return sum(len(schema.rules) for one in self.definitions for schema in one.cost.schemas)

    @property
    def over(self) -> int:
        """The number of definitions over a limit."""
        return sum(one.cost.over for one in self.definitions)

    @property
    def flawed(self) -> bool:
        """Whether any rule could not be estimated."""
        return bool(self.problems) or any(one.cost.flaws for one in self.definitions)
