"""`kubectl ovn-preflight PATH...`: the verdict on manifests before anybody applies them."""

import os
import sys
import time
from collections.abc import Callable

import click

from validators.catalog import AUTO, Catalog
from validators.cli.check import Checked, check
from validators.cli.exitcodes import Exit
from validators.cli.sources import Loaded, read_sources
from validators.fast.store import DiskStore, default_folder
from validators.network.view import ObjectsView
from validators.report import as_json, as_text
from validators.report.model import Severity

_EPILOG = """\b
Examples:
  kubectl ovn-preflight network.yaml
  kustomize build overlays/prod | kubectl ovn-preflight -
  kubectl ovn-preflight --old live/ desired/          judge updates, transition rules included
  kubectl ovn-preflight --inventory cluster/ cudn.yaml  know nodes and networks around it
  kubectl ovn-preflight deploy/ -o json

\b
Sub-commands:
  kubectl ovn-preflight test PATH...            run rule suites; see test --help (a path named test is ./test)
  kubectl ovn-preflight cost CRD...             what rules may cost, and which bounds are missing; see cost --help

\b
A file NAME.old.yaml beside NAME.yaml is its old object: the pair is judged as an update.
Exit codes: 0 accepted, 1 refused, 2 wrong call or unreadable input, 3 a fault of this program.
"""


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--old", "old", multiple=True, metavar="FILE|DIR", help="Old objects of updates, matched by identity.")
@click.option("--crds", multiple=True, metavar="FILE|DIR", help="CRDs that win over the bundled ones. Repeatable.")
@click.option(
    "--inventory", multiple=True, metavar="FILE|DIR", help="Objects of the cluster around the manifests. Repeatable."
)
@click.option(
    "--schema-set",
    type=click.Choice([AUTO, "enhancement", "released"]),
    default=AUTO,
    show_default=True,
    help="Which generation of the no-overlay API judges.",
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--warnings-as-errors", is_flag=True, help="Exit 1 when there are warnings.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.version_option(package_name="ovnguard")
def preflight(
    paths: tuple[str, ...],
    old: tuple[str, ...],
    crds: tuple[str, ...],
    inventory: tuple[str, ...],
    schema_set: str,
    output: str,
    warnings_as_errors: bool,
    color: str,
) -> int:
    """Judge manifests as the API server and the network designs would, without a cluster.

    PATH is a file, a folder or - for standard input.
    """
    loaded = read_sources(paths, old)
    folder = default_folder()
    catalog = Catalog(_definitions(crds), schema_set, store=DiskStore(folder) if folder else None)
    known = _must_read(inventory).documents
    around = [document.value for document in (*known, *loaded.documents)]
    checked = check(loaded, ObjectsView(around), catalog, _progress(len(loaded.documents)), known)
    if output == "json":
        click.echo(as_json.render(checked.report), nl=False)
    else:
        click.echo(as_text.render(checked.report, colour=_colour(color)), nl=False, color=True)
    return _exit_code(checked, warnings_as_errors=warnings_as_errors)


def _exit_code(checked: Checked, *, warnings_as_errors: bool) -> Exit:
    if checked.unreadable:
        return Exit.USAGE
    fatal = (Severity.ERROR, Severity.WARNING) if warnings_as_errors else (Severity.ERROR,)
    return Exit.INVALID if any(checked.report.count(severity) for severity in fatal) else Exit.OK


def _must_read(paths: tuple[str, ...]) -> Loaded:
    """Read side inputs, where one problem is enough to make every verdict doubtful."""
    loaded = read_sources(paths)
    if loaded.problems:
        first = loaded.problems[0]
        raise click.ClickException(f"{first.file}:{first.line}:{first.column}: {first.message}")
    return loaded


def _definitions(paths: tuple[str, ...]) -> list[dict[str, object]]:
    documents = _must_read(paths).documents
    for document in documents:
        if document.value.get("kind") != "CustomResourceDefinition":
            where = document.position("kind")
            kind = document.value.get("kind")
            raise click.ClickException(
                f"{document.file}:{where.line}:{where.column}: kind: {kind} is not a CustomResourceDefinition; "
                "--crds takes CRDs only"
            )
    return [document.value for document in documents]


def _colour(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def _progress(total: int) -> Callable[[int], None]:
    """Say on stderr how far we are, every two seconds and never before."""
    last = time.monotonic()

    def tell(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 2 and done < total:
            last = now
            click.echo(f"judged {done} of {total} objects ...", err=True)

    return tell
