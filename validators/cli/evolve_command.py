"""`kubectl ovn-preflight evolve OLD NEW`: what a new version of a CRD changes, before it is applied."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

import click

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.git_program import BadRevision
from ovnguard.validators.cli.git_revision import read_revision
from ovnguard.validators.cli.kubernetes_option import kubernetes_option
from ovnguard.validators.cli.namespaces import as_stored
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.commandline.terminal import COLOURS, use_colour
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.evolution.evolution import Evolution, Search, evolve
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.report import evolution_json, evolution_text
from ovnguard.validators.report.evolution_report import EvolutionReport

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight evolve git:main config/crd/
  kubectl ovn-preflight evolve released/widgets.yaml config/crd/widgets.yaml --inventory widgets.yaml
  kubectl get widgets -A -o yaml > widgets.yaml          the stored objects

\b
A change narrows if an object that could be stored is refused or loses a field, and widens if no object can be.
What is not proved is undecided. An object that is shown was judged by both definitions.
Exit codes: 0 no stored object is refused and nothing narrows, 1 otherwise or undecided, 2 wrong call or bad input,
3 internal error.
"""
_GIT: Final = "git:"
_CRD: Final = "CustomResourceDefinition"
_MOST_EXAMPLES: Final = 100_000


@click.command("evolve", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--inventory", multiple=True, metavar="FILE|DIR", help="Stored objects. Repeatable.")
@click.option(
    "--examples",
    type=click.IntRange(0, _MOST_EXAMPLES),
    default=100,
    show_default=True,
    help="Objects of each definition to search for a counterexample of a change; needs hypothesis.",
)
@kubernetes_option("The server version to judge like.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-v", "--verbose", is_flag=True, help="List neutral changes as well.")
@click.option("--color", type=click.Choice(COLOURS), default="auto", show_default=True)
@click.version_option(package_name="ovnguard")
def evolve_command(  # noqa: PLR0913, PLR0917 - one parameter for each option, passed by name
    old: str,
    new: str,
    inventory: tuple[str, ...],
    examples: int,
    kubernetes: str,
    output: str,
    verbose: bool,
    color: str,
) -> int:
    """Show what CRDs change: for their schemas, and for stored objects that they refuse, prune or fill in.

    OLD is a file, a folder, or git:REV for what a revision of git has at NEW. NEW is a file or a folder.
    """
    after = _definitions(new, _documents([new]))
    before = _definitions(old, _revision(old.removeprefix(_GIT), new) if old.startswith(_GIT) else _documents([old]))
    objects = _documents(inventory) if inventory else []
    search = _search(examples)
    names = [name for name in after if name in before]
    found = tuple(_evolution(old, before[name], after[name], objects, kubernetes, search) for name in names)
    added, removed = (_without(one, other) for one, other in ((after, before), (before, after)))
    report = EvolutionReport(kubernetes, found, added, removed, search is not None)
    if output == "json":
        click.echo(evolution_json.render(report), nl=False)
    else:
        click.echo(evolution_text.render(report, colour=use_colour(color), verbose=verbose), nl=False, color=True)
    return Exit.OK if report.is_safe else Exit.INVALID


def _evolution(
    place: str,
    old: JsonObject,
    new: JsonObject,
    objects: Sequence[JsonObject],
    kubernetes: str,
    search: Search | None,
) -> Evolution:
    try:
        return evolve(old, new, objects, kubernetes, search)
    except InvalidCRD as fault:
        raise click.ClickException(f"{place}: no API server has stored this: {fault.errors[0].text}") from None


def _without(names: Iterable[str], others: Container[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


def _documents(paths: Sequence[str]) -> list[JsonObject]:
    """The objects of files. Raises ClickException for the first one that cannot be read: it makes all doubtful."""
    loaded = read_sources(paths, stored=as_stored(""))
    for one in loaded.problems:
        raise click.ClickException(f"{one.file}:{one.line}:{one.column}: {one.message}")
    return [document.value for document in loaded.documents]


def _revision(revision: str, path: str) -> list[JsonObject]:
    try:
        return list(read_revision(revision, [path], as_stored("")).objects.values())
    except BadRevision as error:
        raise click.ClickException(str(error)) from None


def _definitions(place: str, objects: Sequence[JsonObject]) -> dict[str, JsonObject]:
    """The definitions among objects by name."""
    found = dict(_named(objects))
    if not found:
        raise click.ClickException(f"{place}: no {_CRD} there; name a file or folder with one")
    return found


def _named(objects: Sequence[JsonObject]) -> Iterator[tuple[str, JsonObject]]:
    for each in objects:
        meta = each.get("metadata")
        if each.get("kind") == _CRD and isinstance(meta, dict):
            yield str(meta.get("name")), each


def _search(examples: int) -> Search | None:
    """The search, or None without hypothesis, which ovnguard does not install."""
    if not examples:
        return None
    try:
        from ovnguard.validators.evolution.counterexamples import searching
    except ModuleNotFoundError as missing:
        if missing.name != "hypothesis":
            raise
        return None
    return searching(examples)
