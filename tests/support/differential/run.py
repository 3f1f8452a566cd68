"""Compares ovnguard with the API server's own code on endless random cases: ``make differential MINUTES=10``.

Every process enters each stream at seeds of its own, in turns of a few seconds. The first case of each cause is made as
small as possible and written to a file. The exit code is 1 if there is a difference that is not known, 2 without any
oracle.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from tests.support.differential.causes import cause_of, known_name
from tests.support.differential.samples import REQUESTS
from tests.support.differential.shrink import shrink
from tests.support.differential.streams import Stream, streams
from tests.support.paths import ROOT

TURN = 5.0
SHRINK_SECONDS = 20.0
SEEDS_PER_PROCESS = 10_000_000
OUT = ROOT / "dist" / "differential"


@dataclass
class Tally:
    """What one process has seen: cases by stream and outcome, and the smallest case of each cause."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    cases: dict[tuple[str, str], tuple[Any, list[str]]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add what another process has seen."""
        self.counts += other.counts
        self.causes += other.causes
        self.missing = other.missing
        for key, case in other.cases.items():
            if key not in self.cases or len(json.dumps(case[0])) < len(json.dumps(self.cases[key][0])):
                self.cases[key] = case


def differences(stream: Stream, case: Any) -> list[str] | None:
    """Return what differs in a case; an exception of ours is a difference, too."""
    try:
        return stream.differences(case)
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is what we look for
        trace = fault.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        return [f"crash: {type(fault).__name__} in {where}"]


def compare(
    seed: int,
    seconds: float,
    most: int,
    only: frozenset[str],
    release: str = DEFAULT_KUBERNETES,
    requests: int = REQUESTS,
) -> Tally:
    """Compare for so long, beginning at a seed, and at most so many cases of each stream."""
    tally, end = Tally(), time.monotonic() + seconds
    with ExitStack() as stack:
        made, tally.missing = streams(stack, release, requests)
        chosen = [one for one in made if not only or one.name in only]
        left = {one.name: islice(_endless(one, seed), most) for one in chosen}
        while chosen and time.monotonic() < end:
            for stream in tuple(chosen):
                turn = min(end, time.monotonic() + TURN)
                for case in left[stream.name]:
                    _look(stream, case, tally)
                    if time.monotonic() > turn:
                        break
                else:
                    chosen.remove(stream)
    return tally


def _endless(stream: Stream, seed: int) -> Iterator[Any]:
    while True:
        yield from stream.cases(seed)
        seed += 1


def _look(stream: Stream, case: Any, tally: Tally) -> None:
    found = differences(stream, case)
    if not found:
        tally.counts[stream.name, "same" if found is not None else "not comparable"] += 1
        return
    if known_name(stream.name, found):
        tally.counts[stream.name, "known"] += 1
        return
    tally.counts[stream.name, "different"] += 1
    cause = cause_of(found)
    key = stream.name, cause
    tally.causes[key] += 1
    if key not in tally.cases:
        small = shrink(case, lambda one: _has_cause(stream, one, cause), SHRINK_SECONDS)
        tally.cases[key] = small, differences(stream, small) or found


def _has_cause(stream: Stream, case: Any, cause: str) -> bool:
    found = differences(stream, case)
    return bool(found) and cause_of(found or ()) == cause


def report(tally: Tally, folder: Path) -> int:
    """Print the counts and causes, and write the cases. Return the exit code."""
    names = sorted({name for name, _ in tally.counts})
    sys.stdout.write(f"{'':12}{'same':>10}{'known':>8}{'different':>11}{'not comparable':>16}\n")
    for name in names:
        shown = [tally.counts[name, outcome] for outcome in ("same", "known", "different", "not comparable")]
        sys.stdout.write(f"{name:12}{shown[0]:>10,}{shown[1]:>8,}{shown[2]:>11,}{shown[3]:>16,}\n")
    for text in tally.missing:
        sys.stdout.write(f"not compared: {text}\n")
    for (name, cause), count in tally.causes.most_common():
        case, lines = tally.cases[name, cause]
        file = folder / f"{name}-{sha256(cause.encode(errors='replace')).hexdigest()[:8]}.json"
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"stream": name, "differences": lines, "case": case}, indent=1) + "\n")
        sys.stdout.write(f"\n{name}, {count} times: {cause}\n  {file}\n")
    return 1 if tally.causes else 0 if names else 2


def main(arguments: list[str] | None = None) -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="the first seed; default: a new one each time")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="at most, of each stream and process")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--only", default="", help="streams, separated by commas")
    parser.add_argument("--release", default=DEFAULT_KUBERNETES, help="Kubernetes release that both judge like")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="for each generated schema, about")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the cases that differ")
    chosen = parser.parse_args(arguments)
    seed = int(time.time()) % 100_000 * 1_000_000_000 if chosen.seed is None else chosen.seed
    only = frozenset(filter(None, chosen.only.split(",")))
    sys.stdout.write(f"seed {seed}\n")
    tally = Tally()
    with ProcessPoolExecutor(chosen.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        starts = [seed + index * SEEDS_PER_PROCESS for index in range(chosen.jobs)]
        same = (chosen.minutes * 60, chosen.cases, only, chosen.release, chosen.requests)
        for done in pool.map(compare, starts, *([each] * chosen.jobs for each in same)):
            tally.add(done)
    return report(tally, chosen.out)


if __name__ == "__main__":
    sys.exit(main())
