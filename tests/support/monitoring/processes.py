"""Processes of ovnguard-reconciler that answer scrapes."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType

from tests.support.deployed.running import PROGRAM
from tests.support.monitoring.scrapes import Scrape, State, scrape, settled
from tests.support.paths import ROOT
from tests.testbed.apiserver import free_port
from tests.testbed.process import Child


class Processes:
    """Processes by name; each keeps its port when it starts again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ports: dict[str, int] = {}
        self.children: dict[str, Child] = {}

    def start(self, name: str, *args: str | Path, periods: Mapping[str, float] = MappingProxyType({})) -> None:
        """Start `ovnguard-reconciler`; ``periods`` are those that `hastened` sets."""
        port = self._ports.setdefault(name, free_port())
        shorter = [f"{place}={seconds}" for place, seconds in periods.items()]
        hastened = [sys.executable, "-m", "tests.support.monitoring.hastened", *shorter, "--"]
        argv = [*(hastened if shorter else [PROGRAM]), *args, "--metrics-bind-address", f"127.0.0.1:{port}"]
        env = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        self.children[name] = Child(name, argv, self._folder / f"{name}.log", env)

    def stop(self, *names: str) -> None:
        """Stop processes by name."""
        for name in names:
            self.children.pop(name).stop()

    def read(self, name: str) -> Scrape:
        """Scrape a process; raises OSError while it does not answer."""
        return scrape(self._ports[name])

    def state(
        self,
        name: str,
        holds: Callable[[Scrape], bool] = lambda _: True,
        grows: Callable[[Scrape], float] | None = None,
    ) -> State:
        """Two scrapes of a process, as `settled` says."""
        return settled(partial(self.read, name), holds, grows)


@contextmanager
def processes(folder: Path) -> Iterator[Processes]:
    """Processes that are stopped at the end."""
    made = Processes(folder)
    try:
        yield made
    finally:
        made.stop(*made.children)
