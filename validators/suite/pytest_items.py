"""The pytest items of a suite file: one test for each case and CRD file or policy."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, supported
from ovnguard.validators.suite.case_judge import Target, judge_case
from ovnguard.validators.suite.crd_engine import compile_definition
from ovnguard.validators.suite.discovery import NoSuites
from ovnguard.validators.suite.policy_judge import PolicyJudge
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicyRun
from ovnguard.validators.suite.runner import Run, plan_suites
from ovnguard.validators.suite.suite import Case, CaseResult, Definition

_Targets = dict[tuple[Path, str, str], Target]
_TARGETS: Final = pytest.StashKey[_Targets]()


class SuiteFile(pytest.File):
    """One suite. A fault that prevents its run becomes a separate failing test, so it does not hide other tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases under each CRD file or policy."""
        kubernetes = self._kubernetes()
        try:
            gates = self._feature_gates()
            plan = plan_suites([self.path], crds=self._crds(), policies=self._policies(), feature_gates=gates)
        except NoSuites as error:
            raise self.CollectError(str(error)) from error
        for warning in plan.warnings:
            self.warn(pytest.PytestCollectionWarning(warning))
        for part in plan.parts:
            if isinstance(part, CaseResult):
                name = f"cannot be run [{Path(part.crd_file).name}]" if part.crd_file else "cannot be run"
                yield Unusable.from_parent(self, name=name, fault=part.message)
                continue
            for case, judge in self._judges(part, kubernetes):
                name = f"{case.phase}: {' '.join(case.name.split())} [{part.definition.path.name}]"
                yield SuiteCase.from_parent(self, name=name, line=case.line, judge=judge)

    def _judges(
        self, run: Run | PolicyRun, kubernetes: str
    ) -> Iterator[tuple[Case | PolicyCase, Callable[[], CaseResult]]]:
        """Every case with what judges it."""
        if isinstance(run, PolicyRun):
            policy = PolicyJudge(run, kubernetes)
            yield from ((case, partial(policy.case, case)) for case in run.cases)
        else:
            target = self._target(run.definition, run.version, kubernetes)
            yield from ((case, partial(judge_case, run.suite, case, target)) for case in run.cases)

    def _kubernetes(self) -> str:
        asked = self.config.getoption("rule_suite_kubernetes")
        try:
            return supported(asked or self.config.getini("rule_suite_kubernetes") or DEFAULT_KUBERNETES)
        except ValueError as error:
            name = "--rule-suite-kubernetes" if asked else "rule_suite_kubernetes"
            raise self.CollectError(f"{name}: {error}") from None

    def _crds(self) -> list[Path]:
        asked = [self.config.invocation_params.dir / place for place in self.config.getoption("rule_suite_crds")]
        return asked or self.config.getini("rule_suite_crds")

    def _policies(self) -> list[Path]:
        asked = [self.config.invocation_params.dir / place for place in self.config.getoption("rule_suite_policies")]
        return asked or self.config.getini("rule_suite_policies")

    def _feature_gates(self) -> Path | None:
        asked = self.config.getoption("rule_suite_feature_gates")
        if asked:
            return self.config.invocation_params.dir / Path(asked)
        folder = self.config.getini("rule_suite_feature_gates")
        return self.config.rootpath / folder if folder else None

    def _target(self, definition: Definition, version: str, kubernetes: str) -> Target:
        """The CRD of a file, shared by all suites of the session so that it is compiled once."""
        targets = self.config.stash.setdefault(_TARGETS, {})
        key = (definition.path, definition.name, version)
        if key not in targets:
            targets[key] = Target(definition, version, kubernetes, compile_definition)
        return targets[key]


class SuiteCase(pytest.Item):
    """One case under one CRD file or policy."""

    def __init__(self, name: str, parent: SuiteFile, line: int, judge: Callable[[], CaseResult]) -> None:
        super().__init__(name, parent)
        self._line, self._judge = line, judge

    def runtest(self) -> None:
        """Judge the case."""
        result = self._judge()
        if not result.passed:
            raise CaseNotPassed(f"{result.file}:{result.line}: {result.outcome}: {result.message}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return only the message: a traceback would show ovnguard's code, not the author's."""
        return str(excinfo.value) if isinstance(excinfo.value, CaseNotPassed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """Return the location of the case."""
        return self.path, self._line - 1, self.name


class Unusable(pytest.Item):
    """A suite, or a suite under one CRD file or policy, that cannot run; pytest reports an error, not a failure."""

    def __init__(self, name: str, parent: SuiteFile, fault: str) -> None:
        super().__init__(name, parent)
        self._fault = fault

    def setup(self) -> None:
        """Raise the reason, without a traceback of ovnguard's code."""
        pytest.fail(self._fault, pytrace=False)

    def runtest(self) -> None:
        """Never reached: the setup always fails."""

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """Return the suite's file."""
        return self.path, 0, self.name


class CaseNotPassed(Exception):
    """The verdict differs from the one that the case expects."""
