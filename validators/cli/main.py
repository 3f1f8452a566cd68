"""The executable ``kubectl-ovn_preflight``, called as ``kubectl ovn-preflight``."""

from validators.cli.preflight import preflight
from validators.cli.program import run

_PROGRAM = "kubectl ovn-preflight"


def main() -> None:
    """Run the command line and end the process with its exit code."""
    run(preflight, _PROGRAM)
