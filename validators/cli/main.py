"""The executable ``kubectl-ovn_preflight``, called as ``kubectl ovn-preflight``."""

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from ovnguard.validators.commandline.program import finish, run

_PROGRAM = "kubectl ovn-preflight"
_RARELY = 50_000
"""New objects before the garbage collector runs: in a short run, collecting cycles costs more time than it is worth."""


def main() -> None:
    """Run the command line and end the process with its exit code.

    A first argument that names a sub-command runs it (write a path of that name as ``./test``); any other argument runs
    the preflight. Only the command that runs is imported: click and the other commands cost 50 ms.
    """
    gc.set_threshold(_RARELY)
    if sys.argv[1:2] == ["test"]:
        from ovnguard.validators.cli.suite_command import test  # preflight does without it

        run(test, f"{_PROGRAM} test", sys.argv[2:])
    if sys.argv[1:2] == ["cost"]:
        from ovnguard.validators.cli.cost_command import cost

        run(cost, f"{_PROGRAM} cost", sys.argv[2:])
    if sys.argv[1:2] == ["evolve"]:
        from ovnguard.validators.cli.evolve_command import evolve_command

        run(evolve_command, f"{_PROGRAM} evolve", sys.argv[2:])
    if sys.argv[1:2] == ["explain"]:
        from ovnguard.validators.cli.explain.explain_command import explain

        run(explain, f"{_PROGRAM} explain", sys.argv[2:])
    if sys.argv[1:2] == ["completion"]:
        from ovnguard.validators.cli.completion_command import completion

        run(completion, f"{_PROGRAM} completion", sys.argv[2:])
    if sys.argv[1:2] == ["plan"]:
        from ovnguard.validators.cli.plan_command import plan

        finish(partial(plan, sys.argv[2:]), f"{_PROGRAM} plan")
    try:
        finish(partial(_preflight, sys.argv[1:]), _PROGRAM)
    except SystemExit as ended:
        # Freeing two hundred modules costs a tenth of the run; the operating system does it faster.
        atexit.register(_leave, ended.code)
        raise


def _preflight(args: Sequence[str]) -> int:
    from ovnguard.validators.cli.preflight import preflight  # the suites do without it

    return preflight(args)


def _leave(code: object) -> None:
    """End the process at once, after flushing output; the cache of compiled definitions is on disk already."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(code if isinstance(code, int) else 0)
