"""docs/policies.md, made from the bundled policies themselves."""

from collections.abc import Iterator

from validators.bundled.bundled_policies import BundledPolicy, all_policies
from validators.network.cluster_view import GroupKind
from validators.bundled.policy_kinds import WATCHED

HEAD = """# Policies

What of the designs concerns kinds that the API server has itself, as ValidatingAdmissionPolicies: deployed with
`kubectl apply -f crd_schemas/policies/`, they work without the webhook; preflight and the webhook judge by the same
files. Each has the failurePolicy `Ignore`: what a policy cannot evaluate it lets pass. A policy that warns has the
binding's actions `Warn` and `Audit`, the others `Deny`.

A validation has an id, `<policy>/<name>`: a finding carries it as its rule, and `crd_schemas.rules[id].evaluate(object,
oldObject)` asks it alone. What needs facts about the cluster is said by the rules in [rules.md](rules.md).

This page is made from the policies (`pytest tests/unit/docs --update`).
"""


def render() -> str:
    """The whole page."""
    return HEAD + "".join("\n".join(_entry(policy)) for policy in all_policies())


def _entry(policy: BundledPolicy) -> Iterator[str]:
    source = policy.source
    (rule,) = source["spec"]["matchConstraints"]["resourceRules"]
    yield from ("", f"## {policy.compiled.name}", "")
    operations = ", ".join(rule["operations"])
    names = f" named {', '.join(rule['resourceNames'])}" if "resourceNames" in rule else ""
    verb = "Refuses" if policy.denies else "Warns of"
    yield f"{verb} requests ({operations}) for {', '.join(_kinds(policy))}{names}."
    yield f"Source: {source['metadata']['annotations']['ovnguard.io/source']}."
    yield from ("", "| validation | field | text |", "|---|---|---|")
    for named, validation in zip(policy.validations, source["spec"]["validations"], strict=True):
        yield f"| {named.id.partition('/')[2]} | `{named.field}` | {validation['message']} |"
    yield ""


def _kinds(policy: BundledPolicy) -> Iterator[str]:
    name = policy.compiled.name.removesuffix(".ovnguard.io")
    yield from (_shown(kind) for kind, watched in WATCHED.items() if name in watched.files)


def _shown(kind: GroupKind) -> str:
    return f"{kind.kind}" if not kind.group else f"{kind.kind} of {kind.group}"
