"""`ovnguard-reconciler rollout render`: the operator's templates, rendered as the operator renders them."""

from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.commands.options import PATH
from ovnguard.reconciler.rollout.commands.manifest_options import with_manifests
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.plan.model import Flavour
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout render --manifests 4.14 --values values.yaml
  ovnguard-reconciler rollout render --manifests 4.14 --values values.yaml --to rendered

\b
What it writes with --to is a folder for --manifests. Exit codes: 0 ok, 1 a value is missing or a construct is not
understood, 2 wrong call or input that cannot be read, 3 an internal error.
"""


@click.command("render", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_manifests
@click.option("--hosted", is_flag=True, help="HyperShift: the folders of a hosted cluster.")
@click.option("--to", type=PATH, metavar="DIR", help="Write the files below DIR, and print nothing.")
@click.version_option(package_name="ovnguard")
def command(folder: ManifestFolder | None, to: Path | None, *, hosted: bool) -> int:
    """Render the templates of all phases, and show each value that is missing."""
    if folder is None:
        raise click.UsageError("render needs --manifests")
    flavour = Flavour.MANAGED if hosted else Flavour.SELF_HOSTED
    files = [file for phase in folder.phases(flavour) for file in folder.files(flavour, phase)]
    missing: dict[str, None] = {}
    failed = False
    for file in dict.fromkeys(files):
        text, problems = folder.rendered(file)
        failed |= bool(problems)
        missing |= dict.fromkeys(each.missing for each in problems if each.missing)
        for each in problems:
            click.echo(str(each), err=True)
        if not problems:
            _write(file, text, to)
    if missing:
        click.echo(f"missing values: {', '.join(sorted(missing))}", err=True)
    if not files:
        raise click.UsageError("--manifests has no manifests of the operator")
    return Exit.INVALID if failed else Exit.OK


def _write(file: str, text: str, to: Path | None) -> None:
    if to is None:
        click.echo(f"# {file}\n{text}")
        return
    place = to / file
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise click.UsageError(f"--to: {place} cannot be written: {error.strerror}") from None
