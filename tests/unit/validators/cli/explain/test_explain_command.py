import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_rules import bundled_rules
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.explain.explanations import Explanation, Location, explanations, requirement, rule_ids
from ovnguard.validators.network.rules import all_rules

ROOT = Path(crd_schemas.__file__).parents[1]


def run(*arguments: str) -> str:
    return CliRunner().invoke(explain, [*arguments], standalone_mode=False, catch_exceptions=False).output


def test_one_line_for_every_rule() -> None:
    lines = run().splitlines()
    ids = [line.split()[0] for line in lines]
    assert ids[: len(all_rules())] == [rule.id for rule in all_rules()]
    assert set(bundled_rules()) < set(ids)
    fixed = {"OVNG-GATE-001", "metadata", "scale", "strict", "request"}
    assert {*fixed, "x-kubernetes-validations", "x-kubernetes-embedded-resource"} < set(ids)
    assert len(set(ids)) == len(ids)
    assert lines[0] == "OVNG-DNS-001  error    userDNS Enabled requires a load balancer for api-int"


def test_a_network_rule_whole() -> None:
    text = run("ovng-net-006")
    assert text.startswith(
        "OVNG-NET-006 (error): routing Managed requires bgpManagedConfig with an AS number in the operator Network\n\n"
        "Managed routing of a network needs the managed BGP fabric of the cluster.\n"
    )
    for line in (
        "What to do:  set bgpManagedConfig in the operator Network, "
        "or use routing Unmanaged with your own RouteAdvertisements",
        "Kinds:       ClusterUserDefinedNetwork",
        "Needs:       the operator Network",
        "Design:      OpenShift enhancement no-overlay-mode, 'Workflow Description'; OKEP-5259, managed mode",
        "Source:      validators/network/rules/bgp/",
    ):
        assert f"\n{line}" in text


def test_a_schema_rule_whole() -> None:
    assert run("default-network-transport-immutable") == (
        "default-network-transport-immutable (error): DefaultNetworkTransport field is immutable\n"
        "\n"
        "Options of OVN-Kubernetes. The rule compares the new value (self) with the stored one (oldSelf).\n"
        "\n"
        "Rule:        (has(self.defaultNetworkTransport) ? self.defaultNetworkTransport : 'Geneve') == "
        "(has(oldSelf.defaultNetworkTransport) ? oldSelf.defaultNetworkTransport : 'Geneve')\n"
        "Fields:      spec.defaultNetwork.ovnKubernetesConfig\n"
        "Kinds:       Network\n"
        "Source:      crd_schemas/enhancement/operator.openshift.io/v1/networks.yaml:391\n"
        "Accepted:    stored: {}\n"
        "             value: {}\n"
        "Refused:     stored: {}\n"
        "             value: {defaultNetworkTransport: NoOverlay}\n"
    )


def test_a_policy_s_validation() -> None:
    text = run("network-attachment-keys.ovnguard.io/tunnel-keys-fixed")
    assert text.startswith("network-attachment-keys.ovnguard.io/tunnel-keys-fixed (error): tunnel keys ")
    assert 'Design:      OKEP-5094, "Tunnel keys for the transit router"\n' in text
    assert "Operations:  CREATE, UPDATE\n" in text
    assert "Source:      crd_schemas/policies/network-attachment-keys.yaml:" in text


def test_every_source_is_the_line_of_the_rule() -> None:
    assert [place for each in explanations() for place in each.locations if not _is_at(each, place)] == []
    assert [each.id for each in explanations() if not each.locations] == []


def _is_at(rule: Explanation, place: Location) -> bool:
    lines = (ROOT / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1 :]
    if not rule.rule:
        return f'"{rule.id}"' in lines[0]
    return _plain(rule.rule)[:30] in _plain("".join(lines[:40]))[:500]


def _plain(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_several_rules_and_json() -> None:
    one, two = json.loads(run("OVNG-L2-003", "network-routing-providers-unique", "-o", "json"))
    assert (one["id"], one["severity"], one["needs"]) == ("OVNG-L2-003", "error", ["nodes"])
    assert "ClusterUserDefinedNetwork" in one["kinds"]
    assert one["locations"][0]["file"].startswith("validators/network/rules/layer2/")
    assert two["examples"] == {"silent": {"value": []}, "finding": {"value": ["FRR", "FRR"]}}
    assert (two["rule"], two["kinds"][0]) == ("self.all(x, self.exists_one(y, x == y))", "Network")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("OVNG-NET-0066", "did you mean OVNG-NET-066 or OVNG-NET-006 or "),
        ("transport-immutable", "did you mean udn-transport-immutable or "),
        ("x", "'kubectl ovn-preflight explain' lists them"),
    ],
)
def test_an_unknown_rule_is_a_wrong_call(name: str, hint: str) -> None:
    with pytest.raises(Exception, match=f"no rule {name}; {hint}"):
        run(name)


def test_the_ids_of_findings_about_a_schema_are_explained() -> None:
    text = run("spec.network.layer2.role.enum")
    assert text.startswith(
        "spec.network.layer2.role.enum (error): the value must be one of Primary, Secondary\n\n"
        "Whether the network carries a pod's default route.\n\n"
        'Rule:        enum: ["Primary","Secondary"]\n'
        "Fields:      spec.network.layer2.role\n"
        "Kinds:       ClusterUserDefinedNetwork\n"
        "Source:      crd_schemas/enhancement/k8s.ovn.org/v1/clusteruserdefinednetworks.yaml:"
    )
    (entry,) = json.loads(run("spec.network.layer2.role.enum", "-o", "json"))
    assert (entry["rule"], entry["examples"]) == ('enum: ["Primary","Secondary"]', {"silent": None, "finding": None})
    assert run("x-kubernetes-validations").startswith(
        "x-kubernetes-validations (error): an invalid field keeps the API server from running CEL rules\n"
    )


def test_reports_require_what_explanations_say() -> None:
    explained = {each.id: each.message for each in explanations()}
    assert {name: requirement(name) for name in explained} == explained
    assert set(rule_ids()) == set(explained)
    assert requirement("spec.x-kubernetes-validations[0]") == ""
