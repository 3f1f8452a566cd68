"""`kubectl ovn-preflight PATH...`: judges manifests before they are applied."""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from ovnguard.validators.cli.adjustments import Adjustments
from ovnguard.validators.cli.configuration import BadConfiguration, Configuration, Ignore, configuration_of
from ovnguard.validators.cli.explain.rule_names import unknown_rule
from ovnguard.validators.cli.judge_documents import CheckResult, Detail, ReportOptions, check
from ovnguard.validators.cli.mutations import as_diff
from ovnguard.validators.cli.outputs import NAMES_ALL_OBJECTS, Output, Unwritable, outputs_of, print_out, write
from ovnguard.validators.cli.preflight_inputs import Inputs, read_inputs
from ovnguard.validators.cli.preflight_options import PROGRAM, SUB_COMMANDS, WrongCall, complete, jobs_for, parser
from ovnguard.validators.cli.unjudged_objects import GivenDefinitions
from ovnguard.validators.commandline.program import Exit, tell
from ovnguard.validators.commandline.terminal import progress, use_colour
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.manifest.positions import lines_of
from ovnguard.validators.report import as_github, as_json, as_sarif, as_tap, as_text
from ovnguard.validators.report.findings import Finding, Report, Severity, Subject

if TYPE_CHECKING:
    from ovnguard.validators.report.as_text import SourceLine


def preflight(args: Sequence[str]) -> Exit:
    """Judge manifests as the API server and the network designs do, without a cluster; return the exit code."""
    try:
        made = parser()
        end = args.index("--") if "--" in args else len(args)
        options = made.parse_intermixed_args(args[:end])
        options.paths = [*options.filename, *options.paths, *args[end + 1 :]]
        if options.help or options.help_all:
            sys.stdout.write(made.help(everything=options.help_all))
            return Exit.OK
        if options.version:
            sys.stdout.write(f"{PROGRAM}, version {_installed()}\n")
            return Exit.OK
        _check_command(args)
        configuration = configuration_of(options.paths)
        ignored = () if options.trust_config else tuple(f for f in configuration.outside if getattr(options, f) is None)
        complete(options, configuration.without_outside(ignored))
        if not options.paths:
            made.error("name at least one PATH")
        return _judge(options, configuration, _warnings(configuration, ignored))
    except (WrongCall, BadConfiguration) as error:
        tell(f"Error: {error}")
        return Exit.USAGE
    except Unwritable as error:
        tell(f"Error: {error}")
        return Exit.INTERNAL


def _warnings(configuration: Configuration, ignored: Sequence[str]) -> tuple[Finding, ...]:
    """The warning about fields of the configuration that are ignored in part."""
    if not ignored:
        return ()
    at = min(configuration.outside[field] for field in ignored)
    why = "are ignored: in a configuration file they count only with --trust-config"
    text = f"{' and '.join(ignored)}: git: and cluster {why}"
    return (Finding(Subject(configuration.file), *at, "", "Warning", text, "", Severity.WARNING),)


def _judge(options: argparse.Namespace, configuration: Configuration, warnings: tuple[Finding, ...]) -> Exit:
    outputs = _outputs(options)
    inputs = read_inputs(options)
    detail = _detail(options, outputs)
    report = (lambda _done, _total: None) if options.quiet else progress("objects")
    policies = () if inputs.policies is None else inputs.policies.documents
    documents = (*inputs.loaded.documents, *inputs.loaded.unreadable, *inputs.definitions.values(), *policies)
    every = any(output.format in NAMES_ALL_OBJECTS for output in outputs)
    adjustments = _adjustments(options, configuration, inputs)
    report_options = ReportOptions(
        detail,
        options.require_schemas,
        every,
        adjustments,
        inputs.policies,
        GivenDefinitions(inputs.definitions),
        options.show_mutations,
        jobs_for(len(inputs.loaded.documents), options.jobs),
        (*warnings, *inputs.warnings),
    )
    result = check(inputs.loaded, inputs.view, inputs.catalog, report, inputs.inventory, report_options)
    if options.show_mutations:
        print_out(as_diff(result.mutations))
    write(outputs, partial(_rendered, result.report, options, documents))
    return _exit_code(result, options)


