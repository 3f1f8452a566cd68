"""The requests a case makes, with the engine's answers made up; and cases with the engine itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.suite.case_judge import Target, judge_case, reduced
from ovnguard.validators.suite.crd_engine import compile_definition
from ovnguard.validators.suite.reading import read_suite
from ovnguard.validators.suite.suite import CaseOutcome, CaseResult, Definition, Suite, SuiteFault, TextForm
from tests.support.suite_sample import TOO_LARGE, crd, foo, suite


@dataclass
class Answer:
    object: Any
    errors: tuple[FieldError, ...] = ()

    @property
    def allowed(self) -> bool:
        return not self.errors

    def status(self) -> dict[str, Any] | None:
        return {"message": f'Foo "x" is invalid: {self.errors[0].text}'} if self.errors else None


@dataclass
class Recorder:
    """Accepts everything, stores it as it is without status, and remembers what it was asked."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    crds: list[Any] = field(default_factory=list)
    refuse_at: int = -1

    def __call__(self, definition: dict[str, Any], version: str, kubernetes: str) -> "Recorder":
        self.crds.append((definition, version, kubernetes))
        return self

    def verdict(self, obj: Any, old: Any = None, subresource: str | None = None) -> Answer:
        self.requests.append({"obj": obj, "old": old, "subresource": subresource, "crd": len(self.crds)})
        if len(self.requests) - 1 == self.refuse_at:
            return Answer(obj, (FieldError(ErrorType.FORBIDDEN, "spec", detail="no"),))
        status = obj.get("status") if subresource else (old or {}).get("status")
        stored = {key: value for key, value in obj.items() if key != "status"}
        return Answer(stored | ({"status": status} if status is not None else {}))


def judged(case: dict[str, Any], compiler: Callable[..., Any] = compile_definition, source: Any = None) -> CaseResult:
    update = "updated" in case
    document = suite([] if update else [case], [case] if update else [])
    read = read_suite("s.yaml", "s.yaml", yaml.safe_dump(document).encode())
    assert isinstance(read, Suite)
    target = Target(Definition(Path("/crd.yaml"), "crd.yaml", source or crd()), "v1", "1.35", compiler)
    return judge_case(read, read.cases[0], target)


def test_create_is_one_request() -> None:
    engine = Recorder()
    result = judged({"name": "one", "initial": foo(spec={}, metadata={"name": "mine", "namespace": "other"})}, engine)
    assert (result.outcome, result.text_form, result.message) == (CaseOutcome.PASSED, TextForm.EXACT, "")
    (request,) = engine.requests
    assert request["obj"]["metadata"] == {"name": "mine", "generateName": "test-", "namespace": "default"}
    assert (request["old"], request["subresource"]) == (None, None)
    ((compiled, version, kubernetes),) = engine.crds
    assert (version, kubernetes) == ("v1", "1.35")
    assert [(entry["name"], entry["served"], entry["storage"]) for entry in compiled["spec"]["versions"]] == [
        ("v1", True, True)
    ]


def test_cluster_scoped_objects_have_no_namespace() -> None:
    engine = Recorder()
    source = crd()
    source["spec"]["scope"] = "Cluster"
    judged({"name": "one", "initial": foo(metadata={"namespace": "other"})}, engine, source)
    assert engine.requests[0]["obj"]["metadata"] == {"generateName": "test-"}


def test_update_is_up_to_four_requests_in_upstreams_order() -> None:
    engine = Recorder()
    case = {
        "name": "all",
        "initialCRDPatches": [{"op": "remove", "path": "/spec/versions/1"}],
        "initial": foo(spec={"size": 1}, status={"size": 1}),
        "updated": foo(spec={"size": 2}, status={"size": 2}, metadata={"name": "another", "labels": {"a": "b"}}),
    }
    result = judged(case, engine)
    assert (result.outcome, result.phase) == (CaseOutcome.PASSED, "onUpdate")
    create, first, update, second = engine.requests
    assert [request["crd"] for request in engine.requests] == [1, 1, 2, 2]  # the patched CRD, then the real one
    assert [request["subresource"] for request in engine.requests] == [None, "status", None, "status"]
    assert create["old"] is None
    assert first["old"]["spec"] == {"size": 1}
    assert (first["obj"]["spec"], first["obj"]["status"]) == ({"size": 1}, {"size": 1})
    assert update["obj"]["metadata"]["name"] == update["old"]["metadata"]["name"] == "test-00000"
    assert update["obj"]["metadata"]["labels"] == {"a": "b"}
    assert update["old"]["status"] == {"size": 1}
    assert (second["obj"]["spec"], second["obj"]["status"]) == ({"size": 2}, {"size": 2})
    assert second["old"]["status"] == {"size": 1}


