"""The limit of open files is raised as far as it may be, and never lowered."""

import resource
import sys

import pytest

from ovnguard.webhook.server.open_files import allow_files, limit_of_files

NO_LIMIT = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("limits", "wanted", "after"),
    [
        ((1024, 4096), 3000, (3000, 4096)),
        ((1024, 2048), 3000, (2048, 2048)),
        ((1024, NO_LIMIT), 3000, (3000, NO_LIMIT)),
        ((4096, 4096), 3000, (4096, 4096)),
        ((NO_LIMIT, NO_LIMIT), 3000, (NO_LIMIT, NO_LIMIT)),
    ],
)
def test_the_limit_is_raised(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], wanted: int, after: tuple[int, int]
) -> None:
    found = [limits]
    monkeypatch.setattr(resource, "getrlimit", lambda _: found[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: found.append(given))
    allow_files(wanted)
    assert found[-1] == after
    assert limit_of_files() == (sys.maxsize if after[0] == NO_LIMIT else after[0])
