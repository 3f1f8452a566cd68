"""`kubectl ovn-preflight cost CRD...`: estimated costs of CEL rules, before an API server refuses the CRD."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.kubernetes_option import kubernetes_option
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.commandline.terminal import COLOURS, use_colour
from ovnguard.validators.cost import explain
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.manifest.files import STDIN
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.report import cost_json, cost_text
from ovnguard.validators.report.cost_report import Costed, CostReport

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight cost config/crd/widgets.yaml
  kubectl ovn-preflight cost --bundled
  kubectl ovn-preflight cost userdefinednetworks.k8s.ovn.org -o json
  kustomize build config/crd | kubectl ovn-preflight cost -

\b
The estimate is the API server's: a list, map or string without maxItems, maxProperties or maxLength counts as
large as a request may be. "missing" names the bounds whose absence makes a rule more expensive.
Exit codes: 0 within the limits, 1 over a limit, 2 wrong call or bad input, 3 internal error.
"""
_CRD: Final = "CustomResourceDefinition"


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("crds", nargs=-1, metavar="CRD...")
@click.option("--bundled", is_flag=True, help="All bundled CRDs.")
@kubernetes_option("The server version to estimate for.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--color", type=click.Choice(COLOURS), default="auto", show_default=True)
@click.version_option(package_name="ovnguard")
def cost(crds: tuple[str, ...], bundled: bool, kubernetes: str, output: str, color: str) -> int:
    """Show what each rule of a CRD may cost, its share of the API server's limits, and which bounds are missing.

    CRD is a file, a folder, - for standard input, or the name of a bundled CRD.
    """
    if not crds and not bundled:
        raise click.UsageError("name a CRD, or use --bundled")
    report = _report(crds, kubernetes, bundled=bundled)
    if output == "json":
        click.echo(cost_json.render(report), nl=False)
    else:
        click.echo(cost_text.render(report, colour=use_colour(color)), nl=False, color=True)
    if report.flawed:
        return Exit.USAGE
    return Exit.INVALID if report.over else Exit.OK


def _report(crds: tuple[str, ...], kubernetes: str, *, bundled: bool) -> CostReport:
    crds_by_source = list(_bundled({crd_schemas.crd_name(*key) for key in crd_schemas.kinds()})) if bundled else []
    paths = []
    for crd in crds:
        named = [] if crd == STDIN or Path(crd).exists() else list(_bundled({crd}))
        crds_by_source += named
        if not named:
            paths.append(crd)
    loaded = read_sources(paths)
    problems = [f"{one.file}:{one.line}:{one.column}: {one.message}" for one in loaded.problems]
    found = [one for one in loaded.documents if one.value.get("kind") == _CRD]
    if paths and not found and not problems:
        problems.append(f"{', '.join(paths)}: no {_CRD} there; name a file or folder with one")
    crds_by_source += [(one.file, one.value) for one in found]
    definitions = []
    for source, crd_object in crds_by_source:
        try:
            definitions.append(Costed(source, explain(crd_object, kubernetes)))
        except InvalidCRD as fault:
            problems += [f"{source}: {error.text}" for error in fault.errors]
    return CostReport(kubernetes, tuple(definitions), tuple(problems))


def _bundled(names: Iterable[str]) -> Iterator[tuple[str, JsonObject]]:
    """The bundled CRDs with these names; a CRD that is equal in every set occurs once."""
    wanted = set(names)
    seen: set[int] = set()
    for schema_set in crd_schemas.SETS:
        for key, crd in crd_schemas.crds(schema_set).items():
            if crd_schemas.crd_name(*key) in wanted and id(crd) not in seen:
                seen.add(id(crd))
                common = all(other.get(key) is crd for other in map(crd_schemas.crds, crd_schemas.SETS))
                yield f"bundled {crd_schemas.COMMON if common else schema_set}", crd
