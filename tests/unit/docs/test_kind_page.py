"""docs/kind.md installs the chart as it is, and its folders are values of it."""

import json
import re
import shlex

from tests.support.manifests.chart import CHART, NAMESPACE
from tests.support.manifests.kustomized import overlay
from tests.support.manifests.ovnkube_sockets import OVNKUBE_SOCKETS
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "kind.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line)
    for block in re.findall(r"(?s) +```sh\n(.*?)```", PAGE)
    for line in block.splitlines()
    if line.strip()
]
PROPERTIES = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))["properties"]


def test_every_value_that_the_page_sets_is_one_of_the_chart() -> None:
    given = re.findall(r"--set (\w+)(?:\.(\w+))?=", PAGE)
    assert {name for name, _ in given} == {"image", "folders"}
    assert all(not part or part in PROPERTIES[name]["properties"] for name, part in given)


def test_helm_installs_the_chart_of_the_checkout() -> None:
    install, uninstall = (each for each in COMMANDS if each[0] == "helm")
    assert (ROOT / install[3]) == CHART
    assert install[4:6] == uninstall[3:5] == ["--namespace", NAMESPACE]


def test_the_label_of_the_namespace_is_that_of_the_overlay() -> None:
    (label,) = (each for each in COMMANDS if each[:2] == ["kubectl", "label"])
    (namespace,) = (each for each in overlay("kubernetes") if each["kind"] == "Namespace")
    key, _, value = label[-1].partition("=")
    assert namespace["metadata"]["labels"][key] == value


def test_folders_that_need_no_value_are_those_of_the_overlays() -> None:
    rows = re.findall(r"none: `folders.ovn` is `(.+?)` in the overlay `(\w+)`", PAGE)
    assert {name: folder for folder, name in rows} == {name: each.folder for name, each in OVNKUBE_SOCKETS.items()}


def test_files_and_links_are_there() -> None:
    (applied,) = (each for each in COMMANDS if each[:2] == ["kubectl", "apply"])
    assert (ROOT / applied[-1]).is_file()
    for target in re.findall(r"\]\((\w+\.md)", PAGE):
        assert (ROOT / "docs" / target).is_file(), target
