"""The rules that ValidatingAdmissionPolicies can express, as policies, for clusters with or without the webhook.

Three parts: the bundled policies about built-in kinds, policies that express rules about a single object, and a list of
the rules that no policy expresses, with the reason. The annotation ``ovnguard.io/rules`` names the rules of a policy; a
test compares each policy with the cases of these rules.
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas import POLICIES, data_files

if TYPE_CHECKING:
    from ovnguard.validators.network.rules.base import Rule

CARRIED: Final = "ovnguard.io/rules"
_UNWRITTEN: Final = "not written as a policy"
_OTHERS: Final = "compares with the cluster's other subnets, where they are known"
_COUNTS: Final = "counts addresses, which CEL has no functions for"
_WHY: Final = {
    "OVNG-L2-001": _OTHERS,
    "OVNG-L2-002": _OTHERS,
    "OVNG-L2-004": _COUNTS,
    "OVNG-L2-009": "reads JSON inside an annotation",
    "OVNG-L2-012": "reads the network id that others record",
    "OVNG-NET-001": _OTHERS,
    "OVNG-NET-012": f"{_OTHERS}; {_COUNTS}",
    "OVNG-NET-032": "translates the whole configuration",
}
_OFFLINE: Final = frozenset({"InstallConfig"})
_HEAD: Final = """\
# ValidatingAdmissionPolicies of ovnguard, each with its binding. The API server itself evaluates them: they need no
# running webhook, and no outage affects them.
"""
_REST: Final = """\
# The rules that no policy here expresses; the webhook checks them, or `kubectl ovn-preflight` with an inventory. A
# policy sees one object, its namespace and the user; for rules that need more, the list names what they need.
#
"""


def carried_rules(policy: dict[str, Any]) -> tuple[str, ...]:
    """Return the ids of the rules that a policy expresses; none for a bundled policy, which is a rule itself."""
    listed = str(policy["metadata"].get("annotations", {}).get(CARRIED, ""))
    return tuple(name.strip() for name in listed.split(",") if name.strip())


def policy_texts() -> Iterator[str]:
    """Iterate over the YAML of every policy and binding, as written, bundled ones first."""
    yield from (crd_schemas.read(name).decode() for name in data_files(POLICIES))
    folder = files("webhook") / "templates" / "policies"
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".yaml"))
    yield from ((folder / name).read_text(encoding="utf-8") for name in names)


def documents() -> list[dict[str, Any]]:
    """Return every policy and binding, parsed."""
    return [document for text in policy_texts() for document in yaml.safe_load_all(text)]


def not_carried() -> dict[str, str]:
    """Return the id of each rule that no policy expresses, with the reason."""
    # Imported here, because the rules are many modules and only this list needs them.
    from ovnguard.validators.network.rules import all_rules

    carried = {name for document in documents() for name in carried_rules(document)}
    return {rule.id: _why(rule, frozenset(rule.kind_names)) for rule in all_rules() if rule.id not in carried}


def stream() -> str:
    """Return all policies and bindings as one YAML stream, with the comments of their files."""
    return _HEAD + "---\n".join(("", *policy_texts()))


def as_yaml() -> str:
    """Return `stream`, and after it, as a comment, the rules that it does not express."""
    listed = "".join(f"#   {name}: {reason}\n" for name, reason in not_carried().items())
    return stream() + "---\n" + _REST + listed


def _why(rule: "Rule", kinds: frozenset[str]) -> str:
    if kinds <= _OFFLINE:
        return "about a file of the installer, which no API server has"
    if rule.needs:
        return f"needs {', '.join(rule.needs)}"
    return _WHY.get(rule.id, _UNWRITTEN)
