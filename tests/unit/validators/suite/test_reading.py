import textwrap

import pytest

from ovnguard.validators.suite.reading import read_suite
from ovnguard.validators.suite.suite import Case, Phase, Suite, SuiteFault

OBJECT = "apiVersion: example.com/v1\nkind: Foo\n"


def read(text: str) -> Suite:
    suite = read_suite("here/s.yaml", "s.yaml", textwrap.dedent(text).encode())
    assert isinstance(suite, Suite)
    return suite


def test_a_whole_suite() -> None:
    suite = read("""\
        apiVersion: apiextensions.k8s.io/v1
        name: "Foo"
        crdName: foos.example.com
        version: v1
        featureGates: [A, -B]
        tests:
          onCreate:
          - name: one
            initial: |
              kind: Foo
            expectedError: "no"
          onUpdate:
          - name: two
            initialCRDPatches:
            - {op: replace, path: /spec/x, value: {z: 1}}
            - {op: move, from: /a, path: /b}
            initial: "kind: Foo"
            updated: "{kind: Bar, status: {}}"
            expected: "kind: Baz"
            expectedStatusError: never
        """)
    assert (suite.file, suite.label, suite.name, suite.crd_name) == ("here/s.yaml", "s.yaml", "Foo", "foos.example.com")
    assert (suite.version, suite.feature_gates, suite.warnings) == ("v1", ("A", "-B"), ())
    one, two = suite.cases
    assert (one.phase, one.name, one.line, one.expected_error, one.updated) == (Phase.CREATE, "one", 8, "no", None)
    assert (two.phase, two.line, two.expected_status_error) == (Phase.UPDATE, 13, "never")
    assert two.updated is not None
    objects = [text.get() for text in (one.initial, two.initial, two.updated, two.expected)]
    assert objects == [{"kind": "Foo"}, {"kind": "Foo"}, {"kind": "Bar", "status": {}}, {"kind": "Baz"}]
    assert two.patches == (
        {"op": "replace", "path": "/spec/x", "value": {"z": 1}},
        {"op": "move", "path": "/b", "from": "/a", "value": None},
    )


def test_without_expectation_the_object_itself_is_expected() -> None:
    create, update = read("""\
        crdName: a.b
        tests:
          onCreate: [{initial: "x: 1"}]
          onUpdate: [{initial: "x: 1", updated: "x: 2", expected: " "}]
        """).cases
    assert create.expected.get() == {"x": 1}
    assert update.expected.get() == {"x": 2}


def test_read_as_go_reads_json() -> None:
    """Keys match whatever their case, null is nothing, plain scalars become text."""
    suite = read("""\
        CrdName: a.b
        VERSION: 1
        featuregates: null
        tests:
          OnCreate:
          - {Name: 5, Initial: "x: 1", expectederror: true, expected: null}
          onUpdate:
        """)
    (case,) = suite.cases
    assert (suite.crd_name, suite.version, case.name, case.expected_error) == ("a.b", "1", "5", "true")
    assert suite.warnings == ()


def test_anchors_may_repeat() -> None:
    first, second = read("""\
        crdName: a.b
        tests:
          onCreate:
          - {name: one, initial: &text "x: 1", expected: *text}
          - {name: two, initial: &text "x: 2", expected: *text}
        """).cases
    assert (first.expected.get(), second.expected.get()) == ({"x": 1}, {"x": 2})


def test_what_has_no_effect_is_warned_about() -> None:
    suite = read("""\
        crdName: a.b
        tests:
          onCreate:
          - name: one
            initial: |
              x: 1
              ---
              x: 2
            expectedErrors: typo
        onUpdate: []
        ---
        more: true
        """)
    assert sorted(suite.warnings) == [
        "s.yaml:10: the key 'onUpdate' has no effect",
        "s.yaml:12: everything after the first YAML document has no effect",
        "s.yaml:8: initial: everything after the first YAML document has no effect",
        "s.yaml:9: tests.onCreate[0]: the key 'expectedErrors' has no effect",
    ]


@pytest.mark.parametrize(
    ("tests", "line"), [("tests: {onCreate: []}", 3), ("tests:", 3), ("tests: {}", 3), ("version: v1", 1)]
)
def test_a_suite_without_cases_is_warned_about(tests: str, line: int) -> None:
    suite = read(f"crdName: a.b\nname: x\n{tests}\n")
    assert (suite.cases, suite.warnings) == ((), (f"s.yaml:{line}: the suite holds no case",))


