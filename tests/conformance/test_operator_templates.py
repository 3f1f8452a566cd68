"""The operator's templates of 4.13 and 4.14: rendered as Go renders them, and compared with what the product knows."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder, Observed
from ovnguard.reconciler.rollout.plan.operator_changes import FILE
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.reconciler.rollout.plan.refusals import parts as parts_of
from ovnguard.reconciler.rollout.plan.refusals import refusals
from ovnguard.reconciler.rollout.plan.template_rendering import render
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import workload_of
from tests.support.rendered_manifests import rendered_templates
from tests.support.rollout.operator_comparison import NAMES, SETTINGS, changes, phases, template
from tests.support.rollout.operator_templates import BEFORE, FLIPPED, MODES, RELEASE, branch, manifests, values
from tests.testbed.fixtures import need, parts
from tests.testbed.parts import Parts

__all__ = ["parts"]

RELEASES = (BEFORE, RELEASE)
INVENTORY = "rollout/operator_workloads.txt"


def templates() -> list[Path]:
    return [file for release in RELEASES for file in sorted(branch(release).rglob("*.yaml"))]


def settings() -> Iterator[dict[str, Any]]:
    """Every cluster and address family, one master and three; each value that a condition asks for, both ways."""
    for flavour, family, masters in product(Flavour, ("ipv4", "ipv6", "dual"), (1, 3)):
        yield values(RELEASE, flavour, family, masters=masters)
    for mode in MODES:
        yield values(RELEASE, OVN_NODE_MODE=mode, **FLIPPED)
        yield values(RELEASE, OVN_NODE_MODE=mode, MgmtPortResourceName="openshift.io/mgmt")
    # conditions inside of others
    plain = dict.fromkeys(("OVNHybridOverlayNetCIDR", "OVNHybridOverlayVXLANPort"), "")
    yield values(RELEASE, OVNSbDbRouteHost="", OVNSbDbRouteLabels={}, OVNIPsecDaemonsetEnable=True)
    yield values(RELEASE, OVNPlatformAzure=True, OVNHybridOverlayEnable=True)
    yield values(RELEASE, **{**FLIPPED, **plain, "OVNIPsecEnable": False, "RHOBSMonitoring": ""})
    yield values(RELEASE, **{**FLIPPED, "DpuHostModeLabel": "a", "SmartNicModeLabel": "b", "DpuModeLabel": "c"})


def test_every_file_is_rendered_as_go_does(parts: Parts) -> None:
    need(parts, "gotemplate")
    files = templates()
    assert len(files) == 85
    for given in settings():
        expected = rendered_templates(parts["gotemplate"], given, *files)
        assert len(expected) == len(files)
        for file in files:
            found, problems = render(str(file), file.read_text(), given)
            assert not problems, problems[0]
            assert found == expected[str(file)], file


def marked(text: str) -> tuple[str, set[str]]:
    """A template that shows which way each of its conditions went, and all ways."""
    every: set[str] = set()
    opened: list[tuple[int, bool]] = []
    found, start = [], 0
    for number, match in enumerate(re.finditer(r"\{\{-?\s*(if|else if|else|end|range)\b.*?\}\}", text)):
        found.append(text[start : match.start()])
        start, word = match.end(), match[1]
        if word == "end":
            first, whole = opened.pop()
            if not whole:
                every.add(f"<{first}:no>")
                found.append(f"{{{{else}}}}<{first}:no>")
            found.append(match[0])
            continue
        if word in ("if", "range"):
            opened.append((number, word == "range"))
        elif word == "else":
            opened[-1] = (opened[-1][0], True)
        mark = f"<{number}:yes>"
        every.add(mark)
        found.append(match[0] + mark)
    return "".join((*found, text[start:])), every


def test_every_condition_goes_both_ways() -> None:
    given = [*settings()]
    left: dict[str, set[str]] = {}
    for file in templates():
        text, every = marked(file.read_text())
        for each in given:
            if every:
                every -= set(re.findall(r"<\d+:\w+>", render(str(file), text, each)[0]))
        left |= {str(file): every} if every else {}
    assert left == {}


def test_what_the_operator_changes_is_in_the_file(request: pytest.FixtureRequest) -> None:
    text = json.dumps(changes(), indent=1) + "\n"
    if request.config.getoption("--update"):
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text


def inventory() -> Iterator[str]:
    """Every part of every workload that an upgrade waits for; a mark where only some settings have it."""
    for flavour in Flavour:
        made = phases(flavour)
        for name, folder in product(NAMES, (Folder.LEGACY, Folder.SINGLE, Folder.FINAL)):
            listed = [[*parts_of(template(each, folder, name))] for each in made if template(each, folder, name)]
            for container, part in dict.fromkeys(each for found in listed for each in found):
                some = sum((container, part) in found for found in listed)
                mark = "" if some == len(SETTINGS) else "some clusters: "
                text = " of ".join(filter(None, (part, container)))
                yield f"{flavour} {folder} {name}: {mark}{text}"


def test_the_workloads_have_every_mount_and_probe_that_they_had(golden: Callable[[str, str], None]) -> None:
    golden(INVENTORY, "\n".join(inventory()) + "\n")


def test_the_folder_between_has_the_workloads_of_the_others() -> None:
    for flavour in Flavour:
        found = manifests(RELEASE, flavour)
        for name, folder in zip(NAMES, (Folder.FINAL, Folder.SINGLE, Folder.FINAL), strict=True):
            assert found.workload(Folder.TEMPORARY, name) == found.workload(folder, name)
        assert found.workload(Folder.FINAL, "ovnkube-master") is None


def as_seen(flavour: Flavour, *live: dict[str, Any]) -> Observed:
    node, master, plane = (
        next((workload_of(each, each["kind"]) for each in live if each["metadata"]["name"] == name), None)
        for name in NAMES
    )
    return Observed(release_of(RELEASE), flavour, node=node, master=master, control_plane=plane)


def without(workload: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A workload without one of its mounts, variables, ports or probes, each in turn, with its name."""
    spec = workload["spec"]["template"]["spec"]
    for kind in ("containers", "initContainers"):
        for place, container in enumerate(spec.get(kind, ())):
            for key in ("volumeMounts", "env", "ports"):
                for number, item in enumerate(container.get(key, ())):
                    less = [*container[key][:number], *container[key][number + 1 :]]
                    value = item.get("mountPath") or item.get("name") or item.get("containerPort")
                    text = str(item.get("containerPort", value))
                    yield f"{text}", _with(workload, kind, place, {**container, key: less})
            for key in ("readinessProbe", "livenessProbe"):
                if key in container:
                    rest = {name: value for name, value in container.items() if name != key}
                    yield key, _with(workload, kind, place, rest)


