"""pytest plugin: collects suites (``tests/NAME/*.yaml``) as tests, one for each case and CRD file or policy.

Every pytest in an environment with ovnguard loads it, so it imports nothing before it finds a suite. Settings in
pytest's configuration: ``rule_suite_crds`` and ``rule_suite_policies`` (folders with CRDs and with policies, instead
of those next to the suites), ``rule_suite_feature_gates`` (folder with FeatureGate manifests),
``rule_suite_kubernetes`` (server version). An option of the same name with hyphens wins over its setting.
"""

from pathlib import Path

import pytest

from ovnguard.validators.suite.suite_paths import is_suite, says_name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings and the options."""
    group = parser.getgroup("ovnguard", "ovnguard: rule suites (tests/NAME/*.yaml)")
    group.addoption(
        "--rule-suite-crds",
        action="append",
        default=[],
        metavar="PATH",
        help="CRDs for rule suites, instead of those next to them. Repeatable.",
    )
    group.addoption(
        "--rule-suite-policies",
        action="append",
        default=[],
        metavar="PATH",
        help="Policies and bindings for rule suites, instead of those next to them. Repeatable.",
    )
    group.addoption("--rule-suite-feature-gates", metavar="DIR", help="Folder with FeatureGate manifests.")
    group.addoption(
        "--rule-suite-kubernetes", metavar="VERSION", help="Kubernetes version whose verdicts rule suites expect."
    )
    parser.addini("rule_suite_crds", "CRDs for rule suites, instead of those next to them", type="paths", default=[])
    about = "policies and bindings for rule suites, instead of those next to them"
    parser.addini("rule_suite_policies", about, type="paths", default=[])
    parser.addini("rule_suite_feature_gates", "folder with FeatureGate manifests for rule suites", default="")
    parser.addini("rule_suite_kubernetes", "Kubernetes version whose verdicts rule suites expect", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file with the path of a suite, or one that the command line names and that sets one of the names."""
    named = file_path.suffix in {".yaml", ".yml"} and parent.session.isinitpath(file_path)
    if not named and (file_path.suffix != ".yaml" or file_path.parent.parent.name != "tests"):
        return None
    if not is_suite(file_path) and not (named and says_name(file_path)):
        return None
    from ovnguard.validators.suite.pytest_items import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path)
