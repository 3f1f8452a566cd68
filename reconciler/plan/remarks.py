"""What a plan says beside its rows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence about a network, a node, a pod (``namespace/name``); an empty name means all of them."""

    text: str
    network: str = ""
    node: str = ""
    pod: str = ""

    def __str__(self) -> str:
        named = (("network", self.network), ("node", self.node), ("pod", self.pod))
        about = ", ".join(f"{kind} {name}" for kind, name in named if name)
        return f"{about}: {self.text}" if about else self.text
