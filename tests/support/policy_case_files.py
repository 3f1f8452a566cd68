"""Case files of the bundled policies, ``crd_schemas/policies/cases/<policy>.yaml``.

``texts`` are the texts of all validations by name. A case is a request: ``object``, ``old`` (``setup`` merged into it),
``merge`` (RFC 7396, into the object, or into the old one where there is none), ``operation``, ``user``, ``namespace``,
``subresource``. ``failing`` names the validations that fail, in order; ``judged: false`` says that the policy is not
about the request. ``undecodable``: the API server refuses the object before any policy sees it.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from ovnguard import crd_schemas
from ovnguard.crd_schemas import POLICY_CASES, data_files
from tests.support.rule_case_files import merged

_KEYS = frozenset(
    [
        "judged",
        "merge",
        "name",
        "namespace",
        "object",
        "old",
        "operation",
        "failing",
        "setup",
        "subresource",
        "undecodable",
        "user",
    ]
)


@dataclass(frozen=True)
class PolicyCase:
    policy: str
    source: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.source["name"])

    @property
    def old(self) -> dict[str, Any] | None:
        old = self.source.get("old")
        return None if old is None else merged(old, self.source.get("setup", {}))

    @property
    def object(self) -> dict[str, Any] | None:
        if self.operation == "DELETE":
            return None
        obj = self.source.get("object", self.old)
        return merged(obj, self.source.get("merge", {}))

    @property
    def operation(self) -> str:
        return str(self.source.get("operation", "CREATE" if "old" not in self.source else "UPDATE"))

    @property
    def user(self) -> str:
        return str(self.source.get("user", ""))

    @property
    def subresource(self) -> str:
        return str(self.source.get("subresource", ""))

    @property
    def namespace(self) -> dict[str, Any] | None:
        return self.source.get("namespace")

    @property
    def judged(self) -> bool:
        return bool(self.source.get("judged", True))

    @property
    def undecodable(self) -> bool:
        return bool(self.source.get("undecodable", False))

    @property
    def failing(self) -> dict[str, str]:
        """Name and text of each validation that fails."""
        return {name: texts(self.policy)[name] for name in self.source.get("failing", ())}


@cache
def texts(policy: str) -> dict[str, str]:
    found: dict[str, str] = crd_schemas.parsed(f"{POLICY_CASES}/{policy}.yaml")["texts"]
    return found


def policy_cases() -> list[PolicyCase]:
    """Every case of every file."""
    found = []
    for file in data_files(POLICY_CASES):
        content = crd_schemas.parsed(file)
        assert set(content) <= {"anchors", "texts", "cases"}, file
        for source in content["cases"]:
            assert set(source) <= _KEYS, (file, set(source) - _KEYS)
            assert ("failing" in source) != ("judged" in source), (file, source["name"])
            found.append(PolicyCase(PurePosixPath(file).stem, source))
    return found
