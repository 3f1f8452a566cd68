"""Two spellings of one configuration are the same lines."""

import pytest

from ovnguard.reconciler.plan.bgp import config_lines
from ovnguard.reconciler.plan.bgp.config_lines import Line, lines_of, without_secrets

ROUTER = ("router bgp 64512",)
V4 = (*ROUTER, "address-family ipv4 unicast")

WRITTEN = """\
! a comment
hostname node1
ip nht resolve-via-default
ip prefix-list in seq 1 permit 10.128.0.0/14 le 23 ge 23
route-map out permit 1
  match ip address prefix-list in
router bgp 64512
  no bgp default ipv4-unicast
  neighbor 10.0.0.3 remote-as 64512
  neighbor 10.0.0.3 port 179
  address-family ipv4 unicast
    neighbor 10.0.0.3 activate
  exit-address-family
  address-family ipv4 unicast
    network 10.128.2.0/23
  exit-address-family
"""
PRINTED = """\
Building configuration...

Current configuration:
!
frr version 10.3
frr defaults traditional
hostname vm
service integrated-vtysh-config
username root nopassword
!
ip prefix-list in seq 1 permit 10.128.0.0/14 ge 23 le 23
!
route-map out permit 1
 match ip address prefix-list in
exit
!
router bgp 64512
 no bgp default ipv4-unicast
 neighbor 10.0.0.3 remote-as 64512
 !
 address-family ipv4 unicast
  network 10.128.2.0/23
  neighbor 10.0.0.3 activate
 exit-address-family
exit
!
end
"""


def test_lines_have_the_context_in_which_they_are():
    assert lines_of(WRITTEN) == (
        Line((), "ip prefix-list in seq 1 permit 10.128.0.0/14 ge 23 le 23"),
        Line((), "route-map out permit 1"),
        Line(("route-map out permit 1",), "match ip address prefix-list in"),
        Line((), "router bgp 64512"),
        Line(ROUTER, "no bgp default ipv4-unicast"),
        Line(ROUTER, "neighbor 10.0.0.3 remote-as 64512"),
        Line(V4, "neighbor 10.0.0.3 activate"),
        Line(V4, "network 10.128.2.0/23"),
    )


def test_what_frr_prints_is_what_was_written():
    assert set(lines_of(PRINTED)) == set(lines_of(WRITTEN))


def test_a_section_without_indentation_belongs_to_its_router():
    text = (
        "router bgp 64512\nbgp cluster-id 1.1.1.1\naddress-family ipv4 unicast\nneighbor RR activate\nip forwarding\n"
    )
    assert lines_of(text) == (
        Line((), "router bgp 64512"),
        Line(ROUTER, "bgp cluster-id 1.1.1.1"),
        Line(V4, "neighbor RR activate"),
        Line((), "ip forwarding"),
    )


def test_lists_of_bgp_belong_to_no_router():
    text = "router bgp 64512\nbgp as-path access-list x seq 5 permit 1\n"
    assert lines_of(text)[-1] == Line((), "bgp as-path access-list x seq 5 permit 1")


def test_profiles_of_bfd_follow_each_other():
    text = "bfd\n profile a\n  receive-interval 50\n profile b\n  echo-mode\nexit\n"
    assert lines_of(text) == (
        Line(("bfd",), "profile a"),
        Line(("bfd", "profile a"), "receive-interval 50"),
        Line(("bfd",), "profile b"),
        Line(("bfd", "profile b"), "echo-mode"),
    )


def test_a_vrf_and_its_router_are_not_the_default_one():
    text = "vrf red\n vni 100\nexit-vrf\nrouter bgp 1\nexit\nrouter bgp 1 vrf red\n no bgp default ipv4-unicast\nexit\n"
    assert lines_of(text) == (
        Line(("vrf red",), "vni 100"),
        Line((), "router bgp 1"),
        Line((), "router bgp 1 vrf red"),
        Line(("router bgp 1 vrf red",), "no bgp default ipv4-unicast"),
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("neighbor 10.0.0.3 password s3cr3t", "neighbor 10.0.0.3 password <hidden>"),
        ("no neighbor 10.0.0.3 password 8 s3cr3t", "no neighbor 10.0.0.3 password <hidden>"),
        ("neighbor 10.0.0.3 passw s3cr3t", "neighbor 10.0.0.3 passw <hidden>"),
        ("neighbor 10.0.0.3 passwor\vs3cr3t", "neighbor 10.0.0.3 passwor\v<hidden>"),
        ("ip rip authentication string s3cr3t", "ip rip authentication string <hidden>"),
        ("neighbor 10.0.0.3 passive", "neighbor 10.0.0.3 passive"),
        ("line 3: % Unknown command: key-string abc", "line 3: % Unknown command: key-string <hidden>"),
        (" ip ospf message-digest-key 1 md5 s3cr3t", " ip ospf message-digest-key <hidden>"),
        ("neighbor 10.0.0.3 remote-as 1", "neighbor 10.0.0.3 remote-as 1"),
    ],
)
def test_secrets_are_not_shown(text: str, shown: str):
    assert without_secrets(text) == shown
    assert str(Line(ROUTER, text)) == f"router bgp 64512, {shown}"


def test_a_text_without_bound_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(config_lines, "MAX_LINES", 3)
    with pytest.raises(ValueError, match=r"^more than 3 lines$"):
        lines_of("a\n" * 4)
