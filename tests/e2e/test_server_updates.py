"""Updates of definitions and policies: the preflight and the real kube-apiserver say the same of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.soak import sized
from tests.support.verdicts.policy_client import Client
from tests.support.verdicts.server_updates import Update, definition_updates, differences, policy_updates
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

Asking = Callable[[Client, int, int], Iterator[Update]]

COUNT = sized(20, 300)


@pytest.mark.parametrize("asking", [definition_updates, policy_updates])
def test_decisions_messages_and_warnings_are_the_servers(apiserver: ApiServer, tmp_path: Path, asking: Asking) -> None:
    asked = list(asking(Client(apiserver), 35, COUNT))
    assert differences(asked, tmp_path) == []
    accepted = sum(each.status == 200 for each in asked)
    assert COUNT / 5 < accepted < COUNT * 4 / 5
