"""The licence of a package is what its metadata says, in the newer or the older way, and the text that it carries."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.release.licences import licences

RULE = "=" * 80


def wheel(folder: Path, *fields: str, **texts: str) -> Path:
    path = folder / "a-1.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr("a-1.0.dist-info/METADATA", "\n".join(("Name: a", "Version: 1.0", *fields, "", "Text.")))
        archive.writestr("a/b.dist-info/METADATA", "")
        for name, text in texts.items():
            archive.writestr(f"a-1.0.dist-info/licenses/{name}", text)
    return path


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        (["License-Expression: MIT", "License: old"], "a 1.0: MIT"),
        (["Classifier: License :: OSI Approved :: MIT License", "License: a text"], "a 1.0: MIT License"),
        (["License: BSD-3-Clause"], "a 1.0: BSD-3-Clause"),
    ],
)
def test_a_named_licence(fields: list[str], head: str, tmp_path: Path) -> None:
    assert licences([wheel(tmp_path, *fields)]) == f"{RULE}\n{head}\n{RULE}"


def test_texts_follow_the_name(tmp_path: Path) -> None:
    made = wheel(tmp_path, f"License: {'long ' * 20}", LICENSE="\nFree.\n\n", NOTICE="Of A.", AUTHORS="A")
    assert licences([made]) == f"{RULE}\na 1.0: the licence below\n{RULE}\nFree.\n\nOf A.\n"


def test_a_package_without_a_licence_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^a-1\.0-py3-none-any\.whl: it neither names a licence nor has the text of"):
        licences([wheel(tmp_path, "License: a\n b")])
