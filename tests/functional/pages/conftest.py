"""A real browser for the tests of pages."""

from collections.abc import Iterator

import pytest

from tests.testbed.chromium import Chromium
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts


@pytest.fixture(scope="module")
def chromium(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    need(parts, "chromium")
    with Chromium(parts["chromium"], tmp_path_factory.mktemp("chromium") / "chromium.log") as browser:
        yield browser
