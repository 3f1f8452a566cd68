"""Alerts of the control plane. All folders have the same PrometheusRule; a folder knows what must run in its phase."""

from typing import Final

from reconciler.rollout.plan.manifests.values import ManifestValues
from validators.base.json_types import JsonObject

NAME: Final = "master-rules"
_MASTER: Final = "ovnkube-master"
_CONTROL_PLANE: Final = "ovnkube-control-plane"


def single_zone(values: ManifestValues) -> list[JsonObject]:
    """Return the alerts of a single zone, whose masters hold the databases of all nodes."""
    return [_rules(values, [_absent(values, "NoRunningOvnMaster", _MASTER), *_databases(values)])]


def between(values: ManifestValues) -> list[JsonObject]:
    """Return the alerts of the second phase: nodes move, and either architecture may have the cluster manager."""
    return [_rules(values, [_absent(values, "NoOvnClusterManagerLeader", f"{_MASTER}|{_CONTROL_PLANE}")])]


def multizone(values: ManifestValues) -> list[JsonObject]:
    """Return the alerts of one zone per node, where the control plane only manages the cluster."""
    return [_rules(values, [_absent(values, "NoRunningOvnControlPlane", _CONTROL_PLANE)])]


def _absent(values: ManifestValues, name: str, jobs: str) -> JsonObject:
    pods = f'up{{job=~"{jobs}", namespace="{values.control_namespace}"}} == 1'
    return _alert(name, f"absent({pods})", "critical", f"No pod of {jobs} runs: nodes get no subnets.")


def _databases(values: ManifestValues) -> list[JsonObject]:
    ready = f'kube_pod_status_ready{{namespace="{values.control_namespace}", pod=~"{_MASTER}-.*", condition="true"}}'
    few = f"sum({ready}) < {len(values.masters) // 2 + 1}"
    return [_alert("OvnDatabasesWithoutQuorum", few, "critical", "Fewer masters are ready than the databases need.")]


def _alert(name: str, expression: str, severity: str, summary: str) -> JsonObject:
    labels, annotations = {"severity": severity}, {"summary": summary}
    return {"alert": name, "expr": expression, "for": "10m", "labels": labels, "annotations": annotations}


def _rules(values: ManifestValues, rules: list[JsonObject]) -> JsonObject:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": NAME, "namespace": values.control_namespace},
        "spec": {"groups": [{"name": "cluster-network-operator-master.rules", "rules": rules}]},
    }
