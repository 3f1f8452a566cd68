"""docs/status.md: its output, exit codes, rights and links are those of the command."""

import re
from typing import Any

import pytest
import yaml

from ovnguard.reconciler.status.overview import as_lines, overview_of
from ovnguard.reconciler.status.snapshot import sources
from tests.support.paths import ROOT
from tests.support.status_samples import HOLDER, Counts, ago, report, snapshot, well, zone

FILE = ROOT / "docs" / "status.md"
PAGE = FILE.read_text(encoding="utf-8")


def test_the_output_is_what_the_command_prints(generated: Any) -> None:
    lists = well()
    lists["leases"][0]["metadata"]["managedFields"][0]["time"] = ago(seconds=72)
    text = "BGP of node worker-b: 1 of 2 sessions not Established: session with 172.18.0.4 is Active for 10 s"
    lists["reports"][1] = report(
        "worker-b", zone("worker-b", "", counts=Counts(213, None, 0, 0, 2, 1), texts=(text,)), seconds=4
    )
    found = "\n".join(line.text for line in as_lines(overview_of(snapshot(lists))))
    assert HOLDER in found
    page = re.sub(r"```text\n.*?```", lambda _: f"```text\n{found}\n```", PAGE, count=1, flags=re.DOTALL)
    generated(FILE, page, "pytest tests/unit/docs --update")


def test_the_rights_are_those_that_the_command_uses() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    granted = set()
    for role in yaml.safe_load_all(text):
        namespace = role["metadata"].get("namespace", "")
        for rule in role["rules"]:
            (group,) = rule["apiGroups"]
            for resource in rule["resources"]:
                granted.add((namespace, group, resource, *rule.get("resourceNames", [""]), *rule["verbs"]))
    used = {("ovnguard-system", "", "pods/log", "", "get")}
    for resource, part in sources("ovnguard-system").values():
        # a role of one namespace cannot limit lists of ConfigMaps to a name and to labels
        name = part.name if not part.namespace else ""
        used.add((part.namespace, resource.group, resource.plural, name, "list"))
    assert granted == used


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", PAGE))))
def test_links_lead_somewhere(target: str) -> None:
    name, _, anchor = target.partition("#")
    found = ROOT / "docs" / name
    headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
    assert not anchor or anchor in {each.lower().replace(" ", "-") for each in headings}
