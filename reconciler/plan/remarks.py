"""What a plan says beside its rows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence about a network, a node, or both; an empty name means all of them."""

    text: str
    network: str = ""
    node: str = ""

    def __str__(self) -> str:
        about = [f"network {self.network}"] * bool(self.network) + [f"node {self.node}"] * bool(self.node)
        return f"{', '.join(about)}: {self.text}" if about else self.text
