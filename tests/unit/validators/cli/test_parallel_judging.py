"""Several processes say the same as one, in the same order."""

import json
from pathlib import Path

import pytest

from ovnguard.validators.cli.preflight_options import jobs_for
from tests.support.preflight_run import run
from tests.support.soak import limit

KIND = "apiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwork\n"
SPEC = """spec:
  namespaceSelector: {{}}
  network: {{topology: {topology}, layer2: {{role: Primary, subnets: [{subnet}]}}}}
"""


def manifest(number: int, topology: str = "Layer2", subnet: str = "10.30.0.0/16") -> str:
    return f"{KIND}metadata: {{name: n{number}}}\n{SPEC.format(topology=topology, subnet=subnet)}"


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Accepted networks, refused ones, misspelt ones, two manifests of one network, and what nobody knows."""
    texts = [manifest(number) for number in range(30)]
    texts += [manifest(number, subnet="10.30.0.0/16, 10.31.0.0/16") for number in range(30, 40)]
    texts += [manifest(number, topology="Layer22") for number in range(40, 50)]
    texts += [manifest(3, subnet="10.99.0.0/16"), "apiVersion: a.b/v1\nkind: C\nmetadata: {name: c}\n"]
    file = tmp_path / "many.yaml"
    file.write_text("---\n".join(texts), encoding="utf-8")
    return file


@limit(180)  # many processes start
@pytest.mark.parametrize("output", ["text", "json", "sarif", "junit"])
def test_every_number_of_processes_reports_the_same(many: Path, output: str) -> None:
    one = run(str(many), "-v", "-o", output)
    assert one.return_value == 1
    for jobs in ("2", "5", "0"):
        assert run(str(many), "-v", "-o", output, "-j", jobs) == one


def test_a_second_manifest_is_judged_as_an_update_of_the_first(many: Path) -> None:
    found = json.loads(run(str(many), "-o", "json", "-j", "3").stdout)["findings"]
    assert "Layer2 is immutable" in {each["message"].partition(": ")[2] for each in found if each["name"] == "n3"}


@pytest.mark.parametrize("jobs", ["-1", "65", "two", "1.5", "1000"])
def test_a_number_of_processes_is_small(many: Path, jobs: str) -> None:
    done = run(str(many), f"--jobs={jobs}")
    assert (done.return_value, done.stdout) == (2, "")
    assert f"argument -j/--jobs: '{jobs}' is not a number from 0 to 64" in done.stderr


@pytest.mark.parametrize(("objects", "given", "jobs"), [(499, None, 1), (500, None, 4), (500, 1, 1), (1, 7, 7)])
def test_many_objects_are_judged_by_several_processes(monkeypatch, objects: int, given: int | None, jobs: int) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("sys.platform", "linux")
    assert jobs_for(objects, given) == jobs
    monkeypatch.setattr("sys.platform", "darwin")
    assert jobs_for(objects, None) == 1
