"""What the commands about DNS read: objects from files or a live cluster, and the answers of DNS servers."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import click

from ovnguard.reconciler.commands.options import Decorator, files_option, option_group, with_cluster
from ovnguard.reconciler.dns.apply.lookup import Question, look_up
from ovnguard.reconciler.dns.commands.live_objects import live_view
from ovnguard.reconciler.dns.plan.observed import Observed, Resolved, observed_of
from ovnguard.reconciler.dns.plan.records import names_to_resolve
from ovnguard.reconciler.dns.plan.served_names import canonical_name
from ovnguard.reconciler.dns.plan.upstreams import Upstream, nameservers_of, upstream_of
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.cluster.client_protocol import ClusterConfigError, ClusterError, ClusterOptions
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.cluster_view import ObjectsView

RESOLV_CONF: Final = "/etc/resolv.conf"
_NO_FIELD: Final = "<nil>"


class _Upstream(click.ParamType["Upstream"]):
    """A DNS server."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Upstream:
        found = upstream_of(str(value))
        if found is None:
            self.fail(f"{str(value)[:80]!r} is not ADDRESS or ADDRESS:PORT ([ADDRESS]:PORT for IPv6)", param, ctx)
        return found


class _Target(click.ParamType["str"]):
    """A DNS name or an address."""

    name = "name"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not canonical_name(text) and upstream_of(text) is None:
            self.fail(f"{text[:80]!r} is not a DNS name or an address", param, ctx)
        return text


UPSTREAM: Final = _Upstream()
_TARGET: Final = _Target()


class UnreadableError(Exception):
    """Input that cannot be read, one line per problem, and the exit code for it."""

    def __init__(self, lines: Sequence[str], code: Exit) -> None:
        super().__init__("\n".join(lines))
        self.code = code


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files, or a cluster where there are none; the servers to ask; the user's own load balancers by name."""

    files: tuple[str, ...]
    cluster: ClusterOptions | None
    servers: tuple[Upstream, ...] | None
    targets: tuple[tuple[str, str], ...]

    def observe(self, names: Callable[[Observed], Sequence[str]] = names_to_resolve) -> Observed:
        """Read the objects and resolve ``names``. Raises UnreadableError."""
        observed = replace(observed_of(self._view()), targets=dict(self.targets))
        if observed.install_config is not None:
            observed = replace(observed, refusals=findings_of(observed.install_config).errors)
        servers = default_servers() if self.servers is None else self.servers
        return replace(observed, resolved=resolve(names(observed), servers)) if servers else observed

    def _view(self) -> ObjectsView:
        if not self.files:
            assert self.cluster is not None, "a command without a cluster requires files"
            return _live(self.cluster)
        loaded = read_sources(self.files)
        if loaded.problems:
            lines = [f"{each.file}:{each.line}:{each.column}: {each.message}" for each in loaded.problems]
            raise UnreadableError(lines, Exit.USAGE)
        return ObjectsView([document.value for document in loaded.documents])


def default_servers() -> tuple[Upstream, ...]:
    """Return the DNS servers of this machine. Raises UnreadableError when there are none."""
    try:
        text = Path(RESOLV_CONF).read_text(errors="replace")
    except OSError as error:
        raise UnreadableError(
            [f"error: {RESOLV_CONF}: {error.strerror}; name a server with --server"], Exit.USAGE
        ) from error
    servers = nameservers_of(text)
    if not servers:
        raise UnreadableError([f"error: {RESOLV_CONF}: no nameserver; name one with --server"], Exit.USAGE)
    return servers


def resolve(names: Sequence[str], servers: Sequence[Upstream]) -> dict[str, Resolved]:
    """Return the addresses of ``names`` in both families."""
    found = look_up((Question(name, version) for name in names for version in (4, 6)), servers)
    answers = {name: (found[Question(name, 4)], found[Question(name, 6)]) for name in names}
    return {
        name: Resolved((*four.addresses, *six.addresses), four.problem or six.problem)
        for name, (four, six) in answers.items()
    }


class Findings(NamedTuple):
    """What the project's own judgement says about a new object."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def findings_of(obj: JsonObject, others: Sequence[JsonObject] = ()) -> Findings:
    """Judge a new object with ``others`` around it.

    An error about no field is left out: it only says that other rules were not checked. The status is a request of its
    own, as it is for the API server.
    """
    requests = [Request(Operation.CREATE, obj)]
    if "status" in obj:
        bare = {key: value for key, value in obj.items() if key != "status"}
        requests.append(Request(Operation.UPDATE, obj, bare, "status"))
    view = ObjectsView(others)
    judgements = [judge(each, view, _catalog(), field_validation="Strict") for each in requests]
    errors = (str(error) for each in judgements for error in each.errors if error.field != _NO_FIELD)
    warnings = (str(warning) for each in judgements for warning in each.warnings)
    return Findings(tuple(dict.fromkeys(errors)), tuple(dict.fromkeys(warnings)))


def print_error(error: UnreadableError) -> int:
    """Print what cannot be read, and return the exit code."""
    click.echo(str(error), err=True)
    return error.code


def with_inputs(*, cluster: bool = True, asked: str = f"those of {RESOLV_CONF}", targets: bool = True) -> Decorator:
    """Add the options of `Inputs`, which the command gets as ``inputs``.

    ``cluster``: it can read a cluster. ``asked`` are the servers that it asks by default; empty if it asks none.
    ``targets``: it shows records.
    """
    options: list[Decorator] = [files_option("the cluster, install-config.yaml among them", cluster=cluster)]
    options += [with_cluster] if cluster else ()
    if asked:
        text = f"DNS server to ask. Repeatable. Default: {asked}."
        named = click.option("--server", type=UPSTREAM, multiple=True, metavar="ADDRESS[:PORT]", help=text)
        options += [named, click.option("--no-lookup", is_flag=True, help="Ask no DNS server.")]
    options += _TARGET_OPTIONS if targets else ()
    return option_group("inputs", _inputs, *options)


def _inputs(
    files: tuple[str, ...],
    cluster: ClusterOptions | None = None,
    server: tuple[Upstream, ...] = (),
    no_lookup: bool = False,
    api_target: str | None = None,
    api_int_target: str | None = None,
) -> Inputs:
    if server and no_lookup:
        raise click.UsageError("--server and --no-lookup exclude each other")
    named = {"api": api_target, "api-int": api_int_target}
    targets = tuple((name, text) for name, text in named.items() if text is not None)
    return Inputs(files, cluster, () if no_lookup else server or None, targets)


_TARGET_OPTIONS: Final = (
    click.option("--api-target", type=_TARGET, metavar="NAME", help="DNS name or address of api's load balancer."),
    click.option(
        "--api-int-target", type=_TARGET, metavar="NAME", help="DNS name or address of api-int's load balancer."
    ),
)


@cache
def _catalog() -> Catalog:
    return whole_catalog()


def _live(options: ClusterOptions) -> ObjectsView:
    # Imported here, because files need no Kubernetes client.
    from ovnguard.validators.cluster.kubernetes_client import connect

    try:
        with closing(connect(options)) as client:
            return live_view(client)
    except ClusterConfigError as error:
        raise UnreadableError([f"error: {error}; or name files with -f"], Exit.USAGE) from error
    except ClusterError as error:
        raise UnreadableError([f"error: {error}"], Exit.INTERNAL) from error
