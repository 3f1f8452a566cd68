"""An interrupt in the middle of an analysis: the terminal sends it to all processes."""

import fcntl
import os
import signal
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

# Progress at every step: what the pipe does not hold keeps the program from its end.
PROGRAM = """
from ovnguard.validators.commandline import terminal
from ovnguard.validators.cli.main import main
terminal._SECONDS = 0.0
main()
"""
PIPE = 4096


@pytest.mark.parametrize("option", [["--coverage"], ["--mutate"], ["--mutate", "-j", "2"]])
def test_an_interrupt_ends_an_analysis_without_a_report(option: list[str]) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE)
    command = [sys.executable, "-c", PROGRAM, "test", "crd_schemas/common", *option]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=writing, start_new_session=True) as started:
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as stream:
            assert stream.read(7) == b"judged "
            os.killpg(started.pid, signal.SIGINT)
            output = b"".join(iter(lambda: stream.read(PIPE), b""))
        out = started.communicate(timeout=60)[0]
    assert (started.returncode, out) == (130, b"")
    assert b"Traceback" not in output
