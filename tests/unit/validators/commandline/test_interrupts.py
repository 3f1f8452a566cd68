"""Interrupts while processes are forked."""

import os
import signal

import pytest

from ovnguard.validators.commandline.interrupts import held_interrupts, ignore_interrupts


def test_an_interrupt_is_held_until_the_processes_are_forked() -> None:
    reached = []

    def interrupted() -> None:
        with held_interrupts():
            signal.raise_signal(signal.SIGINT)
            reached.append("forked")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["forked"]


def test_a_process_that_is_just_starting_ignores_the_interrupt_of_all() -> None:
    with held_interrupts():
        child = os.fork()
        if child == 0:
            signal.raise_signal(signal.SIGINT)
            ignore_interrupts()
            signal.raise_signal(signal.SIGINT)
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
