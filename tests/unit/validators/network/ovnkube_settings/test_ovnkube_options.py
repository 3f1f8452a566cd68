"""The options with which a cluster's ovnkube runs, from scripts, files, arguments and environments."""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import (
    OvnkubeOptions,
    configures_ovnkube,
    ovnkube_options,
)

OPENSHIFT, UPSTREAM = "openshift-ovn-kubernetes", "ovn-kubernetes"


def config_map(name: str, namespace: str = OPENSHIFT, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def workload(kind: str = "DaemonSet", name: str = "ovnkube-node", namespace: str = OPENSHIFT, **container: Any) -> Any:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": {"spec": {"containers": [{"name": "c", **container}]}}},
    }


def script(text: str, *, call: str = "start $LEVEL", env: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """A script library, and a DaemonSet that sources it."""
    variables: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in (env or {}).items()]
    variables.append({"name": "K8S_NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}})
    command = ["/bin/bash", "-c", f"set -xe\n. /ovnkube-lib/ovnkube-lib.sh || exit 1\n{call}\n"]
    library = {"ovnkube-lib.sh": f"#!/bin/bash\nstart()\n{{\n{text}\n}}\n"}
    return [config_map("ovnkube-script-lib", **library), workload(command=command, env=variables)]


def read(*objects: dict[str, Any]) -> OvnkubeOptions:
    view = ObjectsView(list(objects))
    return ovnkube_options(inventory_of(view))


def values(*objects: dict[str, Any]) -> dict[str, str | None]:
    return {name: option.value for name, option in read(*objects).by_name.items()}


EXEC = "exec /usr/bin/ovnkube --init-ovnkube-controller ${K8S_NODE}"


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        (f"{EXEC} --mtu 1390", {}, {"mtu": "1390"}),
        (f'{EXEC} \\\n  --mtu="${{SIZE}}" \\\n  --zone x', {"SIZE": "1390"}, {"mtu": "1390", "zone": "x"}),
        (f"{EXEC} --mtu ${{SIZE:-1391}}", {}, {"mtu": "1391"}),
        (f"{EXEC} --mtu ${{SIZE:-1391}}", {"SIZE": "1392"}, {"mtu": "1392"}),
        ("local level=$1\n" + EXEC + " --loglevel ${level}", {"LEVEL": "5"}, {"loglevel": "5"}),
        # a variable with whole options is split, a quoted one is not
        ('flags="--mtu 1390 --nodeport"\n' + EXEC + " ${flags}", {}, {"mtu": "1390", "nodeport": "true"}),
        ("flags=\nflags+=' --nodeport'\n" + EXEC + " ${flags}", {}, {"nodeport": "true"}),
        # conditions that are decided
        ('f=\nif [[ "on" == "on" ]]; then f=--nodeport; fi\n' + EXEC + " $f", {}, {"nodeport": "true"}),
        ('f=\nif [[ "off" == "on" ]]; then f=--nodeport; fi\n' + EXEC + " $f", {}, {}),
        ('if [ "$M" = a ]; then f=-a\nelif [ "$M" = b ]; then f=-b; else f=-c\nfi\n' + EXEC + " $f", {"M": "b"},
         {"b": "true"}),
        ('f=\n[[ -n "$M" ]] && f=--nodeport\n' + EXEC + " $f", {"M": "x"}, {"nodeport": "true"}),
        ('f=\nif [[ -z "$M" || -n "$N" ]]; then f=--nodeport; fi\n' + EXEC + " $f", {"M": "x"}, {}),
        ('f=\nif ! [ -n "$M" ]; then f=--nodeport; fi\n' + EXEC + " $f", {}, {"nodeport": "true"}),
        # a branch that ends counts no more
        ('f=a\nif [[ -f /x ]]; then f=b; exit 1; fi\n' + EXEC + " --zone $f", {}, {"zone": "a"}),
        # both branches give the same
        ('if [[ -f /x ]]; then f="--mtu 1390 -a"; else f="--mtu 1390"; fi\n' + EXEC + " $f", {}, {"mtu": "1390"}),
        # functions that set a variable, and text that looks like an option elsewhere
        ("f=\n set-f\n" + EXEC + " $f\n}\nset-f() { f=--nodeport; }\nunused() {\n:", {}, {"nodeport": "true"}),
        ('echo "--nodeport" # --mtu 1\ncat <<< "--mtu 2" > /x 2>&1\n' + EXEC, {}, {}),
        ('log --nodeport; ovnkube-trace --mtu 3\n' + EXEC, {}, {}),
        ("x=${OVN//[[:space:]]/}\n" + EXEC + " ${x}", {}, {}),
        (EXEC + " --cluster-subnet 10.0.0.0/8 '--zone=a b' \"--k8s-apiserver=$U\"", {"U": "u"},
         {"cluster-subnets": "10.0.0.0/8", "zone": "a b", "k8s-apiserver": "u"}),
    ],
)  # fmt: skip
def test_words_of_the_script(text: str, env: dict[str, str], expected: dict[str, str]) -> None:
    found = values(*script(text, env=env))
    # the name of the node, which differs
    assert found.pop("init-ovnkube-controller") is None
    assert found == expected


