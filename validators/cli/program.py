"""How every executable of ovnguard starts and ends: one line for a fault, a fixed meaning for each exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from validators.cli.exitcodes import Exit


def run(command: click.Command, name: str, args: Sequence[str] | None = None) -> NoReturn:
    """Run ``command`` on ``args`` (None: the process's own) and exit.

    A wrong call is exit code 2; a fault of ours is one line and exit code 3 (OVNGUARD_DEBUG=1 adds the traceback).
    """
    try:
        result = command.main(args, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        sys.exit(result if isinstance(result, int) else Exit.OK)
    except click.ClickException as error:
        error.show()
        sys.exit(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The reader left, as `| head` does; the interpreter must not complain about it at its own end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.OK)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a user gets one line, not a traceback
        if os.environ.get("OVNGUARD_DEBUG"):
            traceback.print_exc()
        click.echo(f"{name}: internal error: {type(error).__name__}: {error}; set OVNGUARD_DEBUG=1 for more", err=True)
        sys.exit(Exit.INTERNAL)