def test_the_last_of_equal_keys_counts_and_is_warned_about() -> None:
    """As upstream, whose YAML library is not strict: neither for the suite nor for the objects in it."""
    suite = read("""\
        crdName: c.d
        crdName: a.b
        tests:
          onCreate:
          - name: one
            initial: |
              x: 1
              x: 2
          - name: two
            initial: "x: {z: 1, z: 2}"
            name: three
        """)
    assert suite.crd_name == "a.b"
    assert [(case.name, case.initial.get()) for case in suite.cases] == [("one", {"x": 2}), ("three", {"x": {"z": 2}})]
    assert suite.warnings == (
        "s.yaml:2: duplicate key 'crdName'; the last one counts",
        "s.yaml:8: initial: duplicate key 'x'; the last one counts",
        "s.yaml:10: initial: duplicate key 'z'; the last one counts",
        "s.yaml:11: duplicate key 'name'; the last one counts",
    )


def test_an_error_of_a_status_that_is_never_written_is_warned_about() -> None:
    suite = read("""\
        crdName: a.b
        tests:
          onUpdate:
          - {initial: "x: 1", updated: "x: 2", expectedStatusError: never}
          - {initial: "x: 1", updated: "status: {}", expectedStatusError: maybe}
          - {initial: "x: 1", updated: "[", expectedStatusError: another fault}
        """)
    assert suite.warnings == ("s.yaml:4: expectedStatusError has no effect: updated has no status",)


def test_objects_are_read_as_yaml_even_when_they_look_like_json() -> None:
    (case,) = read('crdName: a.b\ntests:\n  onCreate:\n  - initial: \'{"a": 1e3, "b": yes, "c": 1E400}\'\n').cases
    assert case.initial.get() == {"a": 1000, "b": True, "c": "1E400"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.yaml:1: holds no suite; write one or remove the file"),
        ("# nothing\n", "s.yaml:1: holds no suite; write one or remove the file"),
        ("- a\n", "s.yaml:1: a suite is a mapping with crdName or policyName, and tests"),
        ("---\n---\ncrdName: a.b\ntests: {}\n", "s.yaml:2: holds no suite; write one or remove the file"),
        ("crdName: [\n", "s.yaml:2: malformed YAML: did not find expected node content"),
        ("tests: {}\n", "s.yaml:1: crdName must be given"),
        ("name: x\n", "s.yaml:1: crdName must be given"),
        ("crdName: ''\ntests: {}\n", "s.yaml:1: crdName: must not be empty"),
        ("crdName: a.b\n\ntests: []\n", "s.yaml:3: tests: must be a mapping"),
        ("crdName: a.b\ntests:\n  onCreate: x\n", "s.yaml:3: tests.onCreate: must be a list"),
        ("crdName: {}\ntests: {}\n", "s.yaml:1: crdName: must be a text"),
        ("crdName: a.b\ntests: {}\nfeatureGates: A\n", "s.yaml:3: featureGates: must be a list"),
    ],
)
def test_an_invalid_suite_is_refused(text: str, message: str) -> None:
    with pytest.raises(SuiteFault) as caught:
        read_suite("s.yaml", "s.yaml", text.encode())
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("  name: x", "s.yaml:4: tests.onUpdate[0]: initial, updated must be given"),
        ("  initial: [1]\n    updated: 'a: 1'", "s.yaml:4: tests.onUpdate[0].initial: must be a text"),
        (
            "  initial: 'a: 1'\n    updated: 'a: 1'\n    initialCRDPatches:\n    - {op: no, path: /a}",
            "s.yaml:7: tests.onUpdate[0].initialCRDPatches[0].op: "
            "'false' is not one of ['add', 'remove', 'replace', 'move', 'copy', 'test']",
        ),
        (
            "  initial: 'a: 1'\n    updated: 'a: 1'\n    initialCRDPatches:\n    - {op: copy, path: /a}",
            "s.yaml:7: tests.onUpdate[0].initialCRDPatches[0]: from must be given",
        ),
    ],
)
def test_a_fault_stays_with_its_case(case: str, message: str) -> None:
    text = f"crdName: a.b\ntests:\n  onUpdate:\n  - {case.strip()}\n  - {{initial: 'a: 1', updated: 'a: 2'}}\n"
    suite = read_suite("s.yaml", "s.yaml", text.encode())
    assert [case.fault for case in suite.cases] == [message, ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  x: 1\n        y: [", "s.yaml:7: initial: malformed YAML: did not find expected node content"),
        ("  x: .inf", "s.yaml:5: initial: .inf is not a JSON number"),
        ("  - x", "s.yaml:4: initial: is not the YAML text of an object"),
        ("  # empty", "s.yaml:4: initial: is not the YAML text of an object"),
    ],
)
def test_invalid_objects_are_refused(text: str, message: str) -> None:
    source = f"crdName: a.b\ntests:\n  onCreate:\n  - initial: |\n      {text}\n"
    (case,) = read_suite("s.yaml", "s.yaml", source.encode()).cases
    assert isinstance(case, Case)
    with pytest.raises(SuiteFault) as caught:
        case.initial.get()
    assert str(caught.value) == message