def test_a_variable_that_nothing_decides_is_named() -> None:
    text = "f=$(other)\nif [ -d /sys/x ]; then g=--enable-new; fi\nwhile read; do h=--nodeport; done\n"
    found = read(*script(f"{text}{EXEC} $f $g $h --acl-logging-rate-limit $(rate)"))
    assert found.doubtful == {"f": frozenset(), "g": {"enable-new"}, "h": {"nodeport"}}
    assert found.unplanned == (
        "--acl-logging-rate-limit (DaemonSet ovnkube-node in namespace openshift-ovn-kubernetes, undecided)",
        "--enable-new (variable g)",
        "variable f",
    )
    assert found.notes == ("no object decides these variables of ovnkube's command line: f, g, h",)
    assert not found.is_whole


OVERRIDE = 'if [[ -n "${K8S_NODE}" && -f "/env/${K8S_NODE}" ]]; then\n  source "/env/${K8S_NODE}"\nfi\n'


def test_overrides_of_one_node_decide_nothing_for_all() -> None:
    objects = script(f"{OVERRIDE}{EXEC} --mtu ${{SIZE}} $more --zone $OTHER", env={"SIZE": "1390", "OTHER": "x"})
    assert read(*objects, config_map("env-overrides")) == read(*objects)
    given = {"n1": "SIZE=1391\nOTHER=x", "n2": "more=--acl-logging-rate-limit=7 # why", "_master": "SIZE=1\nOTHER=y"}
    found = read(*objects, config_map("env-overrides", **given))
    assert found.value("zone") == "x"
    assert found.doubtful == {"more": {"acl-logging-rate-limit"}}
    assert found.unplanned == (
        "--acl-logging-rate-limit (variable more)",
        f"--mtu (DaemonSet ovnkube-node in namespace {OPENSHIFT}, undecided)",
    )
    # those of another namespace are another cluster's
    assert read(*objects, config_map("env-overrides", UPSTREAM, **given)) == read(*objects)


@pytest.mark.parametrize("test", ["if [[ -f /env/_master ]]; then", 'if [ -f "/env/_master" ]; then', "if true; then"])
def test_overrides_of_the_control_plane(test: str) -> None:
    text = f"set -xe\n{test}\n  set -o allexport\n  source /env/_master\nfi\nexec ovnkube --init-master x --mtu $SIZE"
    master = workload(name="ovnkube-master", command=["bash", "-c", text], env=[{"name": "SIZE", "value": "1390"}])
    assert values(master, config_map("env-overrides", n1="SIZE=7"))["mtu"] == "1390"
    given = config_map("env-overrides", _master="export SIZE=1391\n")
    assert values(master, given) == {"init-master": "x", "mtu": "1391"}
    assert configures_ovnkube(given)


