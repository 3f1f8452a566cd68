"""The screens in docs/screens: pages of plans in a browser. To make them again, after `make testbed`:

python -m tests.support.pages.plan_pages
"""

import base64
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.pages.plan_cases import CASES
from tests.support.paths import ROOT
from tests.testbed import parts
from tests.testbed.chromium import Chromium

FOLDER: Final = ROOT / "docs/screens"


class Screen(NamedTuple):
    """A page, the size of the window, where the page is scrolled to, and its colours."""

    case: str
    width: int
    height: int
    place: str = "overview"
    scheme: str = "light"


SCREENS: Final = {
    "plan": Screen("plan", 1280, 1900),
    "plan-dark": Screen("plan", 1280, 1900, scheme="dark"),
    "plan-narrow": Screen("plan", 390, 1330),
    "layer3": Screen("layer3", 1280, 1000, "network-1"),
    "layer3-narrow": Screen("layer3", 390, 1330, "network-1"),
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    pages = {name: CASES[name].printed("html") for name in {each.case for each in SCREENS.values()}}
    with (
        tempfile.TemporaryDirectory() as text,
        Chromium(parts.find()["chromium"], Path(text) / "chromium.log") as chromium,
    ):
        for name, each in SCREENS.items():
            file = Path(text) / f"{name}.html"
            file.write_text(pages[each.case], encoding="utf-8")
            metrics = {"width": each.width, "height": each.height, "deviceScaleFactor": 0.75, "mobile": True}
            chromium.call("Emulation.setDeviceMetricsOverride", **metrics)
            chromium.emulate(prefers_color_scheme=each.scheme)
            chromium.open(f"{file.as_uri()}#{each.place}")
            shot = chromium.call("Page.captureScreenshot", format="png")
            (FOLDER / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
