"""docs/webhook-finality.md: the text of this module, then a part generated from the rules and their needs."""

from collections.abc import Iterator

from ovnguard.reconciler.loop.process.frozen_view import KINDS
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.validators.network.rules import Need, Rule, all_rules, rules_for
from ovnguard.validators.network.rules.base import KINDS_OF_NEEDS, Severity

HEAD = """# Which verdicts are final

This page says which verdicts of the webhook are final, and which the reconciler confirms later.

The webhook judges a request against its own cache of the cluster. The cache does not contain two things: what was
written a moment ago (a watch lags by milliseconds, or more when the API server is busy), and what another replica or
the API server itself is admitting at the same time. The API server can therefore admit two networks that exclude each
other if they are created at the same moment and each replica does not yet have the other network in its cache. No
webhook can promise more: admission happens before storage, and there is no lock across objects.

There are three kinds of verdicts.

* **Final.** Verdicts that depend only on the request: schemas and their CEL rules (the API server evaluates these itself
  too), changes between the stored object and the new one, and rules about one object. The stored object of an update
  comes from storage, not from a cache, and the API server repeats the admission of a write that lost a race with the newer
  object.
* **Confirmed later.** Rules about a network that depend on other networks and on nodes. Every zone of the reconciler judges
  all networks again, with the same function, whenever a network, a node or the operator Network changes. Of networks that
  exclude each other **the older one stays**: the one with the earlier `creationTimestamp`, which has a resolution of one
  second, or else the first by kind, namespace and name. Every zone reaches the same result. The reconciler does not plan
  the other network, which keeps the rows that it has. Its condition `Accepted` is `False` with reason `Conflict` and the
  message of the rule. When the conflict is gone, the reconciler sets the condition to `True` and plans the network without
  further action by the user. A network that never had a conflict has no such condition.
* **As seen.** Rules that depend on other facts: advertisements, FRR configurations, pods, workloads, the platform. They are
  as accurate as the cache at that moment, and ovnguard does not judge the object again before its next write. What these
  rules refuse is always wrong. What they accept can become wrong later, like any object in a cluster; OVN-Kubernetes, the
  network operator and frr-k8s report that in the status of their own objects.

ovnguard never guesses a fact that it does not know, such as a resource that the cluster does not serve or that the webhook
may not read. The audit annotation `notes` lists the rules that were not checked and the facts that they need.

## Which component selects and allocates

* The transit subnet of a primary Layer2 network: the mutating webhook selects it and writes it into the object; without a
  webhook the reconciler does. No coordination is needed: transit subnets of different networks may overlap, and a selected
  subnet stays while it is valid.
* Network id and tunnel keys: the reconciler allocates them and writes them into annotations of the object. Each write names
  the `resourceVersion` that the decision is based on; a process that loses the race reads what the other process wrote. Of
  two networks with the same number the older one stays; the other has reason `NotPlanned` or `Conflict`.
* Defaults of `bgpManagedConfig` that the served schema lacks: the mutating webhook sets them. They depend only on the served
  schema, so every replica sets the same values.

Repeating a request changes nothing: the patch is empty when the object is complete, so the order of webhooks and
reinvocation do not matter. A dry run selects too, but stores nothing.

## When there is no verdict

When the webhook cannot judge, it does not answer with a review but with an HTTP error, and the `failurePolicy` of the
registration decides. A denial would block objects that fail open. `details.uid` of the Status contains the uid of the
request.

| HTTP | reason |
|---|---|
| 400, 411, 413, 415 | the request is not an AdmissionReview |
| 403 | `--client-ca` requires a client certificate, and the client has none that is authorized |
| 500 | a fault of ovnguard; the log contains the cause and the uid |
| 503 | the process has not read the whole cluster yet, or judged other large requests for 4 s |
| 504 | no verdict within four fifths of the caller's `timeoutSeconds`, at most 9 s |

A judgement checks its deadline between rules and inside CEL loops, so no late judgement keeps running.

A worker process accepts connections when it has listed everything that it may read in the cluster and compiled every served
schema, or after `--sync-seconds`. Until the list is complete it answers 503, and `/readyz` answers with the reason.

## Rules by kind of verdict

`W` marks rules that only warn. This part is generated from the rules (`make rules`).
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
            and all(need in SEEN_AGAIN or KINDS_OF_NEEDS.get(need) in KINDS for need in rule.needs)
        ):
            found["Confirmed later"].append(rule)
        else:
            found["As seen"].append(rule)
    return found


def _entry(title: str, rules: list[Rule]) -> Iterator[str]:
    yield from ("", f"### {title}", "", "| rule | | message | needs |", "|---|---|---|---|")
    for rule in rules:
        mark = "W" if rule.severity is Severity.WARNING else ""
        yield f"| {rule.id} | {mark} | {rule.message} | {', '.join(rule.needs)} |"
    yield ""
