"""Suites, policies and configurations that were made to exhaust the preflight."""

from collections.abc import Callable
from typing import Final

from tests.attacks.bombs import DEEPER, EXCESSIVE, MANY, MEGA, NETWORK, Bomb, Files, laughs, lines, numbered
from tests.attacks.definition_bombs import NESTED, text

_SUITE: Final = """\
name: Widget
crdName: widgets.example.com
version: v1
tests:
  onCreate:
  - name: a case
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      metadata: {name: w}
%s    expectedError: none
"""
_POLICY: Final = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: [CREATE]}]}
  validations: [{expression: "%s"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
"""
_LOOPS: Final = "[1,2,3,4,5,6,7,8,9,10].all(x, " * 8 + "true" + ")" * 8
_GROWS: Final = "'a'" + ".replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaa')" * 9 + ".size() > 1"
_DENIED: Final = "1:1: error: ValidatingAdmissionPolicy 'p' with binding 'p' denied request:"
_EXCESSIVE: Final = EXCESSIVE.removeprefix("error: ")
_DEEPER: Final = DEEPER.removeprefix("error: ")
_FILE: Final = "tests/widgets.example.com/suite.yaml"


def _suite(name: str, attacks: str, suite: Callable[[], str], says: str) -> Bomb:
    """A suite of rules, which fails."""

    def files() -> Files:
        return {"w.yaml": text("true"), _FILE: suite()}

    return Bomb(name, attacks, files, 1, f"{_FILE}:{says}", ("test", "."))


def _policy(name: str, attacks: str, expression: Callable[[], str], code: int, says: str) -> Bomb:
    """A policy that judges a network."""

    def files() -> Files:
        return {"policy.yaml": _POLICY % expression(), "a.yaml": NETWORK}

    return Bomb(name, attacks, files, code, says, ("a.yaml", "--policies", "policy.yaml"))


def _configuration(name: str, attacks: str, entries: Callable[[], str], code: int, says: str) -> Bomb:
    """A configuration next to a network."""
    return Bomb(name, attacks, lambda: {".ovnguard.yaml": entries(), "a.yaml": NETWORK}, code, says)


SUITES: Final = (
    _suite("laughing suite", "alias expansion", lambda: laughs() + _SUITE % "", f"5: {_EXCESSIVE}"),
    _suite(
        "case that laughs",
        "alias expansion in a case",
        lambda: _SUITE % lines(f"      {each}" for each in laughs().splitlines()),
        f"15: initial: {_EXCESSIVE}",
    ),
    _suite(
        "case of depth",
        "depth of YAML in a case",
        lambda: _SUITE % f"      s: {'[' * 100_000}\n",
        f"11: initial: {_DEEPER}",
    ),
    _suite(
        "case with digits",
        "conversion of integers",
        lambda: _SUITE % f"      s: {'9' * MEGA}\n",
        "6: failed: onCreate: a case  [w.yaml]",
    ),
    _suite(
        "suite with equal keys",
        "warnings about keys",
        lambda: _SUITE % "" + "name: Widget\n" * MANY,
        "6: failed: onCreate: a case  [w.yaml]",
    ),
    _suite(
        "suite with unknown keys",
        "warnings about keys",
        lambda: _SUITE % "" + lines(f"k{number}: 1" for number in range(MANY)),
        "6: failed: onCreate: a case  [w.yaml]",
    ),
    _suite(
        "suite of documents",
        "a stream",
        lambda: _SUITE % "" + "---\n" * 50_000,
        "6: failed: onCreate: a case  [w.yaml]",
    ),
    Bomb(
        "suite of a rule of depth",
        "parsing of CEL",
        lambda: {"w.yaml": text(NESTED), _FILE: _SUITE % ""},
        1,
        "w.yaml:12: errored  [w.yaml]",
        ("test", "."),
    ),
)
POLICIES: Final = (
    _policy(
        "policy of depth",
        "parsing of CEL",
        lambda: NESTED,
        1,
        "6:18: error: compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250 "
        f'(spec.validations[0].expression: Invalid value: "{"(" * 22}...{")" * 37}")',
    ),
    _policy(
        "policy that loops",
        "evaluation of CEL",
        lambda: _LOOPS,
        1,
        f"{_DENIED} expression '{_LOOPS}' resulted in error: operation cancelled: actual cost limit exceeded  [p]",
    ),
    _policy(
        "policy that grows a text",
        "memory of CEL",
        lambda: _GROWS,
        1,
        f"{_DENIED} expression '{_GROWS}' resulted in error: operation cancelled: actual cost limit exceeded  [p]",
    ),
)
CONFIGURATIONS: Final = (
    _configuration(
        "laughing configuration",
        "alias expansion",
        laughs,
        2,
        f"Error: .ovnguard.yaml:5:10: {_EXCESSIVE}",
    ),
    _configuration(
        "severities without a rule",
        "suggestions for rule ids",
        lambda: f"severities: {{{numbered(400, 'OVNG-X-%d: note')}}}\n",
        0,
        "1:14: warning: severities: no rule OVNG-X-0; did you mean OVNG-L2-042 or OVNG-L2-041 or OVNG-L2-040?",
    ),
    _configuration(
        "many ignored findings",
        "each finding is compared with all",
        lambda: "ignore:\n" + lines(f"- {{rule: strict, name: n{number}, reason: because}}" for number in range(4000)),
        2,
        "Error: .ovnguard.yaml:1:1: ignore: 4000 entries; there may be 1000",
    ),
)
OTHERS: Final = (*SUITES, *POLICIES, *CONFIGURATIONS)
