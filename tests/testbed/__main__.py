"""`python -m tests.testbed`: install the parts of the test bed and report which are present and which are missing."""

import argparse
import json
import platform
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.testbed import pins, recipes, store
from tests.testbed.command import progress
from tests.testbed.sources import debian

# `make test` calls us every time: a machine that cannot have a part should not wait for that again and again.
RETRY_SECONDS = 600

Result = store.Stamp | store.Missing | None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0, even when parts are missing; 1 when the cache cannot be written, or with --all when a part is missing that this
    platform can have; 2 for a wrong call.
    """
    known = pins.load()
    parser = argparse.ArgumentParser(
        prog="python -m tests.testbed",
        description="Get OVN, FRR, kube-apiserver, Chromium and others for the tests into the user's cache folder.",
    )
    parser.add_argument("--list", action="store_true", help="say what is there; get nothing")
    parser.add_argument("--only", action="append", metavar="PART", choices=list(known.parts), help="this part alone")
    parser.add_argument("--retry", action="store_true", help="try again what could not be got a moment ago")
    parser.add_argument("--all", action="store_true", help="fail when a part is missing that this platform can have")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    options = parser.parse_args(argv)
    base = store.root()
    wanted = [known.parts[name] for name in options.only or [name for name in known.parts if name != "go"]]
    try:
        results = present(base, wanted) if options.list else get(base, known, wanted, options.retry or options.only)
    except OSError as error:
        print(f"testbed: cannot write {base}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("testbed: interrupted; what was finished stays", file=sys.stderr)
        return 130
    print(as_json(base, results) if options.json else as_table(base, results))
    return int(options.all and can_have_all() and not all(isinstance(each, store.Stamp) for each in results.values()))


def can_have_all() -> bool:
    """Whether every part can be had on this platform: Debian builds each package for both architectures."""
    return platform.system() == "Linux" and platform.machine() in {"x86_64", "aarch64"}


def present(base: Path, wanted: Sequence[pins.Pin]) -> dict[str, Result]:
    """What is there, by part, without getting anything."""
    return {pin.name: store.read_stamp(base, pin) or store.read_missing(base, pin) for pin in wanted}


def settled(base: Path, wanted: Sequence[pins.Pin], retry: bool) -> dict[str, Result]:
    """The parts of `wanted` that need no work now: whole, or tried in vain a moment ago."""
    done: dict[str, Result] = {}
    for pin in wanted:
        stamp, missing = store.read_stamp(base, pin), store.read_missing(base, pin)
        if stamp is not None and recipes.still_good(base, pin, stamp):
            done[pin.name] = stamp
        elif missing is not None and not retry and time.time() - missing.tried < RETRY_SECONDS:
            done[pin.name] = missing
    return done


def get(base: Path, known: pins.Pins, wanted: Sequence[pins.Pin], retry: bool) -> dict[str, Result]:
    """Bring every wanted part that is not there; a warm run takes no lock and starts nothing."""
    done = settled(base, wanted, retry)
    if len(done) < len(wanted):
        with store.lock(base, lambda: progress("wait", "another run is at work in the same folder")):
            store.remove_leftovers(base)
            done = settled(base, wanted, retry)
            left = [pin for pin in wanted if pin.name not in done]
            with (
                debian.private_apt(base, known.suite, known.component) as apt,
                store.scratch(base, "go") as go_caches,
            ):
                kitchen = recipes.Kitchen(base, known, apt, go_caches)
                for number, pin in enumerate(left, 1):
                    after = ", ".join(each.name for each in left[number:]) or "nothing"
                    progress(pin.name, f"part {number} of {len(left)}; left after it: {after}")
                    done[pin.name] = recipes.install(kitchen, pin)
    return {pin.name: done[pin.name] for pin in wanted}


def as_json(base: Path, results: dict[str, Result]) -> str:
    """The results for programs: {"folder": ..., "parts": {PART: stamp, failure or null}}."""
    parts = {name: None if result is None else asdict(result) for name, result in results.items()}
    return json.dumps({"folder": str(base), "parts": parts}, indent=2)


def as_table(base: Path, results: dict[str, Result]) -> str:
    """The results for people: part, version, where from, or why not."""
    rows = [("part", "version", "where from")]
    for name, result in results.items():
        match result:
            case store.Stamp():
                rows.append((name, result.version, result.source))
            case store.Missing():
                ago = max(0, int((time.time() - result.tried) / 60))
                when = f" (tried {ago} min ago; again with --retry)" if ago else ""
                rows.append((name, "-", f"missing: {result.reason}{when}"))
            case None:
                rows.append((name, "-", "not installed"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in rows]
    return "\n".join([f"test bed in {base}", *lines])


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception, so that what is half made is removed
    sys.exit(main())
