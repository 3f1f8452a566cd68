"""The namespace of manifests that name none, generated names, and several manifests of one object."""

import pytest

from tests.support.preflight_run import UDN, report, unchecked_of

NO_NAMESPACE = "the namespace of the object (metadata.namespace, or -n)"


def test_a_namespace_that_the_manifest_omits_is_not_known():
    code, document = report("-", stdin=UDN % ("blue", "Primary"))
    assert (code, [each["rule"] for each in document["findings"] if each["severity"] != "note"]) == (0, [])
    found = " ".join(text for text in unchecked_of(document) if NO_NAMESPACE in text)
    assert {rule for rule in ("OVNG-L2-014", "OVNG-L2-016", "OVNG-L2-021", "OVNG-L2-023") if rule not in found} == set()


def test_the_namespace_option_is_for_manifests_without_one():
    code, document = report("-", "-n", "default", stdin=UDN % ("blue", "Primary"))
    warned = [each["rule"] for each in document["findings"] if each["severity"] == "warning"]
    assert (code, warned) == (0, ["OVNG-L2-021"])
    assert [text for text in unchecked_of(document) if NO_NAMESPACE in text] == []


def test_another_namespace_is_refused_as_by_kubectl():
    text = (UDN % ("blue", "Primary")).replace("{name: blue}", "{name: blue, namespace: red}")
    code, document = report("-", "--namespace", "sky", stdin=text)
    message = (
        'the namespace from the provided object "red" does not match the namespace "sky". '
        "You must pass '--namespace=red' to perform this operation."
    )
    assert (code, [(each["line"], each["message"]) for each in document["findings"]]) == (2, [(4, message)])


def test_a_network_whose_name_is_generated_does_not_collide_with_itself():
    text = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: blue-, namespace: red}")
    code, document = report("-", stdin=text)
    assert (code, [each["rule"] for each in document["findings"] if each["severity"] != "note"]) == (0, [])
    assert [each for each in unchecked_of(document) if "other networks" in each] == []
    code, document = report("-", "-n", "red", stdin=text + "---" + UDN % ("green", "Primary"))
    assert (code, [(each["name"], each["rule"]) for each in document["findings"] if each["severity"] == "error"]) == (
        1,
        [("blue-", "OVNG-L2-015"), ("green", "OVNG-L2-015")],
    )


def test_networks_whose_names_are_generated_are_networks_of_their_own():
    one = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: blue-, namespace: red}")
    code, document = report("-", "-v", stdin="---".join((one, one, one)))
    found = [(each["name"], each["message"]) for each in document["findings"] if each["severity"] == "error"]
    message = 'Invalid value: "red": primary network already exist in namespace "red": "blue-%05d"'
    assert (code, found) == (1, [("blue-", message % number) for number in (2, 1, 1)])
    network = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: '%s', namespace: red}")
    for base in ("", "Blue_"):
        assert report("-", stdin=network % base)[0] == 1


def test_the_old_object_of_a_manifest_without_namespace_has_one(tmp_path):
    old = tmp_path / "old.yaml"
    old.write_text((UDN % ("blue", "Secondary")).replace("{name: blue}", "{name: blue, namespace: red}"))
    code, document = report("-", "--old", str(old), "-n", "red", stdin=UDN % ("blue", "Primary"))
    refused = [each["message"] for each in document["findings"] if each["severity"] == "error"]
    assert (code, len(refused), refused[0].endswith("Layer2 is immutable")) == (1, 1, True)


CUDN = """
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: blue%s}
spec:
  namespaceSelector: {matchLabels: {team: blue}}
  network: {topology: Layer2, layer2: {role: Secondary, subnets: [10.45.0.0/16]}}
"""


@pytest.mark.parametrize("arguments", [(), ("-n", "sky")])
def test_a_cluster_scoped_object_has_no_namespace(arguments):
    code, document = report("-", *arguments, stdin=CUDN % ", namespace: red" + "---" + CUDN % "")
    found = [(each["severity"], each["message"]) for each in document["findings"] if each["severity"] != "note"]
    assert (code, found) == (0, [("warning", "judged as an update of the same object in <stdin>:2")])


def test_manifests_without_a_namespace_are_in_one_namespace():
    text = UDN % ("blue", "Primary") + "---" + UDN % ("green", "Primary")
    code, document = report("-", stdin=text)
    refused = [(each["rule"], each["line"]) for each in document["findings"] if each["severity"] == "error"]
    assert (code, [rule for rule, _ in refused]) == (1, ["OVNG-L2-015", "OVNG-L2-015"])


def test_the_second_manifest_of_an_object_is_an_update_of_the_first():
    text = UDN % ("blue", "Primary") + "---" + UDN % ("blue", "Secondary")
    code, document = report("-", stdin=text)
    found = [(each["severity"], each["message"]) for each in document["findings"] if each["severity"] != "note"]
    assert (code, found[0]) == (1, ("warning", "judged as an update of the same object in <stdin>:2"))
    assert [severity for severity, _ in found[1:]] == ["error"]
    assert found[1][1].endswith("Layer2 is immutable")
