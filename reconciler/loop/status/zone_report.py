"""The report of a zone: what it cannot plan or write now, per network, as a JSON document of bounded size.

Zones write it, the leader reads it. A report is as trustworthy as the node that wrote it: the reader takes the node's
name from elsewhere, and believes nothing about other nodes.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.apply.kube_report import MAX_DOCUMENT
from ovnguard.reconciler.apply.ovn.quarantine import Refusal
from ovnguard.reconciler.loop.status.zone_counts import Counts, counts_of, counts_to_json
from ovnguard.reconciler.loop.status.zone_state import NO_BGP, BgpStatus, PassResult
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.validators.base.json_types import JsonObject

VERSION: Final = 1
REFUSED: Final = "Refused"
"""The zone's own judgement refuses the network."""
NOT_PLANNED: Final = "NotPlanned"
"""The network's rows cannot be planned."""
QUARANTINED: Final = "Quarantined"
"""The database refuses the network's rows."""
WAITING: Final = "Waiting"
"""Facts are missing that the network's rows need."""
DRIFT: Final = "Drift"
"""Rows of the network are not those that OVN-Kubernetes should have written, in an audit."""
ROUTES_MISSING: Final = "RoutesMissing"
"""The node has not learnt the network's subnets of other nodes."""
STATES: Final = (REFUSED, NOT_PLANNED, QUARANTINED, WAITING, DRIFT, ROUTES_MISSING)
# The maximum numbers of networks and of other texts in a report, and the maximum length of a text and of a name.
MAX_NETWORKS: Final = 50
MAX_TEXTS: Final = 5
MAX_TEXT: Final = 256
MAX_NAME: Final = 512
MARK: Final = 6
"""The characters of the mark of a network."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a network is not written in a zone; ``generation`` is that of the object which the zone saw."""

    state: str
    message: str
    generation: int = 0


@dataclass(frozen=True, slots=True)
class ZoneReport:
    """``networks`` is the number of all networks; ``problems`` are by network, `MAX_NETWORKS` at most, and ``omitted``
    counts the others. ``texts`` are about the whole zone: failures, deletions that wait, a node that is not ready.
    ``layer2_legacy``: the zone supports the Layer2 topology before transit routers. ``ready`` are the marks of the
    networks whose rows are as planned, one after the other. ``frr``: the zone applies FRR's configuration.
    ``release`` is that of the process. ``counts`` alone are not news: they are as old as the report.
    """

    node: str
    mode: str
    networks: int = 0
    problems: Mapping[str, Problem] = field(default_factory=dict, hash=False)
    omitted: int = 0
    texts: tuple[str, ...] = ()
    layer2_legacy: bool = True
    ready: str = ""
    frr: bool = False
    release: str = ""
    counts: Counts = field(default_factory=Counts, compare=False)


class Contents(NamedTuple):
    """What a reader believes of a document: ``problems`` by network, the marks of ready networks, and the first text
    about the whole zone. ``ready`` is None in a document of an earlier release, which has no marks.
    """

    problems: Mapping[str, Problem]
    ready: str | None
    text: str


def mark_of(obj: JsonObject) -> str:
    """Return the mark of a network, `MARK` characters that follow from the object's uid and generation."""
    metadata = obj["metadata"]
    return _mark(metadata.get("uid", ""), metadata.get("generation", 0))


@lru_cache(maxsize=1 << 14)
def _mark(uid: str, generation: int) -> str:
    return base64.b64encode(hashlib.sha256(f"{uid} {generation}".encode()).digest()[:MARK]).decode()[:MARK]


def marks_in(ready: str) -> frozenset[str]:
    """Return the marks that a text consists of."""
    return frozenset(ready[start : start + MARK] for start in range(0, len(ready), MARK))


def report_of(
    desired: DesiredState,
    node: str,
    mode: str,
    result: PassResult,
    settle: Callable[[Mapping[str, Problem]], Mapping[str, Problem]] = lambda found: found,
    before: str = "",
) -> ZoneReport:
    """Return the report about the zone of ``node`` after a pass.

    ``settle`` returns the problems that are worth reporting. ``before`` are the marks of the last report: while the
    zone fails, or a problem is not worth reporting yet, no other network is ready.
    """
    done, failures, _, status = result
    found = _found(desired, node, result)
    settled = settle(found)
    kept = {name: settled[name] for name in sorted(settled)[:MAX_NETWORKS]}
    total = len(desired.candidates) - len(found.keys() - settled.keys())
    held = () if done.held_deletions is None else done.held_deletions.networks
    ready = _ready(desired, node, {*settled, *held}, None if failures else found, marks_in(before))
    return ZoneReport(
        node,
        mode,
        total,
        kept,
        len(settled) - len(kept),
        _texts(desired, node, result),
        desired.settings.layer2_legacy,
        ready,
        status is not None,
        counts=counts_of(desired, node, mode, result),
    )


def _found(desired: DesiredState, node: str, result: PassResult) -> dict[str, Problem]:
    """The first problem of each network."""
    done, _, drift, status = result
    troubles = (
        *_problems(desired, node, done.refusals),
        *_drift(drift),
        *_missing(status or NO_BGP),
        *((network, WAITING, text) for network, text in done.waiting.items()),
    )
    named = {name for name, _, _ in troubles}
    known = {each.name: each.object["metadata"] for each in desired.candidates if each.name in named}
    found: dict[str, Problem] = {}
    for name, state, message in troubles:
        found.setdefault(name, Problem(state, message[:MAX_TEXT], int(known.get(name, {}).get("generation", 0))))
    return found