def test_a_script_without_a_workload() -> None:
    library, _ = script('local level=$1\nif [ -n "$FLOWS" ]; then f=--netflow-targets; fi\n' + EXEC + " --mtu 1390 $f")
    found = read(library)
    assert found.value("mtu") == "1390"
    assert found.by_name["mtu"].source == f"ConfigMap ovnkube-script-lib in namespace {OPENSHIFT}"
    assert found.doubtful == {"f": {"netflow-targets"}}
    assert found.unplanned == ()


def test_a_workload_without_its_script() -> None:
    found = read(script(EXEC)[1])
    assert found.unplanned == ("script ovnkube-lib.sh, which no object contains",)
    assert found.notes == ()


def test_options_of_another_namespace_or_name_do_not_count() -> None:
    tenant = [workload(namespace="red", args=["--mtu=1390"]), workload(name="web", args=["--mtu=1390"])]
    assert read(*tenant) == OvnkubeOptions()
    assert [configures_ovnkube(each) for each in tenant] == [False, False]
    named = [config_map("ovn-config", UPSTREAM), config_map("ovnkube-config"), workload("Deployment")]
    assert [configures_ovnkube(each) for each in named] == [True, True, True]
    assert not configures_ovnkube(config_map("web"))


FILE = """\
[default]
mtu="1390"
; a comment
udn-allowed-default-services = "default/kubernetes,a/b"
[gateway]
mode=local
disable-snat-multiple-gws
v4-join-subnet=100.99.0.0/16
[logging]
acl-logging-rate-limit=7
logfile=/x
[kubernetes]
host-network-namespace=openshift-host-network
[OVNKubernetesFeature]
enable-network-connect=true
enable-new=true
enable-newer=false
[masterha]
election-lease-duration=1
[new]
key=1
"""


def test_keys_of_the_file() -> None:
    found = read(config_map("ovnkube-config", **{"ovnkube.conf": FILE}))
    assert {name: option.value for name, option in found.by_name.items()} == {
        "mtu": "1390",
        "udn-allowed-default-services": "default/kubernetes,a/b",
        "gateway-mode": "local",
        "disable-snat-multiple-gws": "true",
        "gateway-v4-join-subnet": "100.99.0.0/16",
        "acl-logging-rate-limit": "7",
        "logfile": "/x",
        "host-network-namespace": "openshift-host-network",
        "enable-network-connect": "true",
        "enable-new": "true",
        "enable-newer": "false",
        "[new] key": "1",
    }
    place = "(ConfigMap ovnkube-config in namespace openshift-ovn-kubernetes)"
    assert found.unplanned == (f"--enable-new {place}", f"[new] key {place}")


def test_a_command_line_overrides_the_file_and_a_person_both() -> None:
    file = config_map("ovnkube-config", file="[default]\nmtu=1390\n[gateway]\nmode=local\n")
    objects = [file, workload(command=["/usr/bin/ovnkube", "--mtu", "1391"])]
    assert values(*objects) == {"mtu": "1391", "gateway-mode": "local"}
    given = read(*objects).overridden({"mtu": "1392", "enable-multicast": "true"})
    assert (given.value("mtu"), given.is_on("enable-multicast")) == ("1392", True)


def test_zones_count_before_the_cluster_manager() -> None:
    manager = workload(
        "Deployment", "ovnkube-control-plane", command=["ovnkube", "--init-cluster-manager=x", "--mtu=1"]
    )
    zone = workload(command=["/usr/bin/ovnkube", "--init-ovnkube-controller", "x", "--enable-multicast"])
    found = read(manager, zone)
    assert found.value("mtu") is None
    assert found.is_on("enable-multicast")
    assert [each.value for each in found.anywhere["mtu"]] == ["1"]
    assert values(manager) == {"init-cluster-manager": "x", "mtu": "1"}
    other = workload(name="ovnkube-node-b", command=["ovnkube", "--init-ovnkube-controller", "x", "--mtu=2"])
    third = workload(name="ovnkube-node-c", command=["ovnkube", "--init-ovnkube-controller", "x", "--mtu=3"])
    assert values(zone, other, third)["mtu"] is None


