"""An example each way for every network rule and policy, out of their case files.

The finding is the first case in which a rule reports one, as in docs/rules.md; the other example is the most similar
case without one. ``{times: N, of: OBJECT}`` stays as the case file has it: written out, it would fill screens.
"""

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from tests.support.paths import ROOT
from tests.support.policy_case_files import policy_cases, texts
from tests.support.rule_case_files import cases

FILE: Final = ROOT / "validators" / "cli" / "explain" / "rule_examples.json"


class _Example(NamedTuple):
    rule: str
    is_finding: bool
    content: dict[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.content)


def render() -> str:
    """The content of the file."""
    by_rule: dict[str, list[_Example]] = {}
    for example in (*_of_rules(), *_of_policies()):
        by_rule.setdefault(example.rule, []).append(example)
    chosen = {rule: _both_ways(examples) for rule, examples in sorted(by_rule.items())}
    lines = ",\n".join(f"{json.dumps(rule)}: {json.dumps(each, ensure_ascii=False)}" for rule, each in chosen.items())
    return f"{{\n{lines}\n}}\n"


def _both_ways(examples: list[_Example]) -> dict[str, dict[str, Any]]:
    findings = [each for each in examples if each.is_finding]
    others = [each for each in examples if not each.is_finding]
    if not findings:
        return {}
    finding = findings[0]
    chosen = {"finding": finding.content}
    if others:
        matcher = SequenceMatcher(b=finding.text, autojunk=False)
        chosen["silent"] = max(others, key=lambda each: _alike(matcher, each.text)).content
    return chosen


def _alike(matcher: "SequenceMatcher[str]", text: str) -> float:
    matcher.set_seq1(text)
    return matcher.real_quick_ratio() * matcher.quick_ratio()


def _of_rules() -> Iterator[_Example]:
    for case in cases():
        view = case.source.get("view", [])
        if not (case.speaks or case.is_silent):
            continue
        request = case.request
        content = {"stored": request.old, "object": request.object, "user": request.user, "cluster": view}
        yield _Example(case.rule, case.speaks, _without_empty(content))


def _of_policies() -> Iterator[_Example]:
    for case in policy_cases():
        if not case.judged or case.undecodable:
            continue
        content = {"stored": case.old, "object": case.object, "user": case.user, "namespace": case.namespace}
        for name in texts(case.policy):
            yield _Example(f"{case.policy}.ovnguard.io/{name}", name in case.failing, _without_empty(content))


def _without_empty(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value}
