"""Signals of a test run, which the processes that tests start inherit."""

import signal


def restore_signals() -> None:
    """Give SIGINT and SIGQUIT their defaults back where they are ignored.

    A shell ignores both for what a script starts in the background, and every process ignores what its parent ignores.
    """
    for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)
