"""The options of ovnkube in a zone that watches the cluster."""

from collections.abc import Sequence

from ovnguard.reconciler.loop.inputs.plan_inputs import PlanInputReader
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CONFIG_MAP, DAEMON_SET, DEPLOYMENT, GroupKind


class Live:
    """A view that changes."""

    def __init__(self) -> None:
        self.known: dict[GroupKind, tuple[JsonObject, ...]] = dict.fromkeys((CONFIG_MAP, DAEMON_SET, DEPLOYMENT), ())

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.known.get(kind)


def daemon_set(*words: str) -> JsonObject:
    command = ["/usr/bin/ovnkube", "--init-ovnkube-controller=n", *words]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "ovnkube-node", "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [{"command": command}]}}},
    }


def test_options_follow_the_objects_and_stay_while_these_are_unknown() -> None:
    view, reader = Live(), PlanInputReader({"acl-logging-rate-limit": "7"})
    assert reader.read(view).added_to(Settings()).multicast is False
    view.known[DAEMON_SET] = (daemon_set("--enable-multicast", "--acl-logging-rate-limit=30"),)
    found = reader.read(view).added_to(Settings())
    assert (found.multicast, found.acl_logging_rate) == (True, 7)
    del view.known[DAEMON_SET]
    assert reader.read(view).added_to(Settings()).multicast is True
    view.known[DAEMON_SET] = ()
    assert reader.read(view).added_to(Settings()).multicast is False


def test_only_an_audit_warns_of_options_without_a_plan() -> None:
    view = Live()
    view.known[DAEMON_SET] = (daemon_set("--enable-new", "--zone"),)
    place = "DaemonSet ovnkube-node in namespace ovn-kubernetes"
    head = f"ovnguard plans nothing from these options, which may explain drift: --enable-new ({place})"
    assert PlanInputReader(managed=True).read(view).notes == (head,)
    assert PlanInputReader().read(view).notes == ()
