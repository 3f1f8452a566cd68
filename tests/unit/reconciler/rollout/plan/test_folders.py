"""The folders contain what the design lists, and every link resolves."""

import pytest

from ovnguard.reconciler.rollout.plan.folders import FILES, PURPOSES, link_of
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder

LISTED = {
    (Flavour.SELF_HOSTED, Folder.SINGLE): {
        "005-service",
        "alert-rules-control-plane",
        "monitor-master",
        "ovnkube-master",
        "ovnkube-node",
    },
    (Flavour.SELF_HOSTED, Folder.TEMPORARY): {
        "alert-rules-control-plane",
        "monitor-control-plane",
        "monitor-master",
        "ovnkube-control-plane",
        "ovnkube-master",
        "ovnkube-node",
    },
    (Flavour.SELF_HOSTED, Folder.FINAL): {
        "alert-rules-control-plane",
        "monitor-control-plane",
        "ovnkube-control-plane",
        "ovnkube-node",
    },
}


@pytest.mark.parametrize(("flavour", "folder"), LISTED)
def test_files_of_a_cluster_with_its_own_control_plane(flavour: Flavour, folder: Folder) -> None:
    assert {file.removesuffix(".yaml") for file in FILES[flavour][folder]} == LISTED[flavour, folder]


@pytest.mark.parametrize("folder", [Folder.SINGLE, Folder.TEMPORARY])
def test_a_hosted_cluster_adds_the_service_and_the_route(folder: Folder) -> None:
    added = set(FILES[Flavour.MANAGED][folder]) - set(FILES[Flavour.SELF_HOSTED][folder])
    expected = {"008-route.yaml"} if folder is Folder.SINGLE else {"005-service.yaml", "008-route.yaml"}
    assert added == expected
    assert FILES[Flavour.MANAGED][Folder.FINAL] == FILES[Flavour.SELF_HOSTED][Folder.FINAL]


@pytest.mark.parametrize("flavour", Flavour)
def test_links_of_the_temporary_folder_resolve(flavour: Flavour) -> None:
    links = {file: link_of(Folder.TEMPORARY, file) for file in FILES[flavour][Folder.TEMPORARY]}
    assert links.pop("alert-rules-control-plane.yaml") is None
    for file, link in links.items():
        assert link is not None
        _, source, name = link.split("/")
        assert name == file
        assert file in FILES[flavour][Folder(source)]
    assert links["ovnkube-node.yaml"] == "../multi-zone-interconnect/ovnkube-node.yaml"
    assert links["ovnkube-master.yaml"] == "../single-zone-interconnect/ovnkube-master.yaml"
    assert link_of(Folder.FINAL, "ovnkube-node.yaml") is None


def test_every_file_has_a_purpose() -> None:
    assert {file for folders in FILES.values() for files in folders.values() for file in files} == {*PURPOSES} - {
        "common"
    }
