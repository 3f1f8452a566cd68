"""What a zone may write, what one pass wrote, and what its BGP sessions lack."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions, Limit
from ovnguard.reconciler.apply.foreign_rows import ForeignRow
from ovnguard.reconciler.apply.ovn.quarantine import Refusal
from ovnguard.reconciler.apply.ovn.repairs import Repair
from ovnguard.reconciler.plan.rows.row import Operation


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What may be written: nothing in an ``audit``; only networks in ``only``, unless it is None.

    ``adopt`` are the networks whose rows of another writer are replaced, ``limit`` is that of deletions in one pass.
    ``unenforced``: networks with policies that nobody enforces may be written, too.
    """

    audit: bool = False
    only: frozenset[str] | None = None
    adopt: frozenset[str] = frozenset()
    limit: Limit = field(default_factory=Limit)
    unenforced: bool = False

    @property
    def mode(self) -> str:
        """The mode, as ``--mode`` names it."""
        return "audit" if self.audit else "own"

    def permits(self, network: str) -> bool:
        """Whether the rows of this network may be written."""
        return self.only is None or network in self.only


@dataclass(frozen=True, slots=True)
class Written:
    """The result of one pass. ``refusals`` are networks that the database refuses, ``held_deletions`` are those that
    wait, ``foreign`` says why FRR's file stays unchanged, ``appeared`` are rows that another writer has added since the
    start. ``waiting`` names pods without an address, by network.
    """

    operations: tuple[Operation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    frr_changed: bool = False
    failures: tuple[str, ...] = ()
    held_deletions: HeldDeletions | None = None
    foreign: str = ""
    appeared: tuple[ForeignRow, ...] = ()
    waiting: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class BgpStatus:
    """``failures`` say what does not work, ``texts`` what is missing, ``missing`` the same by network.

    ``sessions`` are how many are Established and wanted, None while that cannot be read.
    """

    failures: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict, hash=False)
    sessions: tuple[int, int] | None = None


NO_BGP: Final = BgpStatus()


class PassResult(NamedTuple):
    """What one pass of a zone wrote, what failed, the differences of networks in an audit, and the status of BGP.

    ``bgp`` is None where the zone does not apply FRR's configuration.
    """

    done: Written = Written()
    failures: Sequence[str] = ()
    drift: Mapping[str, Collection[str]] = MappingProxyType({})
    bgp: BgpStatus | None = None
