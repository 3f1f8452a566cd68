"""Programs come from absolute folders of PATH."""

import os

import pytest

from ovnguard.validators.commandline.search_path import absolute_search_path


@pytest.mark.parametrize(
    ("given", "searched"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        (":/usr/bin:", "/usr/bin"),
        (".:/usr/bin:./bin:bin:..:/bin", "/usr/bin:/bin"),
        ("/opt/../bin", "/opt/../bin"),
        (".", os.defpath),
        ("", os.defpath),
        (None, os.defpath),
    ],
)
def test_relative_folders_are_left_out(given: str | None, searched: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if given is None:
        monkeypatch.delenv("PATH")
    else:
        monkeypatch.setenv("PATH", given)
    assert absolute_search_path() == searched
