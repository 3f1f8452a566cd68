"""Texts under other names and addresses."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.bundle.anonymous import Anonymous, networks_in
from ovnguard.reconciler.plan.bundle.anonymous_addresses import Addresses
from ovnguard.reconciler.plan.bundle.anonymous_texts import Texts
from ovnguard.reconciler.plan.bundle.anonymous_words import Words
from ovnguard.validators.network.addresses.addressing import mac_of

KEY = b"0123456789abcdef"


@pytest.fixture
def texts() -> Texts:
    return Texts(Addresses(KEY, networks_in([{"a": "10.128.0.0/14 fd00:10:244::/48 10.50.2.0/24"}])), Words(KEY))


def test_what_two_texts_share_they_share_afterwards(texts):
    """Names are joined, their separators are converted, and long ones are cut off."""
    red, node = texts.text("red-team"), texts.text("storage9")
    assert len(red) == len("red-team")
    assert not set(red.split("-")) & {"red", "team"}
    assert texts.text("GR_red.team_storage9") == f"GR_{red.replace('-', '.')}_{node}"
    assert texts.text("rtos-red_team_stor") == f"rtos-{red.replace('-', '_')}_stor"
    assert texts.text("red-te") == red[:6]
    assert texts.text("Red-team").lower() != red


@pytest.mark.parametrize(
    "text",
    [
        "default-network-controller:EgressIP:102:EIP-No-Reroute-Pod-To-Pod:ip4:default",
        'inport == "rtos-GR_join" && ip4.dst == 169.254.0.11',
        "8f3c0d6e-1b7a-4c52-9e4d-000000000001",
        "2026-11-22T11:43:13Z",
        "Service_default/kubernetes_TCP_node_router",
        "0.0.0.0/0",
        "::/0",
        "100.64.0.0/16,fd98::/64",
        "ff02::1",
        "(ip6.dst[120..127] == 0xff && ip6.dst[116] == 1)",
        "32768-60999",
        "true",
        "",
    ],
)
def test_what_is_not_of_the_cluster_stays(texts, text):
    assert texts.text(text) == text


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("10.128.2.3", "10.{}.2.3"),
        ("10.128.2.3/23", "10.{}.2.3/23"),
        ("10.128.0.0/14/23", "10.{}.0.0/14/23"),
        ("10.128.2.0/23", "10.{}.2.0/23"),
        ("[10.128.2.3]:443", "[10.{}.2.3]:443"),
        ("10.128.2.3:443,10.128.2.4:443", "10.{0}.2.3:443,10.{0}.2.4:443"),
        ("a:Namespace:10.128.2.3", "{a}:Namespace:10.{}.2.3"),
        ("ip-10-128-2-3", "ip-10-{}-2-3"),
    ],
)
def test_an_address_keeps_its_place_in_its_network(texts, text, again):
    second = texts.text("10.128.0.0").split(".")[1]
    assert second != "128"
    assert int(second) % 4 == 0
    assert texts.text(text) == again.format(second, a=texts.text("a"))


def test_addresses_of_ipv6_and_how_ids_write_them(texts):
    other = texts.text("fd00:10:244:1::2")
    assert other.endswith(":1::2")
    assert not other.startswith("fd00:10:244")
    assert texts.text("[fd00:10:244:1::2]:53") == f"[{other}]:53"
    assert texts.text("x9:NetpolNode:fd00:10:244:1::2") == f"{texts.text('x9')}:NetpolNode:{other}"
    network = texts.text("fd00:10:244::/48")
    assert texts.text("VirtualMachine:fd00.10.244../48") == f"VirtualMachine:{network.replace(':', '.')}"


def test_a_mac_follows_from_its_address(texts):
    four, six = "10.128.2.3", "fd00:10:244:1::2"
    new_four, new_six = texts.text(four), texts.text(six)
    assert texts.text(mac_of(_ip(four))) == mac_of(_ip(new_four))
    assert texts.text(mac_of(_ip(six))) == mac_of(_ip(new_six))
    card = texts.text("02:42:ac:12:00:02")
    assert card != "02:42:ac:12:00:02"
    assert int(card[:2], 16) & 3 == 2
    mac = bytes.fromhex(card.replace(":", ""))
    local = f"fe80::{mac[0] ^ 2:x}{mac[1]:02x}:{mac[2]:x}ff:fe{mac[3]:02x}:{mac[4]:x}{mac[5]:02x}"
    assert texts.text("fe80::42:acff:fe12:2") == str(_ip(local))


def test_two_keys_have_nothing_in_common():
    one, two = (Texts(Addresses(key, []), Words(key)) for key in (KEY, KEY[::-1]))
    for text in ("storage9", "203.0.113.7", "2001:db8::7"):
        assert len({text, one.text(text), two.text(text)}) == 3


@pytest.mark.parametrize("prefix", [9, 12, 14, 16, 20, 24, 29])
def test_networks_stay_apart_and_inside_each_other(prefix):
    """A bit changes by what is before it: the mapping keeps common prefixes, so it is one to one."""
    inner = [f"10.{second}.{third}.0/24" for second in range(0, 256, 37) for third in range(0, 256, 51)]
    texts = Texts(Addresses(KEY, networks_in([{"a": [*inner, f"10.96.0.0/{prefix}"]}])), Words(KEY))
    found = {each: _ip(texts.text(each.partition("/")[0])) for each in inner}
    assert len(set(found.values())) == len(inner)
    for one, new in found.items():
        for other, newer in found.items():
            assert _common(_ip(one.partition("/")[0]), _ip(other.partition("/")[0])) == _common(new, newer)


def test_objects_and_their_options():
    labels = {"kubernetes.io/metadata.name": "shop", "acme.example/tier": "gold"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}
    metadata = {"name": "ovnkube-node", "namespace": "ovn-kubernetes"}
    container = {"name": "c", "command": ["ovnkube", "--enable-multicast", "--cluster-subnets=10.128.0.0/14/23"]}
    workload = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata}
    workload["spec"] = {"template": {"spec": {"containers": [container]}}}
    report = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ovnguard-zone-a"}, "data": {"r": "shop"}}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "message": "shop"}
    objects = [namespace, workload, report, event]
    anonymous = Anonymous(KEY, objects)
    (found,) = anonymous.objects(objects)
    shop, key = anonymous.text("shop"), anonymous.text("acme.example/tier")
    assert found["metadata"] == {
        "name": shop,
        "labels": {"kubernetes.io/metadata.name": shop, key: anonymous.text("gold")},
    }
    assert not {"acme", "example", "tier"} & set(key.replace("/", ".").split("."))
    command = anonymous.options()["spec"]["template"]["spec"]["containers"][0]["command"]
    assert "--enable-multicast=true" in command
    assert f"--cluster-subnets={anonymous.text('10.128.0.0/14')}/23" in command


def _ip(text):
    return ip_address(text)


def _common(one, other):
    return (int(one) ^ int(other)).bit_length()
