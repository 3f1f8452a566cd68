"""Pictures drawn by Graphviz, in a bounded time.

``dot`` is optional: without it, a page says how to get it.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from reconciler.plan.comparison.row_differences import printable
from reconciler.plan.render.guesses import NO_GUESSES, Guesses
from reconciler.plan.render.page import Picture
from reconciler.plan.render.picture import NetworkPicture, pictures_of
from reconciler.plan.render.picture_dot import CLASSES, NOTHING, empty_dot, picture_dot
from reconciler.plan.render.svg_markup import svg_markup
from reconciler.plan.rows.row import ZonePlan

PROGRAM: Final = "dot"
# Seconds for one picture, and for all pictures of a page.
ONE_PICTURE: Final = 20.0
ALL_PICTURES: Final = 120.0
# The number of characters of an error of the program that a page shows.
_MOST_SHOWN: Final = 200
_MISSING: Final = (
    "it is drawn by Graphviz, and there is no program dot. To get it: apt-get install graphviz, dnf install graphviz "
    "or brew install graphviz"
)


class Problem(NamedTuple):
    """Why there is no picture, in one line."""

    text: str


def pictures(zones: Sequence[ZonePlan], program: str = PROGRAM, guesses: Guesses = NO_GUESSES) -> Mapping[str, Picture]:
    """Return the picture of each network, or why there is none; a plan without networks has one that says so."""
    graphs = pictures_of(zones, guesses)
    found = shutil.which(program)
    deadline = time.monotonic() + ALL_PICTURES

    def drawn(graph: NetworkPicture) -> Picture:
        left = min(ONE_PICTURE, deadline - time.monotonic())
        return _picture(svg_of(picture_dot(graph), f"network {graph.network}", found, left), graph.words)

    if not graphs:
        return {NOTHING: _picture(svg_of(empty_dot(), NOTHING, found), (NOTHING,))}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip((graph.network for graph in graphs), pool.map(drawn, graphs), strict=True))


def svg_of(dot: str, title: str, program: str | None, seconds: float = ONE_PICTURE) -> str | Problem:
    """Return the graph ``dot`` as markup for a page, drawn by ``program``, or why it cannot be drawn."""
    if program is None:
        return Problem(_MISSING)
    if seconds <= 0:
        return Problem(f"the pictures took longer than {ALL_PICTURES:.0f} s")
    try:
        done = subprocess.run(  # noqa: S603 - a list, no shell
            [program, "-Tsvg"], input=dot, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return Problem(f"{program} took longer than {seconds:.0f} s")
    except (OSError, UnicodeError) as error:
        return Problem(f"{program} cannot be used: {error}")
    if done.returncode:
        reason = printable(" ".join(done.stderr.split())[:_MOST_SHOWN])
        return Problem(f"{program} failed with exit code {done.returncode}: {reason}")
    try:
        return svg_markup(done.stdout, title, CLASSES)
    except ValueError as error:
        return Problem(f"{program} returned no SVG: {error}")


def _picture(drawn: str | Problem, words: Sequence[str]) -> Picture:
    return Picture("", words, drawn.text) if isinstance(drawn, Problem) else Picture(drawn, words)