def _texts(desired: DesiredState, node: str, result: PassResult) -> tuple[str, ...]:
    """The first texts about the whole zone, shortened."""
    done, failures, _, status = result
    bgp = status or NO_BGP
    remarks = [each for each in (*desired.plan.notes, *desired.errors) if each.node == node and not each.network]
    texts = [
        *failures,
        *bgp.failures,
        *bgp.texts,
        *(str(each) for each in done.refusals if not each.network),
        *([str(done.held_deletions)] if done.held_deletions else []),
        done.foreign,
        *map(str, remarks),
    ]
    return tuple(dict.fromkeys(text[:MAX_TEXT] for text in texts if text))[:MAX_TEXTS]


def _ready(
    desired: DesiredState, node: str, unready: Container[str], unsure: Container[str] | None, before: Container[str]
) -> str:
    """The marks of the networks that the zone has; ``unsure`` ones, None for all, only if they are in ``before``."""
    zone = next((zone for zone in desired.plan.zones if zone.node == node), None)
    rendered = () if zone is None else groups_of(zone.rows)
    marks = []
    for candidate in desired.candidates:
        if candidate.name in rendered and candidate.name not in unready:
            mark = mark_of(candidate.object)
            if (unsure is not None and candidate.name not in unsure) or mark in before:
                marks.append(mark)
    return "".join(sorted(marks))


def _problems(desired: DesiredState, node: str, refusals: Iterable[Refusal]) -> Iterator[tuple[str, str, str]]:
    """Network, state and message, the gravest first."""
    for candidate in desired.candidates:
        if candidate.network is None and candidate.refusal:
            first = candidate.refusal[0].in_public()
            yield candidate.name, REFUSED, f"{first.field}: {first.body}"
    for error in desired.errors:
        if error.network and not error.pod and error.node in ("", node):
            yield error.network, NOT_PLANNED, error.text
    yield from ((each.network, QUARANTINED, each.text) for each in refusals if each.network)
    notes = {note.network: note.text for note in desired.plan.notes if note.network and note.node in ("", node)}
    for network in sorted(desired.plan.waiting.get(node, ())):
        yield network, WAITING, notes.get(network, "facts about the node are missing")
    for index in desired.records:
        yield desired.candidates[index].name, WAITING, "its numbers and subnets are not recorded yet"


def _drift(drift: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str, str]]:
    """Network, state and message; differences of no network are about the shared rows."""
    for name, texts in drift.items():
        if name and texts:
            more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
            yield name, DRIFT, f"{min(texts)[: MAX_TEXT - len(more)]}{more}"


def _missing(bgp: BgpStatus) -> Iterator[tuple[str, str, str]]:
    return ((network, ROUTES_MISSING, text) for network, text in bgp.missing.items())


def to_json(report: ZoneReport, time: str, renewed: float) -> str:
    """Return the document: ``time`` of the last pass, and the seconds after which it is renewed at the latest."""
    problems = {
        name: {"state": each.state, "message": each.message, "generation": each.generation}
        for name, each in report.problems.items()
    }
    document = {
        "version": VERSION,
        "node": report.node,
        "mode": report.mode,
        "time": time,
        "renewedWithinSeconds": renewed,
        "networks": {
            "total": report.networks,
            "ready": report.ready,
            "problems": problems,
            "omitted": report.omitted,
        },
        "layer2Legacy": report.layer2_legacy,
        "frr": report.frr,
        "release": report.release,
        "counts": counts_to_json(report.counts),
        "zone": list(report.texts),
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def supports_legacy(text: object) -> bool:
    """Return whether the zone that wrote a document supports the Layer2 topology before transit routers."""
    return document_in(text).get("layer2Legacy") is not False


def applies_frr(text: object) -> bool:
    """Return whether the zone that wrote a document applies FRR's configuration itself."""
    return document_in(text).get("frr") is True


def contents_of(text: object) -> Contents:
    """Return what a document contains, nothing of one that no zone wrote; every bound of a report is enforced."""
    document = document_in(text)
    networks = document.get("networks")
    if document.get("version") != VERSION or not isinstance(networks, dict):
        return Contents({}, "", "")
    problems, ready, texts = (networks.get("problems"), networks.get("ready"), document.get("zone"))
    pairs = list(problems.items())[:MAX_NETWORKS] if isinstance(problems, dict) else ()
    read = ((name, _problem(value)) for name, value in pairs if len(name) <= MAX_NAME)
    first = texts[0] if isinstance(texts, list) and texts and isinstance(texts[0], str) else ""
    return Contents(
        {name: problem for name, problem in read if problem is not None},
        ready if isinstance(ready, str) else None if ready is None else "",
        one_line(first[:MAX_TEXT]),
    )


def _problem(value: Any) -> Problem | None:
    if not isinstance(value, dict) or value.get("state") not in STATES:
        return None
    message, generation = value.get("message"), value.get("generation")
    if not isinstance(message, str) or type(generation) is not int:
        return None
    return Problem(value["state"], one_line(message[:MAX_TEXT]), generation)


def one_line(text: str) -> str:
    """Return ``text`` without characters that do not print."""
    return "".join(each if each.isprintable() else " " for each in text)


def document_in(text: object) -> Mapping[str, Any]:
    """Return the object that a text contains, an empty one for every other text."""
    if not isinstance(text, str) or len(text) > MAX_DOCUMENT:
        return {}
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
