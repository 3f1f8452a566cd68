"""`kubectl ovn-preflight plan`: becomes `ovnguard-reconciler plan` on the same inputs.

The preflight imports nothing of the reconciler: both are executables of one installation, or of an image with one only.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Final

from ovnguard.validators.commandline.program import Exit, tell

RECONCILER: Final = "ovnguard-reconciler"
_INVENTORY: Final = "--inventory"
_NODES: Final = "--nodes"


def plan(args: Sequence[str]) -> int:
    """Replace this process with the reconciler's; return the exit code if there is no such program."""
    if "cluster" in _inventories(args):
        text = "a plan reads files: kubectl get nodes,... -A -o yaml > all.yaml (kinds: kubectl ovn-preflight --help)"
        tell(f"kubectl ovn-preflight plan: --inventory cluster: {text}")
        return Exit.USAGE
    program = _installed()
    if program is None:
        text = f"the program {RECONCILER} is neither next to {Path(sys.argv[0]).name} nor on PATH"
        tell(f"kubectl ovn-preflight plan: {text}; pip install ovnguard brings it")
        return Exit.INTERNAL
    sys.stdout.flush()
    try:
        os.execv(program, [program, "plan", *words_of(args)])  # noqa: S606 - a list, no shell
    except OSError as error:
        tell(f"kubectl ovn-preflight plan: {program}: {error.strerror}")
    return Exit.INTERNAL


def words_of(args: Sequence[str]) -> list[str]:
    """Return the words for the reconciler: PATHs before the first option are its -f, and --inventory is its --nodes.

    Without either, the nodes are among the PATHs.
    """
    paths = list(takewhile(lambda word: word == "-" or not word.startswith("-"), args))
    options = [_renamed(word) for word in args[len(paths) :]]
    named = any(word == _NODES or word.startswith(f"{_NODES}=") for word in options)
    nodes = [] if named else [word for path in paths for word in (_NODES, path)]
    return [*(word for path in paths for word in ("-f", path)), *nodes, *options]


def _inventories(args: Sequence[str]) -> list[str]:
    """The values of --inventory."""
    following = [after for word, after in pairwise(args) if word == _INVENTORY]
    return following + [word.partition("=")[2] for word in args if word.startswith(f"{_INVENTORY}=")]


def _renamed(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{_NODES}{equals}{value}" if name == _INVENTORY else word


def _installed() -> str | None:
    """The reconciler of this installation, else one on PATH."""
    return shutil.which(RECONCILER, path=str(Path(sys.argv[0]).resolve().parent)) or shutil.which(RECONCILER)
