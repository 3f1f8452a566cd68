"""The executable ``kubectl-ovn_preflight``, called as ``kubectl ovn-preflight``."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from functools import partial

from validators.commandline.program import finish, run

_PROGRAM = "kubectl ovn-preflight"
_RARELY = 50_000
"""New objects before the collector looks for cycles: a short run leaves none that are worth its time."""


def main() -> None:
    """Run the command line and end the process with its exit code.

    A first argument that is the name of a sub-command means the sub-command (a path of that name is ``./test``);
    everything else is the preflight. Only the command that is run is imported.
    """
    gc.set_threshold(_RARELY)
    if sys.argv[1:2] == ["test"]:
        from validators.cli.suite_command import test  # noqa: PLC0415 - preflight does without it

        run(test, f"{_PROGRAM} test", sys.argv[2:])
    if sys.argv[1:2] == ["cost"]:
        from validators.cli.cost_command import cost  # noqa: PLC0415 - likewise

        run(cost, f"{_PROGRAM} cost", sys.argv[2:])
    if sys.argv[1:2] == ["explain"]:
        from validators.cli.explain_command import explain  # noqa: PLC0415 - likewise

        run(explain, f"{_PROGRAM} explain", sys.argv[2:])
    from validators.cli.preflight import preflight  # noqa: PLC0415 - the suites do without it

    try:
        finish(partial(preflight, sys.argv[1:]), _PROGRAM)
    except SystemExit as ended:
        # Taking two hundred modules apart again costs a tenth of the run, and the system does it better.
        atexit.register(_leave, ended.code)
        raise


def _leave(code: object) -> None:
    """End the process at once; what was written is out, and the cache of compiled definitions is on disk."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(code if isinstance(code, int) else 0)
