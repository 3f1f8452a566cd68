"""Verdicts timed against the API server's own code: `apiserver-verdict bench` and ours in turns.

The peer is the program that $OVNGUARD_PEER names, else one that is built with `go` into the user's cache from the
folder beside this checkout, where both are there. It reports the median of a few batches of its own; ours is timed
right before it in the same round, both by the clock, and the ratio is that of the round.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ovnguard import crd_schemas
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.crd.strategy import judge_exactly
from ovnguard.validators.fast.disk_store import DiskStore
from ovnguard.validators.manifest.yaml_reader import load_all
from tests.bench.measure import Ratio
from tests.bench.refusals import Refusal, refusals

OBJECTS = Path(__file__).resolve().parent / "objects"
NETWORK = ("operator.openshift.io", "v1", "Network")
CUDN = ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")
ROUNDS = 5
BATCH_SECONDS = 0.1
REFUSAL_SECONDS = 0.03
REFUSAL_ROUNDS = 3
SLOW = 0.5
"""A refusal that looks slower than this times the peer's speed is measured in all rounds, others once."""


@dataclass(frozen=True)
class Case:
    """One request on a compiled definition: what is sent, what is stored before, and the same made ready."""

    name: str
    crd: CompiledCRD
    definition: Mapping[str, Any]
    sent: dict[str, Any]
    old: dict[str, Any] | None
    ready: dict[str, Any]

    def verdict(self) -> object:
        return self.crd.verdict(self.ready, self.old)

    def exact_verdict(self) -> object:
        return judge_exactly(self.crd.endpoint, self.ready, self.old)

    def refusal(self, bad: Refusal) -> Verdict:
        return self.crd.verdict(bad.obj, self.old, field_validation=bad.field_validation)

    def request(self) -> object:
        obj = json.loads(self.text)
        return self.crd.verdict(obj, None if self.old is None else json.loads(self.old_text))

    @property
    def text(self) -> str:
        return json.dumps(self.sent)

    @property
    def old_text(self) -> str:
        return json.dumps(self.old)


def cases() -> Iterator[Case]:
    """The six requests: three objects, created and updated."""
    for name, key, path, change in (
        ("Network", NETWORK, "network", ("spec", "logLevel", "Debug")),
        ("CUDN Layer2", CUDN, "cudn-layer2", ("metadata", "labels", {"tenant": "blue", "changed": "yes"})),
        ("CUDN Layer3", CUDN, "cudn-layer3", ("metadata", "labels", {"tenant": "green", "changed": "yes"})),
    ):
        definition = crd_schemas.crds("released")[key]
        crd = compile_crd(definition)
        sent = next(load_all((OBJECTS / f"{path}.yaml").read_bytes())).value
        stored = judge_exactly(crd.endpoint, sent).object
        assert stored is not None
        changed = json.loads(json.dumps(stored))
        changed[change[0]][change[1]] = change[2]
        for old, new, ready, how in ((None, sent, stored, "create"), (stored, changed, changed, "update")):
            yield Case(f"{name} {how}", crd, definition, new, old, ready)


