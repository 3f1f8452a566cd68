"""Pages whose console blocks are run: files from their blocks, and what the commands print."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.support.paths import ROOT

_BLOCK: Final = re.compile(r"```(yaml|console|toml|python)\n(.*?)```\n", re.DOTALL)
_NAMED: Final = re.compile(r"# (\S+\.(?:ya?ml|toml|py))\n")
_SECONDS: Final = 200
# The programs as this checkout and its environment have them, whether they are on PATH or not.
_PROGRAMS: Final = """\
kubectl() { shift; "$OVNGUARD_PYTHON" -P -c 'from ovnguard.validators.cli.main import main; main()' "$@"; }
ovnguard-reconciler() { "$OVNGUARD_PYTHON" -P -c 'from ovnguard.reconciler.cli import main; main()' "$@"; }
python() { "$OVNGUARD_PYTHON" -P "$@"; }
pytest() { python -m pytest -p no:randomly -p no:cacheprovider "$@"; }
"""


def replayed(page: str, folder: Path, programs: str = _PROGRAMS, **more: str) -> str:
    """Return ``page`` with the output of each command as it is now, standard output and standard error as they come.

    The commands run with bash in ``folder``, in the order of the page. A block that begins with the comment ``# FILE``
    is written to that file.

    Args:
        page: its text.
        folder: where the commands run; a folder `home` next to it is the home of who runs them.
        programs: what the shell reads before each command.
        more: variables of the environment.
    """
    home = folder.parent / "home"
    home.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "OVNGUARD_PYTHON": sys.executable,
        # Hypothesis then draws the same examples, and none is too slow
        "CI": "true",
        # a commit of the same content has the same name
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_DEFAULT_HASH": "sha1",
        **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in _IDENTITY.items()},
        **more,
    }

    def block(found: re.Match[str]) -> str:
        language, text = found.groups()
        if language == "console":
            return f"```console\n{_played(text, programs, folder, environment)}```\n"
        if named := _NAMED.match(text):
            file = folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return found[0]

    return _BLOCK.sub(block, page)


_IDENTITY: Final = {"NAME": "ovnguard", "EMAIL": "ovnguard@example.com", "DATE": "2026-01-01T00:00:00Z"}


def _played(text: str, programs: str, folder: Path, environment: dict[str, str]) -> str:
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_output(programs + command, folder, environment)}" for command in commands)


def _output(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
        check=False,
        text=True,
    )
    return done.stdout
