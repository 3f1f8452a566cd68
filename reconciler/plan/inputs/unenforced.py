"""Policies that nobody enforces: a plan has no rows for them, and the only writer of a zone writes nothing else.

A network with such a policy is not taken over, unless somebody permits it. A policy that comes later takes no row away.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ovnguard.validators.network.cluster.policies import Policy
from ovnguard.validators.network.list_text import shortlist

OPTION: Final = "--unenforced-policies"
# The maximum number of policies that a text names; the newest come first.
_NAMED: Final = 10
_ELSEWHERE: Final = "a policy of another namespace"


@dataclass(frozen=True, slots=True)
class Unenforced:
    """The policies by network; ``refused`` are networks that are not owned because of them.

    ``permitted``: somebody permits to own networks in spite of them.
    """

    policies: Mapping[str, tuple[Policy, ...]] = field(default_factory=dict, hash=False)
    refused: frozenset[str] = frozenset()
    permitted: bool = False

    def refusal(self, network: str, namespace: str | None = None) -> str:
        """Return why a network is not owned; readers of ``namespace`` learn of no object elsewhere."""
        policies = self._named(network, namespace)
        return f"the network is not owned, because ovnguard does not enforce {policies} ({OPTION} owns it nevertheless)"

    def warning(self, network: str, namespace: str | None = None) -> str:
        """Return what nobody enforces in a network that is owned; parameters as in `refusal`."""
        return f"ovnguard does not enforce {self._named(network, namespace)}"

    def _named(self, network: str, namespace: str | None) -> str:
        policies = self.policies[network]
        shown = (
            str(each) if namespace is None or each.namespace in ("", namespace) else _ELSEWHERE for each in policies
        )
        return shortlist(dict.fromkeys(shown), _NAMED)


NOTHING_UNENFORCED: Final = Unenforced()
