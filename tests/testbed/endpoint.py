"""The endpoints of a lab (pods, VM-like machines, outside hosts): what they send and receive."""

import contextlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface
from pathlib import Path

from tests.testbed import netns
from tests.testbed.parts import Part
from tests.testbed.process import BedError, Child, wait_until

DEVICE = "eth0"
_START_SECONDS = 60.0
_TALK = Path(__file__).with_name("talk.py")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server told its client: its name, and the client's address as it saw it."""

    name: str
    peer: str


class Stream:
    """A TCP connection that counts on and on; `count` is the last number that came back."""

    def __init__(self, child: Child) -> None:
        self.child = child
        wait_until(lambda: "hello" in child.tail(1000), child.name, _START_SECONDS, [child])
        hello = json.loads(child.tail(1_000_000).split("hello ", 1)[1].splitlines()[0])
        self.answer = Answer(hello["name"], hello["peer"])

    @property
    def count(self) -> int:
        """The last number that came back; BedError when the connection broke."""
        self.child.check()
        *_, last = self.child.tail(1).splitlines() or ["0"]
        return int(last) if last.isdigit() else 0

    def wait_more(self, seconds: float = 60.0) -> None:
        """Return when some more numbers, sent after now, came back."""
        before = self.count
        # a few may have been on their way already
        wait_until(lambda: self.count > before + 5, f"more of {self.child.name}", seconds, [self.child])


