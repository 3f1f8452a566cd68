"""Rules that a judgement left unchecked because facts about the cluster were not given."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The ids of ``rules`` that all lack the same facts; ``needs`` names the missing facts, such as ``nodes``."""

    needs: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentence that notes and audit annotations show."""
        return f"not checked: needs {' and '.join(self.needs)} ({', '.join(self.rules)})"
