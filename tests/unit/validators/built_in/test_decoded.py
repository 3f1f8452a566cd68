"""Objects of built-in kinds: what the API server's decoder refuses, in its words, and required fields."""

from typing import Any

import pytest

from ovnguard.validators.built_in.decoded import decode_object

DEPLOYMENT = 'Deployment in version "v1" cannot be handled as a Deployment: '
QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def deployment(**spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "web"}]}}
    whole = {"selector": {}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": whole}


def container(**fields: Any) -> dict[str, Any]:
    return deployment(template={"spec": {"containers": [{"name": "web", **fields}]}})


def volume(**fields: Any) -> dict[str, Any]:
    return deployment(template={"spec": {"containers": [], "volumes": [{"name": "data", **fields}]}})


def found(obj: dict[str, Any], release: str = "1.35") -> tuple[str, str]:
    """The place and the text of the only error."""
    decoded = decode_object(obj, release)
    assert decoded is not None
    (error,) = decoded.errors
    assert error.rule == "request"
    return error.field, error.detail.removeprefix(DEPLOYMENT)


@pytest.mark.parametrize(
    ("obj", "field", "text"),
    [
        (
            deployment(replicas="3"),
            "spec.replicas",
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            deployment(replicas=2**31),
            "spec.replicas",
            "json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            deployment(template=[]),
            "spec.template",
            "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
        (
            container(imagePullPolicy=True),
            "spec.template.spec.containers[0].imagePullPolicy",
            "json: cannot unmarshal bool into Go struct field Container.spec.template.spec.containers.imagePullPolicy "
            "of type v1.PullPolicy",
        ),
        (
            container(resources={"limits": []}),
            "spec.template.spec.containers[0].resources.limits",
            "json: cannot unmarshal array into Go struct field "
            "ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList",
        ),
        (
            container(resources={"limits": {"cpu": "one"}}),
            "spec.template.spec.containers[0].resources.limits[cpu]",
            QUANTITY,
        ),
        (
            container(resources={"limits": {"cpu": {}}}),
            "spec.template.spec.containers[0].resources.limits[cpu]",
            QUANTITY,
        ),
        (
            container(livenessProbe={"httpGet": {"port": 1.5}}),
            "spec.template.spec.containers[0].livenessProbe.httpGet.port",
            "json: cannot unmarshal number 1.5 into Go struct field "
            "HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
        ),
        (
            {"apiVersion": "v1", "kind": "Secret", "data": {"key": "text"}} | {"data": {"key": "?"}},
            "data[key]",
            'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
        ),
        (
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {"renewTime": "2026-01-01T00:00:00Z"}},
            "spec.renewTime",
            'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as '
            '"2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
        ),
        (
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "status": {"disruptedPods": []}},
            "status.disruptedPods",
            'PodDisruptionBudget in version "v1" cannot be handled as a PodDisruptionBudget: json: cannot unmarshal '
            "array into Go struct field PodDisruptionBudgetStatus.status.disruptedPods of type map[string]v1.Time",
        ),
    ],
)
def test_what_does_not_decode(obj: dict[str, Any], field: str, text: str) -> None:
    assert found(obj) == (field, text)


@pytest.mark.parametrize(
    "obj",
    [
        deployment(replicas=3.0),
        deployment(replicas=None, template=None, selector=None),
        container(resources={"limits": {"cpu": 1, "memory": "1Gi", "example.com/x": 0.5}}),
        container(livenessProbe={"httpGet": {"port": "http"}}, readinessProbe={"httpGet": {"port": 80}}),
        container(imagePullPolicy="whatever the server says"),
        {"apiVersion": "v1", "kind": "Secret", "data": {"key": "YWJj", "none": None}},
        {"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 1, "data": {"any": [1, {"thing": None}]}},
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "spec": {"renewTime": "2026-01-01T00:00:00.000001Z"},
        },
    ],
)
def test_what_decodes(obj: dict[str, Any]) -> None:
    decoded = decode_object(obj, "1.35")
    assert decoded is not None
    assert decoded.errors == ()


def test_the_struct_that_a_field_is_embedded_in_has_a_name_since_1_35() -> None:
    text = "json: cannot unmarshal string into Go struct field Volume.spec.template.spec.volumes.%s of type %s"
    wrong, kind = volume(emptyDir="x"), "v1.EmptyDirVolumeSource"
    assert found(wrong)[1] == text % ("VolumeSource.emptyDir", kind)
    assert found(wrong, "1.34")[1] == text % ("emptyDir", kind)


def test_unknown_fields_are_errors_in_the_order_of_the_server() -> None:
    obj = deployment(zone=1, replica=3, template={"spec": {"containers": [{"imagee": "x"}]}})
    decoded = decode_object({**obj, "data": {}}, "1.35")
    assert decoded is not None
    assert [(error.field, error.detail, error.rule) for error in decoded.errors] == [
        (path, f'unknown field "{path}"', "strict")
        for path in ("data", "spec.replica", "spec.template.spec.containers[0].imagee", "spec.zone")
    ]


def test_a_field_is_known_to_the_releases_that_have_it() -> None:
    for release, errors in (("1.33", 1), ("1.34", 0)):
        decoded = decode_object(container(restartPolicyRules=[]), release)
        assert decoded is not None
        assert len(decoded.errors) == errors


def test_a_missing_required_field_is_a_warning() -> None:
    obj = deployment(selector=None, template={"spec": {"containers": [{"ports": [{}]}]}})
    decoded = decode_object({**obj, "status": {"conditions": [{}]}}, "1.35")
    assert decoded is not None
    assert decoded.errors == ()
    containers = "spec.template.spec.containers[0]"
    assert [(each.field, each.rule) for each in decoded.warnings] == [
        (path, "required-field")
        for path in ("spec.selector", f"{containers}.name", f"{containers}.ports[0].containerPort")
    ]
    assert decoded.warnings[0].body == (
        "Required value: the schema requires this field; the API server may set it, do without it, or refuse the object"
    )


@pytest.mark.parametrize(
    ("version", "kind", "releases"),
    [
        ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", {"1.29", "1.30", "1.31"}),
        ("resource.k8s.io/v1", "ResourceClaim", {"1.34", "1.35"}),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", set()),
        ("v1", "PodList", set()),
        ("autoscaling/v1", "Scale", set()),
        ("example.com/v1", "Widget", set()),
    ],
)
def test_which_releases_have_a_kind(version: str, kind: str, releases: set[str]) -> None:
    known = ("1.29", "1.30", "1.31", "1.34", "1.35")
    assert {each for each in known if decode_object({"apiVersion": version, "kind": kind}, each)} == releases


def test_an_object_without_a_kind_is_not_decoded() -> None:
    assert decode_object({"apiVersion": 1, "kind": ["Pod"]}, "1.35") is None
