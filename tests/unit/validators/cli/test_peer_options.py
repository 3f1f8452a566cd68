"""An option of another validator is none here, and its hint names one that is."""

import re

import pytest

from ovnguard.validators.cli.peer_options import PEER_OPTIONS
from ovnguard.validators.cli.preflight_options import parser


@pytest.mark.parametrize("name", PEER_OPTIONS)
def test_the_hint_names_options_that_exist(name: str) -> None:
    known = parser().known
    assert f"--{name}" not in known
    assert set(re.findall(r"--[a-z-]+", PEER_OPTIONS[name])) <= known.keys()
