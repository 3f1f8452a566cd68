"""Objects of built-in kinds in a terminal: refused in the words of the decoder, or counted as judged by type."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.preflight_run import UDN, VALID, report, run

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s}\nspec:\n  replicas: %s\n%s"
REST = "  selector: {}\n  template: {}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: %s}\n"


def test_a_wrong_type_is_an_error_at_its_line() -> None:
    code, document = report("-", stdin=DEPLOYMENT % ("web", '"3"', REST))
    finding = document["findings"][0]
    assert (code, finding["line"], finding["column"], finding["path"]) == (1, 5, 3, "spec.replicas")
    assert (finding["severity"], finding["rule"]) == ("error", "request")
    assert finding["message"] == (
        'Invalid value: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string '
        "into Go struct field DeploymentSpec.spec.replicas of type int32"
    )


def test_an_unknown_field_is_an_error_at_its_line() -> None:
    code, document = report("-", stdin=DEPLOYMENT % ("web", "3", f"{REST}  replica: 3\n"))
    finding = document["findings"][0]
    assert (code, finding["line"], finding["rule"]) == (1, 8, "strict")
    assert finding["message"] == 'Invalid value: unknown field "spec.replica"'


def test_the_decoder_quotes_the_path_of_an_unknown_field() -> None:
    finding = report("-", stdin=DEPLOYMENT % ("web", "3", f'{REST}  "a\\n": 3\n'))[1]["findings"][0]
    assert finding["message"] == 'Invalid value: unknown field "spec.a\\n"'


HINTS = (
    (DEPLOYMENT % ("web", '"3"', REST), "write 3 without quotes"),
    (DEPLOYMENT % ("web", "3", f"{REST}  replica: 3\n"), "did you mean spec.replicas?"),
    (POD % "[{livenesProbe: {}}]", "did you mean spec.containers[0].livenessProbe?"),
    (POD % "[{env: [{name: a, value: 1}]}]", 'quote it: "1"'),
    (POD % "[{tty: 'yes'}]", "write true without quotes"),
    (POD % "{name: a}", "spec.containers is a list: begin each entry with a dash"),
    (POD % "[{resources: [a]}]", "spec.containers[0].resources is no list: write its fields without a dash"),
)


@pytest.mark.parametrize(("text", "hint"), HINTS, ids=[hint for _, hint in HINTS])
def test_a_note_says_what_helps(text: str, hint: str) -> None:
    error, note = report("-", stdin=text)[1]["findings"]
    assert (error["severity"], note["severity"], note["message"]) == ("error", "note", hint)
    assert (note["line"], note["path"]) == (error["line"], error["path"])


def test_the_last_lines_count_the_objects_whose_values_are_not_validated() -> None:
    text = (
        DEPLOYMENT % ("web", "3", REST)
        + "---\n"
        + DEPLOYMENT % ("api", "-1", REST)
        + "---\n"
        + UDN % ("blue", "Primary")
    )
    assert run("-", stdin=text).stdout.startswith(
        "1 file, 3 objects judged, 0 errors, 0 warnings\n"
        "2 objects of built-in kinds were judged by type: values are left to the API server (-v lists them)\n"
    )


def test_a_missing_required_field_is_a_warning_that_can_be_left_out() -> None:
    text = DEPLOYMENT % ("web", "3", "  selector: {}\n")
    code, document = report("-", stdin=text)
    warning, note = document["findings"]
    assert (code, warning["severity"], warning["path"], warning["rule"]) == (
        0,
        "warning",
        "spec.template",
        "required-field",
    )
    assert note["message"] == "judged by type: the API server validates the values of Deployment of apps/v1"
    assert report("-", "--ignore", "required-field", stdin=text)[1]["summary"]["warnings"] == 0


def test_the_release_decides_which_fields_there_are() -> None:
    policy = "  template: {spec: {containers: [{name: web, restartPolicyRules: []}]}}\n"
    text = DEPLOYMENT % ("web", "3", "  selector: {}\n" + policy)
    assert report("-", stdin=text)[0] == 0
    assert report("-", "--kubernetes-version", "1.33", stdin=text)[0] == 1


def test_a_required_schema_is_there() -> None:
    assert report("-", "--require-schemas", stdin=DEPLOYMENT % ("web", "3", REST))[0] == 0


def test_a_key_that_stands_twice_is_wrong_input() -> None:
    code, document = report("-", stdin=DEPLOYMENT % ("web", "3", f"{REST}  replicas: 4\n"))
    assert (code, document["findings"][0]["message"]) == (2, "duplicate key 'replicas'")


def test_a_run_without_built_in_kinds_does_not_read_their_types() -> None:
    program = (
        "import sys; from ovnguard.validators.cli.main import main\n"
        f"sys.argv[1:] = [{VALID!r}]\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'ovnguard.validators.cli.judge_documents' in sys.modules\n"
        "assert 'ovnguard.validators.built_in' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60, cwd=ROOT)
