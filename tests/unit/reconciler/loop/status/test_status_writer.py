"""Rows that were put back, told about the node: at once, then gathered for a minute."""

from collections.abc import Iterable
from datetime import UTC, datetime

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.ovn.repairs import Repair
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.pending_repairs import NAMED, REPAIRS_PAUSE
from ovnguard.reconciler.loop.status.status_writer import StatusWriter

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "uid-n1"}}


def repair(name: str = "r") -> Repair:
    return Repair("Logical_Router", name, "blue", ("options",))


def text(name: str = "r") -> str:
    return f"network blue: Logical_Router {name}: options changed by hand, put back"


class Bench:
    def __init__(self) -> None:
        self.seconds = 5000.0
        self.notes: list[str] = []
        now = datetime(2026, 1, 1, tzinfo=UTC)
        recorder = Recorder(self, DECLARING_RESOURCES, lambda: now)
        announcer = EventRecorder(self, "n1", lambda: now, self._monotonic)
        self.reporter = StatusWriter(recorder, announcer, self._monotonic)

    def _monotonic(self) -> float:
        return self.seconds

    def request(self, method, path, query=None, body=None, content_type=""):
        assert method == "POST"
        assert (body["reason"], body["regarding"]["uid"]) == ("RowsRepaired", "uid-n1")
        self.notes.append(body["note"])
        return body

    def watch(self, *_):
        raise AssertionError("nobody watches here")

    def tick(self, repairs: Iterable[Repair] = (), node=NODE) -> None:
        self.reporter.repaired(repairs, node)
        self.reporter.flush()


def test_the_first_repair_is_reported_at_once_and_no_repair_is_not_reported():
    bench = Bench()
    bench.tick()
    assert bench.notes == []
    bench.tick([repair()])
    assert bench.notes == [text()]
    bench.tick()
    assert bench.notes == [text()]


def test_repairs_of_a_minute_are_one_event():
    bench = Bench()
    bench.tick([repair()])
    for number in range(3):
        bench.tick([repair(), repair(f"other{number}")])
    bench.seconds += REPAIRS_PAUSE - 1
    bench.tick()
    assert len(bench.notes) == 1
    bench.seconds += 1
    bench.tick()
    assert bench.notes[1:] == ["; ".join([f"{text()} (3 times)", *(text(f"other{number}") for number in range(3))])]


def test_many_rows_are_counted():
    bench = Bench()
    bench.tick([repair(f"r{number}") for number in range(5000)])
    assert bench.notes == ["; ".join([*(text(f"r{number}") for number in range(NAMED)), f"and {5000 - NAMED} more"])]


def test_a_repair_is_reported_once_its_node_exists():
    bench = Bench()
    bench.tick([repair()], node=None)
    assert bench.notes == []
    bench.tick()
    assert bench.notes == [text()]
