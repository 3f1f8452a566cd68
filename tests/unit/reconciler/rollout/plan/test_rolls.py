import pytest

from ovnguard.reconciler.rollout.plan.rolls import Delta, delta
from ovnguard.validators.network.cluster.release import release_of


@pytest.mark.parametrize(
    ("version", "release", "expected"),
    [
        ("4.13.40", "4.14.14", Delta.UPGRADE),
        ("4.14.9", "4.14.14", Delta.UPGRADE),
        ("4.14.14", "4.14.14", Delta.SAME),
        ("4.14.20", "4.14.14", Delta.DOWNGRADE),
        ("4.14.14", "4.13.40", Delta.DOWNGRADE),
        ("4.14.0-rc.2", "4.14.0", Delta.UPGRADE),
        ("4.14.0-rc.10", "4.14.0-rc.9", Delta.DOWNGRADE),
        ("4.14.0-rc.1", "4.14.0-rc.a", Delta.UPGRADE),
        ("4.14.0-0.nightly-2023-10-01-000000", "4.14.0-0.nightly-2023-10-02-000000", Delta.UPGRADE),
        (None, "4.14.14", Delta.UNKNOWN),
        ("new", "4.14.14", Delta.UNKNOWN),
    ],
)
def test_what_a_workload_needs(version: str | None, release: str, expected: Delta) -> None:
    target = release_of(release)
    assert target is not None
    assert delta(version, target) is expected
