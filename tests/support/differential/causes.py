"""The cause of a difference: its lines without the names and values of the case, so that equal causes are one group."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_JSON = re.compile(r"[{\[].*[}\]]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`')
_PATH = re.compile(r"\b(?:spec|metadata|status)[.\[][^ :]*")
_NUMBER = re.compile(r"-?[0-9][0-9a-zA-Z.+_]*")
_MOST = 300


class Known(NamedTuple):
    """A known difference: its streams, what each of its lines contains and one of them, and why it stays."""

    streams: frozenset[str]
    contains: re.Pattern[str]
    reason: str
    mark: re.Pattern[str] = re.compile("")


KNOWN: Mapping[str, Known] = {
    "syntax-errors": Known(
        frozenset({"definitions", "functions", "policies", "rules"}),
        re.compile(r"compilation failed: ERROR: .*Syntax error: ", re.DOTALL),
        "An expression with a syntax error: other words, or only the first of several errors.",
    ),
    "defaults-below-unknown-types": Known(
        frozenset({"definitions"}),
        re.compile(r"unable to convert structural schema to CEL declarations|\.default: "),
        "A rule and an invalid default below a schema of no known type: another one of the errors.",
        re.compile(r"only ours: .*unable to convert structural schema to CEL declarations"),
    ),
}
"""At most five; none changes whether something is allowed or what is stored. docs/exactness.md lists them."""


def cause_of(lines: Sequence[str]) -> str:
    """Return the cause of the differences of a case."""
    return " | ".join(sorted(set(map(_plain, lines))))[:_MOST]


def _plain(line: str) -> str:
    for pattern, instead in ((_QUOTED, '"…"'), (_PATH, "FIELD"), (_JSON, "{…}"), (_NUMBER, "N")):
        line = pattern.sub(instead, line)
    return line[:_MOST]


def known_name(stream: str, lines: Sequence[str]) -> str:
    """Return the name of the known difference that explains every line, "" if none does."""
    for name, known in KNOWN.items():
        fits = stream in known.streams and any(map(known.mark.search, lines))
        if fits and all(map(known.contains.search, lines)):
            return name
    return ""
