"""Real FRR on many nodes, each in its network namespace: the generated full mesh against one with reflectors.

All nodes share this machine's processors, so times are upper bounds for nodes with processors of their own. The clock
starts with the first program; until `configured`, programs start and vtysh loads the files, four nodes at a time. The
budget in seconds is $OVNGUARD_CONVERGENCE_SECONDS. `python -m tests.bench.fabric [NODES [REFLECTORS]]`.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.lab.bgp_incidents import BUDGET, CROWDED, Converged, Incident, Shape, subject
from tests.testbed import neighbour_room, netns, parts
from tests.testbed.process import BedError

NODES: Final = 120
REFLECTORS: Final = 3
_GIB: Final = 1 << 30
# Of 120 nodes in a mesh, by node and neighbour; rounded up.
_BYTES_OF_PEER: Final = 700_000


def why_not(shape: Shape) -> str | None:
    """Why this machine cannot run a fabric, or None when it can."""
    found = parts.find()
    for reason in (found.frr.reason, found.tools.reason, netns.why_not()):
        if reason is not None:
            return reason
    if shape.count > CROWDED and (reason := neighbour_room.why_not()):
        return reason
    needed = shape.count**2 * _BYTES_OF_PEER
    if (there := _available()) < needed:
        return f"{shape.count} nodes need {needed / _GIB:.0f} GiB of memory, {there / _GIB:.0f} are there"
    return None


def measure(count: int = NODES, reflectors: int = REFLECTORS) -> Iterator[str]:
    """Yield one line a figure."""
    mesh = Shape(count)
    if reason := why_not(mesh):
        yield f"not measured: {reason}"
        return
    yield f"budget {BUDGET:.0f} s"
    found: dict[Shape, Converged] = {}
    for shape in (mesh, Shape(count, reflectors)):
        name = f"{count} nodes, {f'{shape.reflectors} reflectors' if shape.reflectors else 'full mesh'}"
        try:
            for line, converged in _life(shape):
                yield f"{name}: {line}"
                found.setdefault(shape, converged)
        except BedError as error:
            yield f"{name}: FAILED: {str(error)[:1000]}"
    if len(found) > 1:
        one, other = found.values()
        yield (
            f"reflectors against full mesh: {one.seconds / other.seconds:.1f} times as fast, "
            f"{one.memory / other.memory:.1f} times less memory"
        )


def _life(shape: Shape) -> Iterator[tuple[str, Converged]]:
    with tempfile.TemporaryDirectory() as logs, subject(shape, parts.find(), Path(logs)) as made:
        done = made.converge()
        made.fabric.check()
        load = os.getloadavg()[0]
        yield (
            f"{shape.sessions} sessions Established, all pod subnets in all kernels after {done.seconds:.1f} s "
            f"(configured after {done.configuring:.1f} s), {done.memory / _GIB:.2f} GiB, load {load:.1f}",
            done,
        )
        yield _line(f"node {shape.count + 1} joins", made.add()), done
        if shape.reflectors:
            name = shape.members[0].name
            yield _line("the bgpd of a reflector is killed", made.lose(name)), done
            yield _line("it starts again", made.revive(name)), done
        yield _line("the bgpd of the pinged node is killed and starts again", made.restart()), done


def _line(what: str, incident: Incident) -> str:
    loss = incident.loss
    return f"{what}: complete after {incident.seconds:.1f} s, {loss.lost} of {loss.sent} echo requests lost"


def _available() -> int:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


if __name__ == "__main__":
    for text in measure(*map(int, sys.argv[1:3])):
        print(text, flush=True)
