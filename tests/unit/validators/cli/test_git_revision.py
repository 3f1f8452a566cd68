"""Old objects from a git revision."""

from pathlib import Path

import pytest

from ovnguard.validators.cli.git_program import BadRevision
from ovnguard.validators.cli.git_revision import read_revision
from tests.support.git_folder import git
from tests.support.preflight_run import report, run

LAYER3 = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.41.0.0/16}], mtu: %d}}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repo"
    (folder / "nets").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "nets" / "a.yaml").write_text(LAYER3 % 1400)
    (folder / "nets" / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (folder / "nets" / "broken.yaml").write_text("a: [1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    (folder / "nets" / "broken.yaml").unlink()
    (folder / "nets" / "a.yaml").rename(folder / "nets" / "b.yaml")
    (folder / "nets" / "b.yaml").write_text(LAYER3 % 1300)
    monkeypatch.chdir(folder)
    return folder


def test_a_changed_object_is_judged_as_an_update_of_the_revision(repository: Path) -> None:
    commit = git(repository, "rev-parse", "--short=12", "HEAD")
    result = run("nets", "--old", "git:HEAD")
    assert (result.return_value, result.stderr) == (1, f"old objects: git HEAD ({commit})\n")
    assert "4:83: error: mtu is immutable (spec.layer3.mtu: Invalid value: 1300)" in result.stdout
    assert run("nets", "--old", "git:HEAD", "-q").stderr == ""
    assert report("nets")[0] == 0
    # a file that is named alone has the old object of its own path
    assert run("nets/b.yaml", "--old", "git:HEAD").return_value == 0


def test_a_trusted_configuration_names_the_revision(repository: Path) -> None:
    (repository / "nets" / ".ovnguard.yaml").write_text("old: ['git:HEAD']\n")
    assert run("nets").return_value == 0
    commit = git(repository, "rev-parse", "--short=12", "HEAD")
    result = run("nets", "--trust-config")
    assert (result.return_value, result.stderr) == (1, f"old objects: git HEAD ({commit})\n")


def test_links_and_folders_with_the_name_of_a_manifest_are_left_out(repository: Path) -> None:
    (repository / "nets" / "link.yaml").symlink_to("a.yaml")
    (repository / "nets" / "folder.yaml").mkdir()
    (repository / "nets" / "folder.yaml" / "notes.txt").write_text("a\n")
    git(repository, "add", ".")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},nets/module.yaml")
    git(repository, "commit", "-q", "-m", "two")
    assert [each.name for each in read_revision("HEAD", ["nets"], lambda obj: obj).objects] == ["net"]


def test_one_content_counts_under_its_last_name(repository: Path) -> None:
    (repository / "nets" / "c.json").write_text((repository / "nets" / "b.yaml").read_text())
    (repository / "nets" / "d.yaml").write_text(LAYER3 % 1400)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    found = read_revision("HEAD", ["nets"], lambda obj: obj).objects
    assert [obj["spec"]["layer3"]["mtu"] for obj in found.values()] == [1400]


def test_a_revision_reads_only_what_is_below_the_paths(repository: Path) -> None:
    (repository / "other").mkdir()
    assert read_revision("HEAD", ["other"], lambda obj: obj).objects == {}
    names = [identity.name for identity in read_revision("HEAD", ["nets/*.yaml"], lambda obj: obj).objects]
    assert names == ["net"]


@pytest.mark.parametrize("revision", ["nowhere", "--all", "HEAD:nets", ""])
def test_an_unknown_revision(repository: Path, revision: str) -> None:
    assert run("nets", "--old", f"git:{revision}") == (
        2,
        "",
        f"Error: git: {repository} has no revision {revision!r}\n",
    )


def test_paths_outside_a_repository(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(LAYER3 % 1400)
    with pytest.raises(
        BadRevision, match=rf"^git: not a git repository \(or any of the parent directories\): {tmp_path}$"
    ):
        read_revision("HEAD", [str(tmp_path)], lambda obj: obj)
    with pytest.raises(
        BadRevision, match=rf"^git: not a git repository \(or any of the parent directories\): {tmp_path}$"
    ):
        read_revision("HEAD", ["nets", str(tmp_path)], lambda obj: obj)


def test_standard_input_may_be_any_object_of_the_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "empty").mkdir()
    monkeypatch.chdir(repository / "empty")
    assert [each.name for each in read_revision("HEAD", ["-"], lambda obj: obj).objects] == ["net"]


def test_a_submodule_has_revisions_of_its_own(repository: Path) -> None:
    inner = repository / "vendor" / "nets"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "c.yaml").write_text((LAYER3 % 1400).replace("name: net", "name: inner"))
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    found = read_revision("HEAD", ["nets", "vendor/nets/c.yaml"], lambda obj: obj)
    assert [identity.name for identity in found.objects] == ["net", "inner"]
    assert found.commit == ", ".join(git(folder, "rev-parse", "--short=12", "HEAD") for folder in (repository, inner))


def test_a_hook_reads_the_repository_of_the_paths(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = git(repository, "rev-parse", "--short=12", "HEAD")
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index.lock")
    found = read_revision("HEAD", ["nets"], lambda obj: obj)
    assert (found.commit, [identity.name for identity in found.objects]) == (commit, ["net"])