def test_metadata_that_is_null_takes_no_name() -> None:
    """As upstream, where nothing can be put into it."""
    refusal = 'Foo.example.com "" is invalid: metadata.name: Required value: name or generateName is required'
    nameless = foo(metadata=None)
    assert judged({"name": "one", "initial": nameless, "expectedError": refusal}).passed
    result = judged({"name": "one", "initial": foo(), "updated": nameless})
    assert (result.outcome, result.message) == (
        CaseOutcome.ERRORED,
        "updated: metadata is null; leave it out or fill it in",
    )


def test_an_old_object_has_lost_what_the_restored_crd_does_not_know() -> None:
    extra = "/spec/versions/0/schema/openAPIV3Schema/properties/{}/properties/extra"
    patches = [{"op": "add", "path": extra.format(part), "value": {"type": "string"}} for part in ("spec", "status")]
    result = judged(
        {
            "name": "one",
            "initialCRDPatches": patches,
            "initial": foo(spec={"extra": "a"}, status={"extra": "b"}),
            "updated": foo(spec={"size": 2}),
            "expected": foo(spec={"size": 2, "mode": "Auto"}, status={}),
        }
    )
    assert (result.outcome, result.message) == (CaseOutcome.PASSED, "")


def test_cases_with_the_same_patches_share_one_compiled_crd() -> None:
    def case(default: str) -> dict[str, Any]:
        path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/mode/default"
        patches = [{"op": "replace", "path": path, "value": default}]
        return {"name": default, "initialCRDPatches": patches, "initial": foo(spec={}), "updated": foo(spec={})}

    engine = Recorder()
    read = read_suite(
        "s.yaml", "s.yaml", yaml.safe_dump(suite([], [case("a"), case("a"), case("b"), case("a")])).encode()
    )
    assert isinstance(read, Suite)
    target = Target(Definition(Path("/crd.yaml"), "crd.yaml", crd()), "v1", "1.35", engine)
    assert all(judge_case(read, one, target).passed for one in read.cases)
    specs = [
        made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] for made, _, _ in engine.crds
    ]
    assert [spec["properties"]["mode"]["default"] for spec in specs] == ["a", "Auto", "b", "a"]


STATUS = {"initial": foo(status={"size": 1}), "updated": foo(status={"size": 2})}


@pytest.mark.parametrize(
    ("refuse_at", "expectation", "message"),
    [
        (0, {}, 'the initial object is refused: Foo "x" is invalid: spec: Forbidden: no'),
        (1, {}, 'the status of the initial object is refused: Foo "x" is invalid: spec: Forbidden: no'),
        (2, {}, 'the update is refused: Foo "x" is invalid: spec: Forbidden: no'),
        (3, {}, 'the update of the status is refused: Foo "x" is invalid: spec: Forbidden: no'),
        (0, {"expectedError": "no"}, 'the initial object is refused: Foo "x" is invalid: spec: Forbidden: no'),
        (2, {"expectedError": "spec: Forbidden: no"}, ""),
        (3, {"expectedStatusError": "spec: Forbidden: no"}, ""),
        (
            2,
            {"expectedStatusError": "no"},
            'the update is refused: Foo "x" is invalid: spec: Forbidden: no',
        ),
        (9, {"expectedError": "no"}, "the update is accepted; expected was the error 'no'"),
        (9, {"expectedStatusError": "no"}, "the update of the status is accepted; expected was the error 'no'"),
        (
            2,
            {"expectedError": "yes"},
            "the update is refused with another text: Foo \"x\" is invalid: spec: Forbidden: no; expected was 'yes'",
        ),
        (
            9,
            {"expected": foo(status={"size": 3})},
            "the stored object is another one: status.size: expected 3, stored is 2",
        ),
    ],
)
def test_what_an_update_may_come_to(refuse_at: int, expectation: dict[str, str], message: str) -> None:
    result = judged({"name": "x", **STATUS, **expectation}, Recorder(refuse_at=refuse_at))
    assert result.message == message
    assert result.outcome is (CaseOutcome.FAILED if message else CaseOutcome.PASSED)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"initial": "- x"}, "s.yaml:5: initial: is not the YAML text of an object"),
        ({"initial": foo(), "expected": "x"}, "s.yaml:5: expected: is not the YAML text of an object"),
        (
            {"initial": foo(), "updated": foo(status=None)},
            "updated: status is null; leave it out or fill it in",
        ),
        (
            {"initial": foo(), "updated": foo(), "initialCRDPatches": [{"op": "remove", "path": "/spec/x"}]},
            "initialCRDPatches: remove '/spec/x': can't remove a non-existent object 'x' (crd.yaml)",
        ),
        (
            {"initial": foo(), "updated": foo(), "initialCRDPatches": [{"op": "replace", "path": "", "value": 1}]},
            "initialCRDPatches: leave no CRD of crd.yaml",
        ),
        (
            {"initial": foo(), "updated": foo(), "initialCRDPatches": [{"op": "remove", "path": "/spec/versions/0"}]},
            "crd.yaml: the CRD has no version 'v1'",
        ),
    ],
)
def test_cases_that_cannot_be_judged(case: dict[str, Any], message: str) -> None:
    result = judged({"name": "x", **case}, Recorder())
    assert (result.outcome, result.message) == (CaseOutcome.ERRORED, message)


