"""`kubectl ovn-preflight completion SHELL`: the script that completes the command in a shell."""

from typing import Final

import click

from ovnguard.validators.cli.completion import SHELLS, script
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  source <(kubectl ovn-preflight completion bash)     completes kubectl-ovn_preflight
  kubectl ovn-preflight completion fish > ~/.config/fish/completions/kubectl-ovn_preflight.fish

\b
kubectl itself completes `kubectl ovn-preflight` once kubectl_complete-ovn_preflight, which is installed with it, is on
PATH.
"""


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("shell", type=click.Choice(SHELLS))
@click.version_option(package_name="ovnguard")
def completion(shell: str) -> int:
    """Print the completion script of a shell."""
    click.echo(script(shell), nl=False)
    return Exit.OK
