"""The documentation as a site in site/: `make docs`.

The pages of docs/ are staged with the scripts that they load. A link to a file elsewhere leads to the repository.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.paths import ROOT
from tests.support.release.addresses import addresses, filled_in
from tests.testbed import parts
from tests.testbed.parts import Part

MKDOCS: Final = Path(sys.executable).parent.parent / "release" / "bin" / "mkdocs"
PART: Final = "site-scripts"
DIAGRAMS: Final = "mermaid.js"
_SETTINGS: Final = "mkdocs.yml"
_ROW: Final = re.compile(r"^\|.*", re.MULTILINE)
_CODE: Final = re.compile(r"`[^`]*`")
_LINK: Final = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]+)[^)]*\)")


class BrokenSite(Exception):
    """A page, a link or a heading is missing; the message is what mkdocs says."""


def build(root: Path, site: Path, scripts: Part) -> None:
    """Build the site of a checkout; raises BrokenSite."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copyfile(root / _SETTINGS, folder / _SETTINGS)
        stage(root, folder / "docs", scripts.files)
        # with --quiet, it would not count warnings as errors
        command = [str(MKDOCS), "build", "--strict", f"--config-file={folder / _SETTINGS}", f"--site-dir={site}"]
        # else it tells of its successor
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BrokenSite(done.stderr)


def stage(root: Path, docs: Path, scripts: Mapping[str, Path]) -> None:
    """Write the pages of a checkout as the site shows them, and the scripts."""
    shutil.copytree(root / "docs", docs)
    (docs / "assets").mkdir()
    for name, script in scripts.items():
        shutil.copyfile(script, docs / "assets" / name)
    found = addresses(root)
    for page in docs.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = with_repository_links(text, root / "docs" / page.relative_to(docs), root, found["repository"])
        text = with_diagrams(with_bars(filled_in(text, found)), os.path.relpath(docs, page.parent))
        page.write_text(text, encoding="utf-8")


def with_repository_links(text: str, page: Path, root: Path, repository: str) -> str:
    """A page whose links to what is no file of docs/ lead to the repository, mere text while that has no address.

    Links that lead nowhere stay: mkdocs names them.
    """

    def link(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / found[2]))
        if not target.exists() or (target.is_file() and target.is_relative_to(root / "docs")):
            return found[0]
        return f"[{found[1]}]({repository}/blob/HEAD/{target.relative_to(root)})" if repository else found[1]

    return _LINK.sub(link, text)


def with_bars(text: str) -> str:
    """A page without the backslashes before bars in the code of tables, which the site would show."""
    return _ROW.sub(lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), text)


def with_diagrams(text: str, docs: str) -> str:
    """A page that loads the script of diagrams if it has one; it is too large for every page."""
    return f'{text}\n<script src="{docs}/assets/{DIAGRAMS}"></script>\n' if "\n```mermaid\n" in text else text


def main() -> int:
    """Build, and name the first page; 1 with the reasons when that is not possible."""
    scripts = parts.find()[PART]
    if scripts.reason is not None:
        print(f"docs: needs {PART}: {scripts.reason}", file=sys.stderr)
        return 1
    try:
        build(ROOT, ROOT / "site", scripts)
    except BrokenSite as error:
        print(error, file=sys.stderr)
        return 1
    print("site/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