def test_an_engine_that_breaks_is_an_errored_case() -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("out of order")

    result = judged({"name": "x", "initial": foo()}, broken)
    assert (result.outcome, result.message) == (CaseOutcome.ERRORED, "internal error: RuntimeError: out of order")


def test_an_invalid_crd_fails_each_case_and_is_compiled_once() -> None:
    calls = []

    def invalid(*_: object) -> Any:
        calls.append(1)
        raise SuiteFault("the CRD is not valid: x")

    target = Target(Definition(Path("/crd.yaml"), "crd.yaml", crd()), "v1", "1.35", invalid)
    for _ in range(2):
        with pytest.raises(SuiteFault, match="the CRD is not valid: x"):
            target.compiled()
    assert calls == [1]


def test_the_text_of_an_invalid_crd() -> None:
    source = crd()
    source["kind"] = "Foo"
    result = judged({"name": "x", "initial": foo()}, source=source)
    assert result.outcome is CaseOutcome.ERRORED
    assert result.message.startswith('the CRD is not valid: kind: Invalid value: "Foo": must be ')


def test_a_reduced_crd_shares_nothing_that_is_changed() -> None:
    source = crd()
    assert [entry["name"] for entry in reduced(source, "v0", "x")["spec"]["versions"]] == ["v0"]
    assert source == crd()


RAISE_LIMIT = [
    {
        "op": "replace",
        "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum",
        "value": 20,
    }
]


@pytest.mark.parametrize(
    "case",
    [
        {"initial": foo(spec={"size": 1}), "expected": foo(spec={"size": 1, "mode": "Auto"})},
        {"initial": foo(spec={"size": 11}), "expectedError": TOO_LARGE},
        {"initial": foo(spec={"size": 1}, status={"size": 9}), "expected": foo(spec={"size": 1, "mode": "Auto"})},
        {
            "initial": foo(spec={"mode": "A"}),
            "updated": foo(spec={"size": 11, "mode": "A"}),
            "expectedError": TOO_LARGE,
        },
        {
            "initial": foo(spec={"mode": "A"}),
            "updated": foo(spec={"mode": "A"}, status={"size": 6}),
            "expectedStatusError": "status.size: Invalid value: 6: size in body should be less than or equal to 5",
        },
        # an old value that the CRD no longer allows stays allowed where it is not changed
        {
            "initialCRDPatches": RAISE_LIMIT,
            "initial": foo(spec={"size": 11}),
            "updated": foo(spec={"size": 11, "mode": "A"}),
        },
        {
            "initialCRDPatches": RAISE_LIMIT,
            "initial": foo(spec={"size": 12}),
            "updated": foo(spec={"size": 11}),
            "expectedError": TOO_LARGE,
        },
    ],
)
def test_with_the_engine_itself(case: dict[str, Any]) -> None:
    result = judged({"name": "x", **case})
    assert (result.outcome, result.message) == (CaseOutcome.PASSED, "")
