"""The steps of a day run in the order of their file, whatever the order of other tests is."""

from pathlib import Path

import pytest

_HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort what a plugin has shuffled; the steps stay where they are among the other tests."""
    places = [index for index, item in enumerate(items) if item.path.parent == _HERE]
    steps = sorted((items[index] for index in places), key=_line)
    for index, step in zip(places, steps, strict=True):
        items[index] = step


def _line(item: pytest.Item) -> tuple[str, int]:
    return str(item.path), item.reportinfo()[1] or 0
