"""docs/webhook-finality.md: what is made of the rules and their needs, below what is written here."""

from collections.abc import Iterator

from reconciler.loop.desired_state import KINDS
from reconciler.plan.candidates import NETWORK_KINDS
from validators.network.rules import Need, Rule, all_rules, rules_for
from validators.network.rules.base import _KINDS, Severity

HEAD = """# Which verdicts are final

The webhook judges a request in the world that its own cache shows. Two things are not in it: what was written a moment
ago (a watch is some milliseconds behind, more when the API server is busy), and what another replica, or the API server
itself, is admitting right now. Two networks that exclude each other can therefore both be admitted, when they are
created at the same moment and neither is in the cache of the replica that judges the other. No webhook can promise
more: admission comes before storage, and there is no lock across objects.

So the verdicts are of three kinds.

* **Final.** Everything that depends on the request alone: schemas and their CEL rules (the API server asks these again
  itself), transitions from the stored object to the new one, and rules about one object. The stored object of an update
  comes from storage, not from a cache, and a write that lost a race is admitted anew on the newer object.
* **Confirmed later.** Rules about networks among networks and nodes. Every zone of the reconciler judges all networks
  again whenever one of them, a node or the operator Network changes, with the same function. Of networks that exclude
  each other **the older one stays**: the earlier `creationTimestamp`, and among equals (it counts in seconds) the first
  by kind, namespace and name. That is the same one in every zone. The other is not planned, keeps what it holds, and
  says so: condition `Accepted` is `False` with reason `Conflict` and the text of the rule. When the conflict is gone,
  the condition becomes `True` and the network is planned; nobody has to touch it. A network that never had trouble has
  no such condition.
* **As seen.** Rules that need other facts: advertisements, FRR configurations, pods, workloads, the platform. They are
  as good as the cache at that moment, and nobody asks again before the next write of the object. What they refuse is
  wrong at any time; what they let pass may become wrong later, as anything else in a cluster may. OVN-Kubernetes, the
  network operator and frr-k8s report that in the status of their own objects.

A fact that is not known (a resource that the cluster does not serve, or does not show to the webhook) is never guessed:
the rule says `not checked: needs ...` in the audit annotation `notes`.

## What is chosen, and by whom

* The transit subnet of a primary Layer2 network: by the mutating webhook, into the object itself; without a webhook by
  the reconciler. There is nothing to agree on: transit subnets of different networks may overlap, and a chosen one
  stays while it is valid.
* Network id and tunnel keys: by the reconciler, into annotations of the object. Each write names the `resourceVersion`
  that it was decided on, and who loses reads what the winner wrote. Of two networks with one number the older one
  stays, the other has reason `NotPlanned` or `Conflict`.
* Defaults of `bgpManagedConfig` that the served schema lacks: by the mutating webhook. They depend on the served schema
  alone, so everybody chooses the same.

Asking twice changes nothing: a patch is empty when the object says everything already, so the order of webhooks and
reinvocation do not matter. A dry run chooses as well, and nothing outlives its answer.

## When there is no verdict

Where the webhook cannot judge, it answers no review but an HTTP error, and the `failurePolicy` of the registration
decides: a denial would hold up objects that fail open. The uid of the request stands in `details.uid`.

| HTTP | when |
|---|---|
| 400, 411, 413, 415 | the call is no AdmissionReview |
| 403 | a client certificate is required (`--client-ca`) and this client has none that may ask |
| 500 | a fault of ovnguard; the log has the cause under the uid |
| 503 | the process has not seen the whole cluster yet |
| 504 | not judged within four fifths of the caller's `timeoutSeconds`, at most 9 s |

A late judgement cannot be interrupted, and ends by itself: rules have a cost budget. Of small reviews of kinds that
were always quick nobody watches the time; should one be late, the caller's own timeout has the same effect.

A worker process accepts connections once everything was listed that the cluster shows it and every served schema is
compiled, or after `--sync-seconds`; until it is complete it answers 503, and `/readyz` says no.

## Rule by rule

`W` marks rules that only warn. This part is made from the rules (`pytest tests/unit/docs --update`).
"""
SEEN_AGAIN = {Need.NETWORKS, Need.OPERATOR_NETWORK, Need.TRANSPORTS}


def render() -> str:
    """The whole page."""
    return HEAD + "".join("\n".join(_entry(title, rules)) for title, rules in classes().items())


def classes() -> dict[str, list[Rule]]:
    """Every rule in one class."""
    judged_again = {rule.id for kind in NETWORK_KINDS for rule in rules_for(kind)}
    found: dict[str, list[Rule]] = {"Final": [], "Confirmed later": [], "As seen": []}
    for rule in all_rules():
        if not set(rule.needs) - {Need.USER}:
            found["Final"].append(rule)
        elif (
            rule.id in judged_again
            and "CREATE" in rule.operations
            and all(need in SEEN_AGAIN or _KINDS.get(need) in KINDS for need in rule.needs)
        ):
            found["Confirmed later"].append(rule)
        else:
            found["As seen"].append(rule)
    return found


def _entry(title: str, rules: list[Rule]) -> Iterator[str]:
    yield from ("", f"### {title}", "", "| rule | | says | needs |", "|---|---|---|---|")
    for rule in rules:
        mark = "W" if rule.severity is Severity.WARNING else ""
        yield f"| {rule.id} | {mark} | {rule.message} | {', '.join(rule.needs)} |"
    yield ""
