"""docs/policies.md, generated from the bundled policies."""

from collections.abc import Iterator

from ovnguard.validators.bundled.bundled_policies import BundledPolicy, all_policies
from ovnguard.validators.bundled.policy_kinds import WATCHED
from ovnguard.validators.network.cluster_view import GroupKind

HEAD = """# Policies

This page lists the ValidatingAdmissionPolicies for the parts of the designs that concern built-in kinds. Deploy them
with `kubectl apply -f crd_schemas/policies/`; they work without the webhook. Preflight and the webhook judge by the
same files.

Every policy has the failurePolicy `Ignore`: the API server accepts what a policy cannot evaluate. The binding of a
policy that warns has the actions `Warn` and `Audit`; the other bindings have `Deny`.

Every validation has an id, `<policy>/<name>`, which findings show as their rule id. The rules in [rules.md](rules.md) check
what needs facts about the cluster.

This page is generated from the policies (`pytest tests/unit/docs --update`).

## Policies of your own

ovn-preflight judges a ValidatingAdmissionPolicy or its binding among the manifests as the API server does: unknown
fields, types, names, selectors and every expression, each error at its line. `--policies` names files whose policies
also judge the manifests. A policy there that the API server would refuse is an error at its line, and judges nothing.
`v1` and, up to 1.33, `v1beta1` are read.

With `--policies`, expressions are also checked against the schemas of the kinds that the rules name, as the API server
does for `status.typeChecking`: `object.spec.replica` of a Deployment is a warning. The schemas are those of given and
bundled definitions, and of the kinds that are built into the release, its alpha and beta versions included. Parameters
have the schema of their kind. Like the server, the check reads validations and their message expressions; it skips
rules with `*` and subresources, and stops at ten kinds of a rule. Quantities have no type in these schemas, so that the
server warns of every expression that reads `resources.limits` or `resources.requests`: `undefined field 'limits'`. The
policy works all the same.

## No mutating policies

ovnguard has no MutatingAdmissionPolicy and judges none: such a policy or its binding, among the manifests or in `--policies`, is
the warning `mutating-admission-policy`. The webhook selects the transit subnet of a primary Layer2 network, and no policy can: it
must overlap neither the subnets of the other networks nor those of the nodes. An expression of a policy sees one object, its
Namespace and one parameter. A paramRef that selects several objects evaluates the policy once for each of them, so that no
expression sees two networks.
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
