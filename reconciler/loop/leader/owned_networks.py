"""Which networks the zones own, as their reports say: a policy that comes later does not change that."""

from collections.abc import Collection, Mapping
from typing import Final

from ovnguard.reconciler.loop.leader.zone_watch import ZoneWatch
from ovnguard.reconciler.loop.status.report_folding import Standing
from ovnguard.reconciler.loop.status.status_writer import uid_of
from ovnguard.reconciler.loop.status.unenforced_status import was_owned
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.json_types import JsonObject

_NOTHING: Final = frozenset[str]()


class OwnedNetworks:
    """Remembers the networks that any zone of ``zones`` had, by the UID of their objects."""

    def __init__(self, zones: ZoneWatch) -> None:
        self._zones = zones
        self._owned: frozenset[str] = _NOTHING

    def standing(self, network: str, obj: JsonObject) -> Standing | None:
        """Return where a network stands in its zones, as `ZoneWatch.standing` does."""
        standing = self._zones.standing(network, obj)
        if standing is not None and standing.ready:
            self._owned |= {uid_of(obj)}
        return standing

    def among(
        self, names: Collection[str], candidates: Collection[Candidate], newest: Mapping[str, JsonObject]
    ) -> frozenset[str]:
        """Return which of ``names`` are owned; ``newest`` are all objects of networks by UID."""
        self._owned &= newest.keys()
        asked = ((each.name, newest.get(uid_of(each.object))) for each in candidates if each.name in names)
        known = [(name, obj) for name, obj in asked if obj is not None]
        for name, obj in known:
            self.standing(name, obj)
        return frozenset(name for name, obj in known if uid_of(obj) in self._owned or was_owned(obj))
