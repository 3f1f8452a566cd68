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

from tests.support.lab.bgp_incidents import BUDGET, Converged, Incident, Shape, subject
from tests.testbed import netns, parts
from tests.testbed.process import BedError

NODES: Final = 120
REFLECTORS: Final = 3
_GIB: Final = 1 << 30


def measure(count: int = NODES, reflectors: int = REFLECTORS) -> Iterator[str]:
    """Yield one line a figure."""
    mesh = Shape(count)
    there = parts.find()
    reason = there.frr.reason or there.tools.reason or netns.why_not() or mesh.why_not()
    if reason is not None:
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


if __name__ == "__main__":
    for text in measure(*map(int, sys.argv[1:3])):
        print(text, flush=True)
