"""The pictures in docs/pictures: `plan -o svg` of each case. To draw them again:

python -m tests.support.pages.plan_pictures
"""

from typing import Final

from tests.support.pages.plan_cases import CASES
from tests.support.paths import ROOT

FOLDER: Final = ROOT / "docs/pictures"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, case in CASES.items():
        (FOLDER / f"{name}.svg").write_text(case.printed("svg"), encoding="utf-8")


if __name__ == "__main__":
    main()
