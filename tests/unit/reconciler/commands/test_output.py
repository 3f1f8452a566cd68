"""Colour on a terminal, and errors that are said once."""

import io
import sys

import pytest

from ovnguard.reconciler.commands.output import echo_lines, errors_on_nodes
from ovnguard.reconciler.plan.render.as_text import Line, Mark

ERROR = {"file": "f.yaml", "line": 2, "column": 1, "network": "blue", "field": "", "rule": "OVNG-NET-001"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("TERM", "xterm", "\x1b[32m+ a\x1b[0m\nb\n"),
        ("NO_COLOR", "", "\x1b[32m+ a\x1b[0m\nb\n"),
        ("NO_COLOR", "1", "+ a\nb\n"),
        ("TERM", "dumb", "+ a\nb\n"),
    ],
)
def test_a_terminal_has_colours_unless_they_are_unwanted(monkeypatch, variable, value, text):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    echo_lines([Line("+ a", Mark.INSERT), Line("b")])
    assert terminal.getvalue() == text


def test_a_file_has_no_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", file := io.StringIO())
    echo_lines([Line("+ a", Mark.INSERT)])
    assert file.getvalue() == "+ a\n"


def test_an_error_about_several_nodes_is_reported_once():
    errors = [{**ERROR, "node": name, "message": f"network blue, node {name}: no, {{}}: no"} for name in "abcda"]
    place = "f.yaml:2:1: error: network blue"
    assert list(errors_on_nodes([*errors, {**ERROR, "node": "x", "message": "network blue, node x: else"}])) == [
        f"{place}, nodes a, b and 2 more: no, {{}}: no  [OVNG-NET-001]",
        f"{place}, node x: else  [OVNG-NET-001]",
    ]
    assert list(errors_on_nodes([{**ERROR, "node": "", "field": "spec", "message": "m"}] * 2)) == [
        "f.yaml:2:1: error: spec: m  [OVNG-NET-001]"
    ]
