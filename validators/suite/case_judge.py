"""One case of a suite against one CRD: the requests that upstream sends to a real API server, in their order.

Source: openshift/api, ``tests/generator.go``. Upstream also adds a property ``sentinel`` to see a changed CRD arrive,
and removes it before it compares anything; this module leaves it out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.suite.crd_engine import Compiled, Compiler, Verdict
from ovnguard.validators.suite.crd_patches import Operation, PatchError, apply_patch
from ovnguard.validators.suite.expectations import differences, find_text, message_of
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicySuite
from ovnguard.validators.suite.suite import (
    Case,
    CaseOutcome,
    CaseResult,
    Definition,
    ObjectText,
    Phase,
    Suite,
    SuiteFault,
    TextForm,
    mapping,
)

_GENERATE_NAME: Final = "test-"
_GENERATED: Final = "test-00000"
_NAMESPACE: Final = "default"


class Failure(Exception):
    """The verdict differs from the expected one."""


class Target:
    """A CRD file reduced to the version under test.

    The first case that needs the engine compiles it, unless it was compiled elsewhere (``compiled``).
    """

    def __init__(
        self,
        definition: Definition,
        version: str,
        kubernetes: str,
        compiler: Compiler,
        compiled: Compiled | None = None,
    ) -> None:
        self.definition = definition
        self._version = version
        self._kubernetes = kubernetes
        self._compiler = compiler
        self._compiled: Compiled | SuiteFault | None = compiled
        self._patched: tuple[tuple[Operation, ...], Compiled] | None = None

    @property
    def namespaced(self) -> bool:
        """Whether its objects live in namespaces."""
        return mapping(self.definition.value.get("spec")).get("scope") == "Namespaced"

    def compiled(self) -> Compiled:
        """Return the engine for this CRD. Raises the same SuiteFault on every call when the CRD is not valid."""
        if self._compiled is None:
            try:
                self._compiled = self._compile(self.definition.value)
            except SuiteFault as fault:
                self._compiled = fault
        if isinstance(self._compiled, SuiteFault):
            raise self._compiled
        return self._compiled

    def patched(self, patches: tuple[Operation, ...]) -> Compiled:
        """Return the engine for this CRD after ``patches``. Raises SuiteFault when the patched CRD is not valid.

        Only the latest engine is cached: cases with the same patches follow each other.
        """
        if not patches:
            return self.compiled()
        if self._patched is not None and self._patched[0] == patches:
            return self._patched[1]
        try:
            changed = apply_patch(self.definition.value, patches)
        except PatchError as error:
            raise SuiteFault(f"initialCRDPatches: {error} ({self.definition.label})") from error
        if not isinstance(changed, dict):
            raise SuiteFault(f"initialCRDPatches: leave no CRD of {self.definition.label}")
        compiled = self._compile(changed)
        self._patched = (patches, compiled)
        return compiled

    def _compile(self, crd: JsonObject) -> Compiled:
        return self._compiler(reduced(crd, self._version, self.definition.label), self._version, self._kubernetes)


def reduced(crd: JsonObject, version: str, label: str) -> JsonObject:
    """Return the CRD with ``version`` as its only version, served and stored. Raises SuiteFault when the CRD lacks this
    version.
    """
    spec = mapping(crd.get("spec"))
    versions = spec.get("versions")
    chosen = [
        {**entry, "served": True, "storage": True}
        for entry in (versions if isinstance(versions, list) else [])
        if isinstance(entry, dict) and entry.get("name") == version
    ]
    if not chosen:
        raise SuiteFault(f"{label}: the CRD has no version {version!r}")
    return {**crd, "spec": {**spec, "versions": chosen}}


def judge_case(suite: Suite, case: Case, target: Target) -> CaseResult:
    """Run one case. Bad suites and bad CRDs give an errored result, never an exception."""
    run = _on_create if case.phase is Phase.CREATE else _on_update
    return outcome_of(suite, case, target.definition.label, lambda: run(case, target))


def outcome_of(
    suite: Suite | PolicySuite, case: Case | PolicyCase, label: str, run: Callable[[], TextForm]
) -> CaseResult:
    """Return the result of a case that ``run`` judges: failed for a `Failure`, errored for any other exception.

    ``label`` is that of the definition under test.
    """
    form = TextForm.NONE
    outcome, message = CaseOutcome.PASSED, ""
    try:
        if case.fault:
            raise SuiteFault(case.fault)
        form = run()
    except Failure as failure:
        outcome, message = CaseOutcome.FAILED, str(failure)
    except SuiteFault as fault:
        outcome, message = CaseOutcome.ERRORED, str(fault)
    except Exception as error:  # noqa: BLE001 - one case that breaks the engine must not hide the verdicts on the others
        outcome, message = CaseOutcome.ERRORED, f"internal error: {type(error).__name__}: {error}"
    return CaseResult(suite.label, label, case.name, str(case.phase), outcome, message, form, suite.file, case.line)


def _on_create(case: Case, target: Target) -> TextForm:
    verdict = target.compiled().verdict(_new(case.initial, target))
    if case.expected_error:
        return _refused(verdict, case.expected_error, "the object")
    return _stored_as(case, _accepted(verdict, "the object"))


def _on_update(case: Case, target: Target) -> TextForm:
    stored = _initial(case, target)
    crd = target.compiled()
    assert case.updated is not None, "a case of onUpdate has an updated object"
    updated = _new(case.updated, target)
    if updated.get("metadata", {}) is None:
        raise SuiteFault("updated: metadata is null; leave it out or fill it in")
    status = _status_of(updated, "updated")
    verdict = crd.verdict(_addressed(updated, stored), old=stored)
    if case.expected_error:
        return _refused(verdict, case.expected_error, "the update")
    stored = _accepted(verdict, "the update")
    if status is not None:
        verdict = crd.verdict({**stored, "status": status}, old=stored, subresource="status")
        if case.expected_status_error:
            return _refused(verdict, case.expected_status_error, "the update of the status")
        stored = _accepted(verdict, "the update of the status")
    return _stored_as(case, stored)


def _initial(case: Case, target: Target) -> JsonObject:
    """The stored object before the update, created under the patched CRD."""
    crd = target.patched(case.patches)
    initial = _new(case.initial, target)
    status = _status_of(initial, "initial")
    stored = _named(_accepted(crd.verdict(initial), "the initial object"))
    if status is None:
        return stored
    verdict = crd.verdict({**stored, "status": status}, old=stored, subresource="status")
    return _accepted(verdict, "the status of the initial object")


def _new(text: ObjectText, target: Target) -> JsonObject:
    """The object with the fields that upstream adds to every object before sending it."""
    obj = text.get()
    metadata = obj.get("metadata", {})
    if not isinstance(metadata, dict):
        return obj  # upstream cannot add anything to it either; the verdict reports the fault
    generated = {**metadata, "generateName": _GENERATE_NAME}
    if target.namespaced:
        generated["namespace"] = _NAMESPACE
    else:
        generated.pop("namespace", None)
    return {**obj, "metadata": generated}


def _status_of(obj: JsonObject, which: str) -> Any:
    """The status to write through the subresource; None when the text has no status."""
    if "status" in obj and obj["status"] is None:
        raise SuiteFault(f"{which}: status is null; leave it out or fill it in")
    return obj.get("status")


def _named(stored: JsonObject) -> JsonObject:
    """The stored object with the name and resourceVersion that a real server would set."""
    assigned = {"name": _GENERATED, "resourceVersion": "1"}
    return {**stored, "metadata": {**assigned, **mapping(stored.get("metadata"))}}


def _addressed(updated: JsonObject, stored: JsonObject) -> JsonObject:
    """The update with the identity of the stored object, which replaces the one in its text."""
    metadata: Mapping[str, object] = mapping(stored.get("metadata"))
    identity = {key: metadata[key] for key in ("name", "namespace", "resourceVersion") if key in metadata}
    own = updated.get("metadata")
    return {**updated, "metadata": {**own, **identity}} if isinstance(own, dict) else updated


def _accepted(verdict: Verdict, what: str) -> JsonObject:
    if not verdict.allowed:
        raise Failure(f"{what} is refused: {message_of(verdict)}")
    stored: JsonObject = verdict.object
    return stored


def _refused(verdict: Verdict, expected: str, what: str) -> TextForm:
    if verdict.allowed:
        raise Failure(f"{what} is accepted; expected was the error {expected!r}")
    form = find_text(expected, verdict)
    if form is TextForm.NONE:
        raise Failure(f"{what} is refused with another text: {message_of(verdict)}; expected was {expected!r}")
    return form


def _stored_as(case: Case, stored: JsonObject) -> TextForm:
    """Compare the whole stored object with the expected one."""
    different = differences(case.expected.get(), stored)
    if different:
        raise Failure(f"the stored object is another one: {'; '.join(different)}")
    return TextForm.EXACT
