"""What separates the configuration that FRR runs from the wanted one, and the commands that close the gap.

Only differing lines become commands: FRR resets a session when its neighbour is configured again, so equal lines stay
untouched, and so do sessions with neighbours that do not change.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.bgp.config_lines import Line, lines_of, without_secrets

_SHOWN: Final = 3
# What bgpd needs. ovnguard owns it even if it did not write it, because it decides about sessions and routes.
_OF_BGPD: Final = ("router bgp ", "route-map ", "ip prefix-list ", "ipv6 prefix-list ", "bgp ")
# Commands of a neighbour, or of a router, of which there is one: the new one replaces the old one.
_SINGLE: Final = frozenset(
    ("remote-as", "port", "password", "update-source", "ebgp-multihop", "description", "router-id", "cluster-id")
)
# Removed first, because FRR refuses to remove what others refer to.
_ORDER: Final = ("router bgp ", "route-map ")


@dataclass(frozen=True, slots=True)
class Delta:
    """Lines that FRR must drop, in the order in which that works, and lines that it lacks."""

    removed: tuple[Line, ...] = ()
    added: tuple[Line, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def __str__(self) -> str:
        """Return the first differences, without secrets."""
        each = [*(f"lacks {line}" for line in self.added), *(f"still has {line}" for line in self.removed)]
        more = [f"and {len(each) - _SHOWN} more"] if len(each) > _SHOWN else []
        return "; ".join([*each[:_SHOWN], *more])

    def commands(self) -> str:
        """Return a file for ``vtysh -f``."""
        replaced = {_slot(line) for line in self.added} - {None}
        removals = [line for line in self.removed if _slot(line) not in replaced]
        return "".join(f"{each}\n" for each in _script([*_negated(removals), *self.added]))


@dataclass(frozen=True, slots=True)
class Running:
    """What FRR runs: the ``whole`` of all daemons, and the part that ``bgpd`` has.

    mgmtd and zebra keep route maps and prefix lists, too: after a restart of bgpd, the whole still contains them.
    """

    whole: str
    bgpd: str


def delta(wanted: str, running: Running, written: str = "", *, masked: bool = False) -> Delta:
    """Return what separates ``running`` from ``wanted``; with ``masked``, passwords are not compared.

    What ovnguard neither owns nor wrote stays, such as logging and passwords of the machine's administrator;
    ``written`` is the file before. Raises ValueError for a text that is far too long.
    """
    want, whole, bgpd = (
        _masked(lines_of(text)) if masked else lines_of(text) for text in (wanted, running.whole, running.bgpd)
    )
    known, wrote = frozenset(want), frozenset(lines_of(written))
    have = dict.fromkeys((*whole, *bgpd))
    extra = [each for each in have if each not in known and (_owned(each) or each in wrote)]
    present = frozenset((*bgpd, *(each for each in whole if not _of_bgpd(each))))
    return Delta(_in_order(extra), tuple(each for each in want if each not in present))


def _masked(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(Line(each.context, without_secrets(each.text)) for each in lines)


def _owned(line: Line) -> bool:
    return _of_bgpd(line) or line.context[:1] == ("bfd",)


def _of_bgpd(line: Line) -> bool:
    """Whether bgpd needs a line, so that other daemons with it do not help."""
    return (*line.context, line.text)[0].startswith(_OF_BGPD)


def _in_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Sort removals: contents of contexts that stay, then VRF routers, the default router, route maps, lists."""

    def rank(line: Line) -> tuple[int, bool]:
        top = (*line.context, line.text)[0]
        order = next((i for i, each in enumerate(_ORDER) if top.startswith(each)), len(_ORDER))
        return order, " vrf " not in top

    return tuple(sorted(lines, key=rank))


def _slot(line: Line) -> tuple[str, ...] | None:
    """What a command replaces, None when it replaces nothing."""
    words = line.text.split()
    name = words[2] if words[0] == "neighbor" and len(words) > 3 else words[1] if len(words) > 2 else ""
    if words[0] not in ("neighbor", "bgp"):
        return None
    if name in _SINGLE:
        return (*line.context, *words[:2], name)
    if name == "timers":
        return (*line.context, *words[:3], str("connect" in words))
    return (*line.context, *words[:3], words[-1]) if name == "route-map" else None


def _negated(lines: Sequence[Line]) -> Iterator[Line]:
    """The commands that remove lines; those that vanish with their context or neighbour need none."""
    removed = {line.opened for line in lines}
    gone = {(*line.context, "neighbor", line.text.split()[1]) for line in lines if _is_neighbor(line)}
    for line in lines:
        words = line.text.split()
        inherits = any(line.context[:depth] in removed for depth in range(1, len(line.context) + 1))
        owner = (*line.context[:1], *words[:2])
        if inherits or (words[0] == "neighbor" and owner in gone and not _is_neighbor(line)):
            continue
        yield Line(line.context, _no(line))


def _is_neighbor(line: Line) -> bool:
    """Whether a line makes a neighbour, so that all its settings vanish with it."""
    words = line.text.split()
    return len(line.context) == 1 and words[0] == "neighbor" and words[2:3] in (["remote-as"], ["interface"])


def _no(line: Line) -> str:
    if _is_neighbor(line):
        return " ".join(["no", *line.text.split()[: 3 if " interface" in line.text else 2]])
    return line.text.removeprefix("no ") if line.text.startswith("no ") else f"no {line.text}"


def _script(lines: Iterable[Line]) -> Iterator[str]:
    """Lines with the commands that open and leave their contexts."""
    current: tuple[str, ...] = ()
    for line in lines:
        if line.context != current:
            yield from (_leave(each) for each in reversed(current))
            yield from line.context
            current = line.context
        yield line.text
        if line.text.startswith(("router bgp ", "route-map ")):
            # Stays in its context, which the next line may continue.
            current = line.opened
    yield from (_leave(each) for each in reversed(current))


def _leave(context: str) -> str:
    return "exit-address-family" if context.startswith("address-family") else "exit"
