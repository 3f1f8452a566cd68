"""What messages say about policies that nobody enforces."""

import pytest

from ovnguard.reconciler.plan.inputs.unenforced import Unenforced
from ovnguard.validators.network.cluster.policies import Policy

POLICIES = (
    Policy("Namespace", "red", "red"),
    Policy("AdminNetworkPolicy", "", "all"),
    Policy("NetworkPolicy", "red", "a"),
    Policy("NetworkPolicy", "pink", "b"),
    Policy("EgressFirewall", "pink", "default"),
)
MULTICAST = "annotation k8s.ovn.org/multicast-enabled of Namespace red"


@pytest.mark.parametrize(
    ("namespace", "named"),
    [
        (
            None,
            f"{MULTICAST}, AdminNetworkPolicy all, NetworkPolicy red/a, NetworkPolicy pink/b, "
            "EgressFirewall pink/default",
        ),
        ("red", f"{MULTICAST}, AdminNetworkPolicy all, NetworkPolicy red/a, a policy of another namespace"),
    ],
)
def test_readers_of_a_namespace_learn_of_no_policy_elsewhere(namespace: str | None, named: str) -> None:
    found = Unenforced({"n": POLICIES})
    assert found.warning("n", namespace) == f"ovnguard does not enforce {named}"
    refusal = "the network is not owned, because ovnguard does not enforce"
    assert found.refusal("n", namespace) == f"{refusal} {named} (--unenforced-policies owns it nevertheless)"


def test_a_message_names_ten() -> None:
    many = tuple(Policy("NetworkPolicy", "red", f"p{number}") for number in range(12))
    named = ", ".join(f"NetworkPolicy red/p{number}" for number in range(10))
    assert Unenforced({"n": many}).warning("n") == f"ovnguard does not enforce {named} and 2 more"
