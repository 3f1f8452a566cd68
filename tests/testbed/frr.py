"""Real FRR: nodes in network namespaces on one segment, each with mgmtd, zebra and bgpd, and vtysh to talk to them.

What FRR 10 wants and this file gives (learnt by running it): mgmtd beside zebra, or zebra retries for ever; a group
`frrvty` that holds root, or zebra ends; a vtysh.conf that lets root in, or vtysh says nothing and exits 0. The group
stands in an /etc/group of the node's mount namespace; the host's is not touched.
"""

import contextlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from tests.testbed import netns, parts
from tests.testbed.process import BedError, CallError, Child, call, scratch, wait_until

START_SECONDS = 60.0
ESTABLISHED_SECONDS = 100.0
_DAEMONS = ("mgmtd", "zebra", "bgpd")
_GROUP = "frrvty"
_VTYSH_CONF = "service integrated-vtysh-config\nusername root nopassword\n"

LOCK_SECONDS = 60.0
_LOCKED = "running datastore locked by another session"

# What vtysh prints about a configuration file that it does not understand or a daemon refuses.
_ERROR_LINE = re.compile(r"^(line \d+:|%)")


def group_file(text: str) -> str:
    """An /etc/group in which `frrvty` exists and holds root, whatever of this `text` already says."""
    lines, found = [], False
    taken = {line.split(":")[2] for line in text.splitlines() if line.count(":") == 3}
    for line in text.splitlines():
        fields = line.split(":")
        if fields[0] == _GROUP and len(fields) == 4:
            found = True
            members = list(dict.fromkeys([*filter(None, fields[3].split(",")), "root"]))
            lines.append(":".join([*fields[:3], ",".join(members)]))
        else:
            lines.append(line)
    if not found:
        number = next(str(gid) for gid in range(990, 100, -1) if str(gid) not in taken)
        lines.append(f"{_GROUP}:x:{number}:root")
    return "\n".join(lines) + "\n"


def error_lines(output: str) -> list[str]:
    """The complaints in what vtysh printed, each once: it repeats a line for every daemon that does not know it."""
    lines = [re.sub(r"\s+", " ", line.strip()) for line in output.splitlines()]
    return list(dict.fromkeys(line for line in lines if _ERROR_LINE.match(line)))


def check(conf: str, part: parts.Part | None = None) -> list[str]:
    """Dry run of a configuration (`vtysh -C`): its complaints about syntax, none when it parses. Needs no root.

    It knows no state, so an unknown peer-group or a second AS number passes here.
    """
    vtysh = (parts.find().frr if part is None else part).tool("vtysh")
    with scratch("check") as home:
        (home / "vtysh.conf").write_text(_VTYSH_CONF, encoding="utf-8")
        (home / "frr.conf").write_text(conf, encoding="utf-8")
        return _vtysh_file([vtysh, "--config_dir", home, "-C", "-f", home / "frr.conf"])


def _vtysh_file(argv: Sequence[str | Path]) -> list[str]:
    try:
        return error_lines(call(argv))
    except CallError as error:
        return error_lines(error.output) or [str(error)]


