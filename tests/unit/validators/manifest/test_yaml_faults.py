"""A syntax error says what people did: they wrote a template, or tabs."""

import pytest

from ovnguard.validators.manifest.positions import Position
from ovnguard.validators.manifest.yaml_faults import yaml_fault
from tests.support.preflight_run import run

TEMPLATE = "this is a template: render it first"


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("a:\n\tb: 1\n", 2, "a tab indents this line: YAML takes only spaces"),
        ("a:\n  b:\n  \tc: 1\n", 3, "a tab indents this line: YAML takes only spaces"),
        ("a: {{ .Values.a }}\n", 1, TEMPLATE),
        ("a: 1\n{{- if .Values.b }}\nb: 1\n{{- end }}\n", 2, TEMPLATE),
        ("# {{ .Values.a }}\na: [\n", 2, ""),
        ("a: '{{ .Values.a }}'\nb: [\n", 2, ""),
        ("a: [\n", 1, ""),
        ("a: [\n", 9, ""),
    ],
)
def test_fault(text: str, line: int, fault: str) -> None:
    assert yaml_fault(text.encode(), Position(line, 1)) == fault


def test_the_line_is_shown() -> None:
    found = run("-", stdin="kind: A\nspec: {subnets: {{ .Values.subnets }}}\n")
    assert found.stdout.splitlines()[:4] == [
        "<stdin>",
        "  2:18: error: a mapping key must be a scalar; this is a template: render it first",
        "    2 | spec: {subnets: {{ .Values.subnets }}}",
        "      |                  ^",
    ]
