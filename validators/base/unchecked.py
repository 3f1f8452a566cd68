"""Rules that a judgement did not check because facts about the cluster were missing."""

from collections.abc import Collection
from typing import NamedTuple


class Unchecked(NamedTuple):
    """The ids of ``rules`` that all lack the same facts; ``needs`` names the missing facts, such as ``nodes``."""

    needs: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentence that notes and audit annotations show."""
        return f"not checked: needs {' and '.join(self.needs)} ({', '.join(self.rules)})"


def summary(unchecked: Collection[Unchecked]) -> str:
    """Return one line that counts the unchecked rules and names the facts that they lack."""
    rules = {rule for each in unchecked for rule in each.rules}
    needs = dict.fromkeys(need.removeprefix("the ") for each in unchecked for need in each.needs)
    return f"{len(rules)} {'rule' if len(rules) == 1 else 'rules'} not checked: no {', '.join(needs)} given"
