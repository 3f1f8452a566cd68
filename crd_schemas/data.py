"""Which data files there are, relative to this package: definitions, cases of their rules, policies."""

from pathlib import Path
from typing import Final

import crd_schemas

CASES: Final = "cases"
POLICIES: Final = "policies"
POLICY_CASES: Final = "policies/cases"
_ROOT: Final = Path(__file__).parent


def definition_files() -> tuple[str, ...]:
    """Return the file of every definition once, kinds in the order of their table, sets in the order of `SETS`."""
    listed = [path for key in crd_schemas.kinds() for path in crd_schemas.paths(*key).values()]
    return tuple(dict.fromkeys([*listed, *crd_schemas.embedded().values()]))


def data_files(folder: str) -> tuple[str, ...]:
    """Return the YAML files of one of the folders above, sorted."""
    return tuple(sorted(f"{folder}/{path.name}" for path in (_ROOT / folder).glob("*.yaml")))
