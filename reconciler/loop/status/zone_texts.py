"""The log texts of a zone's pass, by kind and subject: each is logged once while it holds."""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.loop.inputs.plan_inputs import PlanInputs
from ovnguard.reconciler.loop.status.zone_state import BgpStatus, WriteOptions, Written
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.validators.network.model import DEFAULT_NETWORK

ALLOW: Final = "ovnguard.io/allow-deletions-until"
"""The annotation of a Node until when all deletions of its zone are permitted: a time of RFC 3339."""
REMEDY: Final = f"if they are right, annotate the Node with {ALLOW}=TIME (RFC 3339)"
LogText = tuple[tuple[str, str], str]


def log_texts(
    desired: DesiredState, inputs: PlanInputs, node: str, done: Written, options: WriteOptions, bgp: BgpStatus
) -> Iterator[LogText]:
    """Return the texts about the zone of ``node`` after a pass."""
    yield from _texts(desired, inputs, node, done)
    yield from _undeclared(desired, options)
    yield from ((("bgp", each), each) for each in (*bgp.failures, *bgp.texts))


def _undeclared(desired: DesiredState, options: WriteOptions) -> Iterator[LogText]:
    """Log texts about networks that the command line names and no object declares: a name may be misspelt."""
    declared = {DEFAULT_NETWORK, *(candidate.name for candidate in desired.candidates)}
    for option, names in (("--networks", options.only or ()), ("--adopt", options.adopt)):
        for name in sorted(frozenset(names) - declared):
            yield (option, name), f"{option} {name}: no object declares a network of this name"


def _texts(desired: DesiredState, inputs: PlanInputs, node: str, done: Written) -> Iterator[LogText]:
    """Log texts by kind and subject."""
    if done.held_deletions is not None:
        yield ("held", ""), f"zone {node}: {done.held_deletions}; {REMEDY}"
    if done.foreign:
        yield ("frr", ""), done.foreign
    for text in dict.fromkeys(done.waiting.values()):
        yield ("waiting", text), f"zone {node}: {text}"
    for candidate in desired.candidates:
        if candidate.refusal:
            first, more = candidate.refusal[0], len(candidate.refusal) - 1
            text = f"{candidate.title} is refused and not planned: {first.field}: {first.body}"
            yield ("refused", candidate.title), f"{text} (and {more} more)" if more else text
    for error in (*inputs.errors, *desired.errors):
        yield ("error", str(error)), str(error)
    for note in (*inputs.notes, *desired.plan.notes):
        yield ("note", str(note)), str(note)
    about = {remark.node for remark in (*desired.plan.notes, *desired.plan.errors)}
    if node not in about and all(zone.node != node for zone in desired.plan.zones):
        yield ("note", node), f"node {node}: the cluster has no such node yet; the zone stays unchanged"
