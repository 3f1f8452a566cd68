"""`kubectl ovn-preflight test PATH...`: suites of rules and policies without an API server."""

from collections.abc import Callable, Sequence
from typing import Final

import click

from ovnguard import crd_schemas
from ovnguard.validators.cli.kubernetes_option import kubernetes_option
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.commandline.terminal import progress
from ovnguard.validators.report import suite_json, suite_junit, suite_tap, suite_text
from ovnguard.validators.report.visible_text import visible
from ovnguard.validators.suite.analysed_report import AnalysedReport
from ovnguard.validators.suite.discovery import NoSuites
from ovnguard.validators.suite.keyword_filter import BadExpression
from ovnguard.validators.suite.runner import Plan, judge_plan, plan_suites
from ovnguard.validators.suite.suite import SuiteReport

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight test api/                 suites in tests/CRDNAME/*.yaml, tests/POLICYNAME/*.yaml below
  kubectl ovn-preflight test api/ --crds config/crd/bases
  kubectl ovn-preflight test openshift-api/operator/v1/tests/networks.operator.openshift.io --crds released
  kubectl ovn-preflight test api/ -k "onUpdate and not mtu" -o junit
  kubectl ovn-preflight test openshift-api/ -j 2 -o json   an unmodified checkout, on two cores
  kubectl ovn-preflight test api/ --coverage      what no case shows both ways
  kubectl ovn-preflight test api/ --mutate -j 4   how rules can be broken unnoticed

\b
A case passes when the verdict and the text (or the whole stored object) are as expected. The text may be that of
--kubernetes-version or of an older server.
Exit codes: 0 all cases passed, 1 some did not, 2 wrong call or no suite, 3 internal error.
"""
_MAX_JOBS: Final = 256
_MOST_WARNINGS: Final = 100
_WRITERS: Final[dict[str, Callable[[SuiteReport], str]]] = {"junit": suite_junit.render, "tap": suite_tap.render}


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--crds",
    multiple=True,
    metavar="DIR",
    help="CRDs instead of those next to the suites; enhancement and released name the bundled ones. Repeatable.",
)
@click.option(
    "--policies",
    multiple=True,
    metavar="DIR",
    help="ValidatingAdmissionPolicies and bindings instead of those next to the suites. Repeatable.",
)
@click.option("--feature-gates", metavar="DIR", help="FeatureGate manifests [default: payload-manifests/featuregates].")
@kubernetes_option("The server version to judge like.")
@click.option("-o", "--output", type=click.Choice(["text", "json", *_WRITERS]), default="text", show_default=True)
@click.option(
    "-k",
    "keywords",
    default="",
    metavar="EXPR",
    help="Only cases with these texts, combined with and, or, not, ().",
)
@click.option(
    "--coverage",
    is_flag=True,
    help="Also list rules, conditions, enum values, defaults and bounds that no case has both accepted and refused.",
)
@click.option(
    "--mutate",
    is_flag=True,
    help="Also break every CEL expression in small ways, and list the mutants that every suite accepts.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List passed cases as well, and the CRD files of suites that run with several.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1, _MAX_JOBS), default=1, show_default=True, help="Number of processes."
)
@click.version_option(package_name="ovnguard")
def test(  # noqa: PLR0913, PLR0917 - one parameter for each option, passed by name
    paths: tuple[str, ...],
    crds: tuple[str, ...],
    policies: tuple[str, ...],
    feature_gates: str | None,
    kubernetes: str,
    output: str,
    keywords: str,
    jobs: int,
    coverage: bool,
    mutate: bool,
    verbose: bool,
) -> int:
    """Run suites against their CRDs, in the format of openshift/api, or against their policies, without a cluster.

    PATH is a folder with suites or a suite.
    """
    if (coverage or mutate) and output not in ("text", "json"):
        raise click.UsageError(
            f"--{'coverage' if coverage else 'mutate'} has no {output} report; use -o text or -o json"
        )
    try:
        plan = plan_suites(
            paths,
            crds=[folder for place in crds for folder in crd_schemas.whole_set(place)],
            policies=policies,
            feature_gates=feature_gates,
            keywords=keywords,
        )
    except BadExpression as error:
        raise click.BadParameter(str(error), param_hint="-k") from None
    except NoSuites as error:
        raise click.ClickException(str(error)) from None
    analysed = _analysed(plan, kubernetes, jobs, coverage=coverage, mutated=mutate)
    report = analysed.report
    _warn(report.warnings)
    if not report.cases:
        raise click.ClickException(f"-k {keywords!r} selects no case" if keywords else "the suites contain no case")
    click.echo(_written(analysed, output, verbose=verbose), nl=False)
    if mutate:
        _tell_failures(report)
    return Exit.OK if report.passed else Exit.INVALID


def _analysed(plan: Plan, kubernetes: str, jobs: int, *, coverage: bool, mutated: bool) -> AnalysedReport:
    """Run the cases, once for each analysis; coverage uses one core, because it remembers what cases met."""
    gaps = None
    if coverage:
        from ovnguard.validators.suite.coverage import cover  # few runs analyse

        report, gaps = cover(plan, kubernetes, progress("cases"))
    if mutated:
        from ovnguard.validators.suite.mutation import mutate

        return AnalysedReport(*mutate(plan, kubernetes, progress("rules"), jobs), gaps=gaps)
    if not coverage:
        report = judge_plan(plan, kubernetes=kubernetes, jobs=jobs, progress=progress("cases"))
    return AnalysedReport(report, gaps=gaps)


def _written(analysed: AnalysedReport, output: str, *, verbose: bool) -> str:
    if output == "text":
        return suite_text.render(analysed, verbose=verbose)
    return suite_json.render(analysed) if output == "json" else _WRITERS[output](analysed.report)


def _warn(warnings: Sequence[str]) -> None:
    """Report on stderr parts of suites and CRDs that have no effect."""
    for warning in warnings[:_MOST_WARNINGS]:
        click.echo(f"warning: {visible(warning)}", err=True)
    if len(warnings) > _MOST_WARNINGS:
        click.echo(f"warning: and {len(warnings) - _MOST_WARNINGS} more", err=True)


def _tell_failures(report: SuiteReport) -> None:
    """Say why no rule was broken, if a case did not pass."""
    if not report.passed:
        failed = sum(not case.passed for case in report.cases)
        of_all = f"{failed} of {len(report.cases)} did not"
        click.echo(f"Error: --mutate needs cases that pass, {of_all}: no rule was broken", err=True)
