"""Runs of the preflight start in the checkout, so that examples have short names."""

import pytest

from tests.support.paths import ROOT


@pytest.fixture(autouse=True)
def _in_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)
