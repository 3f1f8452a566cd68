"""`ovnguard-reconciler bundle`: what an audit needs of a live cluster, as one file."""

import secrets
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from importlib.metadata import version
from typing import Final

import click

from ovnguard.reconciler.apply.bundle.bundle_file import STDOUT, bundle_file
from ovnguard.reconciler.apply.bundle.collection import Collection
from ovnguard.reconciler.apply.files.must_gather import MARKER
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.loop_options import connected
from ovnguard.reconciler.commands.options import TLSOptions, with_cluster, with_tls
from ovnguard.validators.cluster.client_protocol import ClusterError, ClusterOptions
from ovnguard.validators.commandline.program import Exit

_SILENCE: Final = 2.0
_FORMAT: Final = 1
_KEY_BYTES: Final = 16
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler bundle
  ovnguard-reconciler bundle -o - | ssh support 'cat > bundle.tar.gz'
  ovnguard-reconciler bundle -o bundle.tar.gz && ovnguard-reconciler audit bundle.tar.gz
  ovnguard-reconciler bundle --anonymize -o bundle.tar.gz
  ovnguard-reconciler bundle --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock

\b
Without --nb-db, it runs `ovsdb-client backup` in the ovnkube-node pod of every node. docs/bundle.md lists the rights
that it needs. It never lists Secrets. Exit codes: 0 ok, 1 the Northbound database of a node is missing, 2 wrong call or
a file that cannot be written, 3 the cluster cannot be reached, or an internal error.
"""


@click.command("bundle", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-o", "--output", metavar="FILE", help="- writes to standard output. Default: a name with the time.")
@click.option(
    "--nb-db",
    multiple=True,
    metavar="NODE=REMOTE",
    help="Live Northbound database of a node, which is then not read through its pod. Repeatable.",
)
@click.option("--logs", is_flag=True, help="Also the logs of OVN-Kubernetes' pods.")
@click.option(
    "--anonymize",
    is_flag=True,
    help="Replace names and addresses; leave out Southbound databases, reports and Events.",
)
@with_tls
@with_cluster
@click.version_option(package_name="ovnguard")
def command(
    cluster: ClusterOptions, tls: TLSOptions, output: str | None, nb_db: tuple[str, ...], logs: bool, anonymize: bool
) -> int:
    """Collect what `audit` needs of a live cluster into one .tar.gz.

    Of objects, only the fields that an audit reads; the databases of all zones; reports of zones, Events and versions.
    """
    if output == STDOUT and sys.stdout.isatty():
        raise click.UsageError("-o -: standard output is a terminal; redirect it to a file or a program")
    if logs and anonymize:
        raise click.UsageError("--logs: nobody can tell the names in a log; leave out --logs or --anonymize")
    now = time.time()
    target = output or time.strftime("ovnguard-bundle-%Y%m%d-%H%M%S.tar.gz", time.localtime(now))
    files = tls.files()
    client = connected(cluster)
    try:
        with ExitStack() as stack:
            stack.enter_context(closing(client))
            stores = {
                node: stack.enter_context(closing(NorthboundStore(remote, tls=files)))
                for node, remote in map(tls.remote_of, nb_db)
            }
            release = str(client.request("GET", "/version").get("gitVersion", ""))
            file = stack.enter_context(bundle_file(target, now))
            found = Collection(client, file, _telling())
            _collect(found, stores, now, anonymize=anonymize)
            if logs:
                found.logs()
            about = {"ovnguard": version("ovnguard"), "kubernetes": release, "anonymous": anonymize}
            file.add(MARKER, {"format": _FORMAT, **about, "kinds": found.kinds})
    except ClusterError as error:
        click.echo(f"error: {error}", err=True)
        return Exit.INTERNAL
    except StoreError as error:
        raise click.UsageError(str(error)) from None
    for text in found.unread:
        click.echo(f"not read: {text}", err=True)
    if output is None:
        click.echo(target)
    return Exit.INVALID if found.missing or not found.nodes else Exit.OK


def _collect(found: Collection, stores: Mapping[str, NorthboundStore], now: float, *, anonymize: bool) -> None:
    if anonymize:
        found.anonymous_objects(secrets.token_bytes(_KEY_BYTES))
    else:
        found.objects()
    found.databases(stores, int(now * 1000))


def _telling() -> Callable[[str], None]:
    """Say what is collected, at most every few seconds."""
    last = time.monotonic()

    def tell(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _SILENCE:
            last = time.monotonic()
            click.echo(f"collecting {what}", err=True)

    return tell
