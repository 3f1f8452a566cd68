"""The tree of a release: committed files only, with addresses and with links that work elsewhere."""

import os
import tomllib
from pathlib import Path

import pytest

from tests.support.git_folder import git
from tests.support.release.staging import Tree, staged, with_addresses, with_whole_links

REPOSITORY = "https://git.test/o"
SET = f'repository = "{REPOSITORY}"\nregistry = "r.test/o"\n'


def tree(repository: str) -> Tree:
    return Tree(Path(), "1.2.3", 0, {"repository": repository, "registry": ""})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/a.md)", f"[a]({REPOSITORY}/blob/v1.2.3/docs/a.md)"),
        ("![a `b`](docs/a.svg)", f"![a `b`]({REPOSITORY}/raw/v1.2.3/docs/a.svg)"),
        ("[a](docs/a.md#b)", f"[a]({REPOSITORY}/blob/v1.2.3/docs/a.md#b)"),
        ("[a](https://a.test/b) [b](#c)", "[a](https://a.test/b) [b](#c)"),
    ],
)
def test_links_lead_into_the_repository(text: str, expected: str) -> None:
    assert with_whole_links(text, tree(REPOSITORY)) == expected


def test_links_without_a_repository_name_its_word() -> None:
    assert with_whole_links("[a](docs/a.md)", tree("")) == "[a](REPOSITORY/blob/v1.2.3/docs/a.md)"


def test_the_project_has_addresses_only_of_a_repository() -> None:
    assert with_addresses("[project]\n", tree("")) == "[project]\n"
    assert tomllib.loads(with_addresses("[project]\n", tree(REPOSITORY)))["project"]["urls"] == {
        "Repository": REPOSITORY,
        "Documentation": f"{REPOSITORY}/tree/v1.2.3/docs",
        "Changelog": f"{REPOSITORY}/blob/v1.2.3/CHANGELOG.md",
        "Issues": f"{REPOSITORY}/issues",
    }


def test_what_is_committed_is_staged_with_the_addresses(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    files = {
        "pyproject.toml": '[project]\nversion = "1.2.3"\n',
        "release.toml": SET,
        "README.md": "[a](docs/a.md)\n",
        "SECURITY.md": "REPOSITORY/security\n",
        "CODE_OF_CONDUCT.md": "",
        "docs/a.md": "git+REPOSITORY\n",
        "deploy/a.yaml": "image: REGISTRY/ovnguard\n",
        "validators/a.py": "REPOSITORY = 1\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "x")
    (root / "validators" / "not committed.py").touch()
    before = os.umask(0o077)
    try:
        made = staged(root, tmp_path / "staged")
    finally:
        os.umask(before)
    assert (made.version, made.addresses) == ("1.2.3", {"repository": REPOSITORY, "registry": "r.test/o"})
    found = {str(path.relative_to(made.folder)): path for path in made.folder.rglob("*") if path.is_file()}
    assert found.keys() == files.keys()
    assert found["deploy/a.yaml"].read_text(encoding="utf-8") == "image: r.test/o/ovnguard\n"
    assert found["docs/a.md"].read_text(encoding="utf-8") == f"git+{REPOSITORY}\n"
    assert found["validators/a.py"].read_text(encoding="utf-8") == "REPOSITORY = 1\n"
    assert {path.stat().st_mode & 0o777 for path in found.values()} <= {0o644, 0o664}
