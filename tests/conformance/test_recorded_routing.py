"""The objects, conditions and Events about routes are those that OVN-Kubernetes' cluster manager wrote.

`python -m tests.support.recorded_routing` prints the differences.
"""

import pytest

from tests.support.recorded_routing import differences, planned_from, recordings, written_objects

# Differences by recording, with the reason of each.
EXPLAINED: dict[str, dict[str, str]] = {}


@pytest.mark.parametrize("name", recordings())
def test_routes_are_made_as_recorded(name: str) -> None:
    found = {each.partition(":")[0]: each for each in differences(name)}
    unexplained = [text for what, text in found.items() if what not in EXPLAINED.get(name, {})]
    assert not unexplained, "\n".join(unexplained)
    assert set(EXPLAINED.get(name, {})) <= found.keys()


@pytest.mark.parametrize("name", recordings())
def test_what_is_written_needs_no_change(name: str) -> None:
    """A plan of the objects with what the cluster manager wrote asks for the same objects, and patches none."""
    fresh, again = planned_from(name), planned_from(name, fresh=False)
    generated = {what for what in written_objects(fresh["documents"]) if what.startswith("FRRConfiguration")}
    assert {what for what in written_objects(again["documents"]) if what.startswith("FRRConfiguration")} == generated
    assert again["patches"] == []
