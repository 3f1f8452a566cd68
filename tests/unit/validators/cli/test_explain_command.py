import json

import pytest
from click.testing import CliRunner

from validators.cli.explain_command import explain
from validators.network.rules import all_rules


def test_one_line_for_every_rule() -> None:
    lines = CliRunner().invoke(explain, [], standalone_mode=False).output.splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in all_rules()]
    assert lines[0] == "OVNG-DNS-001  error    userDNS Enabled needs the load balancer for api-int"


def test_a_rule_whole() -> None:
    assert CliRunner().invoke(explain, ["ovng-net-006"], standalone_mode=False).output == (
        "OVNG-NET-006 (error): routing Managed needs bgpManagedConfig with an AS number in the operator Network\n"
        "\n"
        "Managed routing of a network needs the managed BGP fabric of the cluster.\n"
        "\n"
        "Without it upstream accepts the network, and it waits for ever: its condition TransportAccepted stays at\n"
        "NoOverlayRouteAdvertisementsIsMissing.\n"
        "\n"
        "What to do:  set bgpManagedConfig in the operator Network, or use routing Unmanaged with RouteAdvertisements"
        " of your own\n"
        "Kinds:       ClusterUserDefinedNetwork\n"
        "Needs:       the operator Network\n"
        "Design:      OpenShift enhancement no-overlay-mode, 'Workflow Description'; OKEP-5259, managed mode\n"
    )


def test_as_json() -> None:
    [one] = json.loads(CliRunner().invoke(explain, ["OVNG-L2-003", "-o", "json"], standalone_mode=False).output)
    assert (one["id"], one["severity"], one["needs"]) == ("OVNG-L2-003", "error", ["nodes"])
    assert "ClusterUserDefinedNetwork" in one["kinds"]


def test_an_unknown_rule_is_a_wrong_call() -> None:
    with pytest.raises(Exception, match="no rule OVNG-X; 'kubectl ovn-preflight explain' lists them"):
        CliRunner().invoke(explain, ["OVNG-X"], standalone_mode=False, catch_exceptions=False)
