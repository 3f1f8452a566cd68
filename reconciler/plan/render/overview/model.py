"""What a picture shows: a lane for each node, from its pods over switch, router and gateway to what is outside.

It is the same for one network and for a whole plan, in which a station has a mark for each of its networks.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from ovnguard.validators.network.list_text import counted

COLUMNS: Final = ("Pods and namespaces", "Node switch", "Router", "Gateway", "Outside")
PODS, SWITCH, ROUTER, GATEWAY = range(4)
TUNNELS: Final = "Geneve tunnels"
BGP: Final = "BGP"


def some(number: int, one: str, many: str = "") -> str:
    """Return ``1 node`` or ``1,200 nodes``, '' for none; ``many`` is for words that do not end in s."""
    return counted(number, one, many) if number else ""


class Mark(NamedTuple):
    """A network at a station of a whole plan, by its number; ``is_new`` if the plan adds it there."""

    network: int
    is_new: bool


class Station(NamedTuple):
    """What a lane has in a column: a title, the whole name of the row, and names below it."""

    title: str
    name: str = ""
    names: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    is_new: bool = False


class Outside(NamedTuple):
    """What is outside of OVN: the kind of thing, and its name."""

    title: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A node.

    ``links`` are the labels right of each station; ``tunnels_at`` is the column of the tunnels to other nodes, and
    ``vips`` the number of addresses of Services that the gateway has.
    """

    node: str
    stations: tuple[Station | None, ...]
    links: tuple[tuple[str, ...], ...] = ((), (), (), ())
    outside: tuple[Outside, ...] = ()
    tunnels_at: int | None = None
    vips: int = 0


class Entry(NamedTuple):
    """A network in the key of a whole plan: its name, the part of it that is shown, and what it is."""

    network: str
    label: str
    about: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Overview:
    """A picture.

    ``heading`` is the part of the ``title`` that is shown, ``colour`` the number of the ``network``, and ``key`` names
    the networks of the marks of a whole plan.
    """

    title: str
    heading: str
    lanes: tuple[Lane, ...]
    more_nodes: tuple[str, ...] = ()
    colour: int = 0
    key: tuple[Entry, ...] = ()
    network: str = ""

    @property
    def tunnels_at(self) -> int | None:
        """The column of the tunnels between nodes."""
        return next((lane.tunnels_at for lane in self.lanes if lane.tunnels_at is not None), None)

    @property
    def outside(self) -> tuple[Outside, ...]:
        """What all nodes share."""
        return tuple(dict.fromkeys(each for lane in self.lanes for each in lane.outside))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of people's objects, whole, in the order of the picture."""
        networks = (self.network, *(each.network for each in self.key))
        of_lanes = (name for lane in self.lanes for each in lane.stations[:1] if each for name in each.names)
        nodes = (*(lane.node for lane in self.lanes), *self.more_nodes)
        outside = (each.name for each in self.outside)
        return tuple(dict.fromkeys(filter(None, (*networks, *nodes, *of_lanes, *outside))))
