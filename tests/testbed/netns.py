"""Network namespaces that cannot be left behind: only a process of the test run holds each of them.

No name is written below /run/netns. When the holder ends - stopped by us, or killed by the kernel because the test run
died - its namespaces, links and addresses go with it.
"""

import contextlib
import functools
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tests.testbed.process import Child, call, unique, wait_until

_START_SECONDS = 60.0
_COMMANDS = ("ip", "unshare", "nsenter", "mount")

# Mounts stay in the namespace (unshare makes them private); /var/run is where FRR was built to put its sockets.
_HOLD = """\
set -e
mount --bind "$1/run" "$(readlink -f /var/run)"
ip link set lo up
: > "$1/ready"
exec sleep infinity
"""


@functools.cache
def why_not() -> str | None:
    """Why this machine gives us no network namespaces, or None when it does."""
    absent = [name for name in _COMMANDS if shutil.which(name) is None]
    if absent:
        return f"this machine has no {', '.join(absent)}"
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    argv = ["unshare", "--net", "--mount", "ip", "link", "set", "lo", "up"]
    tried = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return None if tried.returncode == 0 else f"no network namespace can be made here: {tried.stderr.strip()}"


class Namespace:
    """A network and mount namespace while the context lasts.

    `home` is a folder for it alone: home/run is its /var/run.
    """

    def __init__(self, label: str, home: Path) -> None:
        self.name, self.home = unique(label), home
        self._holder: Child | None = None

    def __enter__(self) -> Self:
        (self.home / "run").mkdir(parents=True, exist_ok=True)
        argv = ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", _HOLD, self.name, str(self.home)]
        holder = Child(f"namespace {self.name}", argv, self.home / "namespace.out")
        self._holder = holder
        try:
            wait_until((self.home / "ready").exists, holder.name, _START_SECONDS, [holder])
        except BaseException:
            holder.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._holder is not None:
            self._holder.stop()

    @property
    def pid(self) -> int:
        """The holder, by which other tools name the namespace."""
        assert self._holder is not None, "the namespace is used outside of its context"
        return self._holder.pid

    def inside(self, argv: Sequence[str | Path]) -> list[str | Path]:
        """The command line that runs `argv` in here; it execs, so the process id is the program's."""
        return ["nsenter", f"--target={self.pid}", "--net", "--mount", "--", *argv]

    def run(self, *argv: str | Path, seconds: float = 60.0, env: Mapping[str, str] | None = None) -> str:
        """Run a command in here to its end; its output, or BedError."""
        return call(self.inside(argv), seconds, env)

    def ip(self, *args: str) -> str:
        """`ip ARGS` in here."""
        return self.run("ip", *args)

    def ip_batch(self, *commands: Sequence[str]) -> None:
        """`ip ARGS` in here for each of `commands`, in one process: starting one takes longer than what it does."""
        batch = self.home / "ip.batch"
        batch.write_text("".join(f"{' '.join(args)}\n" for args in commands), encoding="utf-8")
        self.ip("-batch", str(batch))

    def ip_json(self, *args: str) -> list[dict[str, Any]]:
        """`ip -json ARGS` in here."""
        listed: list[dict[str, Any]] = json.loads(self.ip("-json", *args) or "[]")
        return listed

    def add_address(self, device: str, address: str) -> None:
        """Give a device an address with prefix; IPv6 without duplicate address detection, which would take seconds."""
        self.ip(*self.address_command(device, address))

    @staticmethod
    def address_command(device: str, address: str) -> Sequence[str]:
        """The arguments of `ip` for `add_address`."""
        return ["address", "add", address, "dev", device, *(["nodad"] if ":" in address else [])]

    def forward(self) -> None:
        """Let it route packets between its links, as a node does."""
        paths = ("ipv4/ip_forward", "ipv6/conf/all/forwarding")
        self.run(
            "sh", "-c", "; ".join(f"[ ! -e /proc/sys/net/{path} ] || echo 1 > /proc/sys/net/{path}" for path in paths)
        )

    def trust_addresses(self) -> None:
        """Use IPv6 addresses of links that are made later at once, without looking for duplicates for a second."""
        path = "/proc/sys/net/ipv6/conf/default/accept_dad"
        self.run("sh", "-c", f"[ ! -e {path} ] || echo 0 > {path}")

    def mute(self, *devices: str) -> None:
        """Keep the kernel from speaking IPv6 on these links, and on every one made later when none is named."""
        for device in devices or ("default",):
            path = f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6"
            self.run("sh", "-c", f"[ ! -e {path} ] || echo 1 > {path}")


class Segment(Namespace):
    """A namespace whose bridge is one layer 2 segment; others are plugged into it."""

    def __enter__(self) -> Self:
        super().__enter__()
        with contextlib.ExitStack() as undo:
            undo.callback(super().__exit__)
            self.mute()
            bridge = ["link", "add", "segment", "type", "bridge", "forward_delay", "0"]
            self.ip_batch(bridge, ["link", "set", "segment", "up"])
            undo.pop_all()
        self._ports = 0
        return self

    def plug(self, other: Namespace, device: str = "eth0") -> None:
        """Make `device` in the other namespace a port of this segment, and set it up."""
        self._ports += 1
        port = f"port{self._ports}"
        cable = ["link", "add", port, "type", "veth", "peer", "name", device, "netns", str(other.pid)]
        self.ip_batch(cable, ["link", "set", port, "master", "segment", "up"])
        other.ip("link", "set", device, "up")