def test_environment_of_upstreams_chart() -> None:
    env = [
        {"name": "OVN_MULTICAST_ENABLE", "value": "true"},
        {"name": "OVN_EMPTY_LB_EVENTS", "value": ""},
        {"name": "OVN_ACL_LOGGING_RATE_LIMIT", "value": "30"},
        {"name": "OVN_GATEWAY_OPTS", "value": "--exgw-interface=eth1 --nodeport"},
        {"name": "OVN_NEW_FEATURE_ENABLE", "value": "true"},
        {"name": "OVN_OTHER_NEW_FEATURE_ENABLE", "value": "false"},
        {"name": "OVN_EGRESSIP_ENABLE", "value": "true"},
        {"name": "OVN_HOST_NETWORK_NAMESPACE", "value": "hosts"},
        *(
            {"name": name, "valueFrom": {"configMapKeyRef": {"name": "ovn-config", "key": key}}}
            for name, key in (("OVN_MTU", "mtu"), ("OVN_NET_CIDR", "net_cidr"))
        ),
        {"name": "OVN_SVC_CIDR", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    node = workload(namespace=UPSTREAM, command=["ovnkube.sh", "ovnkube-controller-with-node"], env=env)
    database = workload(namespace=UPSTREAM, name="ovnkube-db", command=["ovnkube.sh", "local-nb-ovsdb"], env=env[:1])
    found = read(node, database, config_map("ovn-config", UPSTREAM, mtu="1390"))
    assert {name: option.value for name, option in found.by_name.items()} == {
        "enable-multicast": "true",
        "acl-logging-rate-limit": "30",
        "exgw-interface": "eth1",
        "nodeport": "true",
        "OVN_NEW_FEATURE_ENABLE": "true",
        "host-network-namespace": "hosts",
        "mtu": "1390",
        "cluster-subnets": None,
        "k8s-service-cidrs": None,
    }
    place = "DaemonSet ovnkube-node in namespace ovn-kubernetes"
    assert found.unplanned == (
        f"--cluster-subnets ({place}, undecided)",
        f"--exgw-interface ({place})",
        f"--k8s-service-cidrs ({place}, undecided)",
        f"OVN_NEW_FEATURE_ENABLE ({place})",
    )
    # the same by way of a shell
    node["spec"]["template"]["spec"]["containers"][0]["command"] = [
        "/bin/bash", "-c", "ip link set x up\nexec ovnkube.sh ovnkube-controller-with-node",
    ]  # fmt: skip
    assert read(node, config_map("ovn-config", UPSTREAM, mtu="1390")) == found


@pytest.mark.parametrize(
    "text",
    [
        "x=" * 60_000,
        "${" * 60_000,
        '"$(' * 20_000,
        "if true; then " * 1_000,
        "{ " * 10_000,
        "a() { " * 5_000 + "exec ovnkube --mtu 1",
        'x="$x$x$x$x$x$x"\n' * 300,
        "f() { f; f; }\nf\n",
        "if [ -f a ]; then x=a; else x=b; fi; y=$x$y\n" * 300,
        "exec ovnkube " + "$x" * 10_000,
        "\ue000f\ue001 \x00 \\",
        "case x in a) b ;; esac ) } done fi ;; && || |",
        "<" * 10_000,
        ". ovnkube-lib.sh\nsource /env/$K8S_NODE\n" * 3,
    ],
)
def test_hostile_scripts_end_soon(text: str) -> None:
    overrides = config_map("env-overrides", **dict.fromkeys(("n1", "n2", "_master"), text))
    found = read(*script(text), workload(name="ovnkube-b", command=["sh", "-c", text]), overrides)
    assert len(str(found)) < 1_000_000
