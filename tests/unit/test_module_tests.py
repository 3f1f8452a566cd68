"""Where the tests of a module are: in a file of its name, or in the file that a line of this table names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.support.paths import ROOT

FOLDERS: Final = ("reconciler/plan/topology", "validators/cel/library")
_TOPOLOGY: Final = "tests/unit/reconciler/plan/topology"
_VALUES: Final = "tests/support/topology_values.py"
_TABLES: Final = "tests/unit/validators/cel/tables"

ELSEWHERE: Final[Mapping[str, tuple[str, str]]] = {
    "reconciler/plan/topology/acls.py": (f"{_TOPOLOGY}/test_routed_isolation.py", "apply-after-lb"),
    "reconciler/plan/topology/address_sets.py": (f"{_TOPOLOGY}/test_routed_isolation.py", "NODE_IPS"),
    "reconciler/plan/topology/cluster_router.py": (_VALUES, "mcast_flood"),
    "reconciler/plan/topology/common_rows.py": (_VALUES, "pktps"),
    "reconciler/plan/topology/database_ids.py": (f"{_TOPOLOGY}/test_egress_ip.py", "default-network-controller"),
    "reconciler/plan/topology/gateway_router.py": (_VALUES, "mac_binding_age_threshold"),
    "reconciler/plan/topology/hairpin.py": (_VALUES, "allow-hairpinning"),
    "reconciler/plan/topology/internal_traffic.py": (_VALUES, "EIP-No-Reroute-reply-traffic"),
    "reconciler/plan/topology/layer2_switch.py": (_VALUES, "mcast_flood_unregistered"),
    "reconciler/plan/topology/layer2_switch_ports.py": (
        "tests/unit/reconciler/plan/test_upgrade.py",
        "requested-chassis",
    ),
    "reconciler/plan/topology/layer2_zone.py": ("tests/unit/reconciler/plan/inputs/test_uplinks.py", "uplink"),
    "reconciler/plan/topology/layer3_networks.py": (f"{_TOPOLOGY}/test_layer3.py", "waiting for"),
    "reconciler/plan/topology/layer3_snat.py": (f"{_TOPOLOGY}/test_layer3.py", "snat"),
    "reconciler/plan/topology/layer3_switches.py": (_VALUES, "arp_proxy"),
    "reconciler/plan/topology/layer3_zone.py": ("tests/unit/reconciler/plan/inputs/test_uplinks.py", "uplink"),
    "reconciler/plan/topology/localnet.py": (_VALUES, "localnet"),
    "reconciler/plan/topology/node_snat.py": (f"{_TOPOLOGY}/test_routed_isolation.py", "eth.dst == "),
    "reconciler/plan/topology/transit_router.py": (_VALUES, "router_preference"),
    "validators/cel/library/authz.py": (f"{_TABLES}/text.json", "authorizer"),
    "validators/cel/library/cidr.py": (f"{_TABLES}/text.json", "containsCIDR("),
    "validators/cel/library/conversions.py": (f"{_TABLES}/text.json", "bytes("),
    "validators/cel/library/format_string.py": (f"{_TABLES}/data.json", ".format("),
    "validators/cel/library/ip.py": (f"{_TABLES}/libraries.json", "isCanonical("),
    "validators/cel/library/k8s_lists.py": (f"{_TABLES}/libraries.json", "isSorted("),
    "validators/cel/library/k8s_url.py": (f"{_TABLES}/text.json", "getHost("),
    "validators/cel/library/lists.py": (f"{_TABLES}/libraries.json", "lists.range("),
    "validators/cel/library/named_format.py": (f"{_TABLES}/libraries.json", "labelValue"),
    "validators/cel/library/newer_releases.py": ("tests/unit/validators/cel/test_newer_releases.py", "lists.range"),
    "validators/cel/library/older_releases.py": ("tests/unit/validators/cel/releases/1.31.json", "containsCIDR"),
    "validators/cel/library/optionals.py": (f"{_TABLES}/libraries.json", "hasValue("),
    "validators/cel/library/regex.py": (f"{_TABLES}/text.json", "findAll("),
    "validators/cel/library/semver.py": (f"{_TABLES}/libraries.json", "isSemver("),
    "validators/cel/library/sets.py": (f"{_TABLES}/text.json", "sets.equivalent("),
    "validators/cel/library/standard.py": (f"{_TABLES}/text.json", "size("),
    "validators/cel/library/strings.py": (f"{_TABLES}/text.json", "charAt("),
    "validators/cel/library/timestamps.py": (f"{_TABLES}/text.json", "getFullYear"),
}
"""The file with the tests of each module, and a word that both contain. `test_tables.py` evaluates CEL tables."""


def own_test(module: Path) -> Path:
    """The test file of the module's name."""
    return ROOT / "tests" / "unit" / module.parent.relative_to(ROOT) / f"test_{module.name}"


def modules() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py")) if path.name != "__init__.py"]


@pytest.mark.parametrize("module", modules(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_module_has_a_test_of_its_name_or_a_line(module: Path) -> None:
    name, own = module.relative_to(ROOT).as_posix(), own_test(module)
    if own.is_file():
        assert "def test_" in own.read_text(encoding="utf-8"), f"{own} has no test"
        assert name not in ELSEWHERE, f"{name} has {own.relative_to(ROOT)}: delete its line"
        return
    assert name in ELSEWHERE, f"write {own.relative_to(ROOT)}, or name the file that has the tests of {name}"
    file, word = ELSEWHERE[name]
    for path in (module, ROOT / file):
        assert word in path.read_text(encoding="utf-8"), f"{path.relative_to(ROOT)} does not contain {word!r}"


def test_a_line_is_about_a_module() -> None:
    assert sorted(ELSEWHERE.keys() - {path.relative_to(ROOT).as_posix() for path in modules()}) == []
