"""A warning says what is missing before the webhook cuts it, whatever the names of namespaces are."""

from typing import Any

import pytest

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.network.cluster.network_namespaces import PRIMARY_LABEL
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.webhook.admission.responses import WARNING_LENGTH, warning_lines

LAYER2 = {"role": "Primary", "subnets": ["10.45.0.0/16"]}
SPEC = {"topology": "Layer2", "layer2": LAYER2}
LONGEST = "n" * 63


def network(kind: str, spec: dict[str, Any], **metadata: str) -> dict[str, Any]:
    return {"apiVersion": "k8s.ovn.org/v1", "kind": kind, "metadata": {"name": "blue", **metadata}, "spec": spec}


@pytest.mark.parametrize(
    "obj",
    [
        network("UserDefinedNetwork", SPEC, namespace=LONGEST),
        network("ClusterUserDefinedNetwork", {"namespaceSelector": {"matchLabels": {"team": "blue"}}, "network": SPEC}),
    ],
    ids=["udn", "cudn"],
)
def test_a_missing_label_is_named_in_full(obj: dict[str, Any]) -> None:
    labels = {"team": "blue"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": LONGEST, "labels": labels}}
    judgement = judge(Request(Operation.CREATE, obj), ObjectsView([namespace]), Catalog())
    (warning,) = [each for each in judgement.warnings if each.rule == "OVNG-L2-014"]
    (line,) = warning_lines([warning.text])
    assert len(line) == WARNING_LENGTH
    assert f'namespace label "{PRIMARY_LABEL}" is missing' in line
