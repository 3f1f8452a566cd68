"""The state machine over the operator's own manifests of 4.13 and 4.14, self-hosted and HyperShift."""

from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.validators.network.cluster.workloads import containers
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload, workload_of
from tests.support.deployed.pod_probes import asks_for, probes
from tests.support.paths import ROOT
from tests.support.rollout import rollout_states as at
from tests.support.rollout.operator_templates import BEFORE, RELEASE, manifests
from tests.support.rollout_model.cluster import ASSUMED, MULTI, OLD, SINGLE, Template, Templates
from tests.support.rollout_model.settings import CASES
from tests.support.rollout_model.trace import shown
from tests.support.soak import limit

PAGE = (ROOT / "docs" / "ic-upgrade.md").read_text(encoding="utf-8")
NODE, MASTER, PLANE = "ovnkube-node", "ovnkube-master", "ovnkube-control-plane"
FOLDERS = {OLD: Folder.LEGACY, SINGLE: Folder.SINGLE, MULTI: Folder.FINAL}


def of_flavour(flavour: Flavour) -> PhaseManifests:
    old, new = (manifests(release, flavour) for release in (BEFORE, RELEASE))
    own = {f"4.13/{file}": objects for file, objects in old.objects.items()}
    legacy = {Folder.LEGACY: tuple(f"4.13/{file}" for file in old.files[Folder.LEGACY])}
    return PhaseManifests({**new.files, **legacy}, {**new.objects, **own})


def template(found: PhaseManifests, folder: Folder, name: str, *, probed: bool | None = None) -> Template:
    """What a template shows to the decision, and whether its pods can become ready."""
    workload = found.workload(folder, name)
    assert workload is not None
    read = workload_of(workload, workload["kind"])
    probes = any("readinessProbe" in each for _, each in containers(workload))
    return Template(workload["kind"], read.interconnect, read.zone_mode, probes if probed is None else probed)


def templates(found: PhaseManifests, **probed: bool) -> Templates:
    return Templates(
        tuple((key, template(found, folder, NODE, probed=probed.get(key))) for key, folder in FOLDERS.items()),
        tuple((key, template(found, FOLDERS[key], MASTER)) for key in (OLD, SINGLE)),
        template(found, Folder.FINAL, PLANE),
    )


@pytest.mark.parametrize("flavour", Flavour)
def test_the_model_takes_the_templates_to_be_what_they_are(flavour: Flavour) -> None:
    assert templates(of_flavour(flavour)) == ASSUMED[flavour]


@pytest.mark.parametrize("flavour", Flavour)
def test_the_states_of_the_decision_table_have_the_operators_workloads(flavour: Flavour) -> None:
    found = of_flavour(flavour)
    kind = "StatefulSet" if flavour is Flavour.MANAGED else "DaemonSet"
    states = {(NODE, Folder.LEGACY): at.node(), (NODE, Folder.SINGLE): at.single(), (NODE, Folder.FINAL): at.multi(),
              (MASTER, Folder.LEGACY): at.master(kind=kind), (MASTER, Folder.SINGLE): at.master_ic(kind=kind),
              (PLANE, Folder.FINAL): at.plane()}  # fmt: skip

    def shape(workload: Workload) -> tuple[Any, ...]:
        return workload.kind, workload.name, workload.interconnect, workload.zone_mode

    for (name, folder), state in states.items():
        real = found.workload(folder, name)
        assert real is not None
        assert shape(workload_of(real, real["kind"])) == shape(state), (name, folder)


@limit(120)
@pytest.mark.parametrize("name", ["4.14.14", "4.14.14, hosted", "downgrade to 4.13", "downgrade to 4.13, hosted"])
def test_every_run_over_the_operators_manifests_keeps_the_invariants_and_ends(name: str) -> None:
    case = CASES[name]
    setting = case.setting._replace(templates=templates(of_flavour(case.setting.flavour)))
    result = case._replace(setting=setting).explore()
    assert not result.problem, shown(result.problem, result.trace)
    assert f"| {name} | {result.states:,} | {result.transitions:,} |" in PAGE


@pytest.mark.parametrize("key", [SINGLE, MULTI])
def test_without_its_probe_a_template_ends_no_phase(key: str) -> None:
    case = CASES["4.14.14"]
    setting = case.setting._replace(templates=templates(of_flavour(Flavour.SELF_HOSTED), **{key: False}))
    assert case._replace(setting=setting).explore().problem == "the upgrade stops before its end"


def probe_rows(flavour: Flavour) -> list[list[str]]:
    """Workload, folders, container and what its readiness probe asks for, as the page lists them."""
    found, rows = of_flavour(flavour), dict[tuple[str, str, str], list[str]]()
    for name in (NODE, MASTER):
        for folder in (Folder.LEGACY, Folder.SINGLE, Folder.FINAL):
            for container, command in probes(found.workload(folder, name) or {}):
                asked = asks_for(command) or "state of a clustered database"
                rows.setdefault((name, container, asked), []).append(str(folder))
    return [[name, ", ".join(folders), container, asked] for (name, container, asked), folders in rows.items()]


@pytest.mark.parametrize("flavour", Flavour)
def test_the_page_lists_each_readiness_probe_and_whether_the_tests_follow_it(flavour: Flavour) -> None:
    _, _, table = PAGE.partition("| workload | folders | container |")
    lines = [line for line in table.partition("\n\n")[0].splitlines()[2:] if "ovnkube-control-plane" not in line]
    listed = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[:4] for row in listed] == probe_rows(flavour)
    assert all(row[4].startswith("no: " if "clustered" in row[3] else "yes") for row in listed)
