"""What several definitions change, ready to be written in any format."""

from collections import Counter
from dataclasses import dataclass

from ovnguard.validators.evolution.changes import Effect
from ovnguard.validators.evolution.evolution import Evolution


@dataclass(frozen=True, slots=True)
class EvolutionReport:
    """The evolutions of definitions in both inputs, and the names of those in one of them only.

    ``searches``: counterexamples were searched.
    """

    kubernetes: str
    evolutions: tuple[Evolution, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    searches: bool = True

    @property
    def effects(self) -> Counter[Effect]:
        """How many changes have each effect."""
        return Counter(change.effect for each in self.evolutions for change in each.changes)

    @property
    def objects(self) -> int:
        """The number of stored objects."""
        return sum(each.objects for each in self.evolutions)

    @property
    def refused(self) -> int:
        """The number of stored objects of which an update is refused."""
        return sum(each.refused for each in self.evolutions)

    @property
    def is_safe(self) -> bool:
        """Whether each definition evolves safely, and none is gone."""
        return not self.removed and all(each.is_safe for each in self.evolutions)
