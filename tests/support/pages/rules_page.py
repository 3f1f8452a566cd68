"""docs/rules.md, generated from the rules and from the first case in which each rule reports a finding."""

from collections.abc import Iterator

import yaml

from ovnguard.validators.cli.explain.explanations import why
from ovnguard.validators.network.parse_errors import all_parse_errors
from ovnguard.validators.network.rules import Rule, all_rules
from tests.support.rule_case_files import Case, cases

HEAD = """# Network rules

This page lists the checks that no schema can express.

A finding of severity `error` refuses the object, a `warning` accepts it. ovnguard does not check a rule whose facts are
unknown, and reports that as a note; it never guesses. For preflight, `--inventory` provides facts; the webhook reads
them from the cluster. An update is not refused for an error that the stored object already has.

This page is generated from the rules and their test cases (`make rules`).
`kubectl ovn-preflight explain ID` prints an entry.

| id | severity | what |
|---|---|---|
"""

UNREADABLE = """
# Values that cannot be read

Errors about values of a network's declaration that its schema accepts as text, but that are no subnet, address or
configuration. Such a network is refused, and no rule judges it.

| id | what | what to do |
|---|---|---|
"""


def render() -> str:
    """The whole page."""
    examples: dict[str, Case] = {}
    for case in cases():
        if case.speaks:
            examples.setdefault(case.rule, case)
    rules = all_rules()
    table = "".join(f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity} | {rule.message} |\n" for rule in rules)
    entries = "".join("\n".join(_entry(rule, examples.get(rule.id))) for rule in rules)
    return HEAD + table + entries + UNREADABLE + _unreadable()


def _unreadable() -> str:
    return "".join(f"| {error.id} | {error.message} | {error.hint} |\n" for error in all_parse_errors())


def _entry(rule: Rule, example: Case | None) -> Iterator[str]:
    yield from ("", f"## {rule.id}", "", f"**{rule.message}** ({rule.severity})", "", why(rule), "")
    yield f"- What to do: {rule.hint}"
    yield f"- Kinds: {', '.join(rule.kind_names)}"
    if rule.needs:
        yield f"- Needs: {', '.join(rule.needs)}"
    yield f"- Source: {rule.design}"
    if example is not None:
        yield from ("", f"Example ({example.name}):", "", "```yaml", *_example(example).splitlines(), "```")
        for finding in example.source["findings"]:
            yield from ("", f"> {finding['field']}: {finding['detail']}")
    yield ""


def _example(case: Case) -> str:
    """What is applied; for an update the stored object stands in front, for a deletion alone."""
    request = case.request
    shown = [each for each in (request.old, request.object) if each is not None]
    titles = ("# stored", "# applied") if len(shown) == 2 else ("",)
    texts = [yaml.dump(each, Dumper=_Plain, sort_keys=False, width=100, allow_unicode=True) for each in shown]
    return "---\n".join(f"{title}\n{text}".lstrip() for title, text in zip(titles, texts, strict=True))


class _Plain(yaml.SafeDumper):
    """Writes equal parts twice instead of naming them."""

    def ignore_aliases(self, data: object) -> bool:
        return True
