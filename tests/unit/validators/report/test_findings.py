"""The report in every format, from findings with everything that a format must escape."""

import json
from xml.etree import ElementTree

import pytest
import yaml

from ovnguard.validators.report import as_github, as_gitlab, as_json, as_junit, as_sarif, as_tap, as_text
from ovnguard.validators.report.findings import BAD_INPUT, Finding, Report, Severity, Subject

RED = Subject("a,b: 100%.yaml", 2, "UserDefinedNetwork", "red", "net")
FINE = Subject("a,b: 100%.yaml", 20, "UserDefinedNetwork", "red", "fine")
BROKEN = Subject("broken.yaml")
ERROR = Finding(
    RED,
    7,
    5,
    "spec.layer2.subnets[0]",
    "FieldValueInvalid",
    'Invalid value: "<1>": it is\nwrong & \x01 50%',
    "OVNG-L2-001",
    Severity.ERROR,
    'Invalid value: "<1>"',
    "it is\nwrong & \x01 50%",
)
WARNING = Finding(RED, 9, 1, "", "Warning", "careful", "", Severity.WARNING)
UNREADABLE = Finding(BROKEN, 3, 1, "", BAD_INPUT, "malformed YAML: x", "", Severity.ERROR)
EXTRA = Finding(RED, 2, 1, "", "Note", "not checked", "", Severity.NOTE, is_extra=True)
REPORT = Report(2, 2, 2, 1, (UNREADABLE, ERROR, WARNING, EXTRA), (), 34, 6, (RED, FINE))
PLAIN = REPORT.without_extras()


def test_text():
    lines = {7: "    subnets: ['10.0.0.0/8']"}
    text = as_text.render(PLAIN, colour=False, source=lambda file, line: lines.get(line) if file == RED.file else None)
    assert text == (
        "broken.yaml\n"
        "  3:1: error: malformed YAML: x\n"
        "UserDefinedNetwork red/net  a,b: 100%.yaml:2\n"
        '  7:5: error: it is\n      wrong & \\x01 50% (spec.layer2.subnets[0]: Invalid value: "<1>")  [OVNG-L2-001]\n'
        "    7 |     subnets: ['10.0.0.0/8']\n"
        "      |     ^\n"
        "  9:1: warning: careful\n"
        "2 files, 2 objects judged, 2 errors, 1 warning\n"
        "34 objects of 6 kinds were not judged (-v lists them)\n"
    )


def test_text_in_colour():
    text = as_text.render(PLAIN, colour=True)
    assert "\x1b[1mbroken.yaml\x1b[0m\n" in text
    assert "  9:1: \x1b[33mwarning\x1b[0m: careful\n" in text


def test_a_terminal_does_not_obey_a_manifest():
    hostile = ERROR._replace(
        subject=Subject("a\x1b[2J.yaml", 1, "Pod", "", "x\x1b[31m\nfake: ok"), detail="\x1b[0m\r", value=""
    )
    assert as_text.render(Report(1, 1, 1, 0, (hostile,)), colour=False, quiet=True) == (
        "Pod x\\x1b[31m\\nfake: ok  a\\x1b[2J.yaml:1\n"
        "  7:5: error: \\x1b[0m\\r (spec.layer2.subnets[0])  [OVNG-L2-001]\n"
    )


def test_a_caret_is_below_its_field():
    for before, columns in (("日本", 4), ("e\u0301e", 2), ("\tab", 3)):
        finding = ERROR._replace(column=len(before) + 1)
        report = Report(1, 1, 1, 0, (finding,))
        text = as_text.render(report, colour=False, quiet=True, source=lambda _file, _line, before=before: f"{before}x")
        assert text.splitlines()[-1] == "      | " + " " * columns + "^"


def test_long_values_and_lines_are_cut():
    long = ERROR._replace(value="Invalid value: " + "abcdefghij" * 20, column=151)
    text = as_text.render(
        Report(1, 1, 1, 0, (long,)), colour=False, source=lambda _file, _line: " " * 150 + "key: " + "v" * 200
    )
    finding, source, caret = text.splitlines()[2:5]
    assert "Invalid value: abcdefghijabcdefghijabc...cdefghijabcdefghijabcdefghijabcdefghij" in finding
    assert source == "    7 | " + " " * 50 + "key: " + "v" * 45
    assert caret.index("^") == source.index("key")


