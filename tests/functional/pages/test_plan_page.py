"""Pages of plans in a real browser: pictures can be read, and nothing is missing for eyes, keyboards and printers."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.render.page import Page, page_as_html
from ovnguard.reconciler.plan.render.pictures import Facts, Pictures, pictures
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.bench.large_page import write_page
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, default_network, layer3, nodes, sharing, udn
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LOCALNET, OVERLAY_DEFAULT
from tests.support.reconciler_cli import INVALID, NODES, VALID, run
from tests.support.soak import sized
from tests.testbed.chromium import Chromium
from tests.testbed.fixtures import need
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts

Cluster = tuple[Network, tuple[Node, ...]]
_HERE: Final = Path(__file__).parent
FAULTS, ACCESS, CONTRAST = ((_HERE / f"{name}.js").read_text() for name in ("faults", "access", "contrast"))


def _layer2(count: int, *, dual: bool, upgraded: Callable[[int], bool]) -> Cluster:
    network = udn("cluster_udn_blue", *(("10.10.0.0/16", "fd10::/64") if dual else ("10.10.0.0/16",)))
    members = nodes(count, v6=dual)
    return network, tuple(
        each._replace(
            router_port_keys={network.name: 100 + (each.node_id or 0)},
            topology_version="2.0" if upgraded(number) else "",
        )
        for number, each in enumerate(members)
    )


def _layer3(count: int, *, dual: bool) -> Cluster:
    network = layer3("cluster_udn_green", *(LAYER3_DUAL if dual else LAYER3_DUAL[:1]))
    return network, sharing(nodes(count, v6=dual), network)


CLUSTERS: Final[Mapping[str, Callable[[int, bool], Cluster]]] = {
    "layer2": lambda count, dual: _layer2(count, dual=dual, upgraded=lambda _: True),
    "layer2-before-upgrade": lambda count, dual: _layer2(count, dual=dual, upgraded=lambda _: False),
    "layer2-upgrading": lambda count, dual: _layer2(count, dual=dual, upgraded=lambda number: number % 2 == 0),
    "layer3": lambda count, dual: _layer3(count, dual=dual),
    "localnet": lambda count, dual: (LOCALNET, nodes(count, v6=dual)),
    "default": lambda count, dual: (DUAL_OVERLAY_DEFAULT if dual else OVERLAY_DEFAULT, nodes(count, v6=dual)),
    "default-no-overlay": lambda count, dual: (DUAL_DEFAULT if dual else default_network(), nodes(count, v6=dual)),
}


def _opened(chromium: Chromium, folder: Path, html: str) -> None:
    """Opens a page from a file; it asks for nothing else and the browser complains about nothing."""
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    chromium.emulate()
    chromium.open(file.as_uri())
    assert [url for url in chromium.requests if not url.startswith("data:")] == [file.as_uri()]
    assert list(chromium.problems) == []


SCREENS: Final = {"wide": 1280, "narrow": 390}
# The height of a landscape page without the margins of browsers, in pixels.
A4: Final = 717
MEDIA: Final = {"light": ("", "light"), "dark": ("", "dark"), "print": ("print", "light")}


OPEN: Final = "document.querySelectorAll('details').forEach(each => each.open = true)"
# Which of the arrangements figures show: wide, narrow, and wide in parts on paper.
SHOWN: Final = """[...new Set([...document.querySelectorAll("svg")].filter(each => each.checkVisibility())
    .map(each => each.classList[1]))].sort()"""
# The labels of names in the first picture, with their whole names.
LABELS: Final = """[...new Map([...document.querySelectorAll("figure:first-of-type svg")]
    .filter(each => each.checkVisibility())
    .flatMap(each => [...each.querySelectorAll("g:has(title) > .name")])
    .map(each => [each.previousElementSibling.textContent, each.textContent])).entries()]
    .map(([title, label]) => [label, title])"""


def _screen(chromium: Chromium, width: int) -> None:
    chromium.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
    )


def _all_of_a_kind(count: int, *, dual: bool) -> Pictures:
    """The picture of each topology, and those of all their networks as one plan."""
    found = {}
    zones: list[ZonePlan] = []
    for name, cluster in CLUSTERS.items():
        network, members = cluster(count, dual)
        planned = make_plan([network], members, Settings()).zones
        (found[name],) = pictures(planned, Facts(namespaces={network.name: ("shop", LONG)})).networks.values()
        zones += planned
    return Pictures(pictures(zones).whole, found)


LONG: Final = f"{'production-' * 5}shipping"


@pytest.mark.parametrize("dual", [False, True], ids=["ipv4", "dual"])
@pytest.mark.parametrize("count", [1, 3, 30])
def test_pictures_can_be_read(chromium: Chromium, tmp_path: Path, count: int, dual: bool) -> None:
    drawn = _all_of_a_kind(count, dual=dual)
    html = page_as_html(Page("A plan", [], overview=drawn.whole, pictures=drawn.networks))
    for width in SCREENS.values():
        _screen(chromium, width)
        _opened(chromium, tmp_path, html)
        chromium.run(OPEN)
        assert chromium.run(SHOWN) == ["narrow" if width < 500 else "wide"]
        assert chromium.run(FAULTS) == []


def _long_names() -> Pictures:
    """Networks and nodes whose names have 63 characters, and differ in the middle or at the end."""
    names = [f"{'a' * 30}{number:02}{'-b' * 15}x" for number in range(7)]
    networks = [udn(f"cluster_udn_{'n' * 49}{number:02}", f"10.{number}.0.0/16") for number in range(7)]
    members = tuple(each._replace(name=name) for each, name in zip(nodes(7), names, strict=True))
    planned = make_plan(networks, members, Settings()).zones
    users = {each.name: (f"{'c' * 30}{'.d' * 16}e", "e" * 63, "f" * 63) for each in networks}
    found = pictures(planned, Facts(namespaces=users))
    return found._replace(networks=dict(list(found.networks.items())[:2]))


@pytest.mark.parametrize("media", MEDIA)
@pytest.mark.parametrize("screen", SCREENS)
def test_long_names_can_be_read_everywhere(chromium: Chromium, tmp_path: Path, screen: str, media: str) -> None:
    drawn = _long_names()
    html = page_as_html(Page("A plan", [], overview=drawn.whole, pictures=drawn.networks))
    _screen(chromium, SCREENS[screen])
    _opened(chromium, tmp_path, html)
    kind, scheme = MEDIA[media]
    chromium.emulate(kind, prefers_color_scheme=scheme)
    chromium.run(OPEN)
    assert chromium.run(SHOWN) == (["paper"] if (screen, media) == ("wide", "print") else [screen])
    assert chromium.run(FAULTS) == []
    assert chromium.run(CONTRAST) == []
    listed = chromium.run("[...document.querySelectorAll('.names li')].map(each => each.textContent)")
    assert all(len(name) == 63 and name in listed for name in drawn.networks)
    drawn_names = chromium.run(LABELS)
    assert len(drawn_names) == len({label for label, _ in drawn_names}) == len({title for _, title in drawn_names}) > 12


def test_no_picture_is_higher_than_a_printed_page(chromium: Chromium, tmp_path: Path) -> None:
    drawn = _long_names()
    _screen(chromium, SCREENS["wide"])
    _opened(chromium, tmp_path, page_as_html(Page("A plan", [], overview=drawn.whole, pictures=drawn.networks)))
    chromium.emulate("print")
    chromium.run(OPEN)
    heights = """[...document.querySelectorAll("svg")].filter(each => each.checkVisibility())
        .map(each => [each.getBoundingClientRect().height, getComputedStyle(each.closest("figure")).breakInside,
                      getComputedStyle(each).breakInside])"""
    found = chromium.run(heights)
    assert all(height < A4 and "avoid" in (of_figure, of_picture) for height, of_figure, of_picture in found)
    texts = """kind => [...document.querySelectorAll(`figure:first-of-type svg.${kind} text`)]
        .map(each => each.textContent).sort()"""
    assert chromium.run(f"({texts})('paper')") == chromium.run(f"({texts})('wide')") != []


def test_an_empty_plan_has_a_picture_that_says_so(chromium: Chromium, tmp_path: Path) -> None:
    _opened(chromium, tmp_path, page_as_html(Page("A plan", [], overview=pictures([]).whole)))
    assert chromium.run(FAULTS) == []
    assert "No network is planned." in chromium.run("document.querySelector('svg').textContent")


@pytest.fixture(scope="module")
def pages(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The pages of a plan, of a diff after a subnet has changed, and of an audit of a database with one switch."""
    need(parts, "ovn")
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(VALID, folder / "networks")
    where, store = ("-f", folder / "networks", "--nodes", NODES), ("--store", folder / "store")
    with OvnZone("worker-a", folder, parts.ovn) as zone:
        found = {"plan": run("plan", *where, "-f", f"{INVALID}/join-overlap.yaml", "-o", "html").out}
        assert run("apply", *where, *store).code == 1, "a new Layer3 network waits for its subnets"
        zone.nbctl("ls-add", "worker-a", "--", "lsp-add", "worker-a", "unknown")
        found["audit"] = run("audit", *where, "--nb-db", f"worker-a={zone.nb}", "-o", "html").out
        for name, old, new in (("blue-layer2", "100.88.0.0/15", "10.33.0.0/16"), ("default-network", "64600", "64700")):
            file = folder / f"networks/{name}.yaml"
            file.write_text(file.read_text().replace(old, new))
        found["diff"] = run("diff", *where, *store, "-o", "html").out
    assert all(f'<li class="{op}">' in found["diff"] for op in ("insert", "update", "delete"))
    assert "unknown" in found["audit"]
    return found


