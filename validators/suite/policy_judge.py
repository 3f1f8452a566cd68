"""The cases of a policy suite under its policy: what the API server would answer to each request."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ovnguard.validators.policy import (
    CompiledBinding,
    CompiledPolicy,
    InvalidPolicy,
    PolicyVerdict,
    compile_binding,
    compile_policy,
)
from ovnguard.validators.suite.broken_definitions import place_and_text
from ovnguard.validators.suite.case_judge import Failure, outcome_of
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicyRun
from ovnguard.validators.suite.suite import CaseOutcome, CaseResult, Definition, SuiteFault, TextForm

_KEYS = {"the user of the request": "userInfo", "the rights of the user": "rights"}


class _Engine(NamedTuple):
    """A compiled policy and its bindings; without bindings (None), it denies as if one bound it everywhere."""

    policy: CompiledPolicy
    bindings: tuple[CompiledBinding, ...] | None


class _Invalid(NamedTuple):
    """The policy or binding that the API server refuses, and why."""

    definition: Definition
    error: InvalidPolicy


class PolicyJudge:
    """Judges the cases of a run. The first one compiles the policy."""

    def __init__(self, run: PolicyRun, kubernetes: str) -> None:
        self.run = run
        self.kubernetes = kubernetes

    @cached_property
    def _compiled(self) -> _Engine | _Invalid:
        definition = self.run.definition
        bindings = []
        try:
            policy = compile_policy(definition.value, self.kubernetes)
            for definition in self.run.bindings:
                bindings.append(compile_binding(definition.value, self.kubernetes))
        except InvalidPolicy as error:
            return _Invalid(definition, error)
        return _Engine(policy, tuple(bindings) or None)

    @property
    def is_valid(self) -> bool:
        """Whether the API server accepts the policy and its bindings."""
        return isinstance(self._compiled, _Engine)

    @cached_property
    def broken(self) -> CaseResult | None:
        """One errored result at the fault of a policy or binding that is not valid, in place of those of its cases."""
        if isinstance(self._compiled, _Engine):
            return None
        definition, error = self._compiled
        fault = SuiteFault(f"the {definition.value['kind']} is not valid: {error}")
        fault.__cause__ = error
        file, line, text = place_and_text(definition, "", fault)
        return CaseResult(
            self.run.suite.label, definition.label, "", "", CaseOutcome.ERRORED, text, file=file, line=line
        )

    def results(self) -> list[CaseResult]:
        """Return the result of each case."""
        return [self.broken] if self.broken else [self.case(case) for case in self.run.cases]

    def case(self, case: PolicyCase) -> CaseResult:
        """Run one case. Bad suites and bad policies give an errored result, never an exception."""
        return self.broken or outcome_of(self.run.suite, case, self.run.definition.label, lambda: self._check(case))

    def _check(self, case: PolicyCase) -> TextForm:
        verdict = self.verdict(case)
        if verdict.lacks:
            lacks = verdict.lacks[0]
            key = _KEYS.get(lacks, "namespaceObject")
            raise SuiteFault(f"the policy reads {lacks}, which the case does not give: write {key}")
        different = "; ".join(_different(case, verdict, self.run.definition.name))
        if different:
            raise Failure(different if verdict.matched else f"{different}; the policy does not match the request")
        return TextForm.EXACT

    def verdict(self, case: PolicyCase) -> PolicyVerdict:
        """Return what the policy, which is valid, says of a case that has a request."""
        assert isinstance(self._compiled, _Engine), "an invalid policy judges nothing"
        assert case.request is not None, "a case without a request has a fault"
        return self._compiled.policy.evaluate(
            case.request,
            self._compiled.bindings,
            params=case.params,
            namespace=case.namespace,
            authorize=case.authorize,
        )


def _different(case: PolicyCase, verdict: PolicyVerdict, policy: str) -> Iterator[str]:
    """Iterate over what is not as expected. The server answers with the first denial."""
    denial = verdict.denials[0].message if verdict.denials else ""
    if case.denial != denial:
        found = f"the request is denied: {denial}" if denial else "the request is allowed"
        yield f"{found}; expected was the denial {case.denial!r}" if case.denial else found
    warnings = [text.partition("': ")[2] for text in verdict.warnings]
    if sorted(set(warnings)) != sorted(set(case.warnings)):
        yield f"the warnings are {warnings}; expected were {list(case.warnings)}"
    if case.annotations is not None:
        annotations = {
            key.removeprefix(f"{policy}/"): value
            for key, value in verdict.audit_annotations.items()
            if key.startswith(f"{policy}/") or key in case.annotations
        }
        if annotations != case.annotations:
            yield f"the audit annotations are {annotations}; expected were {dict(case.annotations)}"
