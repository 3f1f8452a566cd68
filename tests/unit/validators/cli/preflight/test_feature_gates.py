"""Fields that a feature gate drops."""

import pytest

from tests.support.preflight_run import NO_OVERLAY, report, run

OKC = "spec.defaultNetwork.ovnKubernetesConfig"
GATED = [(13, "transport"), (14, "noOverlayConfig"), (15, "bgpManagedConfig")]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--feature-set", "Default"], "in feature set Default"),
        (["--feature-set=OKD", "--feature-set=Default"], "in feature set Default"),
        (["--feature-set", "CustomNoUpgrade", "--feature-gates", "NoOverlayMode=false"], "by --feature-gates"),
        (["--feature-gates", "RouteReflector=true,NoOverlayMode=false"], "by --feature-gates"),
    ],
)
def test_what_a_feature_gate_turns_off_is_named_at_its_place(words, why):
    code, document = report("-", *words, stdin=NO_OVERLAY)
    assert code == 0
    assert [finding for finding in document["findings"] if finding["severity"] != "note"] == [
        {
            "kind": "Network",
            "namespace": "",
            "name": "cluster",
            "file": "<stdin>",
            "line": line,
            "column": 7,
            "path": f"{OKC}.{name}",
            "reason": "FieldValueDropped",
            "message": f"dropped: feature gate NoOverlayMode is off {why}",
            "rule": "OVNG-GATE-001",
            "severity": "warning",
            "then": False,
        }
        for line, name in GATED
    ]


@pytest.mark.parametrize("words", [[], ["--feature-set", "TechPreviewNoUpgrade"], ["--feature-set=CustomNoUpgrade"]])
def test_nothing_is_dropped_while_its_gate_is_on(words):
    code, document = report("-", *words, stdin=NO_OVERLAY)
    assert (code, document["summary"]["warnings"]) == (0, 0)


def test_dropped_fields_can_fail_a_build():
    assert run("-", "--feature-set", "Default", "--warnings-as-errors", stdin=NO_OVERLAY).return_value == 1
