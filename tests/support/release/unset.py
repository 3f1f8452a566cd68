"""What a publication needs and a checkout may lack."""

from pathlib import Path
from typing import Final

from tests.support.paths import ROOT
from tests.support.release.addresses import FILE, addresses

MAINTAINERS: Final = "@MAINTAINERS"


def unset(root: Path = ROOT) -> list[str]:
    """What is missing to publish this checkout, each with its file."""
    missing = [f"{FILE}: {name}" for name, value in addresses(root).items() if not value]
    if MAINTAINERS in (root / "CODEOWNERS").read_text(encoding="utf-8"):
        missing.append(f"CODEOWNERS: the team that {MAINTAINERS} stands for")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8").partition("## Unreleased\n")[2].partition("\n## ")[0]
    if changes.strip():
        missing.append("CHANGELOG.md: the version of the changes under Unreleased")
    return missing
