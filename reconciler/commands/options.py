"""Options that several commands share, and the values that they become."""

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.zone_store import TLSFiles, check_remote
from reconciler.plan.rows.settings import Settings
from validators.network.ovnkube_settings.routed_isolation import Isolation

if TYPE_CHECKING:
    from reconciler.apply.ovn.ovn_nb import NorthboundStore

_F = TypeVar("_F", bound=Callable[..., object])


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


CLUSTER_OPTIONS = (
    click.option(
        "--kubeconfig", metavar="FILE", help="Default: $KUBECONFIG, ~/.kube/config, the service account of the pod."
    ),
    click.option("--context", metavar="NAME", help="Context of the kubeconfig."),
)
"""How to reach a cluster."""


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
        check_host(self.host, known)

    def databases(self, *, exclusive: bool = True) -> dict[str, "NorthboundStore"]:
        """Return the databases by node; each connects on first use. A reader is not ``exclusive``."""
        # Imported here, because plans and files need no OVSDB library.
        from reconciler.apply.ovn.ovn_nb import NorthboundStore

        return {node: NorthboundStore(each, tls=self.tls, exclusive=exclusive) for node, each in self.remotes.items()}

    def file_store(self) -> FileStore | None:
        """Return the folder of files, if --store names one."""
        return None if self.store is None else FileStore(self.store)


def with_inputs(command: Callable[..., int]) -> Callable[..., int]:
    """Add -f and --nodes, which name the manifests of networks and nodes, --no-cache, and options of ovnkube that no
    manifest needs to contain: the command's ``settings``.
    """

    @functools.wraps(command)
    def with_settings(isolation: Isolation | None, dynamic: bool | None, **rest: Any) -> int:
        return command(settings=Settings(isolation=isolation, dynamic=dynamic), **rest)

    networks = click.option(
        "-f",
        "--filename",
        "files",
        multiple=True,
        required=True,
        metavar="PATH",
        help="Manifests of networks and pods; - reads standard input. Repeatable.",
    )
    nodes = click.option(
        "--nodes", multiple=True, required=True, metavar="PATH", help="Manifests of the cluster's Nodes. Repeatable."
    )
    cache = click.option(
        "--no-cache", is_flag=True, help="Neither read nor write the user's cache of compiled definitions."
    )
    dynamic = click.option(
        "--enable-dynamic-udn-allocation/--disable-dynamic-udn-allocation",
        "--dynamic-udn-allocation",
        "dynamic",
        default=None,
        help="ovnkube's option of this name: networks have rows only on nodes that use them. Default: what the "
        "configuration of ovnkube and the status of networks say.",
    )
    return networks(nodes(cache(dynamic(IsolationOption(with_settings)))))


def with_tls(command: _F) -> _F:
    """Add --nb-private-key, --nb-certificate and --nb-ca-cert, which `tls_files` takes, and --insecure-nb."""
    command = click.option("--insecure-nb", is_flag=True, help="Permit tcp: remotes, without encryption or identity.")(
        command
    )
    for name, what in (("ca-cert", "CA certificate"), ("certificate", "Certificate"), ("private-key", "Private key")):
        command = click.option(f"--nb-{name}", type=PATH, metavar="FILE", help=f"{what} for ssl: remotes.")(command)
    return command


def with_target(purpose: str, store_help: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options of a `Target`, the command's ``target``; ``purpose`` completes "name one place to"."""

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def with_options(
            store: Path | None,
            nb_db: tuple[str, ...],
            nb_private_key: Path | None,
            nb_certificate: Path | None,
            nb_ca_cert: Path | None,
            insecure_nb: bool,
            host: str | None,
            **rest: Any,
        ) -> int:
            if (store is None) is (not nb_db) and (nb_db or host is None):
                raise click.UsageError(f"name one place to {purpose}: --store DIR or --nb-db NODE=REMOTE")
            tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
            return command(
                target=Target(store, dict(remote_of(text, tls, insecure=insecure_nb) for text in nb_db), tls, host),
                **rest,
            )

        databases = click.option(
            "--nb-db", multiple=True, metavar="NODE=REMOTE", help="Live Northbound database of a node. Repeatable."
        )
        folder = click.option("--store", type=PATH, metavar="DIR", help=store_help)
        return folder(databases(with_tls(HostOption(with_options))))

    return decorate


def tls_files(key: Path | None, certificate: Path | None, ca: Path | None) -> TLSFiles | None:
    """Return the files, or None when none is named; raise click.UsageError when some are missing."""
    if key and certificate and ca:
        return TLSFiles(key, certificate, ca)
    if key or certificate or ca:
        raise click.UsageError("--nb-private-key, --nb-certificate and --nb-ca-cert belong together")
    return None


def remote_of(text: str, tls: TLSFiles | None, *, insecure: bool) -> tuple[str, str]:
    """Return node and remote of ``NODE=REMOTE``; raise click.BadParameter for any other text."""
    node, equals, remote = text.partition("=")
    if not equals or not node:
        raise click.BadParameter(f"{text!r} is not NODE=REMOTE", param_hint="--nb-db")
    try:
        check_remote(remote, tls)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--nb-db") from error
    check_encrypted(remote, insecure=insecure)
    return node, remote


def check_encrypted(remote: str, *, insecure: bool, option: str = "--nb-db") -> None:
    """Raise click.BadParameter for a tcp: remote of ``option`` that --insecure-nb does not permit."""
    plain = next((member for member in remote.split(",") if member.startswith("tcp:")), None)
    if plain is not None and not insecure:
        detail = f"{plain!r} is neither encrypted nor authenticated; name an ssl: remote or add --insecure-nb"
        raise click.BadParameter(detail, param_hint=option)


def check_host(host: str | None, known: Collection[str]) -> None:
    """Raise click.UsageError unless ``host`` is one of the ``known`` nodes or None."""
    if host is not None and host not in known:
        raise click.UsageError(f"--host: no node {host} in --nodes")
