"""The folder of a cluster that people use, and its processes, found by a mark in their environment."""

import json
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ovnguard.webhook.private_tempdir import sweep
from tests.testbed.process import BedError, wait_until

MARK: Final = "OVNGUARD_CLUSTER"
"""The variable whose value is the folder, in the environment of the supervisor and of all that it starts."""
_GONE_SECONDS: Final = 60.0
_ROLLUP: Final = "smaps_rollup"


class Place:
    """A folder, whether a cluster runs there or not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.kubeconfig, self.bin = self.folder / "kubeconfig", self.folder / "bin"
        self.log, self.inside = self.folder / "supervisor.log", self.folder / "inside"
        self._state, self._pid = self.folder / "state.json", self.folder / "pid"

    def processes(self) -> list[int]:
        """The supervisor and everything that it started, also what outlived it."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def supervisor(self) -> int | None:
        """Its process, if it runs."""
        with suppress(OSError, ValueError):
            pid = int(self._pid.read_text())
            return pid if pid in self.processes() else None
        return None

    def started(self, pid: int) -> None:
        """Remember the supervisor."""
        self._pid.write_text(str(pid))

    def ready(self, state: dict[str, Any]) -> None:
        """Tell `up` that the cluster runs."""
        fresh = self._state.with_suffix(".new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self._state)

    def state(self) -> dict[str, Any] | None:
        """What the supervisor told when all ran; nothing before."""
        with suppress(OSError):
            return dict(json.loads(self._state.read_text(encoding="utf-8")))
        return None

    def memory(self) -> int:
        """MiB of all processes: the sum of their proportional set sizes."""
        total = 0
        for pid in self.processes():
            with suppress(OSError):
                lines = Path(f"/proc/{pid}/{_ROLLUP}").read_text(encoding="ascii").splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return total // 1024

    def clear(self) -> None:
        """End what runs, the supervisor in order and everything else by force, and remove all files."""
        supervisor = self.supervisor()
        if supervisor is not None:
            os.kill(supervisor, signal.SIGTERM)
            with suppress(BedError):
                wait_until(lambda: self.supervisor() is None, "the supervisor ends", _GONE_SECONDS)
        wait_until(self._killed, "all processes end", _GONE_SECONDS)
        bases = (Path("/dev/shm"), Path(tempfile.gettempdir()))
        for base in bases:
            # keys and metrics of replicas that were killed, which the next start of one would remove
            sweep("ovnguard-", base)
        with suppress(OSError):
            number = self._pid.read_text()
            for base in bases:
                for left in base.glob(f"ovng-{number}-*"):
                    shutil.rmtree(left, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _killed(self) -> bool:
        left = self.processes()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left
