r"""Seeded regular expressions, plausible and broken: every construct of Go's ``regexp/syntax`` with its edges."""

import random
from typing import Final

_CATEGORIES: Final = (
    *(
        "L",
        "Lu",
        "LC",
        "Letter",
        "Cased_Letter",
        "Any",
        "ASCII",
        "Assigned",
        "Cn",
        "Unassigned",
        "greek",
        "Greek",
        "Han",
    ),
    *("Zs", "punct", "Punctuation", "cntrl", "White_Space", "L_", "Garay", "Old Italic", "oldItalic", "XX", "^L", ""),
    *("Co", "Cs", "Surrogate", "Other", "C", "M", "Mn", "Combining_Mark", "N", "digit", "Decimal_Number", "S", "Z"),
    *(
        "Common",
        "Inherited",
        "Zinh",
        "Todhri",
        "Kawi",
        "^^L",
        "Lm",
        "lt",
        "Me",
        "Separator",
        "Nd",
        "Sm",
        "Latin",
        "ANY",
    ),
)
_NAMES: Final = ("a", "_", "a1", "1a", "é", "", "a-b", "K\u212a", "A_9", " ", "a" * 40)
_COUNTS: Final = ("0", "1", "2", "3", "9", "10", "999", "1000", "1001", "00", "01", "99999999999999999999", "1" * 30)
_ATOMS: Final = (
    *("a", "b", "é", ".", "^", "$", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\C"),
    *(r"\Qa.b\E", r"\Q", r"\E", r"\x41", r"\x{10FFFF}", r"\x{110000}", r"\x{}", r"\x4", r"\07", r"\8", r"\1", r"\101"),
    *(
        r"\n",
        r"\t",
        r"\v",
        r"\a",
        r"\f",
        r"\r",
        r"\-",
        r"\_",
        r"\é",
        r"\y",
        "\\",
        "\x00",
        "\n",
        "😀",
        r"\G",
        r"\R",
        r"\X",
    ),
    *(
        "[a-z]",
        "[^a-z]",
        "[]a]",
        "[^]a]",
        "[a",
        "[]",
        "[z-a]",
        "[a-]",
        "[-a]",
        r"[\d-z]",
        r"[a-\d]",
        "[[:alpha:]]",
        "]",
    ),
    *(
        "[[:^word:]]",
        "[[:foo:]]",
        "[[:alpha:]",
        r"[\pL\D]",
        r"[^\x00-\x{10FFFF}]",
        r"[\Q]\E]",
        "[a-b-c]",
        r"[\b]",
        "[^",
    ),
    *(
        "(?i)k",
        "(?i:ß)",
        "(?s).",
        "(?m)^a$",
        "(?U)a+",
        "(?-i)",
        "(?i-s:a)",
        "(?x)",
        "(?",
        "(?:",
        "(?P",
        "(?P<",
        "(?<",
        "(?i",
    ),
    *(
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(?>a)",
        "(?#a)",
        "(?i)\u017f",
        "(?--)",
        "(?-)",
        "(?imsU-imsU:a)",
        "(?:)",
        "()",
    ),
)
_REPEATS: Final = (
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "**",
    "+*",
    "{",
    "}",
    "{,2}",
    "{a}",
    "{1",
    "{1,",
    "|",
    "||",
    "{-1}",
    "{ 1}",
)


def pattern(rng: random.Random) -> str:
    """Return a pattern of a few pieces."""
    chance = rng.random()
    if chance < 0.02:
        depth = rng.choice((250, 990, 998, 999, 1000, 1001))
        left, right = rng.choice((("(", ")"), ("(?:", ")*"), ("(?P<x>", ")"), ("(a|", ")")))
        return left * depth + "a" + right * rng.choice((depth, depth, depth - 1))
    if chance < 0.04:
        # Nested counts: Go limits what they come to.
        return "(" * 4 + "a" + "".join(f"){{{rng.choice(('2', '9', '31', '100', '1000'))}}}" for _ in range(4))
    return "".join(_piece(rng) for _ in range(rng.choice((1, 1, 2, 3, 4))))


def _piece(rng: random.Random) -> str:
    chance = rng.random()
    if chance < 0.45:
        atom = rng.choice(_ATOMS)
    elif chance < 0.6:
        name = rng.choice(_CATEGORIES)
        atom = rng.choice((rf"\p{{{name}}}", rf"\P{{{name}}}", rf"[\p{{{name}}}a]", rf"\p{name}", rf"(?i)\p{{{name}}}"))
    elif chance < 0.7:
        name = rng.choice(_NAMES)
        atom = rng.choice(
            (f"(?P<{name}>a)", f"(?<{name}>a)", f"(?P<{name}", f"(?P<{name}>a)(?P<{name}>b)", f"(?P={name})")
        )
    else:
        atom = f"({pattern(rng)})" if rng.random() < 0.5 else rng.choice("abcxyz")
    if rng.random() < 0.45:
        return atom + _repeat(rng)
    return atom


def _repeat(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(_REPEATS)
    low, high = rng.choice(_COUNTS), rng.choice(_COUNTS)
    return rng.choice((f"{{{low}}}", f"{{{low},}}", f"{{{low},{high}}}", f"{{{low}}}?", f"{{{low},{high}}}*"))