def refused(program: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """For each case: by kind of refusal, how many times longer the peer takes to refuse the object."""
    for case in cases():
        found = {}
        for bad in refusals(case.ready):
            assert not case.refusal(bad).allowed, (case.name, bad.kind)
            asked = _Peer(program, case, bad.obj)
            ours = _timed(partial(case.refusal, bad), REFUSAL_SECONDS)
            factors = [_factor(ours, asked.prepared_once)]
            if factors[0] < SLOW:
                factors += [_factor(ours, asked.prepared_once) for _ in range(REFUSAL_ROUNDS - 1)]
            found[bad.kind] = statistics.median(factors)
        yield case.name, found


def measure(program: Path | None) -> Iterator[Ratio]:
    """For each case: a prepared object, and bytes to verdict. Without a peer, the exact path stands in for it."""
    for case in cases():
        assert case.crd.verdict(case.ready, case.old).allowed, case.name
        if program is None:
            yield _ratio(f"{case.name}: prepared object", case.verdict, "our exact path", _timed(case.exact_verdict))
            continue
        asked = _Peer(program, case)
        yield _ratio(f"{case.name}: prepared object", case.verdict, "apiserver-verdict", asked.prepared)
        yield _ratio(f"{case.name}: bytes to verdict", case.request, "apiserver-verdict", asked.request)


def compiling() -> Iterator[Ratio]:
    """Reading a compiled definition from disk against compiling it, both in a process that has done so before."""
    definition = crd_schemas.crds("released")[CUDN]
    with tempfile.TemporaryDirectory() as folder:
        store = DiskStore(Path(folder) / "compiled")
        compile_crd(definition, store=store)
        yield _ratio(
            "compile a CUDN with 90 rules: from the store",
            lambda: compile_crd(definition, store=store),
            "compiling",
            _timed(lambda: compile_crd(definition)),
        )


FIRST_USE = """
import json, sys, time
definition = json.load(sys.stdin)
started = time.process_time()
from ovnguard.validators.crd.compiled_crd import compile_crd
import ovnguard.validators.cel.syntax.parse, ovnguard.validators.crd.compiler, ovnguard.validators.fast.build
imported = time.process_time()
compile_crd(definition)
print(json.dumps([imported - started, time.process_time() - imported]))
"""


def first_use() -> Iterator[tuple[str, float]]:
    """CPU seconds to compile the same definition as the first thing a process does."""
    definition = json.dumps(crd_schemas.crds("released")[CUDN])
    times = [_first_use(definition) for _ in range(ROUNDS)]
    yield "imports before it", statistics.median(imports for imports, _ in times)
    yield "first in a process", statistics.median(compiling for _, compiling in times)


def _first_use(definition: str) -> tuple[float, float]:
    command = [sys.executable, "-c", FIRST_USE]
    done = subprocess.run(command, input=definition, check=True, capture_output=True, text=True)
    imports, compiling = json.loads(done.stdout)
    return imports, compiling


class _Peer:
    """Runs the peer's bench on a case; one call measures both of its figures."""

    def __init__(self, program: Path, case: Case, refused: Mapping[str, Any] | None = None) -> None:
        """``refused`` is the object that is sent instead of the case's."""
        self._program = program
        self._allowed = refused is None
        sent: dict[str, Any] = {"crd": case.definition, "object": case.sent if refused is None else refused}
        if case.old is not None:
            sent |= {"operation": "UPDATE", "oldObject": case.old}
        self._input = json.dumps(sent)

    def prepared(self) -> float:
        return self._bench("median_ns")

    def prepared_once(self) -> float:
        """As `prepared`, from one batch."""
        return self._bench("median_ns", batches=1)

    def request(self) -> float:
        return self._bench("request_median_ns")

    def _bench(self, key: str, batches: int = 3) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(self._input)
            file.flush()
            command = [str(self._program), "bench", "-n", str(batches), file.name]
            output = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True).stdout
        answer = json.loads(output)
        # The peer only warns of unknown fields: its field validation is not strict.
        assert answer["allowed"] or not self._allowed, answer
        return float(answer[key]) / 1e9


def _factor(ours: Callable[[], float], theirs: Callable[[], float]) -> float:
    """How many times longer theirs takes: ours is timed before and after it, against changes of the machine's load."""
    before, peer, after = ours(), theirs(), ours()
    return 2 * peer / (before + after)


def _timed(call: Callable[[], object], seconds: float = BATCH_SECONDS) -> Callable[[], float]:
    call()
    started = time.perf_counter()
    call()
    batch = max(1, int(seconds / 10 / max(time.perf_counter() - started, 1e-6)))

    def timed() -> float:
        count = 0
        started = time.perf_counter()
        while (spent := time.perf_counter() - started) < seconds:
            for _ in range(batch):
                call()
            count += batch
        return spent / count

    return timed


def _ratio(
    name: str,
    ours: Callable[[], object],
    peer_name: str,
    theirs: Callable[[], float],
    count: int = ROUNDS,
) -> Ratio:
    mine = _timed(ours)
    rounds = [(mine(), theirs()) for _ in range(count)]
    return Ratio(
        name,
        peer_name,
        statistics.median(one for one, _ in rounds),
        statistics.median(other for _, other in rounds),
        statistics.median(other / one for one, other in rounds),
    )
