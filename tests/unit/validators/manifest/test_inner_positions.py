"""A fault inside the text of a field is at its own line of the file."""

import pytest

from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.manifest.positions import Position
from tests.support.preflight_run import report


@pytest.mark.parametrize(
    ("manifest", "position"),
    [
        ("spec:\n  config: |\n    {\n      X: 1\n    }\n", Position(4, 7)),
        ("spec:\n  config: |-\n    X: 1\n", Position(3, 5)),
        ("spec: {config: 'a X'}\n", Position(1, 19)),
        ("spec: {config: a X}\n", None),
        ('spec: {config: "\\ta X"}\n', None),
        ("spec:\n  config: >\n    a\n    X\n", None),
        ("spec: {}\n", None),
    ],
)
def test_position(manifest: str, position: Position | None) -> None:
    text = {"|\n": "{\n  X: 1\n}\n", "|-": "X: 1", "'a": "a X", "a ": "a X"}
    value = next((value for sign, value in text.items() if sign in manifest), "X")
    document = Document("f.yaml", 0, {}, manifest.encode())
    assert document.position_inside("spec.config", value, value.index("X")) == position


ATTACHMENT = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: net, namespace: red}
spec:
  config: |
    {
      "cniVersion": "0.4.0", "name": "x", "type": "ovn-k8s-cni-overlay", "netAttachDefName": "red/net",
      %s
    }
"""


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('"topology": "layer2", "subnets": "10.1.0.0/16x"', 40),
        ('"topology": "layer2", "mtu": "x"', 29),
        ('"topology": "layer2",, "mtu": 1', 28),
    ],
)
def test_a_fault_of_a_configuration(line: str, column: int) -> None:
    (found, *_) = report("-", stdin=ATTACHMENT % line)[1]["findings"]
    assert (found["path"], found["line"], found["column"]) == ("spec.config", 8, column)
