"""FRR's integrated configuration as lines in contexts, in the spelling in which FRR prints them.

Two texts say the same when their lines are the same: the file that ovnguard writes, and what ``show running-config``
prints, which FRR orders, indents and abbreviates in its own way. Source: FRR 10, ``vtysh/vtysh_config.c`` and the
``config_write`` functions of bgpd, zebra and bfdd.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.network.frr.frr_secrets import HIDDEN

MAX_LINES: Final = 1_000_000
"""A longer text cannot be the configuration of a node: 500 neighbours of two families have about 20,000 lines."""
_OPENS: Final = ("router bgp", "route-map", "vrf", "interface", "bfd", "address-family", "profile", "peer", "vni")
# Contexts that FRR prints only with lines in them.
_SILENT: Final = ("address-family", "bfd", "vrf", "interface")
_CLOSES: Final = ("exit", "end")
# Lines that continue a context even without indentation, as in hand-written sections.
_INSIDE: Final = frozenset(
    ("neighbor", "network", "import", "redistribute", "maximum-paths", "timers", "match", "set", "on-match", "call")
)
_LISTS: Final = ("bgp as-path", "bgp community-list", "bgp large-community-list", "bgp extcommunity-list")
# What FRR prints about itself, and defaults, which it does not print.
_UNSEEN: Final = re.compile(
    r"""Building\ configuration | Current\ configuration | frr\ (version|defaults)\b | hostname\b | service\ integrated
        | username\b | ip(v6)?\ nht\ resolve-via-default$ | log\ stdout\ debugging$
        | neighbor\ \S+\ port\ 179$ | no\ (ip|ipv6)\ forwarding$""",
    re.VERBOSE,
)
_LENGTHS: Final = re.compile(r" le (\d+) ge (\d+)$")
# FRR takes a command's shortest unambiguous prefix, and any white space; `passi...` is another command.
_SECRET: Final = re.compile(r"\b(passw(?:o(?:rd?)?)?|key-string|key|authentication string)([^\S\n]+)\S.*")


@dataclass(frozen=True, slots=True)
class Line:
    """One command and the commands that open its context, outermost first."""

    context: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        """Return the command with its context, without secrets."""
        return without_secrets(", ".join((*self.context, self.text)))

    @property
    def opened(self) -> tuple[str, ...]:
        """The context that this line opens."""
        return (*self.context, self.text)


def lines_of(text: str) -> tuple[Line, ...]:
    """Return the lines of a configuration in their order, each once; raise ValueError for far too many."""
    if text.count("\n") > MAX_LINES:
        raise ValueError(f"more than {MAX_LINES} lines")
    return tuple(dict.fromkeys(_lines(text.splitlines())))


def without_secrets(text: str) -> str:
    """Return ``text`` without what follows a password's command in each line."""
    return _SECRET.sub(rf"\1\2{HIDDEN}", text)


def _lines(raw: Sequence[str]) -> Iterator[Line]:
    # Contexts that are open, with the indentation of the lines that opened them.
    stack: list[tuple[int, str]] = []
    for each in raw:
        words = each.split()
        if not words or words[0][0] in "!#":
            continue
        indent, text = len(each) - len(each.lstrip()), " ".join(words)
        if words[0].startswith(_CLOSES):
            stack = stack[:-1] if words[0] != "end" else []
            continue
        while stack and indent <= stack[-1][0] and not _continues(text):
            stack.pop()
        if _opens(text, bool(stack)):
            while stack and _is_sibling(text, stack[-1][1]):
                stack.pop()
            if not text.startswith(_SILENT):
                yield Line(tuple(context for _, context in stack), text)
            stack.append((indent, text))
        elif not _UNSEEN.match(text):
            yield Line(tuple(context for _, context in stack), _LENGTHS.sub(r" ge \2 le \1", text))


def _opens(text: str, inside: bool) -> bool:
    """Whether a line opens a context; some of the words open one only inside of another."""
    word = next((each for each in _OPENS if text == each or text.startswith(f"{each} ")), "")
    return bool(word) and (inside or word not in ("address-family", "profile", "peer", "vni"))


def _is_sibling(text: str, context: str) -> bool:
    """Whether a context ends where ``text`` opens another of its kind, as address families and profiles do."""
    return text.partition(" ")[0] == context.partition(" ")[0]


def _continues(text: str) -> bool:
    first = text.removeprefix("no ").split()[0]
    return first in _INSIDE or (first in ("bgp", "address-family") and not text.startswith(_LISTS))
