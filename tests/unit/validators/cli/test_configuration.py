"""The configuration file: where it is found, what it changes, and how a mistake in it reads."""

import json
from pathlib import Path

import pytest

from ovnguard.validators.cli.adjustments import Adjustments
from ovnguard.validators.cli.configuration import BadConfiguration, Ignore, configuration_of, read_configuration
from ovnguard.validators.cli.outputs import FORMATS
from ovnguard.validators.manifest.positions import Position
from ovnguard.validators.report.findings import Finding, Severity, Subject
from tests.support.paths import ROOT
from tests.support.preflight_run import report, run, widgets

UDN = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: %s, namespace: red}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.%d.0.0/16]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets" / "red").mkdir(parents=True)
    for number, name in enumerate(("one", "two"), 41):
        (tmp_path / "nets" / "red" / f"{name}.yaml").write_text(UDN % (name, number))
    return tmp_path


def test_the_nearest_file_upward_from_the_first_path(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text("severities: {OVNG-L2-015: note}\n")
    assert configuration_of(["nets/red"]).file == ".ovnguard.yaml"
    assert report("nets")[0] == 0
    (folder / "nets" / ".ovnguard.yaml").write_text("{}\n")
    assert configuration_of(["nets/red/one.yaml", "."]).file == "nets/.ovnguard.yaml"
    assert configuration_of(["-"]).file == ".ovnguard.yaml"
    assert report("nets")[0] == 1


def test_a_file_below_is_not_above(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "nets" / "red" / ".ovnguard.yaml").write_text("unknown: 1\n")
    monkeypatch.chdir(folder / "nets" / "red")
    assert configuration_of(["../x.yaml"]).file == ""
    with pytest.raises(BadConfiguration, match="unknown: unknown key"):
        configuration_of(["../red/one.yaml"])


def test_paths_of_a_linked_folder_are_relative_to_the_folder(folder: Path) -> None:
    (folder / "links").mkdir()
    (folder / "links" / "red").symlink_to(folder / "nets" / "red")
    (folder / "nets" / "red" / ".ovnguard.yaml").write_text("inventory: [../facts]\n")
    found = configuration_of(["links/red/one.yaml"])
    assert (found.file, found.values["inventory"]) == ("links/red/.ovnguard.yaml", ["nets/facts"])


def test_options_win(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text("kubernetesVersion: '1.2'\npaths: [nets]\n")
    assert run().return_value == 2
    assert report("--kubernetes-version", "1.35")[0] == 1
    (folder / ".ovnguard.yaml").unlink()
    assert run().stderr.startswith("Error: name at least one PATH\n")


@pytest.mark.parametrize(("words", "code"), [((), 1), (("--no-warnings-as-errors",), 0), (("--exit-zero",), 0)])
def test_a_switch_of_the_file_can_be_turned_off(folder: Path, words: tuple[str, ...], code: int) -> None:
    (folder / ".ovnguard.yaml").write_text("warningsAsErrors: true\nseverities: {OVNG-L2-015: warning}\n")
    assert report("nets", *words)[0] == code


def test_warnings_that_count_as_errors_are_shown_to_the_quiet(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text("severities: {OVNG-L2-015: warning}\n")
    assert run("nets", "-q") == (0, "", "")
    result = run("nets", "-q", "--warnings-as-errors")
    shown = [line for line in result.stdout.splitlines() if "warning" in line]
    assert (result.return_value, len(shown), "judged" in result.stdout) == (1, 2, False)


def test_paths_are_relative_to_the_file(folder: Path) -> None:
    (folder / "facts").mkdir()
    (folder / "facts" / "space.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: red}\n")
    (folder / ".ovnguard.yaml").write_text("inventory: [facts, cluster, 'git:HEAD']\n")
    values = configuration_of(["nets/red"]).values
    assert values["inventory"] == ["facts", "cluster", "git:HEAD"]
    inner = folder / "nets" / ".ovnguard.yaml"
    inner.write_text("inventory: [../facts]\n")
    assert read_configuration(inner).values["inventory"] == ["facts"]
    rules = {each["rule"] for each in report("nets")[1]["findings"]}
    assert "OVNG-L2-014" in rules


OUTSIDE = """\
inventory: [facts, cluster]
old: [cluster, 'git:HEAD', 'git:main']
"""
COUNT = "git: and cluster are ignored: in a configuration file they count only with --trust-config"


@pytest.mark.parametrize("amount", [(), ("-q",)])
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_may_not_ask_git_or_a_cluster(folder: Path, name: str, amount: tuple[str, ...]) -> None:
    (folder / "facts").mkdir()
    (folder / "facts" / "namespace.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: red}\n")
    (folder / ".ovnguard.yaml").write_text(OUTSIDE)
    result = run("nets/red/one.yaml", "-o", name, *amount)
    assert (result.return_value, result.stderr) == (0, "")
    assert result.stdout.count(f"old and inventory: {COUNT}") == 1
    assert ".ovnguard.yaml" in result.stdout


def test_other_places_of_the_same_field_count(folder: Path) -> None:
    (folder / "live").mkdir()
    (folder / "live" / "one.yaml").write_text((UDN % ("one", 41)).replace("Primary", "Secondary"))
    (folder / ".ovnguard.yaml").write_text("old: [cluster, live]\n")
    rules = [each["rule"] for each in report("nets/red/one.yaml")[1]["findings"] if each["severity"] == "error"]
    assert rules == ["udn-layer2-immutable"]


def test_the_warning_is_one_of_the_file(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text("# first\nold: ['git:HEAD', cluster]\n")
    _, document = report("nets/red/one.yaml")
    first = document["findings"][0]
    about = [first[key] for key in ("file", "line", "column", "severity", "rule", "message")]
    assert about == [".ovnguard.yaml", 2, 1, "warning", "", f"old: {COUNT}"]
    assert document["summary"]["warnings"] == 1
    assert run("nets/red/one.yaml", "--warnings-as-errors").return_value == 1


def test_what_is_typed_needs_no_trust(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text(OUTSIDE)
    (folder / "live").mkdir()
    (folder / "live" / "one.yaml").write_text(UDN % ("one", 41))
    result = run("nets/red/one.yaml", "--old", "live", "--inventory", "live")
    assert (result.return_value, result.stderr, "trust" in result.stdout) == (0, "", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("old: ['git:HEAD']\n", "git: not a git repository (or any of the parent directories): {folder}/nets"),
        ("old: [cluster]\n", "none: Invalid kube-config file. No configuration found.; name one with --kubeconfig"),
        (
            "inventory: [cluster]\n",
            "none: Invalid kube-config file. No configuration found.; name one with --kubeconfig",
        ),
    ],
)
def test_a_trusted_file_asks(folder: Path, text: str, message: str) -> None:
    (folder / ".ovnguard.yaml").write_text(text)
    result = run("nets", "--trust-config", "--kubeconfig", "none")
    assert result == (2, "", f"Error: {message.format(folder=folder)}\n")


@pytest.mark.parametrize("key", ["trustConfig", "trust-config", "trust_config"])
def test_no_file_can_grant_trust(folder: Path, key: str) -> None:
    (folder / ".ovnguard.yaml").write_text(f"{key}: true\n")
    assert run("nets").stderr.startswith(f"Error: .ovnguard.yaml:1:1: {key}: unknown key; there are paths, old, ")


IGNORES = """\
severities: {OVNG-L2-014: error}
ignore:
- {rule: OVNG-L2-015, name: one, reason: it moves next week}
- rule: OVNG-L2-015
  kind: NetworkAttachmentDefinition
  reason: there is none
"""


def test_ignores_need_a_match_and_severities_count(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text(IGNORES)
    code, document = report("nets")
    found = [
        (each["file"], each["line"], each["rule"], each["severity"], each["message"])
        for each in document["findings"]
        if each["severity"] != "note"
    ]
    assert code == 1
    assert found == [
        (
            "nets/red/two.yaml",
            4,
            "OVNG-L2-015",
            "error",
            'Invalid value: "red": primary network already exist in namespace "red": "one"',
        ),
        (".ovnguard.yaml", 4, "", "warning", "ignore: no finding matches this entry; remove it"),
    ]
    assert run("nets").stdout.splitlines()[-2] == "2 files, 2 objects judged, 1 error, 1 warning, 1 ignored"


def test_ignored_on_the_command_line(folder: Path) -> None:
    result = run("nets", "--ignore", "OVNG-L2-015", "--ignore", "OVNG-L2-001")
    assert (result.return_value, result.stdout.splitlines()[0]) == (
        0,
        "2 files, 2 objects judged, 0 errors, 0 warnings, 2 ignored",
    )


def test_unreadable_input_cannot_be_ignored(folder: Path) -> None:
    (folder / "nets" / "broken.yaml").write_text("a: [1\n")
    result = run("nets", "--ignore", "OVNG-L2-015")
    assert (result.return_value, "broken.yaml" in result.stdout) == (2, True)


NO_RULES = """\
severities:
  OVNG-L2-014: error
  OVNG-L2-14: warning
  spec.layer2.rolle.enum: note
  spec.layer2.role.enum: note
ignore:
- {rule: OVNG-L2-15, reason: misspelt}
- {rule: OVNG-L2-015, reason: right}
"""


def test_a_rule_of_the_file_that_there_is_not_gets_a_suggestion(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text(NO_RULES)
    _, document = report("nets")
    found = [
        (each["line"], each["column"], each["severity"], each["message"])
        for each in document["findings"]
        if each["file"] == ".ovnguard.yaml"
    ]
    lists = "'kubectl ovn-preflight explain' lists them"
    assert found == [
        (3, 3, "warning", "severities: no rule OVNG-L2-14; did you mean OVNG-L2-014 or OVNG-L2-042 or OVNG-L2-041?"),
        (4, 3, "warning", f"severities: no rule spec.layer2.rolle.enum; {lists}"),
        (7, 3, "warning", "ignore: no rule OVNG-L2-15; did you mean OVNG-L2-015 or OVNG-L2-041 or OVNG-L2-035?"),
    ]


def test_the_first_twenty_rules_that_there_are_not_get_suggestions(folder: Path) -> None:
    names = ", ".join(f"OVNG-L2-9{number:02}: note" for number in range(30))
    (folder / ".ovnguard.yaml").write_text(f"severities: {{{names}}}\n")
    messages = [each["message"] for each in report("nets")[1]["findings"] if each["file"] == ".ovnguard.yaml"]
    assert ["did you mean" in each for each in messages] == [True] * 20 + [False] * 10
    assert messages[-1] == "severities: no rule OVNG-L2-929; 'kubectl ovn-preflight explain' lists them"


def test_the_first_entry_for_a_finding_counts() -> None:
    def unknown(_name: str, /, *, suggests: bool) -> str:
        return str(suggests)

    entries = [
        Ignore("R", "Pod", "", "a", Position(1, 1)),
        Ignore("R", "", "red", "", Position(2, 1)),
        Ignore("R", "Pod", "red", "a", Position(3, 1)),
        Ignore("R", "", "red", "", Position(4, 1)),
        Ignore("R", "Pod", "blue", "a", Position(5, 1)),
    ]
    adjustments = Adjustments(entries, {}, "file", unknown)
    finding = Finding(Subject("f", 1, "Pod", "red", "a"), 1, 1, "", "", "", "R", Severity.ERROR)
    others = [finding._replace(subject=Subject("f", 1, kind, "red", "b")) for kind in ("Pod", "Node")]
    kept = finding._replace(subject=Subject("f", 1, "Pod", "green", "b"))
    assert adjustments.adjusted([finding, *others, kept, kept._replace(rule="S")]) == [kept, kept._replace(rule="S")]
    assert adjustments.ignored == 3
    assert [each.line for each in adjustments.unused()] == [3, 4, 5]


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("OVNG-L2-12", "did you mean OVNG-L2-012 or OVNG-L2-042 or OVNG-L2-041?"),
        ("ovng-l2-012", "did you mean OVNG-L2-012 or OVNG-L2-042 or OVNG-L2-041?"),
        (
            "udn-layer2-imutable",
            "did you mean udn-layer2-immutable or udn-layer3-mtu-immutable or udn-layer3-role-immutable?",
        ),
        ("BadInput", "'kubectl ovn-preflight explain' lists them"),
        ("spec.layer2.role", "'kubectl ovn-preflight explain' lists them"),
        ("spec.x-kubernetes-validations[0]", "did you mean x-kubernetes-validations?"),
    ],
)
def test_a_rule_of_the_command_line_that_there_is_not_is_a_wrong_call(folder: Path, rule: str, complaint: str) -> None:
    assert run("nets", "--ignore", rule) == (2, "", f"Error: --ignore: no rule {rule}; {complaint}\n")


WIDGETS = widgets("{spec: {type: object, properties: {size: {enum: [1], type: integer}}}}")


def test_places_of_given_definitions_may_be_ignored(folder: Path) -> None:
    (folder / "crd.yaml").write_text(WIDGETS)
    (folder / "w.yaml").write_text("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 2}\n")
    assert [each["rule"] for each in report("w.yaml", "--crds", "crd.yaml")[1]["findings"]] == ["spec.size.enum"]
    assert report("w.yaml", "--crds", "crd.yaml", "--ignore", "spec.size.enum")[0] == 0
    assert run("w.yaml", "--ignore", "spec.size.enum").return_value == 2


BAD = [
    ("ignor: []\n", ":1:1: ignor: unknown key; did you mean ignore?"),
    (
        "xyz: 1\n",
        ":1:1: xyz: unknown key; there are paths, old, crds, policies, kubernetesVersion, inventory, namespace, "
        "featureSet, featureGates, warningsAsErrors, severities, ignore",
    ),
    ("ignore:\n- {rule: OVNG-L2-012}\n", ":2:3: ignore[0]: an ignored finding needs a reason"),
    ("ignore:\n- {rule: A, reason: b, knd: c}\n", ":2:24: ignore[0].knd: unknown key; did you mean kind?"),
    (
        "crds: []\nignore:\n" + "- {rule: A, reason: b}\n" * 1001,
        ":2:1: ignore: 1001 entries; there may be 1000",
    ),
    (
        f"severities: {{{', '.join(f'R{n}: note' for n in range(1001))}}}\n",
        ":1:1: severities: 1001 entries; there may be 1000",
    ),
    ("crds: x\n", ":1:1: crds: 'x' is not of type 'array'"),
    ("skip: [Pod]\n", ":1:1: skip: no longer a key; use the option --skip"),
    ("schemaSet: auto\n", ":1:1: schemaSet: no longer a key; use the option --schema-set"),
    ("requireSchemas: true\n", ":1:1: requireSchemas: no longer a key; use the option --require-schemas"),
    ("severities: {A: fatal}\n", ":1:14: severities.A: 'fatal' is not one of ['error', 'warning', 'note']"),
    ("- a\n", ":1:1: the file: ['a'] is not of type 'object'"),
    ("a: [1\n", ":2:1: malformed YAML: did not find expected ',' or ']'"),
    ("a: 1\n---\nb: 1\n", ": contains 2 documents; one is needed"),
    (f"# {'x' * (1 << 20)}\n", ": larger than 1 MiB"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=range(len(BAD)))
def test_a_mistake_is_one_line(folder: Path, text: str, message: str) -> None:
    (folder / ".ovnguard.yaml").write_text(text)
    assert run("nets") == (2, "", f"Error: .ovnguard.yaml{message}\n")


def test_an_empty_file_changes_nothing(folder: Path) -> None:
    (folder / ".ovnguard.yaml").write_text("# nothing yet\n")
    assert configuration_of(["nets"]).values == {}


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    with pytest.raises(BadConfiguration) as raised:
        read_configuration(folder / "none.yaml")
    assert str(raised.value) == "none.yaml: cannot be read: No such file or directory"


def test_the_schema_is_published_and_has_every_option() -> None:
    schema = json.loads((ROOT / "docs/schemas/preflight-config-v1.json").read_text())
    assert schema["$id"] == "https://ovnguard.io/schemas/preflight-config-v1.json"


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["--outpt", "json", "x"], "; did you mean --output?"), (["--zzz", "x"], "")],
)
def test_a_misspelt_option_gets_a_suggestion(words: list[str], hint: str) -> None:
    assert run(*words).stderr.splitlines()[0] == f"Error: unrecognized arguments: {words[0]}{hint}"