def test_of_many_findings_about_one_object_the_number_is_shown():
    many = tuple(WARNING._replace(line=line) for line in range(1, 251))
    one = WARNING._replace(subject=FINE)
    report = Report(1, 2, 0, 251, (*many, one))
    assert as_text.render(report, colour=False).splitlines() == [
        "UserDefinedNetwork red/net  a,b: 100%.yaml:2",
        *(f"  {line}:1: warning: careful" for line in range(1, 101)),
        "  and 150 more",
        "UserDefinedNetwork red/fine  a,b: 100%.yaml:20",
        "  9:1: warning: careful",
        "1 file, 2 objects judged, 0 errors, 251 warnings",
    ]
    hundred = Report(1, 1, 0, 100, many[:100])
    assert "more" not in as_text.render(hundred, colour=False)
    for machine in (as_json.render, as_gitlab.render, as_github.render, as_tap.render, as_junit.render):
        assert machine(report).count("careful") == 251
    assert as_sarif.render(report, lambda _: "", "1").count("careful") == 251


def of_many(number):
    """A report about as many objects with an equal error and its note, and one with a warning besides."""
    found = []
    for at in range(number):
        own = Subject("many.yaml", at * 9 + 1, "VTEP", f"a{at}", f"n{at}")
        error = ERROR._replace(subject=own, line=at * 9 + 3, path="metadata.name", detail=f"no id for a{at}_n{at}")
        note = error._replace(severity=Severity.NOTE, rule="", value="", detail="", message="delete some")
        found += [error._replace(value=f'Invalid value: "n{at}"'), note]
        found += [WARNING._replace(subject=own)] if at == 2 else []
    return Report(1, number, number, 1, tuple(found))


def test_equal_findings_of_many_objects_are_one():
    error = ': error: no id for a0_n0 (metadata.name: Invalid value: "n0")  [OVNG-L2-001]'
    assert as_text.render(of_many(5906), colour=False).splitlines() == [
        "VTEP a0/n0  many.yaml:1",
        f"  3:5{error}",
        "  3:5: note: delete some (metadata.name)",
        "  and 5,905 more objects, from VTEP a1/n1 to VTEP a5905/n5905 (-v lists them)",
        "VTEP a2/n2  many.yaml:19",
        "  9:1: warning: careful",
        "1 file, 5,906 objects judged, 5,906 errors, 1 warning",
    ]


@pytest.mark.parametrize(("number", "verbose"), [(10, False), (11, True)])
def test_equal_findings_of_few_objects_or_with_v_are_listed(number, verbose):
    out = as_text.render(of_many(number), colour=False, verbose=verbose)
    assert (out.count(": error: "), "more objects" in out) == (number, False)


def test_programs_read_every_equal_finding():
    report = of_many(11)
    for machine in (as_json.render, as_gitlab.render, as_github.render, as_tap.render, as_junit.render):
        assert machine(report).count("no id for a") >= 11 or machine(report).count("it is") >= 11


