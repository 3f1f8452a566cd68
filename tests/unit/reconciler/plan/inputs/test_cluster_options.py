"""The settings of a plan from the options of the cluster's ovnkube."""

from ipaddress import ip_network

from ovnguard.reconciler.plan.inputs.cluster_options import may_explain_drift, with_options
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import Option, OvnkubeOptions


def options(**values: str | None) -> OvnkubeOptions:
    return OvnkubeOptions({name.replace("_", "-"): Option(value, "x") for name, value in values.items()}, known=True)


def test_without_options_the_defaults_of_ovnkube_stay() -> None:
    assert with_options(Settings(), OvnkubeOptions()) == Settings()


def test_every_option_of_a_plan() -> None:
    found = with_options(
        Settings(),
        options(
            enable_multicast="true",
            disable_snat_multiple_gws="true",
            ovn_empty_lb_events="1",
            enable_route_advertisements="true",
            acl_logging_rate_limit="25",
            dns_service_namespace="openshift-dns",
            dns_service_name="dns-default",
            udn_allowed_default_services="default/kubernetes, openshift-dns/dns-default,strange,/x",
            ephemeral_port_range="1000-2000",
            gateway_v4_join_subnet="100.99.0.0/16",
            gateway_v6_masquerade_subnet="fd99::/112",
        ),
    )
    assert found == Settings(
        multicast=True,
        snat_per_pod=True,
        empty_lb_events=True,
        advertises=True,
        acl_logging_rate=25,
        dns_service="openshift-dns/dns-default",
        allowed_services=("default/kubernetes", "openshift-dns/dns-default"),
        snat_ports="1000-2000",
        default_join_subnets=(ip_network("100.99.0.0/16"), ip_network("fd98::/64")),
        masquerade_subnets=(Settings().masquerade_subnets[0], ip_network("fd99::/112")),
    )


def test_what_cannot_be_read_changes_nothing() -> None:
    strange = options(
        acl_logging_rate_limit="many",
        ephemeral_port_range="all",
        gateway_v4_join_subnet="fd00::/64",
        gateway_v6_join_subnet="x",
        udn_allowed_default_services=",",
        enable_multicast=None,
        dns_service_name=None,
    )
    assert with_options(Settings(), strange) == Settings()


def test_transit_subnets_are_those_of_the_cluster_manager() -> None:
    name = "cluster-manager-v4-transit-subnet"
    found = with_options(Settings(), OvnkubeOptions(anywhere={name: (Option("100.99.0.0/16", "x"),)}, known=True))
    assert found.transit_subnets == (ip_network("100.99.0.0/16"), Settings().transit_subnets[1])


def test_head_of_an_audit() -> None:
    assert list(may_explain_drift(())) == []
    assert list(may_explain_drift(("--a (x)", "--b\n (y)"))) == [
        "ovnguard plans nothing from these options, which may explain drift: --a (x), --b\\n (y)"
    ]
