"""Options that several commands share, and the values that they become."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import click

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.zone_store import TLSFiles, check_remote
from ovnguard.validators.cluster.client_protocol import ClusterOptions
from ovnguard.validators.network.declared.node_values import valid_name
from ovnguard.validators.network.ovnkube_settings.option_names import (
    ACL_LOGGING_RATE,
    ALLOWED_SERVICES,
    DNS_NAME,
    DNS_NAMESPACE,
    EMPTY_LB_EVENTS,
    MULTICAST,
    SNAT_PER_POD,
)
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation

if TYPE_CHECKING:
    from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore

_F = TypeVar("_F", bound=Callable[..., object])
_Command: TypeAlias = Callable[..., int]
Decorator: TypeAlias = Callable[[_Command], _Command]
"""Adds options to a command."""


def option_group(parameter: str, build: Callable[..., object], *options: Decorator) -> Decorator:
    """Return a decorator that adds ``options`` in their order, and collects values into one parameter of a command.

    ``build`` makes the value of ``parameter`` and may raise click.UsageError. Its own parameters have the names of the
    options; they may also be those of options that decorators above this one add.
    """
    names = inspect.signature(build).parameters

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def collecting(**values: Any) -> int:
            group = {name: values.pop(name) for name in names if name in values}
            return command(**values, **{parameter: build(**group)})

        wrapped: _Command = collecting
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate


class _NonEmptyPath(click.Path):
    """A path that must not be empty: an empty text would mean the current folder."""

    name = "path"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("the name is empty; use . for the current folder", param, ctx)
        return Path(str(value))


PATH = _NonEmptyPath()
HostOption = click.option(
    "--host", metavar="NODE", help="This machine is node NODE: include the machine's own network state."
)


def _cluster(kubeconfig: str | None = None, context: str | None = None) -> ClusterOptions:
    return ClusterOptions(kubeconfig, context, "ovnguard-reconciler")


with_cluster = option_group(
    "cluster",
    _cluster,
    click.option(
        "--kubeconfig", metavar="FILE", help="Default: $KUBECONFIG, ~/.kube/config, the service account of the pod."
    ),
    click.option("--context", metavar="NAME", help="Context of the kubeconfig."),
)
"""Adds the options of `ClusterOptions`, which the command gets as ``cluster``."""


def files_option(what: str, *, cluster: bool = True) -> Callable[[_F], _F]:
    """Return -f, which names manifests of ``what``; with ``cluster`` the command reads a cluster without it."""
    default = " Default: the cluster." if cluster else ""
    text = f"Manifests of {what}; - reads standard input. Repeatable.{default}"
    return click.option("-f", "--filename", "files", multiple=True, metavar="PATH", help=text)


def _isolation(_: click.Context, __: click.Parameter, value: str | None) -> Isolation | None:
    return None if value is None else Isolation(value)


IsolationOption = click.option(
    "--advertised-udn-isolation-mode",
    "isolation",
    type=click.Choice([each.value for each in Isolation]),
    callback=_isolation,
    help="ovnkube's option of this name. Default: what the configuration of ovnkube says, else strict.",
)

_SWITCHES: Final = (EMPTY_LB_EVENTS, MULTICAST, SNAT_PER_POD)
_VALUED: Final[Mapping[str, str]] = {
    ACL_LOGGING_RATE: "N",
    ALLOWED_SERVICES: "NAMESPACE/NAME,...",
    DNS_NAME: "NAME",
    DNS_NAMESPACE: "NAMESPACE",
}
OVNKUBE_OPTIONS: Final = (*_SWITCHES, *_VALUED)
"""The names of the options that `with_overrides` adds."""


def with_overrides(command: _Command) -> _Command:
    """Add ovnkube's options, which the command gets as ``overrides`` by their names."""

    @functools.wraps(command)
    def collecting(**values: Any) -> int:
        group = {name: values.pop(name.replace("-", "_")) for name in OVNKUBE_OPTIONS}
        return command(**values, overrides={name: value for name, value in group.items() if value is not None})

    wrapped: _Command = collecting
    same = "ovnkube's option of this name. Default: what its objects say."
    for name, metavar in reversed(list(_VALUED.items())):
        wrapped = click.option(f"--{name}", metavar=metavar, help=same)(wrapped)
    for name in reversed(_SWITCHES):
        switch = click.option(f"--{name}", is_flag=False, flag_value="true", metavar="[=true|false]", help=same)
        wrapped = switch(wrapped)
    return wrapped


