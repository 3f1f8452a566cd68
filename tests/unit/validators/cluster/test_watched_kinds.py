"""Whatever rules and policies need is watched, and nothing twice."""

from ovnguard import crd_schemas
from ovnguard.validators.bundled.policy_kinds import WATCHED as POLICY_KINDS
from ovnguard.validators.cluster.watched_kinds import CRDS, WATCHED, definitions
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster_view import CONFIG_MAP, NAMESPACE, GroupKind
from ovnguard.validators.network.rules import RULED_KINDS, base

KINDS = {resource.group_kind for resource, _ in WATCHED}


def test_every_need_of_a_rule_is_watched():
    assert set(base.KINDS_OF_NEEDS.values()) | set(NETWORK_KINDS) | {CONFIG_MAP} <= KINDS
    assert {NAMESPACE} <= KINDS
    assert POLICY_KINDS


def test_nothing_is_watched_twice():
    seen = [(resource.path, part.namespace, part.name) for resource, part in WATCHED]
    assert len(seen) == len(set(seen))


def test_paths():
    paths = {part.path(resource) for resource, part in WATCHED}
    assert "/api/v1/pods" in paths
    assert "/apis/apps/v1/namespaces/openshift-ovn-kubernetes/daemonsets" in paths
    assert "/api/v1/namespaces/openshift-network-operator/configmaps" in paths
    assert "/api/v1/configmaps" not in paths


def test_definitions_of_every_kind_that_the_server_asks_about():
    names = {part.name for _, part in definitions()}
    assert {resource for resource, _ in definitions()} == {CRDS}
    keys = {key for key in crd_schemas.kinds() if GroupKind(key[0], key[2]) in RULED_KINDS}
    assert names == {crd_schemas.crd_name(*key) for key in keys} - {"installconfigs.install.openshift.io"}
    assert "egressservices.k8s.ovn.org" in names
    assert "vteps.k8s.ovn.org" not in names
