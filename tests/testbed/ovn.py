"""One OVN zone: its own Northbound and Southbound database and its own northd, as every node has it in OVN-Kubernetes'
interconnect mode. No chassis: nothing here moves packets, ovn-trace follows them through the logical flows.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from tests.testbed import parts
from tests.testbed.process import Child, call, is_listening, scratch, wait_until

START_SECONDS = 60.0
_COMMAND_SECONDS = 60

_DATABASES = {"nb": "ovn-nb.ovsschema", "sb": "ovn-sb.ovsschema"}


class OvnZone:
    """A zone while the context lasts. Logs stay in `directory`; databases and sockets live in memory.

    `name` is for people (log files, errors): nothing is written to the databases, not even NB_Global's name.
    Raises LookupError when OVN is missing, BedError when a program does not start.
    """

    def __init__(self, name: str, directory: Path, part: parts.Part | None = None) -> None:
        self.name, self.directory = name, directory
        self._part = parts.find().ovn if part is None else part
        self._cleanup = contextlib.ExitStack()
        self._children: dict[str, Child] = {}
        self._run = Path()

    @property
    def nb(self) -> str:
        """The remote of the Northbound database, as OVSDB clients take it."""
        return f"unix:{self._run / 'nb.sock'}"

    @property
    def sb(self) -> str:
        """The remote of the Southbound database."""
        return f"unix:{self._run / 'sb.sock'}"

    def start(self) -> Self:
        """Start databases and northd and wait until northd has answered once."""
        with contextlib.ExitStack() as undo:
            self._run = undo.enter_context(scratch(self.name))
            self.directory.mkdir(parents=True, exist_ok=True)
            for database, schema in _DATABASES.items():
                self._start_database(undo, database, schema)
            self._start_child(undo, "northd", "ovn-northd", f"--ovnnb-db={self.nb}", f"--ovnsb-db={self.sb}")
            self.wait_sb(START_SECONDS)
            self._cleanup = undo.pop_all()
        return self

    def stop(self) -> None:
        """Stop what runs and remove the databases."""
        for child in self._children.values():
            child.terminate()
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_database(self, undo: contextlib.ExitStack, database: str, schema: str) -> None:
        file, socket = self._run / f"{database}.db", self._run / f"{database}.sock"
        if not file.exists():
            call([self._part.tool("ovsdb-tool"), "create", file, self._part.file(schema)])
        self._start_child(undo, database, "ovsdb-server", f"--remote=punix:{socket}", str(file))
        wait_until(partial(is_listening, socket), f"{self.name} {database}", START_SECONDS, [self._children[database]])

    def restart(self, database: str) -> None:
        """Kill the server of `nb` or `sb` and start it again with what it has stored; returns when it listens."""
        killed = self._children[database]
        killed.process.kill()
        killed.process.wait()
        (self._run / f"{database}.sock").unlink(missing_ok=True)
        (self._run / f"{database}.ctl").unlink(missing_ok=True)
        self._start_database(self._cleanup, database, _DATABASES[database])

    def _start_child(self, undo: contextlib.ExitStack, name: str, tool: str, *args: str) -> None:
        quiet = ["-vconsole:off", "-vsyslog:off", f"--log-file={self._log_file(name)}"]
        control = [f"--unixctl={self._run / name}.ctl", f"--pidfile={self._run / name}.pid"]
        argv: list[str | Path] = [self._part.tool(tool), *quiet, *control, *args]
        log = self.directory / f"{self.name}-{name}.out"
        env = {key: str(self._run) for key in ("OVN_RUNDIR", "OVS_RUNDIR", "OVN_LOGDIR", "OVS_LOGDIR")}
        self._children[name] = undo.enter_context(Child(f"{self.name} {name}", argv, log, env))

    def _log_file(self, name: str) -> Path:
        return self.directory / f"{self.name}-{name}.log"

    def nbctl(self, *args: str) -> str:
        """`ovn-nbctl ARGS` on this zone; its output. BedError with its message when it fails."""
        return self._client("ovn-nbctl", self.nb, args)

    def sbctl(self, *args: str) -> str:
        """`ovn-sbctl ARGS` on this zone."""
        return self._client("ovn-sbctl", self.sb, args)

    def trace(self, *args: str) -> str:
        """`ovn-trace [OPTIONS] DATAPATH MICROFLOW`: the way of one packet through this zone's logical flows."""
        return call([self._part.tool("ovn-trace"), f"--db={self.sb}", *args])

    @contextlib.contextmanager
    def tracer(self, *options: str) -> Iterator[Callable[..., str]]:
        """A running `ovn-trace OPTIONS`, for many packets: the returned function is `trace`."""
        control = self._run / "trace.ctl"
        place = [
            f"--unixctl={control}",
            f"--pidfile={self._run / 'trace.pid'}",
            f"--log-file={self._log_file('trace')}",
        ]
        call(
            [
                self._part.tool("ovn-trace"),
                f"--db={self.sb}",
                *options,
                *place,
                "--detach",
                "--no-chdir",
                "-vconsole:off",
            ]
        )
        try:
            yield partial(self.appctl, "trace", "trace")
        finally:
            self.appctl("trace", "exit")

    def appctl(self, target: str, *args: str) -> str:
        """`ovn-appctl` on `nb`, `sb` or `northd`."""
        return call([self._part.tool("ovn-appctl"), "-t", self._run / f"{target}.ctl", *args])

    def _client(self, tool: str, remote: str, args: Sequence[str]) -> str:
        return call([self._part.tool(tool), f"--db={remote}", f"--timeout={_COMMAND_SECONDS}", *args])

    def wait_sb(self, seconds: float = _COMMAND_SECONDS) -> None:
        """Return when northd has turned all that is in the Northbound database now into the Southbound one."""
        tool = self._part.tool("ovn-nbctl")
        call([tool, f"--db={self.nb}", "--wait=sb", f"--timeout={seconds:.0f}", "sync"], seconds + 5)

    def log(self, name: str) -> str:
        """What `nb`, `sb` or `northd` logged so far."""
        return self._log_file(name).read_text(encoding="utf-8", errors="replace")

    def pids(self) -> dict[str, int]:
        """The process ids of what runs."""
        return {name: child.pid for name, child in self._children.items()}


@contextlib.contextmanager
def zones(names: Sequence[str], directory: Path, part: parts.Part | None = None) -> Iterator[dict[str, OvnZone]]:
    """Several zones by name, as the nodes of a cluster have them."""
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(OvnZone(name, directory, part)) for name in names}
