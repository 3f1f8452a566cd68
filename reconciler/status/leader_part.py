"""The leader: who holds its Lease, since when it was renewed, by the API server's own clock."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from ovnguard.reconciler.loop.status.zone_counts import AUDIT
from ovnguard.reconciler.status.part import (
    NONE,
    UNKNOWN,
    Finding,
    Part,
    age_text,
    missing_replicas,
    replica_text,
    runbook,
)
from ovnguard.reconciler.status.snapshot import Snapshot, replicas, written_at
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import dig, text_of

DEPLOYMENT: Final = "ovnguard-reconciler-cluster"
LEASE: Final = "ovnguard-reconciler-cluster"
# What a Lease says that does not.
_DURATION: Final = 15
_NO_LEADER: Final = runbook("OvnguardNoLeader")


def leader_part(seen: Snapshot) -> Part:
    """Return the state of the leader."""
    deployment = seen.named("deployments", DEPLOYMENT)
    if deployment is None:
        text = "not installed" if seen.knows("deployments") else UNKNOWN
        return Part("LEADER", (), (("mode", text),), (), {"mode": None, "holder": None})
    mode, (ready, wanted) = mode_of(deployment), replicas(deployment)
    lease = seen.named("leases", LEASE)
    holder, age = text_of(dig(lease, "spec", "holderIdentity")), _age(seen, lease)
    if mode == AUDIT:
        leads = f"{NONE} (an audit has no leader)"
    elif not seen.knows("leases"):
        leads = UNKNOWN
    else:
        leads = f"{holder or 'nobody'}, renewed {UNKNOWN if age is None else age_text_of(age)}"
    rows = (("mode", mode), ("leads", leads), ("replicas", replica_text(ready, wanted)))
    title = f"the leader, Deployment {seen.namespace}/{DEPLOYMENT}"
    findings = (
        *(() if mode == AUDIT or not seen.knows("leases") else _leaderless(seen, lease, holder, age)),
        *missing_replicas(title, ready, wanted, runbook("OvnguardReconcilerDown")),
    )
    data = {
        "mode": mode,
        "holder": holder or None,
        "renewedSeconds": age,
        "replicas": {"ready": ready, "wanted": wanted},
    }
    return Part("LEADER", (), rows, findings, data)


def mode_of(workload: JsonObject) -> str:
    """Return the ``--mode`` of a process of the reconciler."""
    containers = dig(workload, "spec", "template", "spec", "containers")
    for container in containers if isinstance(containers, list) else ():
        words = [*_texts(dig(container, "command")), *_texts(dig(container, "args"))]
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word.startswith("--mode="):
                return word.partition("=")[2]
            if word == "--mode":
                return following
    return AUDIT


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def age_text_of(seconds: int) -> str:
    """Return ``2s ago``."""
    return f"{age_text(timedelta(seconds=seconds))} ago"


def _age(seen: Snapshot, lease: JsonObject | None) -> int | None:
    """Seconds since the last renewal: each one is a write."""
    moment = None if lease is None else written_at(lease)
    return None if moment is None else max(0, int((seen.now - moment).total_seconds()))


def _leaderless(seen: Snapshot, lease: JsonObject | None, holder: str, age: int | None) -> Iterator[Finding]:
    name = f"Lease {seen.namespace}/{LEASE}"
    seconds = dig(lease, "spec", "leaseDurationSeconds")
    if lease is None:
        yield Finding(f"no process leads: there is no {name}", _NO_LEADER)
    elif not holder:
        yield Finding(f"no process leads: nobody holds {name}", _NO_LEADER)
    elif age is None:
        yield Finding(f"no process is known to lead: nothing says when {holder} last renewed {name}", _NO_LEADER)
    elif age > (seconds if isinstance(seconds, int) and seconds > 1 else _DURATION):
        yield Finding(f"no process leads: {holder} last renewed {name} {age_text_of(age)}", _NO_LEADER)
