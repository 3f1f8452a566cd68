"""The constructs of the operator's templates, and nothing else."""

import pytest

from ovnguard.reconciler.rollout.plan.template_rendering import Value, render

VALUES: dict[str, Value] = {
    "A": "a",
    "B": "",
    "N": 3,
    "Yes": True,
    "No": False,
    "Null": None,
    "Map": {"y": "2", "x": 1},
    "Empty": {},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a }} b { c", "a }} b { c"),
        ("{{.A}}-{{ .N }}-{{.Yes}}{{.No}}{{.B}}", "a-3-truefalse"),
        ('{{"{{"}} $labels.x {{ "}}" }}', "{{ $labels.x }}"),
        ("a{{/* .A }} */}}b{{- /* c */ -}} d", "abd"),
        ("a \n {{- .A -}} \t\r\n b", "aab"),
        ("{{if .A}}x{{end}}|{{ if .B }}x{{ end }}", "x|"),
        ("{{if .B}}1{{else if .N}}2{{else}}3{{end}}", "2"),
        ("{{if .B}}1{{else if .Null}}2{{else}}3{{end}}", "3"),
        ("{{if .Empty}}1{{else if .No}}2{{else}}3{{end}}", "3"),
        ("{{if .A}}{{if .B}}1{{else}}2{{end}}{{else}}3{{end}}", "2"),
        ("{{if not .B}}x{{end}}{{if not .A}}y{{end}}", "x"),
        ('{{if eq .A "a"}}x{{end}}{{if ne .A "a"}}y{{end}}{{if eq .N 3}}z{{end}}', "xz"),
        ("{{if (gt .N 2)}}x{{end}}{{if gt .N 3}}y{{end}}", "x"),
        ('{{if and (.A) (or (eq .A "b") (eq .N 3))}}x{{end}}', "x"),
        ("{{if and .B .Unknown}}x{{end}}{{if or .A .Unknown}}y{{end}}", "y"),
        ('{{if (index . "Unknown")}}x{{end}}{{if (index . "A")}}y{{end}}', "y"),
        ("{{ range $k, $v := .Map }}{{$k}}={{ $v }};{{ end }}", "x=1;y=2;"),
        ("{{range $k, $v := .Empty}}x{{end}}{{range $k, $v := .Null}}y{{end}}", ""),
        ("{{if\n  .A }}x{{\nend\n}}", "x"),
    ],
)
def test_what_the_operator_uses(text, expected):
    assert render("f", text, VALUES) == (expected, ())


@pytest.mark.parametrize(
    "action",
    [
        "{{.}}",
        "{{.A.B}}",
        "{{.A | len}}",
        "{{ .A .B }}",
        "{{printf .A}}",
        "{{with .A}}x{{end}}",
        '{{define "x"}}{{end}}',
        '{{template "x"}}',
        '{{block "x" .}}{{end}}',
        "{{$x := .A}}",
        "{{$x}}",
        "{{`raw`}}",
        '{{"a\\n"}}',
        "{{'c'}}",
        "{{3}}",
        "{{ -}}",
        "{{}}",
        "{{range .Map}}x{{end}}",
        "{{range $v := .Map}}x{{end}}",
        "{{range $k, $v := .Map}}x{{else}}y{{end}}",
        "{{range $k, $v := .Map}}{{range $a, $b := .Map}}x{{end}}{{end}}",
        "{{range $k, $v := .Map}}{{break}}{{end}}",
        "{{if .A}}{{continue}}{{end}}",
        "{{if}}x{{end}}",
        "{{if .A .B}}x{{end}}",
        "{{if lt .N 3}}x{{end}}",
        "{{if and .A}}x{{end}}",
        "{{if and .A .A .A}}x{{end}}",
        '{{if eq .A "a" "b"}}x{{end}}',
        '{{if index .Map "x"}}x{{end}}',
        "{{if len .A}}x{{end}}",
        "{{if (.A}}x{{end}}",
        "{{if .A)}}x{{end}}",
        "{{if true}}x{{end}}",
        "{{if eq .N 0x3}}x{{end}}",
        "{{if eq .N 1.5}}x{{end}}",
        "{{if .A}}1{{else}}2{{else}}3{{end}}",
        "{{if .A}}1{{else}}2{{else if .B}}3{{end}}",
        "{{if .A}}1{{else .B}}2{{end}}",
        "{{end}}",
        "{{else}}",
        "{{end .A}}",
        "{{nil}}",
        "{{.A",
        "{{/* open",
        "{{/* a */ }}",
        "{{- 3 -}}",
        "{{-3}}",
        "{{ .Ä }}",
        "{{.A}}{{.A-}}",
    ],
)
def test_another_construct_is_an_error_with_its_file_and_line(action):
    _, problems = render("dir/file.yaml", f"one\ntwo\n{action}\n", VALUES)
    assert len(problems) == 1
    assert str(problems[0]).startswith("dir/file.yaml:3: not understood: "), problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n{{if .A}}\nb", "f:2: the action has no end"),
        ("a\n\n{{range $k, $v := .Map}}", "f:3: the action has no end"),
        ("\n{{.Null}}", "f:2: null cannot be printed"),
        ("{{.Map}}", "f:1: a mapping cannot be printed"),
        ('{{if eq .N "3"}}{{end}}', "f:1: a number is not comparable with a string"),
        ("{{if eq .Yes 1}}{{end}}", "f:1: a boolean is not comparable with a number"),
        ("{{if eq .Null .Null}}{{end}}", "f:1: null is not comparable with null"),
        ('{{if gt .A "3"}}{{end}}', "f:1: a string is not comparable with a string"),
        ("{{range $k, $v := .A}}{{end}}", "f:1: A is a string, not a mapping"),
        ("{{if .A}}" * 41, "f:1: more than 40 actions enclose each other"),
    ],
)
def test_what_go_refuses_is_an_error(text, message):
    assert [str(each) for each in render("f", text, VALUES)[1]] == [message]


def test_all_missing_values_are_found_at_once():
    text = (
        "{{.One}}\n{{if .Two}}{{.Three}}{{else}}\n{{.Four}}{{end}}{{if and .Five .Six}}{{end}}\n{{if not .Two}}{{end}}"
    )
    found = render("f", text, {})[1]
    assert [str(each) for each in found] == [
        "f:1: value One is missing",
        "f:2: value Two is missing",
        "f:2: value Three is missing",
        "f:3: value Four is missing",
        "f:3: value Five is missing",
        "f:3: value Six is missing",
        "f:4: value Two is missing",
    ]
    assert [each.missing for each in found] == ["One", "Two", "Three", "Four", "Five", "Six", "Two"]


def test_a_value_that_no_action_reaches_may_be_missing():
    assert render("f", "{{if .No}}{{.Other}}{{end}}", {"No": False}) == ("", ())


def test_deep_parentheses_are_refused_without_recursion():
    text = f"{{{{if {'(' * 500}.A{')' * 500}}}}}x{{{{end}}}}"
    assert render("f", text, VALUES)[1][0].message.startswith("not understood: ")
