"""Networks, nodes and pods from manifests, and the options that name these and say how they are planned."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any, Final

import click

from ovnguard.reconciler.commands.options import Decorator, IsolationOption, option_group, with_overrides
from ovnguard.reconciler.plan.inputs.candidates import declares_network
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.manifest.documents import Document, Identity, SourceProblem
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import NODE, OPERATOR_NETWORK, ObjectsView
from ovnguard.validators.network.declared.namespace import with_namespace
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.node import Node, ParsedNode, node_of
from ovnguard.validators.network.ovnkube_settings.chart_network import chart_network
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import ovnkube_options
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation

# A plan needs names, so it assumes the namespace that kubectl would use.
ASSUMED_NAMESPACE: Final = "default"
# The maximum number of given paths that a message names.
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Manifests:
    """The read objects; ``parsed`` are the documents that describe nodes, in order.

    ``settings``: values that apply before those of the manifests. ``options``: options of ovnkube that override those
    of the manifests. ``proposed`` names the objects that do not exist yet. With ``guesses``, a Layer3 network among
    them, or one of which no node has subnets, gets the host subnets that a cluster would allocate next. ``gathered``:
    nobody chose the objects for a plan, so no note names one that it lacks.
    """

    documents: tuple[Document, ...]
    parsed: tuple[tuple[Document, ParsedNode], ...]
    settings: Settings = field(default_factory=Settings)
    proposed: frozenset[Identity] = frozenset()
    guesses: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    gathered: bool = False

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node that can be read."""
        return tuple(each.node for _, each in self.parsed if each.node is not None)

    @property
    def node_names(self) -> frozenset[str]:
        """Their names."""
        return frozenset(node.name for node in self.nodes)

    @property
    def has_networks(self) -> bool:
        """Whether any object declares a network, planned or not."""
        return any(declares_network(document.value) for document in self.documents)


def read_default_network(file: str) -> JsonObject:
    """Return the operator's Network in ``file``. Raises UnreadableError."""
    loaded = read_sources([file])
    found = [each for each in loaded.documents if group_kind_of(each.value) == OPERATOR_NETWORK]
    problems = loaded.problems
    if not problems and len(found) != 1:
        problems = (SourceProblem(file, 1, 1, "contains no operator.openshift.io Network, or more than one"),)
    if problems:
        raise UnreadableError(problems)
    return found[0].value


class UnreadableError(click.ClickException):
    """Input that cannot be read as manifests: one line per problem."""

    exit_code = Exit.USAGE

    def __init__(self, problems: Iterable[SourceProblem]) -> None:
        super().__init__("\n".join(f"{each.file}:{each.line}:{each.column}: {each.message}" for each in problems))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the lines on standard error."""
        click.echo(self.message, file, err=True)


def read_manifests(files: Sequence[str], nodes: Sequence[str]) -> Manifests:
    """Read networks and nodes; Nodes may also be among the files of the networks. Raises UnreadableError."""
    loaded, loaded_nodes = read_sources(files), read_sources(nodes)
    problems = (*loaded.problems, *loaded_nodes.problems)
    documents = tuple(
        {(each.file, each.number, each.base): each for each in (*loaded.documents, *loaded_nodes.documents)}.values()
    )
    documents = tuple(each._replace(value=with_namespace(each.value, ASSUMED_NAMESPACE)) for each in documents)
    found = manifests_of(documents)
    if not problems and not found.parsed:
        problems = (SourceProblem(nodes[0], 1, 1, "contains no Node; a plan needs the nodes of the cluster"),)
    if problems:
        raise UnreadableError(problems)
    return found


def manifests_of(documents: tuple[Document, ...]) -> Manifests:
    """Return objects that were read, with the nodes among them, and with the default network of ovnkube's options."""
    described = (document for document in documents if group_kind_of(document.value) == NODE)
    parsed = tuple((each, node_of(each.value)) for each in described)
    return Manifests((*documents, *_default_network(documents)), parsed)


def _default_network(documents: Sequence[Document]) -> Iterator[Document]:
    """The default network as ovnkube's options describe it, where no object of a network operator does."""
    objects = [each.value for each in documents]
    if any(group_kind_of(obj) == OPERATOR_NETWORK for obj in objects):
        return
    view = ObjectsView(objects)
    found = chart_network(ovnkube_options(inventory_of(view)))
    if found is not None:
        yield Document("options of ovnkube", 0, found, json.dumps(found).encode())


@dataclass(frozen=True, slots=True)
class ManifestOptions:
    """Files of networks and of nodes, and options of ovnkube that no manifest needs to contain."""

    files: tuple[str, ...]
    nodes: tuple[str, ...]
    isolation: Isolation | None
    dynamic: bool | None
    overrides: Mapping[str, str]

    def read(self) -> Manifests:
        """Read the manifests. Raises UnreadableError."""
        return self.applied_to(read_manifests(self.files, self.nodes))

    def applied_to(self, manifests: Manifests) -> Manifests:
        """Return objects with what these options say about their plan."""
        settings = Settings(isolation=self.isolation, dynamic=self.dynamic)
        return replace(manifests, settings=settings, options=self.overrides)

    @property
    def no_networks(self) -> str:
        """The message that the files declare no network."""
        more = f" and {len(self.files) - _NAMED} more" if len(self.files) > _NAMED else ""
        return f"no networks in {', '.join(self.files[:_NAMED])}{more}"


def manifest_options(*, required: bool) -> Decorator:
    """Add the options of `ManifestOptions`, which the command gets as ``inputs``."""
    return option_group(
        "inputs",
        ManifestOptions,
        click.option(
            "-f",
            "--filename",
            "files",
            multiple=True,
            required=required,
            metavar="PATH",
            help="Manifests of networks and pods; - reads standard input. Repeatable.",
        ),
        click.option(
            "--nodes",
            multiple=True,
            required=required,
            metavar="PATH",
            help="Manifests of the cluster's Nodes. Repeatable.",
        ),
        click.option(
            "--enable-dynamic-udn-allocation/--disable-dynamic-udn-allocation",
            # the spelling of the design
            "--dynamic-udn-allocation",
            "dynamic",
            default=None,
            help="ovnkube's option of this name: networks have rows only on nodes that use them. Default: what the "
            "configuration of ovnkube and the status of networks say.",
        ),
        IsolationOption,
        with_overrides,
    )


with_manifests = manifest_options(required=True)
"""Adds the options of `ManifestOptions`; manifests are required."""
