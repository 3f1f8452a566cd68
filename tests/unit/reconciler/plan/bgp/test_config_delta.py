"""Only what differs becomes a command, and every difference has a command that FRR understands."""

from ovnguard.reconciler.plan.bgp import config_delta
from ovnguard.reconciler.plan.bgp.config_delta import Delta, Running

BASE = """\
ip prefix-list a seq 1 permit 10.0.0.0/8
route-map in permit 1
  match ip address prefix-list a
router bgp 64512
  no bgp default ipv4-unicast
  neighbor 10.0.0.3 remote-as 64512
  neighbor 10.0.0.3 timers 30 90
  neighbor 10.0.0.4 remote-as 64512
  address-family ipv4 unicast
    neighbor 10.0.0.3 activate
    neighbor 10.0.0.4 activate
    neighbor 10.0.0.4 route-map in in
  exit-address-family
"""


def delta(wanted: str, running: str, written: str = "", *, masked: bool = False) -> Delta:
    """The difference where bgpd has everything."""
    return config_delta.delta(wanted, Running(running, running), written, masked=masked)


def commands(wanted: str, running: str, written: str = "") -> list[str]:
    return delta(wanted, running, written).commands().splitlines()


def test_equal_configurations_have_no_difference():
    assert not delta(BASE, BASE)
    assert commands(BASE, BASE) == []


def test_everything_is_added_to_an_empty_frr():
    assert commands(BASE, "") == [
        "ip prefix-list a seq 1 permit 10.0.0.0/8",
        "route-map in permit 1",
        "match ip address prefix-list a",
        "exit",
        "router bgp 64512",
        "no bgp default ipv4-unicast",
        "neighbor 10.0.0.3 remote-as 64512",
        "neighbor 10.0.0.3 timers 30 90",
        "neighbor 10.0.0.4 remote-as 64512",
        "exit",
        "router bgp 64512",
        "address-family ipv4 unicast",
        "neighbor 10.0.0.3 activate",
        "neighbor 10.0.0.4 activate",
        "neighbor 10.0.0.4 route-map in in",
        "exit-address-family",
        "exit",
    ]


def test_a_neighbor_goes_with_all_its_settings_before_its_filters():
    wanted = "".join(f"{line}\n" for line in BASE.splitlines() if "10.0.0.4" not in line and "in permit" not in line)
    wanted = wanted.replace("  match ip address prefix-list a\n", "")
    assert commands(wanted, BASE) == ["router bgp 64512", "no neighbor 10.0.0.4", "exit", "no route-map in permit 1"]


def test_a_setting_is_replaced_without_removing_it():
    """Removing the AS number of a neighbour would remove the neighbour."""
    wanted = BASE.replace("10.0.0.3 remote-as 64512", "10.0.0.3 remote-as 1").replace("timers 30 90", "timers 3 9")
    assert commands(wanted, BASE) == [
        "router bgp 64512",
        "neighbor 10.0.0.3 remote-as 1",
        "neighbor 10.0.0.3 timers 3 9",
        "exit",
    ]


def test_timers_and_their_connect_timer_are_two_settings():
    running = BASE.replace("timers 30 90", "timers connect 5")
    assert commands(BASE, running) == [
        "router bgp 64512",
        "no neighbor 10.0.0.3 timers connect 5",
        "neighbor 10.0.0.3 timers 30 90",
        "exit",
    ]


def test_another_as_number_takes_the_old_router_away_first():
    running = f"{BASE}router bgp 64512 vrf red\n  network 10.1.0.0/24\n"
    wanted = BASE.replace("router bgp 64512", "router bgp 64513")
    assert commands(wanted, running)[:3] == ["no router bgp 64512 vrf red", "no router bgp 64512", "router bgp 64513"]


def test_an_entry_of_a_list_is_removed_before_its_successor():
    assert commands(BASE.replace("10.0.0.0/8", "10.0.0.0/9"), BASE) == [
        "no ip prefix-list a seq 1 permit 10.0.0.0/8",
        "ip prefix-list a seq 1 permit 10.0.0.0/9",
    ]


def test_a_negated_command_is_removed_by_the_command():
    running = BASE.replace("  no bgp default ipv4-unicast\n", "  no bgp default ipv4-unicast\n  no bgp ebgp-policy\n")
    assert commands(BASE, running) == ["router bgp 64512", "bgp ebgp-policy", "exit"]


def test_an_unnumbered_neighbor_is_removed_by_its_own_command():
    running = BASE.replace("  address-family", "  neighbor eth0 interface remote-as external\n  address-family", 1)
    assert commands(BASE, running) == ["router bgp 64512", "no neighbor eth0 interface", "exit"]


def test_what_ovnguard_neither_owns_nor_wrote_stays():
    running = f"log syslog\npassword secret\nip route 10.9.0.0/16 10.0.0.1\n{BASE}"
    assert not delta(BASE, running)
    assert commands(BASE, running, "log syslog\n") == ["no log syslog"]


def test_the_text_of_a_difference_is_short_and_without_secrets():
    wanted = BASE.replace("timers 30 90", "password s3cr3t")
    found = delta(wanted, BASE)
    assert str(found) == (
        "lacks router bgp 64512, neighbor 10.0.0.3 password <hidden>; "
        "still has router bgp 64512, neighbor 10.0.0.3 timers 30 90"
    )
    assert str(delta(BASE, "")).endswith("; and 8 more")


def test_masked_passwords_are_not_compared():
    wanted = BASE.replace("timers 30 90", "password <hidden>")
    running = BASE.replace("timers 30 90", "password s3cr3t")
    assert delta(wanted, running)
    assert not delta(wanted, running, masked=True)


def test_a_restarted_bgpd_lacks_what_other_daemons_still_have():
    lists = BASE.partition("router bgp")[0]
    found = config_delta.delta(f"log syslog\n{BASE}", Running(f"log syslog\n{lists}", ""))
    assert found.removed == ()
    assert [each.text for each in found.added[:2]] == [
        "ip prefix-list a seq 1 permit 10.0.0.0/8",
        "route-map in permit 1",
    ]
    assert not config_delta.delta(BASE, Running(BASE, BASE))
