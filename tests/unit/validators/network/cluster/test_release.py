from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.release import Release, release_of, target_release
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.14.13", Release(4, 14, 13, "4.14.13")),
        ("4.14.0", Release(4, 14, 0, "4.14.0")),
        ("4.14.0-rc.1", Release(4, 14, 0, "4.14.0-rc.1")),
        ("4.14.0-0.nightly-2023-10-01-000000", Release(4, 14, None, "4.14.0-0.nightly-2023-10-01-000000")),
        ("4.14", None),
        ("v4.14.1", None),
        ("4.014.1", None),
        ("4.14.1\n", None),
        ("4.14.٣", None),
        (4.14, None),
        (None, None),
    ],
)
def test_a_version_is_read(text: object, expected: Release | None) -> None:
    assert release_of(text) == expected


def cluster_version(spec: Any = None, **status: Any) -> dict[str, Any]:
    return {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "spec": spec, "status": status}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (cluster_version(desired={"version": "4.14.2"}, history=[{"version": "4.13.1"}]), "4.14.2"),
        (cluster_version({"desiredUpdate": {"version": "4.14.3"}}, history=[{"version": "4.13.1"}]), "4.14.3"),
        (cluster_version(history=[{"version": "4.14.1"}, {"version": "4.13.1"}]), "4.14.1"),
        (cluster_version(desired="4.14.1", history="4.14.1"), None),
        (cluster_version(history=[]), None),
    ],
)
def test_the_release_is_what_the_cluster_is_brought_to(obj: dict[str, Any], expected: str | None) -> None:
    view = ObjectsView([obj])
    found = target_release(inventory_of(view))
    assert (found.text if found else None) == expected


def test_no_release_is_known_where_nobody_or_several_say_it() -> None:
    assert target_release(inventory_of(EmptyView())) is None
    view = ObjectsView([cluster_version(desired={"version": "4.14.2"}), cluster_version(desired={"version": "4.14.3"})])
    assert target_release(inventory_of(view)) is None
