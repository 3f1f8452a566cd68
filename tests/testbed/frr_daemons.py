"""Real FRR in one network namespace: mgmtd, zebra and bgpd, and vtysh to talk to them.

What FRR 10 wants and this file gives (learnt by running it): mgmtd next to zebra, or zebra retries forever; a group
`frrvty` that holds root, or zebra ends; a vtysh.conf that lets root in, or vtysh says nothing and exits 0. The group
is in an /etc/group of the namespace's own mounts; the host's is not touched.
"""

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.testbed import parts
from tests.testbed.netns import Namespace
from tests.testbed.process import BedError, CallError, Child, call, is_listening, scratch, wait_until

START_SECONDS = 60.0
LOCK_SECONDS = 60.0
_DAEMONS = ("mgmtd", "zebra", "bgpd")
_GROUP = "frrvty"
_VTYSH_CONF = "service integrated-vtysh-config\nusername root nopassword\n"
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


class FrrDaemons:
    """FRR of one machine; `name` is what errors call it. It runs from `start` on until the given stack ends."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ns: Namespace | None = None
        self._part: parts.Part | None = None
        self._directory = Path()
        self._undo = contextlib.ExitStack()
        self._children: dict[str, Child] = {}

    @property
    def namespace(self) -> Namespace:
        """The machine's namespace, to run other programs in."""
        assert self._ns is not None, f"node {self.name} is used outside of its lab"
        return self._ns

    @property
    def pids(self) -> dict[str, int]:
        """The process ids of its programs."""
        return {name: child.pid for name, child in self._children.items()}

    def start(self, namespace: Namespace, part: parts.Part, directory: Path, undo: contextlib.ExitStack) -> None:
        """Start the programs in a namespace, with logs in `directory`; they may not listen yet: `wait`."""
        self._ns, self._part, self._directory, self._undo = namespace, part, directory, undo
        home = namespace.home
        (home / "group").write_text(group_file(Path("/etc/group").read_text(encoding="utf-8")), encoding="utf-8")
        (home / "run" / "frr").mkdir(parents=True, exist_ok=True)
        (home / "vtysh.conf").write_text(_VTYSH_CONF, encoding="utf-8")
        namespace.run("mount", "--bind", home / "group", "/etc/group")
        undo.callback(self._children.clear)
        for daemon in _DAEMONS:
            self._start_daemon(daemon)
        undo.callback(self.terminate)

    def _start_daemon(self, daemon: str) -> None:
        assert self._part is not None
        # bgpd alone knows -S (do not change user); zebra and mgmtd have to be told to stay root.
        user = ["-S"] if daemon == "bgpd" else ["-u", "root", "-g", "root"]
        log = self._directory / f"{self.name}-{daemon}.log"
        quiet = ["-P", "0", "-A", "127.0.0.1", "--log", f"file:{log}", "--log-level", "warn"]
        argv = self.namespace.inside([self._part.tool(daemon), *user, *quiet])
        child = Child(f"{daemon} of {self.name}", argv, self._directory / f"{self.name}-{daemon}.out")
        self._children[daemon] = self._undo.enter_context(child)

    def wait(self) -> None:
        """Return when vtysh can talk to every program."""
        for daemon, child in self._children.items():
            socket = self.namespace.home / "run" / "frr" / f"{daemon}.vty"
            wait_until(partial(is_listening, socket), child.name, START_SECONDS, [child])

    def terminate(self) -> None:
        """Ask its programs to end and do not wait."""
        for child in self._children.values():
            child.terminate()

    def kill(self, daemon: str) -> None:
        """A program dies without a word (SIGKILL); returns when it is gone."""
        child = self._children.pop(daemon)
        os.kill(child.pid, signal.SIGKILL)
        child.process.wait()

    def revive(self, daemon: str, conf: str) -> None:
        """Start a program that was killed again, with its part of a configuration."""
        self._start_daemon(daemon)
        self.wait()
        if problems := self.load(conf):
            raise BedError(f"node {self.name} refuses its frr.conf: " + "; ".join(problems))

    def program(self, name: str) -> Path:
        """The path of one of its programs."""
        assert self._part is not None
        return self._part.tool(name)

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
