"""Fields of bundled definitions: what they are, in every schema set, and misspelt names."""

import json
import re

import pytest
from click.testing import CliRunner

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_rules import nodes, schema_of
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.explain.field_explanations import UnknownField, field_explanations, is_field, kind_names
from tests.support.paths import ROOT


def run(*arguments: str) -> str:
    return CliRunner().invoke(explain, [*arguments], standalone_mode=False, catch_exceptions=False).output


def test_a_field_whole() -> None:
    text = run("clusteruserdefinednetworks.spec.network.layer2.subnets")
    line = text.rsplit(":", 1)[1].strip()
    assert text == (
        "ClusterUserDefinedNetwork spec.network.layer2.subnets\n"
        "\n"
        "Subnets of the network, at most one of each family.\n"
        "\n"
        "Type:        list of string\n"
        "Bounds:      minItems 1, maxItems 2\n"
        "Rules:       udn-cidr-families: When 2 CIDRs are set, they must be from different IP families\n"
        "             udn-cidr-valid: CIDR is invalid\n"
        f"Source:      crd_schemas/enhancement/k8s.ovn.org/v1/clusteruserdefinednetworks.yaml:{line}\n"
    )


def test_kinds_and_indexes_name_the_same_field() -> None:
    (field,) = field_explanations("UserDefinedNetwork.spec.layer3.subnets[0].cidr")
    assert field_explanations("userdefinednetworks.spec.layer3.subnets.cidr") == [field]
    assert (field.type, field.required, field.bounds) == ("string", True, ("maxLength 43",))
    assert field.sets == crd_schemas.SETS


def test_schema_sets_that_differ_have_an_entry_each() -> None:
    name = "networks.spec.defaultNetwork.ovnKubernetesConfig.bgpManagedConfig"
    first, second = field_explanations(name)
    assert (first.sets, first.fields) == (("enhancement",), ("asNumber", "bgpTopology"))
    assert (second.sets, second.fields) == (("released",), ("asNumber", "bgpTopology*"))
    assert f"\n\nNetwork {name.removeprefix('networks.')} (schema set released)\n" in run(name)


def test_values_defaults_and_types() -> None:
    assert 'Values:      "Primary", "Secondary"\n' in run("userdefinednetworks.spec.layer2.role")
    (ports,) = field_explanations("networkqoses.spec.egress")
    assert ports.type == "list of object"
    assert json.loads(run("userdefinednetworks.spec.layer2.role", "-o", "json"))[0]["required"] is True


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "clusteruserdefinednetworks.spec.network.layr2",
            "ClusterUserDefinedNetwork spec.network has no field layr2; did you mean layer2 or layer3?",
        ),
        ("egressips.spec.egressIPs.foo", "EgressIP spec.egressIPs[*] has no fields, so no foo"),
        ("egressips.spec.zzz", "EgressIP spec has no field zzz; it has egressIPs, namespaceSelector, podSelector"),
        ("egressips.", "EgressIP has no field ; it has apiVersion, kind, metadata, spec, status"),
        ("egressip.specs", "EgressIP has no field specs; did you mean spec?"),
        (
            "cudn.metadata.nam",
            "ClusterUserDefinedNetwork metadata.nam is the same for every kind; the definition says nothing",
        ),
        ("egresips.spec", "no kind egresips is bundled; did you mean egressips"),
    ],
)
def test_a_name_that_there_is_not(name: str, message: str) -> None:
    with pytest.raises(Exception, match=f"^{re.escape(message)}"):
        run(name)


def test_a_plural_names_one_kind() -> None:
    assert len(set(kind_names())) == len(crd_schemas.kinds())
    assert not any(is_field(name) for name in ("OVNG-L2-001", "udn-layer2-immutable", "pods.spec"))


@pytest.mark.parametrize("key", crd_schemas.kinds(), ids=lambda key: key[2])
def test_every_field_is_explained_at_its_line(key: crd_schemas.Key) -> None:
    plural = crd_schemas.crd_name(*key).split(".", 1)[0]
    paths = {path for file in crd_schemas.paths(*key).values() for path, _ in nodes(schema_of(file)) if path}
    named = sorted({path.replace("[*]", "") for path in paths})
    for path in named[:: max(1, len(named) // 12)]:
        for field in field_explanations(f"{plural}.{path}"):
            assert field.type
            line = (ROOT / field.file).read_text(encoding="utf-8").splitlines()[field.line - 1]
            assert path.rsplit(".", 1)[-1] in line or "type" in line or "description" in line


def test_what_no_definition_has_is_an_error_of_the_caller() -> None:
    with pytest.raises(UnknownField, match=r"^VTEP has no field a; it has apiVersion, "):
        field_explanations("vteps.a.b")