@dataclass(frozen=True, slots=True)
class TLSOptions:
    """The files for ssl: remotes, and whether tcp: remotes are permitted."""

    nb_private_key: Path | None
    nb_certificate: Path | None
    nb_ca_cert: Path | None
    insecure_nb: bool

    def files(self) -> TLSFiles | None:
        """Return the files, or None when none is named; raise click.UsageError when some are missing."""
        key, certificate, ca = self.nb_private_key, self.nb_certificate, self.nb_ca_cert
        if key and certificate and ca:
            return TLSFiles(key, certificate, ca)
        if key or certificate or ca:
            raise click.UsageError("--nb-private-key, --nb-certificate and --nb-ca-cert belong together")
        return None

    def check_encrypted(self, remote: str, option: str = "--nb-db") -> None:
        """Raise click.BadParameter for a tcp: remote of ``option`` that --insecure-nb does not permit."""
        plain = next((member for member in remote.split(",") if member.startswith("tcp:")), None)
        if plain is not None and not self.insecure_nb:
            detail = f"{plain!r} is neither encrypted nor authenticated; name an ssl: remote or add --insecure-nb"
            raise click.BadParameter(detail, param_hint=option)

    def remote_of(self, text: str) -> tuple[str, str]:
        """Return node and remote of ``NODE=REMOTE``; raise click.BadParameter for any other text."""
        node, equals, remote = text.partition("=")
        if not equals or not node:
            raise click.BadParameter(f"{text!r} is not NODE=REMOTE", param_hint="--nb-db")
        try:
            check_remote(remote, self.files())
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--nb-db") from error
        self.check_encrypted(remote)
        return node, remote


with_tls = option_group(
    "tls",
    TLSOptions,
    *(
        click.option(f"--nb-{name}", type=PATH, metavar="FILE", help=f"{what} for ssl: remotes.")
        for name, what in (
            ("private-key", "Private key"),
            ("certificate", "Certificate"),
            ("ca-cert", "CA certificate"),
        )
    ),
    click.option("--insecure-nb", is_flag=True, help="Permit tcp: remotes, without encryption or identity."),
)
"""Adds the options of `TLSOptions`, which the command gets as ``tls``."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where `apply` writes and what `diff` reads: a folder of files, databases by node, this machine as ``host``."""

    store: Path | None
    remotes: Mapping[str, str]
    tls: TLSFiles | None
    host: str | None

    def check_nodes(self, known: Collection[str]) -> None:
        """Raise click.UsageError when a database or ``host`` belongs to a node that --nodes does not describe."""
        if unknown := sorted(self.remotes.keys() - set(known)):
            raise click.UsageError(f"--nb-db: no node {unknown[0]} in --nodes")
        check_node(self.host, known, "--host")

    def databases(self, *, exclusive: bool = True) -> dict[str, "NorthboundStore"]:
        """Return the databases by node; each connects on first use. A reader is not ``exclusive``."""
        # Imported here, because plans and files need no OVSDB library.
        from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore

        return {node: NorthboundStore(each, tls=self.tls, exclusive=exclusive) for node, each in self.remotes.items()}

    def file_store(self) -> FileStore | None:
        """Return the folder of files, if --store names one."""
        return None if self.store is None else FileStore(self.store)


def with_target(purpose: str, store_help: str) -> Decorator:
    """Add the options of a `Target`, the command's ``target``; ``purpose`` completes "name one place to"."""
    return option_group(
        "target",
        partial(_target, purpose),
        click.option("--store", type=PATH, metavar="DIR", help=store_help),
        click.option(
            "--nb-db", multiple=True, metavar="NODE=REMOTE", help="Live Northbound database of a node. Repeatable."
        ),
        with_tls,
        HostOption,
    )


def _target(purpose: str, store: Path | None, nb_db: tuple[str, ...], tls: TLSOptions, host: str | None) -> Target:
    if (store is None) is (not nb_db) and (nb_db or host is None):
        raise click.UsageError(f"name one place to {purpose}: --store DIR or --nb-db NODE=REMOTE")
    files = tls.files()
    return Target(store, dict(map(tls.remote_of, nb_db)), files, host)


def check_name(text: str, what: str, option: str) -> None:
    """Raise click.BadParameter unless ``text``, the value of ``option``, is a valid name of a ``what``."""
    if not valid_name(text):
        raise click.BadParameter(f"{text!r} is not a valid {what} name", param_hint=option)


def check_node(node: str | None, known: Collection[str], option: str) -> None:
    """Raise click.UsageError unless ``node``, the value of ``option``, is one of the ``known`` nodes or None."""
    if node is not None and node not in known:
        raise click.UsageError(f"{option}: no node {node} in --nodes")
