"""Each constant value of a topology row is that of OVN-Kubernetes; a failure names the source and the meaning."""

import pytest

from tests.support.topology_values import COMPUTED, VALUES, RowValue, found_values, map_keys


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.name)
def test_value(value: RowValue) -> None:
    found = found_values(value)
    assert found, f"no planned row of {value.scenario} is called {value.rows}"
    for name, cell in found:
        if cell != value.value:
            pytest.fail(
                f"{value.table} {name}: {value.column} is {cell!r} in the plan, but must be {value.value!r}: "
                f"{value.why} (source: {value.source})",
                pytrace=False,
            )


def test_the_table_has_every_key_of_a_map() -> None:
    listed = {f"{value.table} {value.column}" for value in VALUES if ":" in value.column}
    assert sorted(map_keys() - listed - COMPUTED) == [], (
        "add the key and its source to tests/support/topology_values.py"
    )
    assert sorted(COMPUTED & listed) == sorted(COMPUTED - map_keys()) == []


def test_each_row_of_the_table_has_its_own_name() -> None:
    names = [value.name for value in VALUES]
    assert len(set(names)) == len(names)
