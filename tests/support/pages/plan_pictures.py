"""The pictures in docs/pictures, one of each topology. To draw them again, with Graphviz installed:

python -m tests.support.pages.plan_pictures
"""

import subprocess
from collections.abc import Mapping
from typing import Final

from reconciler.plan.planner import make_plan
from reconciler.plan.render.picture import pictures_of
from reconciler.plan.render.picture_dot import picture_dot
from reconciler.plan.rows.settings import Settings
from tests.support.paths import ROOT
from tests.support.plan_samples import default_network, layer3, nodes, sharing, udn
from tests.support.plan_scenarios import LAYER2, LOCALNET, generations
from validators.network.declared.node import Node
from validators.network.model import Network, Transport

FOLDER: Final = ROOT / "docs/pictures"
_LAYER3: Final = layer3("cluster_udn_green")
_OVERLAY: Final = default_network(transport=Transport.GENEVE, no_overlay=None, managed_bgp=None)
_CASES: Final[Mapping[str, tuple[Network, tuple[Node, ...]]]] = {
    "layer2": (udn("cluster_udn_blue"), nodes(3)),
    "layer2-upgrade": (LAYER2, generations("noo")),
    "layer3": (_LAYER3, sharing(nodes(3), _LAYER3)),
    "localnet": (LOCALNET, nodes(3)),
    "default-overlay": (_OVERLAY, nodes(3)),
    "default-no-overlay": (default_network(), nodes(3)),
}


def graphs() -> Mapping[str, str]:
    """The text for Graphviz of each picture, by the name of its file."""
    return {name: _graph(network, members) for name, (network, members) in _CASES.items()}


def _graph(network: Network, members: tuple[Node, ...]) -> str:
    (graph,) = pictures_of(make_plan([network], members, Settings()).zones)
    return picture_dot(graph)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in graphs().items():
        done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
        (FOLDER / f"{name}.svg").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
