"""Today's overlays after those of 0.1.0: what is left over is known, and no field changes that cannot."""

import pytest

from tests.support.manifests.former_release import LEFT_OVER, former
from tests.support.manifests.kustomized import DEPLOY, identity, overlay

OVERLAYS = sorted(folder.name for folder in (DEPLOY / "overlays").iterdir())
IMMUTABLE = {
    "Deployment": ("spec", "selector"),
    "DaemonSet": ("spec", "selector"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "Secret": ("type",),
}


@pytest.mark.parametrize("name", OVERLAYS)
def test_what_an_upgrade_leaves_over_has_the_label_that_finds_it(name):
    today = {identity(each) for each in overlay(name)}
    gone = {identity(each): each for each in former(name) if identity(each) not in today}
    assert set(gone) == LEFT_OVER.get(name, set())
    for each in gone.values():
        labels = each["metadata"]["labels"]
        assert labels["app.kubernetes.io/part-of"] == "ovnguard"
        assert "app.kubernetes.io/version" not in labels


@pytest.mark.parametrize("name", OVERLAYS)
def test_fields_that_cannot_change_are_kept(name):
    today = {identity(each): each for each in overlay(name)}
    compared = 0
    for old in former(name):
        if old["kind"] in IMMUTABLE and identity(old) in today:
            before, after = old, today[identity(old)]
            for key in IMMUTABLE[old["kind"]]:
                before, after = before.get(key), after.get(key)
            assert before == after, identity(old)
            compared += 1
    assert compared > 8
