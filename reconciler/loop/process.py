"""A process that watches and ticks until it is told to stop, and then ends within two seconds."""

import signal
from collections.abc import Callable
from functools import partial
from typing import Final

from reconciler.loop.debounce import Debouncer
from reconciler.loop.tick_loop import run
from reconciler.plan.desired_state import JudgeInView
from validators.admission import Operation, Request, judge
from validators.bundled.catalog import Catalog
from validators.cluster.live_view import Informer

_GRACE: Final = 0.8


class _OutOfTimeError(BaseException):
    """The loop was told to stop and is still busy. No Exception: nothing on the way may take it for a failure."""


def judge_live() -> JudgeInView:
    """Return what judges objects of the cluster as if each were created now, among all that is known."""
    catalog = Catalog()
    return lambda obj, view: judge(Request(Operation.CREATE, obj), view, catalog)


def keep(tick: Callable[[], tuple[str, ...]], informer: Informer, wake: Debouncer, resync: float) -> bool:
    """Watch and tick until told to stop; return whether that was between two steps."""
    informer.start()
    try:
        run(partial(_alive, tick, informer), wake, resync)
    except _OutOfTimeError:
        return False
    else:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        informer.stop(0.4)


def listen_to_signals(wake: Debouncer) -> None:
    """Stop on SIGTERM and SIGINT: between two steps, or by interrupting one that takes longer than `_GRACE`.

    Every step may be interrupted: files are replaced whole, transactions happen or not, and the next start looks at
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


def _alive(tick: Callable[[], tuple[str, ...]], informer: Informer) -> tuple[str, ...]:
    dead = informer.dead()
    if dead:
        raise RuntimeError(f"{', '.join(dead)} died")
    return tick()