class Capture:
    """Packets seen on a link while the context lasts, as lines of tcpdump with link-level headers."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def lines(self, pattern: str = "") -> list[str]:
        """The packets so far whose line matches a regular expression."""
        found = self._child.tail(1_000_000).splitlines()
        return [line for line in found if line[:1].isdigit() and re.search(pattern, line)]

    def wait(self, pattern: str, count: int = 1) -> list[str]:
        """The lines that match, as soon as there are `count` of them; BedError after a minute."""
        wait_until(lambda: len(self.lines(pattern)) >= count, f"{count} packets like {pattern}", 60.0, [self._child])
        return self.lines(pattern)


def capture(
    stack: contextlib.ExitStack, tools: Part, where: netns.Namespace, log: Path, device: str, expression: str
) -> Capture:
    """Start tcpdump in a namespace; it has begun to look when this returns."""
    options = ["-n", "-e", "-l", "-s", "0", "--immediate-mode", "-Z", "root", "-i", device]
    argv = where.inside([tools.tool("tcpdump"), *options, *expression.split()])
    child = stack.enter_context(Child(f"tcpdump on {device} of {where.name}", argv, log))
    wait_until(lambda: "listening on" in child.tail(1000), child.name, _START_SECONDS, [child])
    return Capture(child)


@contextlib.contextmanager
def captured(tools: Part, where: netns.Namespace, device: str, log: Path, expression: str = "") -> Iterator[Capture]:
    """See packets on a device of a namespace."""
    with contextlib.ExitStack() as stack:
        yield capture(stack, tools, where, log, device, expression)


class Endpoint:
    """A machine with one link. Made by a lab; ends with it."""

    def __init__(
        self, name: str, namespace: netns.Namespace, tools: Part, addresses: Sequence[str], directory: Path
    ) -> None:
        self.name, self.namespace, self.addresses = name, namespace, tuple(addresses)
        self._tools, self._directory = tools, directory
        self._cleanup = contextlib.ExitStack()
        self._runs = 0

    def ip(self, version: int) -> str:
        """Its first address of a family, without length."""
        own = (ip_interface(address).ip for address in self.addresses)
        return next(str(address) for address in own if address.version == version)

    def configure(self, gateways: Sequence[str], mac: str, mtu: int, advertised: bool) -> None:
        """Set up the link: complete checksums, no waiting for duplicate addresses."""
        ns = self.namespace
        values = {"accept_dad": 0, "accept_ra": 2 if advertised else 0}
        writes = " && ".join(f"echo {value} > {key}" for key, value in values.items())
        ns.run("sh", "-c", f"[ ! -e /proc/sys/net/ipv6 ] || {{ cd /proc/sys/net/ipv6/conf/{DEVICE} && {writes}; }}")
        ns.run(self._tools.tool("ethtool"), "-K", DEVICE, "tx", "off")
        ns.ip_batch(
            ["link", "set", DEVICE, "down"],
            ["link", "set", DEVICE, *(["address", mac] if mac else []), "mtu", str(mtu), "up"],
            *(ns.address_command(DEVICE, address) for address in self.addresses),
        )
        for gateway in gateways:
            family = "-6" if ":" in gateway else "-4"
            ns.ip(family, "route", "replace", "default", "via", gateway, "dev", DEVICE)

    def ping(self, address: str, count: int = 1, seconds: int = 30) -> None:
        """Send echo requests until `count` are answered; BedError with ping's words otherwise."""
        # the first may be lost while neighbours are asked for
        argv = ["-n", "-i", "0.1", "-c", str(count), "-w", str(seconds), address]
        self.namespace.run(self._tools.tool("ping"), *argv, seconds=seconds + 5)

    def reaches(self, address: str, seconds: int = 2) -> bool:
        """Whether an echo request is answered within some seconds."""
        try:
            self.ping(address, seconds=seconds)
        except BedError:
            return False
        return True

    def serve(self, kind: str, port: int) -> None:
        """Run a server on `tcp` or `udp` for as long as the endpoint lives."""
        child = self._talk("serve", kind, str(port), self.name)
        wait_until(lambda: "ready" in child.tail(), child.name, _START_SECONDS, [child])

    def ask(self, kind: str, address: str, port: int, size: int = 1000, seconds: float = 30.0) -> Answer:
        """Send bytes to a server and get them back; BedError when that fails. UDP sends them in one datagram, again and
        again, and gets back a few more.
        """
        argv = self._argv("ask", kind, address, str(port), str(size), str(seconds))
        answer = json.loads(self.namespace.run(*argv, seconds=seconds + 10))
        return Answer(answer["name"], answer["peer"])

    def survey(self, addresses: Sequence[str], port: int, seconds: float) -> dict[str, str]:
        """Ask the TCP servers at some addresses at once: the names of those that answer within some seconds."""
        argv = self._argv("survey", str(port), str(seconds), *addresses)
        return dict(json.loads(self.namespace.run(*argv, seconds=seconds + 30)))

    def stream(self, address: str, port: int) -> Stream:
        """Open a TCP connection that lives on while the endpoint does."""
        return Stream(self._talk("stream", address, str(port)))

    @contextlib.contextmanager
    def running(self, name: str, argv: Sequence[str | Path]) -> Iterator[Child]:
        """Run a program while the context lasts."""
        with Child(name, self.namespace.inside(argv), self._log("run")) as child:
            yield child

    @contextlib.contextmanager
    def pinging(self, address: str, interval: float) -> Iterator[Child]:
        """Send echo requests while the context lasts; the log says when which of them was answered."""
        argv: list[str | Path] = [self._tools.tool("ping"), "-n", "-D", "-i", str(interval), address]
        with self.running(f"ping of {address} by {self.name}", argv) as child:
            yield child

    @contextlib.contextmanager
    def capture(self, expression: str = "", device: str = DEVICE) -> Iterator[Capture]:
        """See packets that pass its link; `expression` as tcpdump takes it."""
        with contextlib.ExitStack() as stack:
            yield capture(stack, self._tools, self.namespace, self._log("tcpdump"), device, expression)

    def neighbour(self, address: str) -> str:
        """The MAC that it knows for an address on its link, "" when it knows none."""
        found = self.namespace.ip_json("neighbour", "show", "to", address, "dev", DEVICE)
        return next((str(entry["lladdr"]) for entry in found if "lladdr" in entry), "")

    def forget(self, address: str) -> None:
        """Let it ask for an address on its link again, whatever it knows."""
        self.namespace.ip("neighbour", "flush", "to", address, "dev", DEVICE)

    def path_mtu(self, address: str) -> int | None:
        """The MTU that it learnt for the way to an address, None when nobody complained."""
        (found,) = self.namespace.ip_json("route", "get", address)
        return next((int(each["mtu"]) for each in found.get("metrics", ()) if "mtu" in each), None)

    def advertised_mtu(self) -> int:
        """The MTU of IPv6 packets on its link: the device's, or what a router advertised since."""
        return int(self.namespace.run("cat", f"/proc/sys/net/ipv6/conf/{DEVICE}/mtu"))

    def routes(self, family: str = "-6") -> list[dict[str, object]]:
        """Its routes of a family."""
        return self.namespace.ip_json(family, "route", "show")

    def solicit(self) -> None:
        """Ask for router advertisements, as a kernel does when its link comes up."""
        self.namespace.run(*self._argv("solicit", DEVICE))

    def stop(self) -> None:
        """End what it runs."""
        self._cleanup.close()

    def _log(self, what: str) -> Path:
        self._runs += 1
        return self._directory / f"{self.name}-{what}-{self._runs}.out"

    def _talk(self, *args: str) -> Child:
        name = f"{args[0]} of {self.name}"
        return self._cleanup.enter_context(Child(name, self.namespace.inside(self._argv(*args)), self._log(args[0])))

    @staticmethod
    def _argv(*args: str) -> list[str | Path]:
        return [sys.executable, "-I", _TALK, *args]
