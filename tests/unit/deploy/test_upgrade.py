"""Today's overlays after those of 0.1.0: what is left over is known, and no field changes that cannot."""

from functools import reduce

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


def field(document, keys):
    """The value of a field, by the keys that lead to it."""
    return reduce(lambda value, key: value.get(key, {}), keys, document)


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
    compared = [each for each in former(name) if each["kind"] in IMMUTABLE and identity(each) in today]
    for old in compared:
        keys = IMMUTABLE[old["kind"]]
        assert field(old, keys) == field(today[identity(old)], keys), identity(old)
    assert len(compared) > 8
