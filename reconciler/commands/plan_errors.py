"""What cannot be planned, as errors at positions in files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ovnguard.reconciler.commands.left_out import is_pod
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.pods.pod_objects import Pods, title_of
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.declared.node import ParsedNode


def refusals(candidates: Sequence[Candidate], by_object: dict[int, Document]) -> Iterator[JsonObject]:
    """Yield why objects are refused."""
    for candidate in candidates:
        document = by_object[id(candidate.object)]
        for error in candidate.refusal:
            yield _error(document, error.field, error.body, rule=error.rule, network=candidate.name)


def node_errors(parsed: Sequence[tuple[Document, ParsedNode]]) -> Iterator[JsonObject]:
    """Yield errors of Nodes."""
    for document, each in parsed:
        for error in each.errors:
            yield _error(document, error.field, error.body, node=each.node.name if each.node else "")


def described_pods(documents: Sequence[Document]) -> dict[str, Document]:
    """The first document of each pod, by the pod's title."""
    return {title_of(document.value): document for document in reversed(documents) if is_pod(document)}


def pod_errors(described: Mapping[str, Document], pods: Pods, remarks: Iterable[Remark]) -> Iterator[JsonObject]:
    """Yield errors of pods, at the positions of their manifests."""
    for each in pods.errors:
        yield _error(described[each.pod], each.error.field, each.error.body)
    for remark in remarks:
        if remark.pod in described:
            yield _error(described[remark.pod], "", str(remark), network=remark.network, node=remark.node)


def plan_errors(
    remarks: Iterable[Remark],
    candidates: Sequence[Candidate],
    parsed: Sequence[tuple[Document, ParsedNode]],
    by_object: dict[int, Document],
) -> Iterator[JsonObject]:
    """Yield errors of the plan, at the position of their network, else of their node."""
    networks = {candidate.name: by_object[id(candidate.object)] for candidate in reversed(candidates)}
    nodes = {each.node.name: document for document, each in parsed if each.node is not None}
    for remark in remarks:
        if remark.pod:
            continue
        document = _latest(remark, candidates, by_object) or networks.get(remark.network) or nodes.get(remark.node)
        if document is not None:
            yield _error(document, "", str(remark), network=remark.network, node=remark.node)


def _latest(remark: Remark, candidates: Sequence[Candidate], by_object: dict[int, Document]) -> Document | None:
    """The last object of that network: of two conflicting ones, the later one cannot be planned."""
    found = [each for each in candidates if each.name == remark.network and each.network is not None]
    return by_object[id(found[-1].object)] if found else None


def _error(
    document: Document, field: str, message: str, *, rule: str = "", network: str = "", node: str = ""
) -> JsonObject:
    position = document.position(field)
    return {
        "file": document.file,
        "line": position.line,
        "column": position.column,
        "network": network,
        "node": node,
        "field": field,
        "message": message,
        "rule": rule,
    }
