"""Converts the text of a suite file to a `Suite`. Accepts what upstream's loader accepts; every fault has file and
line.

Upstream reads suites with Go's encoding/json behind a YAML converter (github.com/ghodss/yaml): keys match in any case,
null equals an absent value, and plain numbers and booleans become text where the format expects text. Parts that
upstream ignores produce a warning: unknown keys, all but the last of equal keys, and everything after the first YAML
document.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ovnguard.validators.go.text import scalar
from ovnguard.validators.manifest.yaml_reader import BadYAML, Node, Position, load_first
from ovnguard.validators.suite.policy_reading import POLICY_NAME, policy_suite
from ovnguard.validators.suite.policy_suite import PolicySuite
from ovnguard.validators.suite.schema_faults import Step, at, line_at, schema_errors, words
from ovnguard.validators.suite.suite import Case, ObjectText, Phase, Suite, SuiteFault

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_SUITE_TEXTS: Final = ("apiVersion", "name", "crdName", "version")
_CASE_TEXTS: Final = ("name", "initial", "updated", "expected", "expectedError", "expectedStatusError")
_PATCH_TEXTS: Final = ("op", "path", "from")
_CASE_DEPTH: Final = 3  # tests, onCreate, 0
_BLOCK: Final = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#.*)?\r?$")


def read_suite(file: str, label: str, raw: bytes) -> Suite | PolicySuite:
    """Return the suite in a file, that of a policy if it has ``policyName``.

    Raises SuiteFault with file and line when upstream could not run it either. ``file`` and ``label`` name it (see
    `Suite`). A fault inside one case is recorded on that case.
    """
    return _Reader(file, label, raw).suite()


@dataclass(slots=True)
class _Reader:
    file: str
    label: str
    raw: bytes
    warnings: list[tuple[int, str]] = field(default_factory=list)
    tree: Node = field(default_factory=lambda: Node(Position(1, 1)))
    lines: list[bytes] = field(default_factory=list)

    def suite(self) -> Suite | PolicySuite:
        loaded = self._load()
        if POLICY_NAME in loaded:
            return policy_suite(self.file, self.label, loaded, self.tree, self._shown_warnings())
        document = _spelled(loaded)
        faults = self._check(document)
        tests = document.get("tests", {})
        if not any(tests.get(phase) for phase in Phase):
            self._warn(self._line(("tests",)), "the suite holds no case")
        cases = tuple(
            self._case(phase, index, case, faults.get(("tests", phase.value, index), ""))
            for phase in Phase
            for index, case in enumerate(tests.get(phase.value, ()))
        )
        return Suite(
            file=self.file,
            label=self.label,
            name=document.get("name", ""),
            crd_name=document["crdName"],
            version=document.get("version", ""),
            feature_gates=tuple(document.get("featureGates", ())),
            cases=cases,
            warnings=self._shown_warnings(),
        )

    def _shown_warnings(self) -> tuple[str, ...]:
        return tuple(f"{self.label}:{line}: {text}" for line, text in sorted(self.warnings))

    def _load(self) -> dict[str, Any]:
        """The first YAML document."""
        try:
            value, self.tree = load_first(self.raw, lambda text, place: self._warn(place.line, text))
        except BadYAML as error:
            raise SuiteFault(f"{self.label}:{error.position.line}: {error.message}") from error
        line = self.tree.position.line
        if value is None:
            raise SuiteFault(f"{self.label}:{line}: holds no suite; write one or remove the file")
        if not isinstance(value, dict):
            raise SuiteFault(f"{self.label}:{line}: a suite is a mapping with crdName or policyName, and tests")
        self.lines = self.raw.split(b"\n")
        return value

    def _warn(self, line: int, text: str) -> None:
        self.warnings.append((line, text))

    def _line(self, steps: tuple[Step, ...]) -> int:
        return line_at(self.tree, steps)

    def _check(self, document: dict[str, Any]) -> dict[tuple[Step, ...], str]:
        """Check the document against the published schema; return the faults of single cases by their path."""
        faults: dict[tuple[Step, ...], str] = {}
        for error in schema_errors("suite-v1.json", document):
            where = tuple(error.absolute_path)
            if error.validator == "additionalProperties":
                self._unknown_keys(where, error)
                continue
            text = f"{self.label}:{self._line(where)}: {at(where)}{words(error)}"
            if len(where) < _CASE_DEPTH:
                raise SuiteFault(text)
            faults.setdefault(where[:_CASE_DEPTH], text)
        return faults

    def _unknown_keys(self, where: tuple[Step, ...], error: "ValidationError") -> None:
        assert isinstance(error.instance, dict), "only mappings have properties"
        assert isinstance(error.schema, Mapping), "a schema that says additionalProperties is a mapping"
        for key in error.instance.keys() - error.schema["properties"].keys():
            self._warn(self._line((*where, key)), f"{at(where)}the key {key!r} has no effect")

    def _case(self, phase: Phase, index: int, case: Any, fault: str) -> Case:
        place: tuple[Step, ...] = ("tests", phase.value, index)
        entry = case if isinstance(case, dict) else {}
        name = entry.get("name", "")
        line = self._line(place)
        if fault:
            return Case(phase, str(name), line, _NO_OBJECT, None, _NO_OBJECT, fault=fault)
        initial = self._object(place, entry, "initial")
        updated = self._object(place, entry, "updated") if phase is Phase.UPDATE else None
        if (
            updated is not None
            and entry.get("expectedStatusError")
            and "status" not in (updated.value or {"status": 0})
        ):
            line_of = self._line((*place, "expectedStatusError"))
            self._warn(line_of, "expectedStatusError has no effect: updated has no status")
        written = entry.get("expected", "").strip()
        expected = self._object(place, entry, "expected") if written else updated or initial
        return Case(
            phase=phase,
            name=name,
            line=line,
            initial=initial,
            updated=updated,
            expected=expected,
            expected_error=entry.get("expectedError", ""),
            expected_status_error=entry.get("expectedStatusError", ""),
            # null is a value, but `_fold` dropped null members
            patches=tuple({"value": None, **patch} for patch in entry.get("initialCRDPatches", ())),
        )

    def _object(self, place: tuple[Step, ...], entry: Mapping[str, Any], key: str) -> ObjectText:
        start = self._line((*place, key))
        # Only a block scalar has its lines below its key, in order.
        block = _BLOCK.search(self.lines[start - 1]) is not None

        def below(line: int) -> int:
            return start + line if block else start

        try:
            value, _ = load_first(
                entry[key].encode("utf-8", "surrogatepass"),
                lambda text, at: self._warn(below(at.line), f"{key}: {text}"),
            )
        except BadYAML as error:
            return ObjectText(None, f"{self.label}:{below(error.position.line)}: {key}: {error.message}")
        if not isinstance(value, dict):
            return ObjectText(None, f"{self.label}:{start}: {key}: is not the YAML text of an object")
        return ObjectText(value)


_NO_OBJECT: Final = ObjectText(None)


def _spelled(document: dict[str, Any]) -> dict[str, Any]:
    suite = _fold(document, (*_SUITE_TEXTS, "featureGates", "tests"), _SUITE_TEXTS)
    if isinstance(suite.get("featureGates"), list):
        suite["featureGates"] = [_text(gate) for gate in suite["featureGates"]]
    if isinstance(suite.get("tests"), dict):
        suite["tests"] = _fold(suite["tests"], tuple(Phase))
        for phase, cases in suite["tests"].items():
            if isinstance(cases, list):
                suite["tests"][phase] = [_case(case) for case in cases]
    return suite


def _case(case: Any) -> Any:
    if not isinstance(case, dict):
        return case
    spelled = _fold(case, (*_CASE_TEXTS, "initialCRDPatches"), _CASE_TEXTS)
    patches = spelled.get("initialCRDPatches")
    if isinstance(patches, list):
        spelled["initialCRDPatches"] = [
            _fold(patch, (*_PATCH_TEXTS, "value"), _PATCH_TEXTS) if isinstance(patch, dict) else patch
            for patch in patches
        ]
    return spelled


def _fold(source: dict[str, Any], known: tuple[str, ...], texts: tuple[str, ...] = ()) -> dict[str, Any]:
    """The mapping without nulls, its known keys in the spelling of ``known``, and text for the keys in ``texts``."""
    spelling = {str(key).lower(): str(key) for key in known}
    folded: dict[str, Any] = {}
    for key, value in source.items():
        name = spelling.get(key.lower(), key)
        if value is None or (name != key and name in source):
            continue
        folded[name] = _text(value) if name in texts else value
    return folded


def _text(value: Any) -> Any:
    text = scalar(value)
    return value if text is None else text
