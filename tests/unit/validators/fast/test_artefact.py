"""The key of a stored definition changes with every module that takes part in compiling it."""

from pathlib import Path

import pytest

from ovnguard.validators.fast import artefact

ROOT = Path(artefact.__file__).parents[1]
COMPILES = ("base", "cel", "crd", "fast", "go", "structural")


@pytest.mark.parametrize("part", COMPILES)
def test_every_folder_of_the_compiler_counts(part):
    counted = {line.rsplit("/", 1)[0] for line in artefact._sources()}
    folders = {file.parent.relative_to(ROOT).as_posix() for file in (ROOT / part).rglob("*.py")}
    assert folders <= counted