@pytest.fixture(params=["plan", "diff", "audit"])
def page(request: pytest.FixtureRequest, pages: Mapping[str, str], chromium: Chromium, tmp_path: Path) -> str:
    """One of these pages, opened on a wide screen; returns its name."""
    name = str(request.param)
    _screen(chromium, SCREENS["wide"])
    _opened(chromium, tmp_path, pages[name])
    return name


CLOSE: Final = "document.querySelectorAll('details').forEach(each => each.open = false)"


def test_landmarks_headings_and_names(chromium: Chromium, page: str) -> None:
    chromium.run(OPEN)
    # only a plan guesses the subnets of a third network; the whole plan has a figure, too
    assert chromium.run("document.querySelectorAll('figure').length") == (4 if page == "plan" else 3)
    assert chromium.run(FAULTS) == []
    assert chromium.run(ACCESS) == []


def test_every_part_opens_by_keyboard(chromium: Chromium, page: str) -> None:
    chromium.run(CLOSE)
    total = chromium.run("document.querySelectorAll('details').length")
    for _ in range(40 * total):
        chromium.press("Tab")
        if chromium.run("(at => at.matches('summary') && !at.parentElement.open)(document.activeElement)"):
            chromium.press("Enter")
        if chromium.run("document.activeElement === document.body"):
            break
    assert chromium.run("document.querySelectorAll('details[open]').length") == total > 4


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 29)")])
def test_texts_have_contrast(chromium: Chromium, page: str, scheme: str, ground: str) -> None:
    chromium.emulate(prefers_color_scheme=scheme)
    chromium.run(OPEN)
    assert chromium.run("getComputedStyle(document.body).backgroundColor") == ground
    assert chromium.run(CONTRAST) == []


