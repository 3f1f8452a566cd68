"""What ValidatingAdmissionPolicies can carry of what ovnguard knows, for clusters without the webhook and beside it.

Three parts: the bundled policies about built-in kinds, policies that say what a rule says of one object alone, and a
list of the rules that no policy says, with the reason. Which rules a policy carries stands in its annotation
``ovnguard.io/rules``; a test holds each against the cases of these rules.
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import yaml

import crd_schemas
from crd_schemas import POLICIES, data_files

if TYPE_CHECKING:
    from validators.network.rules.base import Rule

CARRIED: Final = "ovnguard.io/rules"
_UNWRITTEN: Final = "not written as a policy"
_OTHERS: Final = "looks at the cluster's other subnets, where they are known"
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
# ValidatingAdmissionPolicies of ovnguard, each with its binding. They are judged by the API server itself: nothing has
# to run for them, and nothing that is away is in their way.
"""
_REST: Final = """\
# What no policy here carries, and the webhook says instead, or `kubectl ovn-preflight` with an inventory. A policy sees
# one object, its namespace and who asks; rules that need more are named with what they need.
#
"""


def carried_rules(policy: dict[str, Any]) -> tuple[str, ...]:
    """Return the ids of the rules that a policy says, none for one of the bundled ones, which are rules themselves."""
    listed = str(policy["metadata"].get("annotations", {}).get(CARRIED, ""))
    return tuple(name.strip() for name in listed.split(",") if name.strip())


def policy_texts() -> Iterator[str]:
    """Iterate over the YAML of every policy and binding, as it is written, bundled ones first."""
    yield from (crd_schemas.read(name).decode() for name in data_files(POLICIES))
    folder = files("webhook") / "templates" / "policies"
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".yaml"))
    yield from ((folder / name).read_text(encoding="utf-8") for name in names)


def documents() -> list[dict[str, Any]]:
    """Return every policy and binding, parsed."""
    return [document for text in policy_texts() for document in yaml.safe_load_all(text)]


def not_carried() -> dict[str, str]:
    """Return the id of each rule that no policy says, with the reason."""
    # Rules are many modules; only who asks for this list loads them.
    from validators.network.rules import all_rules  # noqa: PLC0415 - as above

    carried = {name for document in documents() for name in carried_rules(document)}
    return {rule.id: _why(rule, frozenset(rule.kind_names)) for rule in all_rules() if rule.id not in carried}


def stream() -> str:
    """Return all policies and bindings as one YAML stream, with the reasons that stand in their files."""
    return _HEAD + "---\n".join(("", *policy_texts()))


def as_yaml() -> str:
    """Return `stream`, and after it, as a comment, what it does not carry."""
    listed = "".join(f"#   {name}: {reason}\n" for name, reason in not_carried().items())
    return stream() + "---\n" + _REST + listed


def _why(rule: "Rule", kinds: frozenset[str]) -> str:
    if kinds <= _OFFLINE:
        return "about a file of the installer, which no API server has"
    if rule.needs:
        return f"needs {', '.join(rule.needs)}"
    return _WHY.get(rule.id, _UNWRITTEN)
