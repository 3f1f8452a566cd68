"""The data of the built-in types: every kind of every release can be made from it."""

import pytest

from ovnguard.crd_schemas import BUILT_IN_TYPES
from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from ovnguard.validators.built_in.type_names import shown_name
from ovnguard.validators.built_in.types import Types
from ovnguard.validators.bundled.catalog import GroupVersionKind
from ovnguard.validators.cli.built_in_kinds import groups, is_built_in

MOST_BYTES = 512 * 1024
VERSIONS = [f"v{number}{stage}" for number in (1, 2) for stage in ("", "beta1", "beta2", "beta3", "alpha1", "alpha3")]
KINDS = ("Deployment", "Pod", "Ingress", "ClusterRole", "FlowSchema", "ResourceClaim", "StorageClass")


def test_the_data_is_small() -> None:
    assert BUILT_IN_TYPES.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("release", range(OLDEST_MINOR, NEWEST_MINOR + 1))
def test_every_release_has_the_types_of_its_kinds(release: int) -> None:
    types = Types(release)
    for version, kind in (("v1", "Pod"), ("apps/v1", "Deployment"), ("batch/v1", "CronJob"), ("v1", "Secret")):
        struct = types.of_kind(version, kind)
        assert struct is not None
        assert {"apiVersion", "kind", "metadata"} <= struct.by_key.keys()


def test_what_has_types_is_known_as_built_in() -> None:
    types = Types(NEWEST_MINOR)
    found = [(group, version, kind) for group in groups() for version in VERSIONS for kind in KINDS]
    typed = [each for each in found if types.of_kind("/".join(filter(None, each[:2])), each[2])]
    assert len(typed) > len(KINDS)
    assert all(is_built_in(GroupVersionKind(*each)) for each in typed)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("string", "string"),
        ("v1.Protocol=string", "v1.Protocol"),
        ("[]v1.Protocol=string", "[]v1.Protocol"),
        ("[]@io.k8s.api.core.v1.Container", "[]v1.Container"),
        ("{}bytes", "map[string][]uint8"),
        ("{}time", "map[string]v1.Time"),
        ("map[v1.ResourceName]v1.Status={}v1.Status=string", "map[v1.ResourceName]v1.Status"),
    ],
)
def test_a_type_as_go_prints_it(text: str, shown: str) -> None:
    assert shown_name(text) == shown