def test_paper_shows_what_is_closed(chromium: Chromium, page: str) -> None:
    chromium.run(CLOSE)
    hidden = "[...document.querySelectorAll('details > :not(summary)')].filter(each => !each.checkVisibility()).length"
    assert chromium.run(hidden) > 4
    chromium.emulate("print", prefers_color_scheme="dark")
    assert chromium.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert chromium.run(hidden) == 0
    assert chromium.run(CONTRAST) == []


def test_a_large_page_opens_in_time(chromium: Chromium, tmp_path: Path) -> None:
    page = write_page(sized(20, 200), 20, tmp_path)
    chromium.emulate()
    seconds = min(chromium.open(page.as_uri()) for _ in range(3))
    assert seconds < sized(30, 3)
    assert list(chromium.problems) == []
    assert chromium.run("document.querySelectorAll('figure').length") == sized(20, 200) + 1


def _page_of(body: str) -> str:
    return f'<!DOCTYPE html><body><svg width="100" height="50">{body}</svg>'


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<text x="5" y="20">one</text><text x="15" y="24">two</text>', ["overlap: one | two"]),
        ('<text x="80" y="20">wide</text>', ["outside the view: text wide"]),
        ('<text x="5" y="20">one</text><line x2="120" y2="20"/>', ["outside the view: line "]),
        ('<text x="5" y="20" font-size="10">one</text>', ["10.0 px: one"]),
        ('<rect x="9" width="80" height="40"/><text x="5" y="20">one</text>', ["beyond its box: one"]),
        ("", ["no visible text"]),
        ('<text x="5" y="20">one</text><text x="5" y="40">two</text>', []),
    ],
    ids=["overlap", "text", "line", "small", "box", "nothing", "good"],
)
def test_the_check_of_pictures_finds_faults(chromium: Chromium, tmp_path: Path, body: str, found: list[str]) -> None:
    _opened(chromium, tmp_path, _page_of(body))
    assert chromium.run(FAULTS) == found


def test_the_other_checks_find_faults(chromium: Chromium, tmp_path: Path) -> None:
    body = "<p style='color:#777;background:#999'>pale</p><h3>deep</h3><a href='#x'></a>"
    _opened(chromium, tmp_path, body)
    assert chromium.run(CONTRAST) == ["1.57: rgb(119, 119, 119) on rgb(153, 153, 153): pale"]
    assert {"heading after level 0: deep", "link without a text: #x", "link to nowhere: #x", "0 main"} <= set(
        chromium.run(ACCESS)
    )


def test_requests_and_problems_are_seen(chromium: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<img src='http://ovnguard.example/x.png'><script>console.error('bad'); nothing.here</script>")
    chromium.open(file.as_uri())
    assert "http://ovnguard.example/x.png" in chromium.requests
    assert "bad" in chromium.problems
    assert any("Uncaught" in text for text in chromium.problems)
