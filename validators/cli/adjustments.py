"""Findings that the caller leaves out or weighs differently, by option or configuration."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, Protocol

from ovnguard.validators.cli.configuration import Ignore, Weight
from ovnguard.validators.manifest.positions import Position
from ovnguard.validators.report.findings import BAD_INPUT, Finding, Severity, Subject

_MOST_SUGGESTIONS: Final = 20
"""How many rule ids are compared with those that there are, which takes most of the time of a complaint."""


class Unknown(Protocol):
    """Returns what to say about a rule id that no finding can have, "" for one that may."""

    def __call__(self, name: str, /, *, suggests: bool) -> str:
        """``suggests``: whether to name the ids that it may mean."""


class Adjustments:
    """Applies ignores and severities to findings, and remembers which ignores matched.

    They never apply to input that could not be read or judged. ``file`` is that of the configuration.
    """

    def __init__(
        self, ignores: Sequence[Ignore], severities: Mapping[str, Weight], file: str, unknown: Unknown
    ) -> None:
        self._ignores = ignores
        self._numbers: dict[tuple[str, ...], int] = {}
        for number, ignore in enumerate(ignores):
            self._numbers.setdefault(ignore[:4], number)
        self._severities = severities
        self._file = file
        self._unknown = unknown
        self._complaints: dict[str, str] = {}
        self._used: set[Ignore] = set()
        self._weighed: set[str] = set()
        self.ignored = 0

    def adjusted(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings that remain, with their severities."""
        if not self._ignores and not self._severities:
            return list(findings)
        kept = []
        for finding in findings:
            if finding.reason == BAD_INPUT or not finding.rule:
                kept.append(finding)
            elif (ignore := self._matching(finding)) is not None:
                self._used.add(ignore)
                self.ignored += 1
            else:
                weight = self._severities.get(finding.rule)
                self._weighed.add(finding.rule)
                kept.append(finding if weight is None else finding._replace(severity=Severity(weight.severity)))
        return kept

    def _matching(self, finding: Finding) -> Ignore | None:
        """The first entry for the finding; "" is any kind, namespace or name."""
        _, _, kind, namespace, name = finding.subject
        keys = product((finding.rule,), {"", kind}, {"", namespace}, {"", name})
        number = min((self._numbers[key] for key in keys if key in self._numbers), default=None)
        return None if number is None else self._ignores[number]

    def unused(self) -> list[Finding]:
        """Return a warning for every entry of the configuration that matched nothing, or cannot match anything."""
        found = [
            (weight.position, f"severities: {complaint}")
            for rule, weight in self._severities.items()
            if rule not in self._weighed and (complaint := self._complaint(rule))
        ]
        found += [
            (ignore.position, f"ignore: {self._complaint(ignore.rule) or 'no finding matches this entry; remove it'}")
            for ignore in self._ignores
            if ignore.position is not None and ignore not in self._used
        ]
        return [self._warning(position, text) for position, text in sorted(found)]

    def _complaint(self, rule: str) -> str:
        if rule not in self._complaints:
            self._complaints[rule] = self._unknown(rule, suggests=len(self._complaints) < _MOST_SUGGESTIONS)
        return self._complaints[rule]

    def _warning(self, position: Position, text: str) -> Finding:
        return Finding(Subject(self._file), *position, "", "Warning", text, "", Severity.WARNING)
