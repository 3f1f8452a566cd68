"""`ovnguard-reconciler plan` and `apply`: networks and nodes from manifests, no cluster."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

import click

from reconciler.apply.converge import converge
from reconciler.apply.errors import StoreError
from reconciler.apply.files import FileStore
from reconciler.apply.frr import FrrFile
from reconciler.apply.store import TLSFiles, ZoneStore, check_remote
from reconciler.loop.frozen import without_deletes_of
from reconciler.manifests import Inputs, read_inputs
from reconciler.options import tls_files, with_tls
from reconciler.plan.as_json import zones_to_json
from reconciler.plan.as_text import operations_as_text, zone_as_text
from reconciler.plan.diff import diff
from reconciler.plan.mermaid import pictures
from reconciler.plan.rows import Operation, ZonePlan
from validators.cli.exitcodes import Exit
from validators.network.model import DEFAULT_NETWORK

_PLAN_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler plan -f networks/ --nodes nodes/
  ovnguard-reconciler plan -f cudn.yaml -f default.yaml --nodes nodes/ -o mermaid
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o frr > frr.conf
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --store state/    what apply would change
"""
_APPLY_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --nb-db worker-a=tcp:172.18.0.2:6641 --frr-dir frr/
"""
_F = TypeVar("_F", bound=Callable[..., object])


def _inputs(command: _F) -> _F:
    """Add the options that say where networks and nodes are described."""
    networks = click.option(
        "-f", "--filename", "files", multiple=True, required=True, metavar="PATH", help="Networks. - is standard input."
    )
    nodes = click.option("--nodes", multiple=True, required=True, metavar="PATH", help="Nodes of the cluster.")
    return networks(nodes(command))


@click.command("plan", epilog=_PLAN_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@_inputs
@click.option("-o", "--output", type=click.Choice(["text", "json", "mermaid", "frr"]), default="text")
@click.option("--node", metavar="NAME", help="This node's zone only.")
@click.option("--store", type=click.Path(path_type=Path), metavar="DIR", help="Show the difference to this folder.")
def plan_command(
    files: tuple[str, ...], nodes: tuple[str, ...], output: str, node: str | None, store: Path | None
) -> int:
    """Print what every node's zone would hold; nothing is written.

    Networks that are refused are reported and left out. PATH is a file, a folder or -.
    """
    inputs = read_inputs(files, nodes, node)
    if inputs.unreadable:
        return _unreadable(inputs)
    zones, operations = list(inputs.plan.zones), dict[str, Sequence[Operation]]()
    try:
        if store is not None:
            zones, operations = _against(inputs, FileStore(store), node)
        else:
            operations = {zone.node: diff((), zone.rows) for zone in zones}
    except StoreError as error:
        return _failed(error)
    if output == "json":
        value = zones_to_json(zones, operations)
        click.echo(json.dumps({**value, "notes": inputs.notes, "errors": inputs.errors}, indent=2))
    else:
        _show(output, zones, operations, one=node is not None)
        _remarks(inputs)
    return Exit.INVALID if inputs.errors else Exit.OK


@click.command("apply", epilog=_APPLY_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@_inputs
@click.option("--store", type=click.Path(path_type=Path), metavar="DIR", help="Folder of files, made when needed.")
@click.option("--nb-db", multiple=True, metavar="NODE=REMOTE", help="A node's live Northbound database. Repeatable.")
@with_tls
@click.option("--frr-dir", type=click.Path(path_type=Path), metavar="DIR", help="With --nb-db: write DIR/NODE.conf.")
def apply_command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    store: Path | None,
    nb_db: tuple[str, ...],
    nb_private_key: Path | None,
    nb_certificate: Path | None,
    nb_ca_cert: Path | None,
    frr_dir: Path | None,
) -> int:
    """Bring a folder of files, or live Northbound databases, to the plan, and say what changed.

    Rows of a node that is no longer described are removed from the folder.
    """
    if (store is None) is (not nb_db):
        raise click.UsageError("name one place to apply to: --store DIR or --nb-db NODE=REMOTE")
    if store is not None and frr_dir is not None:
        raise click.UsageError("--frr-dir goes with --nb-db; a store has a folder of its own for FRR")
    tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
    remotes = dict(_remote(text, tls) for text in nb_db)
    inputs = read_inputs(files, nodes, None)
    if inputs.unreadable:
        return _unreadable(inputs)
    unknown = sorted(remotes.keys() - inputs.node_names)
    if unknown:
        raise click.UsageError(f"--nb-db: no node {unknown[0]} in --nodes")
    totals = Counter[str]()
    try:
        if store is not None:
            failures = _apply_files(inputs, FileStore(store), totals)
        else:
            failures = _apply_live(inputs, _connect(remotes, tls), frr_dir, totals)
    except StoreError as error:
        return _failed(error)
    _sum_up(totals)
    _remarks(inputs)
    for failure in failures:
        click.echo(f"error: {failure}", err=True)
    if failures:
        return Exit.INTERNAL
    return Exit.INVALID if inputs.errors else Exit.OK


def _against(
    inputs: Inputs, store: FileStore, node: str | None
) -> tuple[list[ZonePlan], dict[str, Sequence[Operation]]]:
    """The zones of the plan and of nodes that are gone, and what would change in ``store``."""
    gone = [name for name in store.nodes() if name not in inputs.node_names and node in (None, name)]
    zones = [*inputs.plan.zones, *(ZonePlan(name, (), "") for name in gone)]
    choose = without_deletes_of(inputs.frozen)
    operations: dict[str, Sequence[Operation]] = {}
    for zone in zones:
        observed = store.read(zone.node)
        operations[zone.node] = choose(diff(observed, zone.rows), observed)
    return zones, operations


def _apply_files(inputs: Inputs, store: FileStore, totals: Counter[str]) -> list[str]:
    with store.locked():
        zones, operations = _against(inputs, store, None)
        for zone in zones:
            store.apply(zone.node, operations[zone.node])
            before = store.read_frr(zone.node)
            written = DEFAULT_NETWORK not in inputs.frozen and store.write_frr(zone.node, zone.frr)
            _tell(zone, operations[zone.node], _lines(before, zone.frr) if written else "", totals)
    return []


def _apply_live(
    inputs: Inputs, stores: Mapping[str, ZoneStore], frr_dir: Path | None, totals: Counter[str]
) -> list[str]:
    """Apply to one database after the other; one that fails does not keep the others from being written."""
    choose = without_deletes_of(inputs.frozen)
    failures = []
    for zone in inputs.plan.zones:
        if zone.node not in stores:
            continue
        try:
            with closing(stores[zone.node]) as store:
                operations = converge(store, zone.rows, choose)
            written = False
            if frr_dir is not None and DEFAULT_NETWORK not in inputs.frozen:
                written = FrrFile(frr_dir / f"{zone.node}.conf").write(zone.frr)
            _tell(zone, operations, "written" if written else "", totals)
        except StoreError as error:
            failures.append(f"node {zone.node}: {error}")
    return failures


def _connect(remotes: Mapping[str, str], tls: TLSFiles | None) -> dict[str, ZoneStore]:
    # Only here, because plans and files need no OVSDB library.
    from reconciler.apply.ovn_nb import NorthboundStore  # noqa: PLC0415 - see above

    return {node: NorthboundStore(remote, tls=tls) for node, remote in remotes.items()}


def _remote(text: str, tls: TLSFiles | None) -> tuple[str, str]:
    node, equals, remote = text.partition("=")
    if not equals or not node:
        raise click.BadParameter(f"{text!r} is not NODE=REMOTE", param_hint="--nb-db")
    try:
        check_remote(remote, tls)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--nb-db") from error
    return node, remote


def _show(output: str, zones: Sequence[ZonePlan], operations: dict[str, Sequence[Operation]], *, one: bool) -> None:
    if output == "mermaid":
        drawn = pictures(zones)
        click.echo("\n".join(text for _, text in drawn), nl=False)
        if not drawn:
            click.echo("note: no primary Layer2 network to draw", err=True)
    elif output == "frr":
        for zone in zones:
            click.echo(zone.frr if one else f"! ---- {zone.node}\n{zone.frr}", nl=not zone.frr.endswith("\n"))
    else:
        click.echo("\n".join(zone_as_text(zone, operations[zone.node]) for zone in zones), nl=False)


def _tell(zone: ZonePlan, operations: Sequence[Operation], frr: str, totals: Counter[str]) -> None:
    counts = Counter[str](operation.op for operation in operations)
    totals.update(counts)
    totals["nodes"] += bool(operations or frr)
    totals["frr"] += bool(frr)
    click.echo(f"node {zone.node}: {_counts(counts) if operations else 'rows up to date'}")
    click.echo(operations_as_text(operations), nl=False)
    if frr:
        click.echo(f"  FRR configuration: {frr}")


def _sum_up(totals: Counter[str]) -> None:
    if not totals["nodes"]:
        click.echo("no changes")
    else:
        click.echo(f"total: {_counts(totals)} on {totals['nodes']} nodes, FRR configuration of {totals['frr']} changed")


def _counts(counts: Counter[str]) -> str:
    return f"{counts['insert']} inserted, {counts['update']} updated, {counts['delete']} deleted"


def _lines(before: str, after: str) -> str:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return f"{(new - old).total()} lines added, {(old - new).total()} removed"


def _remarks(inputs: Inputs) -> None:
    for note in inputs.notes:
        click.echo(f"note: {note}", err=True)
    for error in inputs.errors:
        field = f"{error['field']}: " if error["field"] else ""
        click.echo(f"{error['file']}:{error['line']}:{error['column']}: error: {field}{error['message']}", err=True)


def _unreadable(inputs: Inputs) -> int:
    for problem in inputs.unreadable:
        click.echo(f"{problem.file}:{problem.line}:{problem.column}: {problem.message}", err=True)
    return Exit.USAGE


def _failed(error: StoreError) -> int:
    click.echo(f"error: {error}", err=True)
    return Exit.INTERNAL
