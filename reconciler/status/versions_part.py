"""The releases of all parts, and whether they differ: the tag of an image or a label of its workload, or a report."""

import re
from collections import Counter
from typing import Final

from ovnguard.reconciler.status import leader_part, webhook_part
from ovnguard.reconciler.status.part import NONE, PAGE, UNKNOWN, Finding, Part
from ovnguard.reconciler.status.snapshot import Snapshot
from ovnguard.reconciler.status.zones_part import zones_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.parse_values import dig, text_of

LABEL: Final = "app.kubernetes.io/version"
_RELEASE: Final = re.compile(r"v?([0-9]+\.[0-9]+[0-9A-Za-z.+-]*)", re.ASCII)


def versions_part(seen: Snapshot) -> Part:
    """Return the releases; parts of different releases are a finding."""
    webhook, leader = (
        _release_of(seen.named("deployments", name)) for name in (webhook_part.DEPLOYMENT, leader_part.DEPLOYMENT)
    )
    zones = Counter(zone.release or UNKNOWN for zone in zones_of(seen) if zone.age is not None)
    shown = ", ".join(f"{release} on {counted(number, 'node')}" for release, number in sorted(zones.items()))
    parts = {"webhook": webhook, "leader": leader}
    rows = (*parts.items(), ("zones", shown or NONE), ("this command", seen.release), ("Kubernetes", seen.kubernetes))
    known = {webhook, leader, *zones} - {UNKNOWN, NONE}
    findings = []
    if len(known) > 1:
        text = f"releases differ: webhook {webhook}, leader {leader}, zones {shown or NONE}"
        findings.append(Finding(text, f"{PAGE}#releases-differ"))
    data = {
        **{name: None if release in (UNKNOWN, NONE) else release for name, release in parts.items()},
        "zones": dict(sorted(zones.items())),
        "command": seen.release,
        "kubernetes": seen.kubernetes or None,
    }
    return Part("RELEASES", (), tuple((name, text or UNKNOWN) for name, text in rows), tuple(findings), data)


def _release_of(workload: JsonObject | None) -> str:
    if workload is None:
        return NONE
    containers = dig(workload, "spec", "template", "spec", "containers")
    images = [text_of(dig(each, "image")) for each in (containers if isinstance(containers, list) else ())]
    tags = [image.partition("@")[0].rpartition("/")[2].partition(":")[2] for image in images]
    labels = dig(workload, "metadata", "labels")
    # The label names the release of the manifests, so an image that somebody chose speaks first.
    for text in (*tags, text_of(dig(labels, LABEL))):
        if found := _RELEASE.fullmatch(text):
            return found[1]
    return UNKNOWN