class FrrNode:
    """One node: a name, its addresses on the shared segment, the gateway addresses of its pod subnets, an frr.conf.

    Addresses are given with prefix length. Pod addresses sit on a link of their own (`pods0`), so that their subnets
    are connected routes, as they are on a node. Runs while its lab does.
    """

    def __init__(self, name: str, addresses: Sequence[str], conf: str, pods: Sequence[str] = ()) -> None:
        self.name, self.addresses, self.conf, self.pods = name, tuple(addresses), conf, tuple(pods)
        self._ns: netns.Namespace | None = None
        self._part: parts.Part | None = None
        self._children: list[Child] = []

    @property
    def namespace(self) -> netns.Namespace:
        """The node's namespace, to run other programs in."""
        assert self._ns is not None, f"node {self.name} is used outside of its lab"
        return self._ns

    @contextlib.contextmanager
    def running(self, part: parts.Part, segment: netns.Segment, directory: Path) -> Iterator[Self]:
        """The node on a segment, configured; BedError with vtysh's words when the configuration is refused."""
        with contextlib.ExitStack() as stack:
            home = stack.enter_context(scratch(self.name))
            (home / "group").write_text(group_file(Path("/etc/group").read_text(encoding="utf-8")), encoding="utf-8")
            (home / "run" / "frr").mkdir(parents=True)
            (home / "vtysh.conf").write_text(_VTYSH_CONF, encoding="utf-8")
            self._part, self._ns = part, stack.enter_context(netns.Namespace(self.name, home))
            stack.callback(self._children.clear)
            self._wire(segment)
            for daemon in _DAEMONS:
                self._children.append(stack.enter_context(self._daemon(daemon, directory)))
            stack.callback(self.terminate)
            sockets = [home / "run" / "frr" / f"{daemon}.vty" for daemon in _DAEMONS]
            wait_until(
                lambda: all(socket.exists() for socket in sockets),
                f"FRR of node {self.name}",
                START_SECONDS,
                self._children,
            )
            if problems := self.load(self.conf):
                raise BedError(f"node {self.name} refuses its frr.conf: " + "; ".join(problems))
            yield self

    def terminate(self) -> None:
        """Ask its programs to end and do not wait."""
        for child in self._children:
            child.terminate()

    def _wire(self, segment: netns.Segment) -> None:
        segment.plug(self.namespace)
        for address in self.addresses:
            self.namespace.add_address("eth0", address)
        self.namespace.ip("link", "add", "pods0", "type", "veth", "peer", "name", "pods1")
        for device in ("pods0", "pods1"):
            self.namespace.ip("link", "set", device, "up")
        for address in self.pods:
            self.namespace.add_address("pods0", address)
        self.namespace.forward()

    def _daemon(self, daemon: str, directory: Path) -> Child:
        assert self._part is not None
        # bgpd alone knows -S (do not change user); zebra and mgmtd have to be told to stay root.
        user = ["-S"] if daemon == "bgpd" else ["-u", "root", "-g", "root"]
        log = directory / f"{self.name}-{daemon}.log"
        quiet = ["-P", "0", "-A", "127.0.0.1", "--log", f"file:{log}", "--log-level", "warn"]
        argv = self.namespace.inside([self._part.tool(daemon), *user, *quiet])
        return Child(f"{daemon} of {self.name}", argv, directory / f"{self.name}-{daemon}.out")

    def _vtysh(self, *args: str | Path) -> list[str | Path]:
        assert self._part is not None
        return self.namespace.inside([self._part.tool("vtysh"), "--config_dir", self.namespace.home, *args])

    def vtysh(self, *commands: str) -> str:
        """Run commands in one vtysh; its output. BedError when one is refused."""
        output = call(self._vtysh(*(arg for command in commands for arg in ("-c", command))))
        if problems := error_lines(output):
            raise BedError(f"vtysh of {self.name}: " + "; ".join(problems))
        return output

    def json(self, command: str) -> Any:
        """The output of a `show ... json` command, decoded."""
        return json.loads(self.vtysh(command if command.endswith(" json") else f"{command} json"))

    def load(self, conf: str) -> list[str]:
        """Add a configuration to the running one (`vtysh -f`), and return the complaints.

        It is no transaction: lines after a bad one are still applied, and nothing that is absent is removed. Just after
        the start mgmtd may refuse with its datastore locked; then the whole file is loaded again, which adding allows.
        """
        file = self.namespace.home / "frr.conf"
        file.write_text(conf, encoding="utf-8")
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            problems = _vtysh_file(self._vtysh("-f", file))
            if not any(_LOCKED in problem for problem in problems) or time.monotonic() > deadline:
                return problems
            time.sleep(0.05)

    def peers(self) -> dict[str, str]:
        """The BGP peers of every address family and their states, `Established` for instance."""
        summary = self.json("show bgp summary")
        return {
            peer: state["state"]
            for family in summary.values()
            if isinstance(family, dict)
            for peer, state in family.get("peers", {}).items()
        }

    def bgp_routes(self, family: str = "-4") -> dict[str, str]:
        """What zebra put into the kernel for bgpd: destination -> next hop (`via`), or "" for several."""
        routes = self.namespace.ip_json(family, "route", "show", "proto", "bgp")
        return {route["dst"]: route.get("gateway", route.get("via", {}).get("host", "")) for route in routes}


class FrrLab:
    """Nodes on one segment while the context lasts; logs in `directory`. LookupError when FRR is missing."""

    def __init__(self, nodes: Sequence[FrrNode], directory: Path, part: parts.Part | None = None) -> None:
        self.nodes = {node.name: node for node in nodes}
        self._directory = directory
        self._part = parts.find().frr if part is None else part
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._part.tool("bgpd")
        self._directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            segment = undo.enter_context(netns.Segment("segment", undo.enter_context(scratch("segment"))))
            for node in self.nodes.values():
                undo.enter_context(node.running(self._part, segment, self._directory))
            self._cleanup = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes.values():
            node.terminate()
        self._cleanup.close()

    def __getitem__(self, name: str) -> FrrNode:
        return self.nodes[name]

    def wait_established(self, seconds: float = ESTABLISHED_SECONDS) -> None:
        """Return when every node has peers and each of them is Established; BedError naming the states otherwise."""
        states: dict[str, dict[str, str]] = {}

        def done() -> bool:
            states.update({name: node.peers() for name, node in self.nodes.items()})
            return all(peers and set(peers.values()) == {"Established"} for peers in states.values())

        try:
            wait_until(done, "BGP sessions", seconds)
        except BedError as error:
            raise BedError(f"{error}: {states}") from error
