"""Coverage of the bundled suites: every bundled definition, its suites, and the requests that they make."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ovnguard import crd_schemas
from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.base.json_types import JsonMapping
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.suite.case_judge import Target
from ovnguard.validators.suite.coverage import Met, Recorder, Recording
from ovnguard.validators.suite.policy_suite import PolicyRun
from ovnguard.validators.suite.runner import Run, plan_suites
from ovnguard.validators.suite.suite import Case

ROOT: Final = Path(crd_schemas.__file__).parent


@dataclass(frozen=True)
class Covered:
    """One bundled definition and what its suites met of it; ``failed`` are cases that did not pass."""

    path: str
    crd: CompiledCRD
    met: Met
    failed: tuple[str, ...]

    def gaps(self) -> Iterator[str]:
        """One line for everything that is not met both ways."""
        yield from (f"{self.path}: case fails: {name}" for name in self.failed)
        yield from (f"{self.path}: {location}: {missing}" for location, missing in self.met.gaps(self.crd))


def definitions() -> list[str]:
    """Every bundled definition relative to the package."""
    folders = (*crd_schemas.SETS, crd_schemas.COMMON)
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.yaml"))
    return sorted(path.as_posix() for path in found if "tests" not in path.parts)


def cover(path: str) -> Covered:
    """Run the suites of one definition; ``path`` as `definitions` gives it."""
    source = crd_schemas.parsed(path)
    crd = compile_crd(source)
    met, failed = Met(), []
    recording, target = Recording(), None
    folder = (ROOT / path).parent / "tests" / source["metadata"]["name"]
    for run in plan_suites([folder]).parts if folder.is_dir() else ():
        assert not isinstance(run, PolicyRun), run.suite.label
        if not isinstance(run, Run):
            failed.append(f"{run.suite}: {run.message}")
            continue
        target = target or Target(run.definition, run.version, DEFAULT_KUBERNETES, recording.compile)
        failed += [
            _failure_text(run, case, message)
            for case in run.cases
            if (message := recording.case(case, run, target, met).message)
        ]
    return Covered(path, crd, met, tuple(failed))


def asked(path: str) -> Iterator[tuple[JsonMapping, JsonMapping | None, str | None]]:
    """Every request that the suites of a definition make of it: the object, the stored one, the subresource."""
    source = crd_schemas.parsed(path)
    folder = (ROOT / path).parent / "tests" / source["metadata"]["name"]
    for run in plan_suites([folder]).parts if folder.is_dir() else ():
        assert isinstance(run, Run), run
        recording = Recording()
        target = Target(run.definition, run.version, DEFAULT_KUBERNETES, recording.compile)
        own = target.compiled()
        assert isinstance(own, Recorder)
        for case in run.cases:
            recording.case(case, run, target, Met())
            yield from ((seen.obj, seen.old, seen.subresource) for seen in own.seen)


def _failure_text(run: Run, case: Case, message: str) -> str:
    return f"{run.suite.label}: {case.name}: {message}"
