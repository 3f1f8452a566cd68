"""What the components `reconciler` and `cluster` give agrees with the code that they run."""

from reconciler.commands.cluster import LEASE
from reconciler.commands.cluster import command as cluster
from reconciler.commands.run import command as run
from reconciler.loop.events import CLUSTER_WIDE, EVENTS
from reconciler.loop.lease import LEASES
from reconciler.loop.plan_inputs import DECLARING_RESOURCES, INPUT_RESOURCES
from reconciler.plan.services import ALLOWED
from tests.support.manifests.deploy_manifests import args_of, load, named, rights
from validators.cluster.resources import CUDNS, NADS, NODES, UDNS


def test_rights_of_the_reconciler_are_those_of_its_code():
    where = "components/reconciler/account.yaml"
    whole = [*DECLARING_RESOURCES, *(resource for resource, part in INPUT_RESOURCES if not part.namespace)]
    watched = {(each.group, each.plural, "*", verb) for each in whole for verb in ("list", "watch")}
    told = {(EVENTS.group, EVENTS.plural, "*", verb) for verb in ("create", "get", "patch")}
    # it writes nothing besides Events about its Node
    assert rights(named("ClusterRole", "ovnguard-reconciler", None, where)) == watched
    for namespace in {namespace for namespace, _ in ALLOWED}:
        parts = [(resource, part) for resource, part in INPUT_RESOURCES if part.namespace == namespace]
        assert parts
        read = {
            (resource.group, resource.plural, part.name or "*", verb)
            for resource, part in parts
            for verb in ("list", "watch")
        }
        own = told if namespace == CLUSTER_WIDE else set()
        assert rights(named("Role", "ovnguard-reconciler", namespace, where)) == read | own


def test_options_of_the_reconciler_are_those_of_the_command():
    (daemon,) = load("components/reconciler/daemonset.yaml")
    (container,) = daemon["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["ovnguard-reconciler"]
    first, *options = args_of(container)
    assert first == "run"
    with run.make_context("run", options) as context:
        assert context.params["record"] is False
        assert context.params["nb_db"] == "unix:/var/run/ovn/ovnnb_db.sock"


def test_rights_of_the_leader_are_those_of_its_code():
    where, name, group = "components/cluster/account.yaml", "ovnguard-reconciler-cluster", LEASES.group
    watched = {(each.group, each.plural, "*", verb) for each in DECLARING_RESOURCES for verb in ("list", "watch")}
    recorded = {(each.group, each.plural, "*", "patch") for each in (CUDNS, UDNS, NADS, NODES)}
    reported = {(each.group, f"{each.plural}/status", "*", "patch") for each in (CUDNS, UDNS)}
    told = {(EVENTS.group, EVENTS.plural, "*", verb) for verb in ("create", "get", "patch")}
    assert rights(named("ClusterRole", name, None, where)) == watched | recorded | reported | told
    held = {(group, LEASES.plural, LEASE, verb) for verb in ("get", "update")}
    assert rights(named("Role", name, "ovnguard-system", where)) == {(group, LEASES.plural, "*", "create"), *held}


def test_options_of_the_leader_are_those_of_the_command():
    (deployment,) = load("components/cluster/deployment.yaml")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["ovnguard-reconciler"]
    first, *options = args_of(container)
    assert first == "cluster"
    with cluster.make_context("cluster", options) as context:
        assert context.params["lease_namespace"] == deployment["metadata"]["namespace"]
