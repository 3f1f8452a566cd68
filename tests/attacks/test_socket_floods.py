"""Connections without a request take neither threads nor time from honest clients, whoever opens them.

``make soak`` runs the long form: 3,000 connections of each kind for ten minutes, each opened again when the server
closes it, while honest clients connect for each of 50 reviews a second.
"""

import contextlib
import json
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest

from ovnguard.webhook.server.gunicorn_app import CONNECTIONS
from ovnguard.webhook.server.worker import OF_ADDRESS, OF_OUTSIDERS
from tests.attacks.socket_floods import HELLO, Asked, Client, asking, closed, flood, held, threads
from tests.support.soak import SOAK, sized
from tests.support.webhook.webhook_load import children, reviews
from tests.support.webhook.webhook_process import EXAMPLES, Serving, serving
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing
MAY_ASK = "127.0.0.8/29"
HONEST, OTHER, REFUSED, PROBING = "127.0.0.9", "127.0.0.10", "127.0.0.2", "127.0.0.1"
ALLOWANCE = {HONEST: int(CONNECTIONS * OF_ADDRESS), OTHER: int(CONNECTIONS * OF_ADDRESS), REFUSED: OF_OUTSIDERS}
COUNT = sized(300, 3000)
SECONDS = sized(2.0, 600.0)
RATE = sized(10.0, 50.0)
TOGETHER = sized(200, 300)


@dataclass(frozen=True)
class Honest:
    """A webhook, and what its honest clients ask, by the seconds in which 99 of 100 are to be answered."""

    webhook: Serving
    clients: dict[str, tuple[Client, float, float]]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Honest]:
    folder: Path = tmp_path_factory.mktemp("flooded")
    options = ("--manifests", EXAMPLES / "nodes", "--client-network", MAY_ASK, "--metrics-port", "0")
    # one worker, so that it is known which connections it must close
    with serving(folder, *options, "--workers", sized("1", "2")) as webhook:
        trust = ssl.create_default_context(cafile=folder / "ca.crt")
        trust.check_hostname = False
        port = int(webhook.port)
        review = json.dumps(reviews()[0][0]).encode()
        clients = {
            "reviews": (Client(port, HONEST, trust, "POST", "/validate?timeout=5s", review), RATE, 0.5),
            "/healthz": (Client(port, PROBING, trust, "GET", "/healthz"), 1, 1),
            "/readyz": (Client(port, PROBING, trust, "GET", "/readyz"), 1, 3),
            "/metrics": (Client(webhook.metrics_port, PROBING, trust, "GET", "/metrics"), 1, 10),
        }
        yield Honest(webhook, clients)


@pytest.mark.parametrize("sent", [b"", HELLO], ids=["silent", "one byte of a hello"])
@pytest.mark.parametrize("source", [REFUSED, OTHER, HONEST], ids=["refused", "allowed", "of the honest clients"])
def test_connections_without_a_request_starve_nobody(honest: Honest, source: str, sent: bytes) -> None:
    attack = sized(held, flood)
    most = 0
    with contextlib.ExitStack() as stack:
        noted = {name: stack.enter_context(asking(client, rate)) for name, (client, rate, _) in honest.clients.items()}
        attackers = stack.enter_context(attack(int(honest.webhook.port), source, COUNT, sent))
        if isinstance(attackers, list):
            wait_until(lambda: sum(closed(attackers)) >= COUNT - ALLOWANCE[source], "surplus connections end", 4.5)
            ended = closed(attackers)
            assert ended == sorted(ended, reverse=True), "the oldest are closed"
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            most = max(most, *map(threads, children(honest.webhook.process.pid)))
            time.sleep(0.1)
    for name, asked in noted.items():
        print(f"{COUNT} from {source}, {len(sent)} bytes sent: at most {most} threads; {name}: {asked}")
        assert asked.failed == []
        assert asked.percentile(0.99) < (honest.clients[name][2] if SOAK else inf)
    assert most < ALLOWANCE[HONEST]


def test_honest_connections_that_come_together_are_all_answered(honest: Honest) -> None:
    """As of an API server that connects again: more than its allowance, and each with a request."""
    client, _, _ = honest.clients["reviews"]
    asked = Asked()
    with ThreadPoolExecutor(TOGETHER) as pool:
        for _ in range(TOGETHER):
            pool.submit(client.ask, asked, time.monotonic())
    print(f"{TOGETHER} at once: {asked}")
    assert asked.failed == []
    assert len(asked.seconds) == TOGETHER > ALLOWANCE[HONEST]
