"""What tests start has default signals, also in a run that a script starts in the background."""

import signal
import subprocess
import sys

from tests.support.paths import ROOT

IGNORED = 1 << signal.SIGINT - 1 | 1 << signal.SIGQUIT - 1


def test_children_do_not_ignore_interrupts() -> None:
    shown = subprocess.run(["grep", "^SigIgn:", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
    assert int(shown.split()[1], 16) & IGNORED == 0


def test_children_of_a_run_in_the_background_do_not_either() -> None:
    name = f"{__file__}::{test_children_do_not_ignore_interrupts.__name__}"
    run = f"trap '' INT QUIT; exec {sys.executable} -m pytest -q -n 0 -p no:cacheprovider {name}"
    done = subprocess.run(["sh", "-c", run], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
