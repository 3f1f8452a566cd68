"""docs/versions.md names the versions that code, chart and test bed have."""

import re
import tomllib

from ovnguard.reconciler.apply.ovn.northbound_schema import NEEDED_RELEASE
from ovnguard.reconciler.commands.audit.stated import COMPARED
from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from tests.support.manifests.chart import files
from tests.support.paths import ROOT
from tests.testbed import pins

PAGE = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1:] for row in (line.strip("| ").split(" | ") for line in PAGE.splitlines() if line[:2] == "| ")}


def row(start: str) -> tuple[str, str]:
    """What is supported and tested of the part whose name begins so."""
    ((supported, tested),) = [cells for name, cells in ROWS.items() if name.startswith(start)]
    return supported, tested


def test_versions_of_the_test_bed() -> None:
    parts = pins.load().parts
    bounds = {probe.tool: probe for pin in parts.values() for probe in pin.probes}
    tools = {"OVN": "ovn-nbctl", "Open vSwitch": "ovsdb-server", "FRR": "bgpd"}
    for name, tool in tools.items():
        supported, tested = ROWS[name]
        assert supported.startswith(f"{bounds[tool].minimum} or newer")
        assert tested == f"{bounds[tool].minimum} or newer of the test bed"
    assert row("helm")[0] == f"{bounds['helm'].minimum} or newer, below {bounds['helm'].below}"
    assert row("Kubernetes, for")[1].startswith(f"kube-apiserver {bounds['kube-apiserver'].minimum} of")
    assert f"OVN {ROWS['OVN'][0]}".startswith(f"{NEEDED_RELEASE} or newer")


def test_releases_of_others() -> None:
    assert row("Kubernetes, whose")[0].startswith(f"1.{OLDEST_MINOR} to 1.{NEWEST_MINOR},")
    (oldest,) = re.findall(r"kubeVersion: '>=(1\.\d+)\.0-0'", files()["Chart.yaml"])
    assert row("Kubernetes, for")[0].startswith(f"{oldest} or newer:")
    (commit,) = COMPARED
    assert f"rows of commit {commit} of" in row("OVN-Kubernetes")[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert row("Python")[0] == f"{project['requires-python'].removeprefix('>=')} or newer"


def test_links_lead_somewhere() -> None:
    for target, anchor in re.findall(r"\]\((\w[\w-]*\.md)(?:#([\w-]+))?\)", PAGE):
        text = (ROOT / "docs" / target).read_text(encoding="utf-8")
        titles = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        assert not anchor or anchor in titles, (target, anchor)
