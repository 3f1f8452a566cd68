"""Two replicas behind a balancer, an overlay that points to it, and clients that make the API server call them."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.deployed.balancer import Balancer
from tests.support.deployed.deployed import Kubectl
from tests.support.deployed.in_force import CUDNS, Deployed, Replica, cudn, overlay_applied, start_together
from tests.support.verdicts.server_verdicts import Client
from tests.testbed.apiserver import ApiServer

CLIENTS = 6
# seconds between two requests of a client
PAUSE = 0.02
GOOD, BAD = "10.81.0.0/16", "100.65.128.0/17"


@dataclass
class Pair:
    """Two replicas, what leads to them, and the cluster that asks."""

    cluster: Deployed
    replicas: list[Replica]
    balancer: Balancer


@contextmanager
def pair(
    api: ApiServer, kubectl: Kubectl, folder: Path, module: str = "", overlay: str = "kubernetes"
) -> Iterator[Pair]:
    """Both are started at the same moment, as a Deployment would."""
    with ExitStack() as undo:
        replicas = [Replica(api, folder / name, module=module) for name in ("one", "two")]
        balancer = undo.enter_context(Balancer([replica.port for replica in replicas]))
        cluster = Deployed(api, kubectl, folder, balancer.port, overlay=overlay)
        undo.enter_context(overlay_applied(cluster))
        for replica in replicas:
            undo.callback(replica.stop)
        start_together(replicas)
        cluster.until_asked()
        yield Pair(cluster, replicas, balancer)


@dataclass
class Noted:
    """What the clients met."""

    answered: int = 0
    failed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0


def ask(api: ApiServer, number: int, stop: threading.Event, noted: Noted) -> None:
    """Create networks as dry runs, good and bad ones by turns, on one connection to the API server."""
    client = Client(api)
    for count in itertools.count():
        if stop.wait(PAUSE):
            break
        good = count % 2 == 0
        began = time.monotonic()
        answer = client.send("POST", f"{CUDNS}?dryRun=All", cudn(f"r{number}-{count}", GOOD if good else BAD))
        noted.slowest = max(noted.slowest, time.monotonic() - began)
        text = answer.body.get("message", "")
        if answer.code == 500 and "failed calling webhook" in text:
            noted.failed.append(text)
        elif answer.code != (201 if good else 422) or ("user defined join subnet" in text) is good:
            noted.wrong.append(f"{answer.code} {text}")
        else:
            noted.answered += 1
    client.close()


@contextmanager
def load(api: ApiServer) -> Iterator[Noted]:
    """Clients at work while the block lasts."""
    stop, noted = threading.Event(), Noted()
    with ThreadPoolExecutor(CLIENTS) as pool:
        running = [pool.submit(ask, api, number, stop, noted) for number in range(CLIENTS)]
        try:
            yield noted
        finally:
            stop.set()
        for each in running:
            each.result(30)


def grows(noted: Noted, by: int) -> Callable[[], bool]:
    wanted = noted.answered + by
    return lambda: noted.answered >= wanted