def _adjustments(options: argparse.Namespace, configuration: Configuration, inputs: Inputs) -> Adjustments:
    """What to do with findings. Raises `WrongCall` for a rule id of the command line that there is not."""
    policies = () if inputs.policies is None else inputs.policies.names
    unknown = partial(unknown_rule, policies=policies, crds=bool(inputs.definitions) or options.from_cluster)
    for rule in options.ignore:
        if complaint := unknown(rule):
            raise WrongCall(f"--ignore: {complaint}")
    ignores = (*configuration.ignores, *map(Ignore, options.ignore))
    return Adjustments(ignores, configuration.severities, configuration.file, unknown)


def _check_command(args: Sequence[str]) -> None:
    """Raise `WrongCall` if the first argument is a misspelt sub-command and no file."""
    word = next(iter(args), "-")
    if not word.isalpha() or os.path.exists(word):  # noqa: PTH110 - Path.exists raises for a name that is too long
        return
    if close := get_close_matches(word, SUB_COMMANDS, 1):
        raise WrongCall(f"there is no file and no sub-command {word}; did you mean {close[0]}?")


def _outputs(options: argparse.Namespace) -> tuple[Output, ...]:
    try:
        found = outputs_of(options.output)
    except ValueError as error:
        raise WrongCall(str(error)) from None
    other = next((each.format for each in found if not each.file and each.format != "text"), None)
    if options.show_mutations and other is not None:
        raise WrongCall(f"--show-mutations writes to standard output, and so does -o {other}: -o {other}=FILE")
    return found


def _detail(options: argparse.Namespace, outputs: Sequence[Output]) -> Detail:
    if options.quiet:
        # what makes the exit code 1 is shown
        return Detail.FINDINGS if options.warnings_as_errors else Detail.ERRORS
    programs = any(output.format == "json" for output in outputs)
    return Detail.ALL if options.verbose or programs else Detail.FINDINGS


def _rendered(report: Report, options: argparse.Namespace, documents: Sequence[Document], name: str) -> str:
    """The report in the format ``name``. Every format loads only its own writer; json has all notes."""
    if name == "json":
        return as_json.render(report)
    if not options.verbose:
        report = report.without_extras()
    if name == "junit":
        from ovnguard.validators.report import as_junit  # the other formats need none of it

        return as_junit.render(report)
    if name == "sarif":
        from ovnguard.validators.cli.explain.explanations import requirement  # loads every rule

        return as_sarif.render(report, requirement, _installed())
    if name == "tap":
        return as_tap.render(report)
    if name == "github":
        return as_github.render(report)
    if name == "gitlab":
        from ovnguard.validators.report import as_gitlab

        return as_gitlab.render(report)
    colour, source = use_colour(options.color), source_lines(documents)
    return as_text.render(report, colour=colour, quiet=options.quiet, verbose=options.verbose, source=source)


def source_lines(documents: Sequence[Document]) -> "SourceLine":
    """Return the function that returns a line of a document's file."""
    texts = {document.file: document.raw for document in documents}
    split: dict[str, Sequence[str]] = {}

    def line(file: str, number: int) -> str | None:
        if file not in split:
            split[file] = lines_of(texts.get(file, b""))
        lines = split[file]
        return lines[number - 1] if number <= len(lines) else None

    return line


def _installed() -> str:
    from importlib.metadata import version  # costs 20 ms

    return version("ovnguard")


def _exit_code(result: CheckResult, options: argparse.Namespace) -> Exit:
    if result.unreadable:
        return Exit.USAGE
    if result.lacks_schema:
        return Exit.NO_SCHEMA
    report = result.report
    refused = report.errors or (options.warnings_as_errors and report.warnings)
    return Exit.INVALID if refused and not options.exit_zero else Exit.OK
