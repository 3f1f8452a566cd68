"""Compiles policies and bindings, and judges requests by them.

Source: apiserver ``pkg/admission/plugin/policy/validating`` (plugin.go, dispatcher.go).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.cel.checking.environments import minor_of
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.values.authorizer_values import Authorize
from ovnguard.validators.go.text import Struct
from ovnguard.validators.policy.decision import Denial, PolicyVerdict, failure, failure_annotation, join
from ovnguard.validators.policy.decode import POLICY, InvalidPolicy
from ovnguard.validators.policy.evaluate import Evaluation, Evaluator, Inputs, Programs, lacking_namespace
from ovnguard.validators.policy.match import NoNamespace, exempt, matches
from ovnguard.validators.policy.params import ParamError, Params, collect
from ovnguard.validators.policy.policy import Binding, Policy, read_binding, read_policy
from ovnguard.validators.policy.policy_check import check_binding, check_policy
from ovnguard.validators.policy.request import PolicyRequest
from ovnguard.validators.policy.variables import CompileFault, Environment, Expression, compile_text, variable_type

_MOST_FAILURES: Final = 50
_ALL_FAILURES_SINCE: Final = 37
_UNBOUND = Binding("", {}, "", None, None, ("Deny",))


@dataclass(frozen=True, slots=True)
class CompiledBinding:
    """A binding that the API server would accept."""

    source: Binding

    @property
    def name(self) -> str:
        """The name of the binding."""
        return self.source.name

    @property
    def policy_name(self) -> str:
        """The name of the policy that it binds."""
        return self.source.policy_name


@dataclass(frozen=True, slots=True)
class CompiledPolicy:
    """A policy that the API server would accept, ready to judge. Immutable, and safe for any number of threads."""

    source: Policy
    programs: Programs
    release: int

    @property
    def name(self) -> str:
        """The name of the policy."""
        return self.source.name

    def evaluate(
        self,
        request: PolicyRequest,
        bindings: Sequence[CompiledBinding] | None = None,
        *,
        params: Params = (),
        namespace: Mapping[str, Any] | None = None,
        authorize: Authorize | None = None,
    ) -> PolicyVerdict:
        """Judge a request as the API server does under these bindings. Bindings of other policies are ignored.

        Without ``bindings`` (None) the policy is judged as if one binding with the action Deny gave it each of
        ``params`` that has its paramKind. ``params`` are all objects that a paramRef may find, ``namespace`` is the
        Namespace object of the request, ``authorize`` answers what ``authorizer`` is asked. No argument is changed.
        Raises ValueError for data that is too deep.
        """
        constraints = self.source.constraints
        if constraints is None or exempt(request):
            return PolicyVerdict(request)
        try:
            if not matches(constraints, request, namespace):
                return PolicyVerdict(request)
        except NoNamespace as fault:
            return self._misconfigured(request, f"failed to configure policy: {fault}", "", lacking_namespace(request))
        evaluator = Evaluator(self.source, self.programs, Inputs(request, namespace, authorize))
        if bindings is None:
            return self._alone(request, evaluator, params)
        bound = [one.source for one in bindings if one.policy_name == self.name]
        found = [self._bound(request, evaluator, one, params, namespace) for one in bound]
        collector: dict[str, list[str]] = {}
        for _, evaluations in found:
            _collect(evaluations, collector)
        joined = join(request, [verdict for verdict, _ in found])
        published = {f"{self.name}/{key}": ", ".join(values) for key, values in collector.items()}
        return join(request, [joined, PolicyVerdict(request, audit_annotations=published)])

    def _alone(self, request: PolicyRequest, evaluator: Evaluator, params: Params) -> PolicyVerdict:
        kind = self.source.param_kind
        wanted = None if kind is None else (kind.api_version, kind.kind)
        mine = [one for one in params if (one.get("apiVersion"), one.get("kind")) == wanted]
        evaluations = [evaluator.evaluate(one) for one in mine] or [evaluator.evaluate(None)]
        collector: dict[str, list[str]] = {}
        _collect(evaluations, collector)
        published = {f"{self.name}/{key}": ", ".join(values) for key, values in collector.items()}
        verdict = self._verdict(request, _UNBOUND, evaluations)
        return join(request, [verdict, PolicyVerdict(request, audit_annotations=published)])

    def _bound(
        self,
        request: PolicyRequest,
        evaluator: Evaluator,
        binding: Binding,
        params: Params,
        namespace: Mapping[str, Any] | None,
    ) -> tuple[PolicyVerdict, list[Evaluation]]:
        try:
            if binding.resources is not None and not matches(binding.resources, request, namespace):
                return PolicyVerdict(request), []
            chosen = collect(self.source.param_kind, binding.param_ref, params, request.namespace)
        except (NoNamespace, ParamError) as fault:
            lacks = lacking_namespace(request) if isinstance(fault, NoNamespace) else ""
            return self._misconfigured(request, f"failed to configure binding: {fault}", binding.name, lacks), []
        evaluations = [evaluator.evaluate(one) for one in chosen]
        return self._verdict(request, binding, evaluations), evaluations

    def _misconfigured(self, request: PolicyRequest, message: str, binding: str, lacks: str) -> PolicyVerdict:
        fails = self.source.failure_policy != "Ignore"
        denials = (Denial(self.name, binding, message, lacks=lacks),) if fails else ()
        return PolicyVerdict(request, True, denials, lacks=(lacks,) if lacks else ())

    def _verdict(self, request: PolicyRequest, binding: Binding, evaluations: Sequence[Evaluation]) -> PolicyVerdict:
        denials: list[Denial] = []
        warnings: list[str] = []
        failures: list[Struct] = []
        for evaluation in evaluations:
            for index, decision in enumerate(evaluation.decisions):
                if not decision.denies:
                    continue
                message = decision.message
                if "Deny" in binding.actions:
                    denials.append(Denial(self.name, binding.name, message, decision.reason, decision.lacks))
                if "Audit" in binding.actions:
                    failures.append(failure(self.name, binding.name, index, message, binding.actions))
                if "Warn" in binding.actions and not decision.lacks:
                    head = f"Validation failed for ValidatingAdmissionPolicy '{self.name}' with binding"
                    warnings.append(f"{head} '{binding.name}': {message}")
            # An audit annotation without a value denies, whatever the binding's actions are.
            errors = [one for one in evaluation.annotations if one.action == "error"]
            denials += [Denial(self.name, binding.name, one.text, lacks=one.lacks) for one in errors]
        decisions = tuple(decision for one in evaluations for decision in one.decisions)
        cost = sum(one.cost for one in evaluations)
        unique = tuple(dict.fromkeys(warnings))
        facts = (*(one.lacks for one in decisions), *(one.lacks for one in denials))
        lacks = tuple(dict.fromkeys(filter(None, facts)))
        most = _MOST_FAILURES if self.release >= _ALL_FAILURES_SINCE else 1
        annotations = failure_annotation(failures, most)
        return PolicyVerdict(
            request, True, tuple(denials), unique, annotations, decisions, cost, lacks, tuple(failures), most
        )


def _collect(evaluations: Iterable[Evaluation], into: dict[str, list[str]]) -> None:
    for evaluation in evaluations:
        for one in evaluation.annotations:
            if one.action == "publish" and one.text not in into.setdefault(one.key, []):
                into[one.key].append(one.text)


def compile_policy(policy_mapping: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES) -> CompiledPolicy:
    """Compile a ValidatingAdmissionPolicy v1 as an API server of this release accepts and runs it.

    Raises `InvalidPolicy` with all errors that the server finds, ValueError for an unknown release.
    """
    minor = minor_of(kubernetes)
    policy = read_policy(policy_mapping)
    errors = check_policy(policy, minor)
    if errors:
        raise InvalidPolicy(error.as_of(kubernetes) for error in errors)
    return CompiledPolicy(policy, _programs(policy, minor), minor)


def compile_binding(binding_mapping: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES) -> CompiledBinding:
    """Check a ValidatingAdmissionPolicyBinding v1. Raises `InvalidPolicy`, ValueError for an unknown release."""
    minor = minor_of(kubernetes)
    binding = read_binding(binding_mapping)
    errors = check_binding(binding, minor)
    if errors:
        raise InvalidPolicy(error.as_of(kubernetes) for error in errors)
    return CompiledBinding(binding)


def check_changed(kind: str, new: Mapping[str, Any], old: Mapping[str, Any], kubernetes: str) -> None:
    """Check the update of a policy or binding. Raises `InvalidPolicy` with all errors that the server finds.

    Unchanged match conditions are not checked again, and stored expressions may use what the release introduced.
    """
    minor = minor_of(kubernetes)
    errors = (
        check_policy(read_policy(new), minor, read_policy(old))
        if kind == POLICY
        else check_binding(read_binding(new), minor, read_binding(old))
    )
    if errors:
        raise InvalidPolicy(error.as_of(kubernetes) for error in errors)


def _programs(policy: Policy, minor: int) -> Programs:
    variables: dict[str, Expression] = {}
    known: dict[str, types.Type] = {}
    has_params = policy.param_kind is not None

    def compiled(text: str, *, authorizer: bool = True) -> Expression:
        found = compile_text(text, Environment(minor, has_params, authorizer, known if policy.variables else None))
        # What an older environment accepts, the newer one accepts too.
        assert not isinstance(found, CompileFault), found.detail
        return found

    for variable in policy.variables:
        variables[variable.name] = compiled(variable.expression)
        known[variable.name] = variable_type(variables[variable.name].result)
    expressions = [one.message_expression for one in policy.validations]
    return Programs(
        conditions=tuple(compiled(one.expression) for one in policy.conditions),
        variables=variables,
        validations=tuple(compiled(one.expression) for one in policy.validations),
        messages=tuple(compiled(text, authorizer=False) if text else None for text in expressions),
        annotations=tuple(compiled(one.expression) for one in policy.annotations),
    )
