"""The command ``completion SHELL`` of an executable that click parses: the script that asks that parser."""

from typing import Final

import click
from click.shell_completion import get_completion_class

from ovnguard.validators.commandline.program import Exit

_SHELLS: Final = ("bash", "zsh", "fish")


def completion_command(program: str) -> click.Command:
    """Return the command of the executable ``program``."""

    @click.command(
        name="completion",
        epilog=f"\b\nExample:\n  source <({program} completion bash)",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    @click.argument("shell", type=click.Choice(_SHELLS))
    @click.version_option(package_name="ovnguard")
    @click.pass_context
    def completion(context: click.Context, shell: str) -> int:
        """Print the completion script of a shell."""
        click.echo(script(context.find_root().command, program, shell), nl=False)
        return Exit.OK

    return completion


def script(command: click.Command, program: str, shell: str) -> str:
    """Return the script, with which a shell asks the executable itself for the words that may follow."""
    known = get_completion_class(shell)
    if known is None:
        raise ValueError(f"there is no completion for {shell}")
    made = known(command, {}, program, f"_{program.replace('-', '_').upper()}_COMPLETE")
    return made.source_template % made.source_vars()
