"""The tree that a release is made of: the committed files, with the addresses of release.toml in them."""

import io
import re
import subprocess
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.release.addresses import addresses, filled_in

_FILLED_IN: Final = ("README.md", "deploy", "docs", "SECURITY.md", "CODE_OF_CONDUCT.md")
_LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)]+)\)")


class Tree(NamedTuple):
    """A folder with the files of a commit, its version, the time of the commit in seconds, and the addresses."""

    folder: Path
    version: str
    time: int
    addresses: Mapping[str, str]


def staged(root: Path, folder: Path) -> Tree:
    """Write the files of the last commit of ``root`` into a folder; no umask and no other file changes them."""
    packed = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD"], cwd=root, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="tar")
    time = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True, check=True)
    version = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    tree = Tree(folder, version, int(time.stdout), addresses(folder))
    for name in _FILLED_IN:
        path = folder / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.is_symlink() and file.suffix in {".md", ".yaml", ".yml", ".json", ".txt"}:
                _rewrite(file, filled_in(file.read_text(encoding="utf-8"), tree.addresses))
    readme, project = folder / "README.md", folder / "pyproject.toml"
    _rewrite(readme, with_whole_links(readme.read_text(encoding="utf-8"), tree))
    _rewrite(project, with_addresses(project.read_text(encoding="utf-8"), tree))
    return tree


def with_whole_links(text: str, tree: Tree) -> str:
    """A page whose links and pictures work outside of the repository, as an index of packages shows it."""
    repository = tree.addresses["repository"] or "REPOSITORY"

    def whole(link: re.Match[str]) -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}[{link[2]}]({repository}/{kind}/v{tree.version}/{link[3]})"

    return _LINK.sub(whole, text)


def with_addresses(project: str, tree: Tree) -> str:
    """pyproject.toml with the addresses that an index of packages shows, if the repository has one."""
    if not (repository := tree.addresses["repository"]):
        return project
    urls = {
        "Repository": repository,
        "Documentation": f"{repository}/tree/v{tree.version}/docs",
        "Changelog": f"{repository}/blob/v{tree.version}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return f"{project}\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())


def _rewrite(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
