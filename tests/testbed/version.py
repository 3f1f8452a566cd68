"""Find versions in the output of programs and packages, and compare them number by number."""

import re

Version = tuple[int, ...]

_DOTTED = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,5}")
_PLAIN = re.compile(r"\d{1,9}")
_DEBIAN_EPOCH = re.compile(r"^\d+:")


def find(text: str) -> str | None:
    """The first dotted number of `text` as it is written there, else the first plain number, else None.

    Takes `v1.35.4`, the Debian version `1:25.03.0-1` (without its epoch) and the whole output of a `--version` call:
    `go version go1.26.8 linux/amd64` has 1.26.8, `ping from iputils 20240905` has 20240905.
    """
    text = _DEBIAN_EPOCH.sub("", text.strip())
    found = _DOTTED.search(text) or _PLAIN.search(text)
    return found[0] if found else None


def parse(text: str) -> Version:
    """The numbers of the version in `text`; raises ValueError when there is none."""
    found = find(text)
    if found is None:
        raise ValueError(f"{text!r} holds no version")
    return tuple(int(number) for number in found.split("."))


def compare(left: str, right: str) -> int:
    """-1, 0 or 1; missing places are zeros, so 25.03 equals 25.3.0. Raises ValueError for texts without a number."""
    have, want = parse(left), parse(right)
    size = max(len(have), len(want))
    have, want = have + (0,) * (size - len(have)), want + (0,) * (size - len(want))
    return (have > want) - (have < want)


def within(have: str, minimum: str, below: str | None) -> bool:
    """Whether minimum <= have, and have < below where there is an upper bound."""
    return compare(have, minimum) >= 0 and (below is None or compare(have, below) < 0)
