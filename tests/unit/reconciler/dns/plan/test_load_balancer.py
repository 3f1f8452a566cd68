"""Where *.apps leads."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.load_balancer import Addresses, IngressTarget, addresses_of, ingress_target
from ovnguard.reconciler.dns.plan.problems import Problem, Reason
from ovnguard.reconciler.dns.plan.served_names import Dialect
from tests.support.dns.cluster_objects import LB as NAME
from tests.support.dns.cluster_objects import controller
from tests.support.dns.cluster_objects import router as service

INGRESS = "Service openshift-ingress/router-default: status.loadBalancer.ingress"
CONTROLLER = "IngressController openshift-ingress-operator/default"


def target(services, controllers=(), platform="AWS", dialect=Dialect.PROPOSED):
    return ingress_target(services, controllers, platform, "c1.example.com", dialect)


def test_a_name_on_aws():
    assert target([service({"hostname": NAME.upper() + "."})]) == IngressTarget(True, (NAME,))


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_addresses_on_azure_and_google_cloud(platform):
    found = target([service({"ip": "10.0.0.5"}, {"ip": "fd00::5"})], platform=platform)
    assert found == IngressTarget(True, (), (ip_address("10.0.0.5"), ip_address("fd00::5")))


def test_the_load_balancer_of_another_controller_is_not_followed():
    assert target([service({"hostname": NAME}, name="router-internal")]) == IngressTarget()


def test_no_address_yet():
    assert target([service()]) == IngressTarget(True)


@pytest.mark.parametrize("platform", ["", "None", "BareMetal"])
def test_a_platform_without_load_balancers(platform):
    found = target([service({"hostname": NAME})], platform=platform)
    text = f'platform "{platform}" has no load balancer to follow; only AWS, Azure, GCP do'
    assert found == IngressTarget(problems=(Problem(Reason.UNSUPPORTED_PLATFORM, "Infrastructure cluster", text),))


@pytest.mark.parametrize(
    ("hostname", "text"),
    [
        ("", "is missing; AWS has names, not addresses"),
        (None, "is missing; AWS has names, not addresses"),
        ("a b", '"a b" is not a DNS name'),
        ('x" 60 in A 6.6.6.6', r'"x\" 60 in A 6.6.6.6" is not a DNS name'),
        ("10.0.0.5", '"10.0.0.5" is not a DNS name'),
        ("a" * 64 + ".com", f'"{"a" * 64}.com" is not a DNS name'),
        ("a." * 200, f'"{"a." * 40}" is not a DNS name'),
        ("\x1b[31m", r'"\x1b[31m" is not a DNS name'),
        ("\u212aelvin.com", '"\u212aelvin.com" is not a DNS name'),
    ],
)
def test_an_invalid_name_is_a_problem(hostname, text):
    found = target([service({"hostname": hostname})])
    assert found == IngressTarget(True, problems=(Problem(Reason.INVALID_NAME, f"{INGRESS}[0].hostname", text),))


@pytest.mark.parametrize(
    ("hostname", "dialect", "is_loop"),
    [
        ("lb.apps.c1.example.com", Dialect.PROPOSED, True),
        ("LB.apps.c1.example.com.", Dialect.PROPOSED, True),
        ("apps.c1.example.com", Dialect.PROPOSED, False),
        ("xapps.c1.example.com", Dialect.PROPOSED, False),
        ("api.c1.example.com", Dialect.PROPOSED, False),
        ("api.c1.example.com", Dialect.RELEASED, True),
        ("api-int.c1.example.com", Dialect.RELEASED, True),
    ],
)
def test_a_name_that_leads_to_itself(hostname, dialect, is_loop):
    found = target([service({"hostname": hostname}, {"hostname": NAME})], dialect=dialect)
    text = f"{hostname.lower().rstrip('.')} is itself one of the names that lead to the load balancer"
    problem = Problem(Reason.LOOP, f"{INGRESS}[0].hostname", text)
    assert found.problems == ((problem,) if is_loop else ())
    assert found.hostnames[-1:] == (NAME,)


def test_many_names_are_cut():
    found = target([service(*({"hostname": f"lb{number}.example.com"} for number in range(1000)))])
    assert found.hostnames == tuple(f"lb{number}.example.com" for number in range(16))
    assert found.problems == (Problem(Reason.TOO_MANY, INGRESS, "1000 host names; the first 16 are used"),)


def test_settings_of_another_platform():
    found = target(
        [service({"hostname": NAME}, annotations={"service.beta.kubernetes.io/azure-load-balancer-ipv4": "10.0.0.5"})],
        [
            controller(
                {"endpointPublishingStrategy": {"loadBalancer": {"providerParameters": {"type": "GCP"}}}},
                {"domain": "apps.c1.example.com"},
            )
        ],
    )
    strategy = "spec.endpointPublishingStrategy.loadBalancer.providerParameters.type"
    annotation = "metadata.annotations[service.beta.kubernetes.io/azure-load-balancer-ipv4]"
    assert found.hostnames == (NAME,)
    assert list(map(str, found.problems)) == [
        f'{CONTROLLER}: {strategy}: "GCP" has no effect on AWS',
        f"Service openshift-ingress/router-default: {annotation}: has no effect on AWS",
    ]


AZURE_4, AZURE_6 = (f"service.beta.kubernetes.io/azure-load-balancer-ipv{version}" for version in (4, 6))


@pytest.mark.parametrize(
    ("platform", "annotations", "spec", "reserved"),
    [
        ("Azure", {AZURE_4: "10.0.0.5", AZURE_6: "fd00::5"}, {"loadBalancerIP": "10.0.0.6"}, ("10.0.0.5", "fd00::5")),
        ("Azure", {}, {"loadBalancerIP": "10.0.0.6"}, ("10.0.0.6",)),
        ("GCP", {}, {"loadBalancerIP": "10.0.0.6"}, ("10.0.0.6",)),
        ("GCP", {AZURE_4: "10.0.0.5"}, {}, ()),
        ("AWS", {}, {"loadBalancerIP": "10.0.0.6"}, ()),
    ],
)
def test_addresses_that_the_service_asks_for(platform, annotations, spec, reserved):
    found = target([service(annotations=annotations, **spec)], platform=platform)
    assert (found.addresses, found.reserved) == ((), tuple(map(ip_address, reserved)))


def test_an_address_that_the_load_balancer_did_not_get():
    found = target([service({"ip": "10.0.0.7"}, loadBalancerIP="10.0.0.6")], platform="GCP")
    text = "the load balancer has 10.0.0.7, and the Service asks for 10.0.0.6"
    assert found.problems == (Problem(Reason.OTHER_ADDRESS, INGRESS, text),)
    assert target([service({"ip": "10.0.0.6"}, loadBalancerIP="10.0.0.6")], platform="GCP").problems == ()


def test_an_invalid_requested_address_is_a_problem():
    found = target([service(loadBalancerIP="ten")], platform="GCP")
    text = '"ten" is not the address of a load balancer'
    subject = "Service openshift-ingress/router-default: spec.loadBalancerIP"
    assert found.problems == (Problem(Reason.INVALID_ADDRESS, subject, text),)


def test_a_controller_without_load_balancer():
    controllers = [
        controller({"endpointPublishingStrategy": {"type": "HostNetwork"}}, name="other"),
        controller({"endpointPublishingStrategy": {"type": "HostNetwork"}}),
    ]
    assert list(map(str, target([], controllers).problems)) == [
        f'{CONTROLLER}: spec.endpointPublishingStrategy.type: publishes with "HostNetwork"; *.apps needs '
        "LoadBalancerService"
    ]


def test_a_service_without_load_balancer():
    found = target([service({"hostname": NAME}, kind="ClusterIP")])
    problem = Problem(
        Reason.NOT_A_LOAD_BALANCER, "Service openshift-ingress/router-default: spec.type", "is not LoadBalancer"
    )
    assert found == IngressTarget(True, problems=(problem,))


def test_a_controller_of_another_domain():
    found = target([], [controller(status={"domain": "apps.example.org"})])
    text = 'serves "apps.example.org", not apps.c1.example.com'
    assert found.problems == (Problem(Reason.OTHER_DOMAIN, f"{CONTROLLER}: status.domain", text),)


@pytest.mark.parametrize(
    "value", [None, 7, [], {}, "ten", "0.0.0.0", "127.0.0.1", "::1", "fe80::1%e", "::ffff:10.0.0.5"]
)
def test_an_address_that_no_load_balancer_has(value):
    found = addresses_of([value, "10.0.0.5"], "here")
    text = f'"{value}" is not the address of a load balancer' if value else "has no address"
    assert found == Addresses((ip_address("10.0.0.5"),), (Problem(Reason.INVALID_ADDRESS, "here", text),))


def test_the_lowest_of_a_thousand_addresses_whatever_their_order():
    many = [f"10.0.{number // 250}.{number % 250 + 1}" for number in range(1000)]
    found = addresses_of(many, "here")
    assert found.addresses == tuple(ip_address(f"10.0.0.{number}") for number in range(1, 17))
    assert found.problems == (Problem(Reason.TOO_MANY, "here", "1000 addresses; the lowest 16 are used"),)
    assert addresses_of(many[::-1], "here") == found


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [], {"metadata": None}, {"metadata": {"name": ["x"]}}, service(None, 7, [])]
)
def test_malformed_objects_are_not_load_balancers(odd):
    found = target([odd], [odd])
    assert (found.hostnames, found.addresses) == ((), ())
