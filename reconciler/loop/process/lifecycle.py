"""A process that watches and ticks until it is stopped, and then ends within two seconds."""

import logging
import signal
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.metrics import FAILED, OK, WAITING, Metrics
from ovnguard.reconciler.loop.process.probe_server import Health
from ovnguard.reconciler.loop.process.tick_loop import run
from ovnguard.reconciler.plan.desired_state import JudgeInView
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.fast.disk_store import user_store

_GRACE: Final = 0.8
REFUSED_FOR: Final = 120.0
"""Seconds for which the API server refuses the newest credentials before the process ends: the next may get others."""

_log = logging.getLogger(__name__)


class _OutOfTimeError(BaseException):
    """The loop must stop but is still busy. Not an Exception: no handler on the way may treat it as a failure."""


def judge_live(*, dynamic: bool = False) -> JudgeInView:
    """Return a function that judges an object as if it were created now in the known cluster.

    ``dynamic``: this reconciler allocates dynamically. A user with a private cache starts again without compiling.
    """
    catalog = whole_catalog(user_store()[0])
    return lambda obj, view: judge(Request(Operation.CREATE, obj, dynamic=dynamic), view, catalog)


def keep(
    tick: Callable[[], tuple[str, ...]],
    informer: Informer,
    wake: Debouncer,
    resync: float,
    due: Callable[[], float | None] = lambda: None,
    health: Health | None = None,
    metrics: Metrics | None = None,
) -> bool:
    """Watch and tick until stopped; return whether the end was between two steps.

    ``due`` is that of `run`; ``health`` and ``metrics`` learn of every tick, ``health`` also of watches that fail.
    Raises SystemExit when the API server has refused the newest credentials for `REFUSED_FOR` seconds.
    """
    if health is not None:
        health.follow(informer.failures)
    if metrics is not None:
        metrics.follow_queue(wake.waiting)
    informer.start()
    try:
        run(partial(_alive, tick, informer, health, metrics), wake, resync, due=due)
    except _OutOfTimeError:
        return False
    else:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        informer.stop(0.4)


def listen_to_signals(wake: Debouncer) -> None:
    """Stop on SIGTERM and SIGINT: between two steps, or by interrupting one that takes longer than `_GRACE`.

    Every step may be interrupted: files are replaced whole, transactions happen or not, and the next start compares
    everything again.
    """

    def stop(*_: object) -> None:
        wake.stop()
        signal.setitimer(signal.ITIMER_REAL, _GRACE)

    def interrupt(*_: object) -> None:
        raise _OutOfTimeError

    signal.signal(signal.SIGALRM, interrupt)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _alive(
    tick: Callable[[], tuple[str, ...]], informer: Informer, health: Health | None, metrics: Metrics | None
) -> tuple[str, ...]:
    dead = informer.dead()
    if dead:
        raise RuntimeError(f"{', '.join(dead)} died")
    refused = informer.failures.unauthorized()
    if refused >= REFUSED_FOR:
        _log.error("the API server has refused the newest credentials for %.0f s (401): this process ends", refused)
        raise SystemExit(Exit.INTERNAL)
    began = time.monotonic()
    failures = tick()
    waiting = informer.view.waiting_for()
    if health is not None:
        health.ticked(failures, waiting)
    if metrics is not None:
        metrics.passed(FAILED if failures else WAITING if waiting else OK, time.monotonic() - began)
    return failures