def test_junit_names_all_objects():
    root = ElementTree.fromstring(as_junit.render(PLAIN))
    assert root.attrib == {"name": "ovn-preflight", "tests": "3", "failures": "1", "errors": "1"}
    cases = {each.attrib["name"]: each for each in root.iter("testcase")}
    assert list(cases) == ["UserDefinedNetwork red/net", "UserDefinedNetwork red/fine", "the file"]
    failure = cases["UserDefinedNetwork red/net"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == 'spec.layer2.subnets[0]: Invalid value: "<1>": it is\nwrong & \\u0001 50%'
    output = cases["UserDefinedNetwork red/net"].find("system-out")
    assert output is not None
    assert output.text == "a,b: 100%.yaml:9:1: warning: careful"
    assert list(cases["UserDefinedNetwork red/fine"]) == []
    assert cases["the file"].find("error") is not None


def test_tap_names_all_objects():
    lines = as_tap.render(PLAIN).splitlines()
    assert lines[:2] == ["TAP version 14", "1..3"]
    assert [line for line in lines if line.startswith(("ok", "not ok"))] == [
        "not ok 1 - UserDefinedNetwork red/net a,b: 100%.yaml:2",
        "ok 2 - UserDefinedNetwork red/fine a,b: 100%.yaml:20",
        "not ok 3 - broken.yaml:1",
    ]
    block = yaml.safe_load("\n".join(lines[lines.index("  ---") + 1 : lines.index("  ...")]))
    assert block["findings"][1] == {"severity": "warning", "message": "careful", "line": 9, "column": 1, "rule": ""}


def test_github_escapes_what_ends_a_property():
    assert as_github.render(PLAIN).splitlines()[1:] == [
        "::error file=a%2Cb%3A 100%25.yaml,line=7,col=5,title=UserDefinedNetwork red/net [OVNG-L2-001]"
        '::spec.layer2.subnets[0]: Invalid value: "<1>": it is%0Awrong & \\x01 50%25',
        "::warning file=a%2Cb%3A 100%25.yaml,line=9,col=1,title=UserDefinedNetwork red/net::careful",
    ]


def test_no_name_or_text_adds_a_line_or_a_command_to_those_of_github():
    hostile = ERROR._replace(
        subject=Subject(
            "a\r::error::b\x1b[2J\udcff.yaml", 1, "Pod", "re\nd", "x\x1b[31m\u2028::stop-commands::e,line=1"
        ),
        path="spec.\x9b\n",
        message="no\r\n::set-output name=x::y",
        rule="a]\n::error::b",
    )
    assert as_github.render(Report(1, 1, 1, 0, (hostile,))) == (
        "::error file=a\\r%3A%3Aerror%3A%3Ab\\x1b[2J\\udcff.yaml,line=7,col=5,"
        "title=Pod re\\nd/x\\x1b[31m\\u2028%3A%3Astop-commands%3A%3Ae%2Cline=1 [a]\\n%3A%3Aerror%3A%3Ab]"
        "::spec.\\x9b%0A: no\\r%0A::set-output name=x::y\n"
    )


def test_no_name_adds_a_line_or_a_directive_to_those_of_tap():
    hostile = Subject("a.yaml", 1, "Pod", "", "x\nok 2 - y\x1b[2J \\# TODO")
    assert as_tap.render(Report(1, 1, 0, 0, (), judged=(hostile,))) == (
        "TAP version 14\n1..1\nok 1 - Pod x ok 2 - y\\x1b[2J \\\\\\# TODO a.yaml:1\n"
    )


def test_no_text_is_a_link_of_sarif():
    hostile = ERROR._replace(path="", message="see [docs](https://example.com) and a[0](b)")
    (run,) = json.loads(as_sarif.render(Report(1, 1, 1, 0, (hostile,)), lambda _: "", "1"))["runs"]
    assert run["results"][0]["message"] == {"text": "see [docs\\](https://example.com) and a[0\\](b)"}


def test_junit_holds_any_name():
    hostile = ERROR._replace(
        subject=Subject('a"\x1b.yaml', 1, "Pod", "", "x</testcase>\n'&\x00\ud800"), message="]]>\x0b"
    )
    (case,) = ElementTree.fromstring(as_junit.render(Report(1, 1, 1, 0, (hostile,)))).iter("testcase")
    assert (case.attrib["file"], case.attrib["name"]) == ('a"\\u001b.yaml', "Pod x</testcase>\n'&\\u0000\\ud800")
    assert case[0].attrib["message"] == "spec.layer2.subnets[0]: ]]>\\u000b"


def test_gitlab_fingerprints_outlive_moved_lines():
    moved = ERROR._replace(line=70)
    (first, second), (third, *_) = (
        json.loads(as_gitlab.render(Report(1, 1, 2, 0, found))) for found in ((ERROR, ERROR), (moved, WARNING))
    )
    assert first["fingerprint"] == third["fingerprint"] != second["fingerprint"]
    assert (first["severity"], first["check_name"], first["location"]) == (
        "major",
        "OVNG-L2-001",
        {"path": RED.file, "lines": {"begin": 7}},
    )


def test_sarif_points_to_file_line_and_object():
    known = {"OVNG-L2-001": "be right"}
    (run,) = json.loads(as_sarif.render(PLAIN, lambda name: known.get(name, ""), "1.2"))["runs"]
    assert run["tool"]["driver"]["rules"] == [
        {"id": "BadInput"},
        {"id": "OVNG-L2-001", "shortDescription": {"text": "be right"}},
        {"id": "Warning"},
    ]
    assert run["invocations"] == [{"executionSuccessful": False}]
    result = run["results"][1]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("OVNG-L2-001", 1, "error")
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "a%2Cb%3A%20100%25.yaml"},
        "region": {"startLine": 7, "startColumn": 5},
    }
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "UserDefinedNetwork red/net: spec.layer2.subnets[0]"


@pytest.mark.parametrize("render", [as_json.render, as_gitlab.render, as_github.render, as_tap.render, as_junit.render])
def test_an_empty_report_is_valid(render):
    assert render(Report(0, 0, 0, 0, ())) is not None