def _with(workload: dict[str, Any], kind: str, place: int, container: dict[str, Any]) -> dict[str, Any]:
    pod = workload["spec"]["template"]["spec"]
    listed = [*pod[kind][:place], container, *pod[kind][place + 1 :]]
    template = {**workload["spec"]["template"], "spec": {**pod, kind: listed}}
    return {**workload, "spec": {**workload["spec"], "template": template}}


@pytest.mark.parametrize("flavour", Flavour)
def test_only_templates_that_lose_something_are_refused(
    flavour: Flavour,
) -> None:
    old, new = (manifests(release, flavour) for release in (BEFORE, RELEASE))
    live = [each for name in NAMES if (each := old.workload(Folder.LEGACY, name))]
    seen, objects = as_seen(flavour, *live), {f"{each['kind']} {each['metadata']['name']}": each for each in live}
    assert refusals(seen, objects, new) == ()
    removed = 0
    for name in ("ovnkube-node", "ovnkube-master"):
        file = next(file for file, obj in new.of(Folder.SINGLE) if obj is new.workload(Folder.SINGLE, name))
        kept = {*parts_of(old.workload(Folder.LEGACY, name))} & {*parts_of(new.workload(Folder.SINGLE, name))}
        for what, less in without(new.workload(Folder.SINGLE, name) or {}):
            if kept - {*parts_of(less)}:
                others = tuple(less if obj["metadata"]["name"] == name and obj["kind"] == less["kind"] else obj
                               for obj in new.objects[file])  # fmt: skip
                fewer = PhaseManifests(new.files, {**new.objects, file: others})
                assert any(what in text for text in refusals(seen, objects, fewer)), (name, what)
                removed += 1
    assert removed > 100
