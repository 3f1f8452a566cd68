"""What tests of zones have in common."""

import logging

import pytest


@pytest.fixture
def everything_is_heard(caplog):
    caplog.set_level(logging.INFO)
