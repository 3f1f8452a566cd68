"""The state diagram of docs/ic-upgrade.md; ``python -m tests.support.pages.ic_upgrade_diagram`` prints it."""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Folder, Phase
from ovnguard.reconciler.rollout.plan.table import TABLE, Row

# The steady state before 4.14 is another one than the steady state after the upgrade.
_BEFORE: Final = "before"


def diagram() -> str:
    """Return the Mermaid diagram."""
    return "\n".join(("```mermaid", "stateDiagram-v2", *(f"    {line}" for line in _lines()), "```"))


def _lines() -> Iterator[str]:
    yield from dict.fromkeys(f'state "{row.phase}: {row.title}" as {_name(row.phase, row.folder)}' for row in TABLE)
    yield f"[*] --> {_BEFORE}: a cluster of 4.13"
    yield f"[*] --> {_name(Phase.INSTALL, Folder.FINAL)}: a new cluster"
    for row in TABLE:
        yield from (
            f"{_name(row.phase, row.folder)} --> {_target(row, phase)}: {cause}" for phase, cause in row.leads_to
        )


def _target(row: Row, phase: Phase) -> str:
    return _name(phase, row.folder if phase is Phase.STEADY else Folder.FINAL)


def _name(phase: Phase, folder: Folder) -> str:
    return _BEFORE if phase is Phase.STEADY and folder is Folder.LEGACY else str(phase)


if __name__ == "__main__":
    print(diagram())
