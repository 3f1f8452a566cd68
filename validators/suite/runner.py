"""Runs suites: finds them, selects their CRD files and judges their cases, on one core or several."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, supported
from ovnguard.validators.policy.decode import BINDING
from ovnguard.validators.suite.broken_definitions import place_and_text
from ovnguard.validators.suite.case_judge import Target, judge_case
from ovnguard.validators.suite.crd_engine import Compiler, compile_definition
from ovnguard.validators.suite.crd_selection import fits, version_of
from ovnguard.validators.suite.discovery import Damaged, Library, StrPath, SuiteLocation, find_suites, read_bytes, shown
from ovnguard.validators.suite.forked import mapped
from ovnguard.validators.suite.keyword_filter import Selector, selector
from ovnguard.validators.suite.policy_judge import PolicyJudge
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicyRun, PolicySuite
from ovnguard.validators.suite.reading import read_suite
from ovnguard.validators.suite.suite import Case, CaseOutcome, CaseResult, Definition, Suite, SuiteFault, SuiteReport

__all__ = ["Plan", "Run", "judge_plan", "plan_suites", "run_suites"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One suite under one CRD file: the cases that were selected, and the version under test."""

    suite: Suite
    definition: Definition
    version: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs in order; a CaseResult replaces a suite that cannot run."""

    parts: tuple[Run | PolicyRun | CaseResult, ...]
    warnings: tuple[str, ...]

    @property
    def cases(self) -> int:
        """The number of results to expect."""
        return sum(1 if isinstance(part, CaseResult) else len(part.cases) for part in self.parts)


def run_suites(  # noqa: PLR0913 - one parameter for each option, passed by name
    paths: Sequence[StrPath],
    *,
    crds: Sequence[StrPath] = (),
    policies: Sequence[StrPath] = (),
    feature_gates: StrPath | None = None,
    kubernetes: str = DEFAULT_KUBERNETES,
    keywords: str = "",
    jobs: int = 1,
    progress: Progress | None = None,
) -> SuiteReport:
    """Run every suite under ``paths`` and return the result of each case, in an order that does not depend on ``jobs``.

    ``crds`` and ``policies`` are folders or files with CRDs and with policies and their bindings, which replace those
    next to the suites; ``feature_gates`` is the folder with
    FeatureGate manifests, else the nearest ``payload-manifests/featuregates`` above a suite. ``kubernetes`` is the
    server version to imitate. ``keywords`` selects cases like ``-k``. ``progress`` receives the number of finished
    cases and the total. Raises `NoSuites` for a path without suites, `BadExpression` for keywords and ValueError for an
    unknown Kubernetes version. Any fault of a suite or its CRDs becomes an errored case.
    """
    kubernetes = supported(kubernetes)
    plan = plan_suites(paths, crds=crds, policies=policies, feature_gates=feature_gates, keywords=keywords)
    return judge_plan(plan, kubernetes=kubernetes, jobs=jobs, progress=progress)


def plan_suites(
    paths: Sequence[StrPath],
    *,
    crds: Sequence[StrPath] = (),
    policies: Sequence[StrPath] = (),
    feature_gates: StrPath | None = None,
    keywords: str = "",
) -> Plan:
    """Read the suites and select their CRD files without judging anything. Raises as `run_suites` does."""
    chosen = selector(keywords)
    library = Library(crds, feature_gates, policies)
    parts: list[Run | PolicyRun | CaseResult] = []
    warnings: list[str] = []
    for place in find_suites(paths):
        file, label = shown(place.path), place.label(place.path)
        try:
            if place.fault:
                raise SuiteFault(f"{file}: {place.fault}")
            suite = read_suite(file, label, read_bytes(place.path))
        except SuiteFault as fault:
            parts.append(_broken(file, label, "", str(fault)))
            continue
        warnings += suite.warnings
        if isinstance(suite, PolicySuite):
            parts += _policy_runs(suite, place, library, chosen)
        else:
            parts += _runs(suite, place, library, chosen)
    return Plan(tuple(parts), (*warnings, *library.warnings))


def judge_plan(
    plan: Plan,
    *,
    kubernetes: str = DEFAULT_KUBERNETES,
    jobs: int = 1,
    progress: Progress | None = None,
    compiler: Compiler = compile_definition,
) -> SuiteReport:
    """Judge the cases of a plan; parameters as in `run_suites`. ``compiler`` produces the engine that judges."""
    results: dict[int, list[CaseResult]] = {
        index: [part] for index, part in enumerate(plan.parts) if isinstance(part, CaseResult)
    }
    done = len(results)
    judged = mapped(_Judge(plan, kubernetes, compiler).group, _groups(plan), jobs)
    for index, found in chain.from_iterable(judged):
        results[index] = found
        part = plan.parts[index]
        done += 1 if isinstance(part, CaseResult) else len(part.cases)
        if progress is not None:
            progress(done, plan.cases)
    ordered = (result for index in range(len(plan.parts)) for result in results[index])
    return SuiteReport(tuple(ordered), plan.warnings)


def _runs(suite: Suite, place: SuiteLocation, library: Library, chosen: Selector) -> Iterator[Run | CaseResult]:
    """One run for each CRD file that the suite applies to."""
    selected: list[Definition] = []
    doubtful = False
    try:
        for definition in library.definitions(place, suite.crd_name):
            if isinstance(definition, Damaged):
                doubtful = True
                yield _broken(suite.file, suite.label, definition.label, definition.fault)
                continue
            try:
                if fits(suite.feature_gates, definition, library.payload(place)):
                    selected.append(definition)
            except SuiteFault as fault:
                doubtful = True
                yield _broken(suite.file, suite.label, definition.label, str(fault))
        if not selected and not doubtful:
            gates = ", ".join(suite.feature_gates)
            raise SuiteFault(f"{suite.label}: no CRD file of {suite.crd_name} fits the feature gates {gates}")
        version = version_of(suite, selected) if selected else ""
    except SuiteFault as fault:
        yield _broken(suite.file, suite.label, "", str(fault))
        return
    for definition in selected:
        cases = tuple(case for case in suite.cases if chosen(_searched(suite, definition, case)))
        if cases:
            yield Run(suite, definition, version, cases)


def _policy_runs(
    suite: PolicySuite, place: SuiteLocation, library: Library, chosen: Selector
) -> Iterator[PolicyRun | CaseResult]:
    """One run for each file with the policy; the bindings of all files count."""
    try:
        found = library.policies(place, suite.policy_name)
    except SuiteFault as fault:
        yield _broken(suite.file, suite.label, "", str(fault))
        return
    damaged = [each for each in found if isinstance(each, Damaged)]
    yield from (_broken(suite.file, suite.label, each.label, each.fault) for each in damaged)
    definitions = [each for each in found if isinstance(each, Definition)] if not damaged else []
    bindings = tuple(each for each in definitions if each.value["kind"] == BINDING)
    for definition in definitions:
        cases = tuple(case for case in suite.cases if chosen(_searched(suite, definition, case)))
        if cases and definition not in bindings:
            yield PolicyRun(suite, definition, bindings, cases)


def _searched(suite: Suite | PolicySuite, definition: Definition, case: Case | PolicyCase) -> str:
    """The text that ``-k`` searches."""
    return " ".join((suite.label, suite.name, definition.label, case.phase, case.name))


def _broken(file: str, suite: str, crd_file: str, message: str) -> CaseResult:
    return CaseResult(suite, crd_file, "", "", CaseOutcome.ERRORED, message, file=file)


def broken_definition(run: Run, target: Target) -> CaseResult | None:
    """Return one errored result at the fault of a CRD that is not valid, in place of those of its cases."""
    try:
        target.compiled()
    except SuiteFault as fault:
        file, line, text = place_and_text(run.definition, run.version, fault)
        outcome = CaseOutcome.ERRORED
        return CaseResult(run.suite.label, run.definition.label, "", "", outcome, text, file=file, line=line)
    return None


def _groups(plan: Plan) -> list[list[int]]:
    """The runs by CRD file and version, so that only one process compiles each CRD; the longest group first.

    Each suite of a policy is a group.
    """
    groups: dict[tuple[Path, str, str], list[int]] = {}
    for index, part in enumerate(plan.parts):
        if isinstance(part, Run):
            groups.setdefault((part.definition.path, part.definition.name, part.version), []).append(index)
        elif isinstance(part, PolicyRun):
            groups[Path(), "", str(index)] = [index]

    def size(group: list[int]) -> int:
        runs = (plan.parts[index] for index in group)
        return sum(len(run.cases) for run in runs if not isinstance(run, CaseResult))

    return sorted(groups.values(), key=size, reverse=True)


class _Judge:
    """Judges groups of runs; the runs of a group share one compiled CRD."""

    def __init__(self, plan: Plan, kubernetes: str, compiler: Compiler) -> None:
        self._plan = plan
        self._kubernetes = kubernetes
        self._compiler = compiler

    def group(self, indexes: list[int]) -> list[tuple[int, list[CaseResult]]]:
        """The results of each run of the group with its index in the plan."""
        target: Target | None = None
        broken: CaseResult | None = None
        found: list[tuple[int, list[CaseResult]]] = []
        for index in indexes:
            run = self._plan.parts[index]
            assert not isinstance(run, CaseResult), "groups hold runs only"
            if isinstance(run, PolicyRun):
                return [(index, PolicyJudge(run, self._kubernetes).results())]
            if target is None:
                target = Target(run.definition, run.version, self._kubernetes, self._compiler)
                broken = broken_definition(run, target)
            if broken is None:
                found.append((index, [judge_case(run.suite, case, target) for case in run.cases]))
            else:
                found.append((index, [] if found else [broken]))
        return found
