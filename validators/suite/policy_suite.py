"""Suites of policies as values: requests, and what a policy says of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cel.values.authorizer_values import Authorize
from ovnguard.validators.policy import PolicyRequest
from ovnguard.validators.suite.suite import Definition


class PolicyCase(NamedTuple):
    """One request, what is known around it, and what is expected.

    Without ``authorize`` (None) and without a user of the request it is unknown what ``authorizer`` and
    ``request.userInfo`` are. Without ``annotations`` (None) nothing is expected of them. The case has a ``request`` or
    a ``fault``.
    """

    phase: str
    name: str
    line: int
    request: PolicyRequest | None = None
    authorize: Authorize | None = None
    params: tuple[JsonObject, ...] = ()
    namespace: JsonObject | None = None
    denial: str = ""
    warnings: tuple[str, ...] = ()
    annotations: Mapping[str, str] | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class PolicySuite:
    """One suite file; ``label`` is the path in reports, ``file`` the path from the working folder."""

    file: str
    label: str
    name: str
    policy_name: str
    cases: tuple[PolicyCase, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyRun:
    """A suite with its policy, the bindings of the policy, and the selected cases."""

    suite: PolicySuite
    definition: Definition
    bindings: tuple[Definition, ...]
    cases: tuple[PolicyCase, ...]
