"""Library ``semver``: versions by the rules of semver.org, as blang/semver reads them.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes semver library".
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.go.text import quote

_DIGITS: Final = frozenset("0123456789")
_WORD: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_UINT_MAX: Final = 2**64 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A version. Build metadata is kept for printing and ignored in comparisons."""

    TYPE_NAME: ClassVar[str] = "kubernetes.Semver"
    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    def __str__(self) -> str:
        pre = f"-{'.'.join(map(str, self.pre))}" if self.pre else ""
        build = f"+{'.'.join(self.build)}" if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and compare(self, other) == 0

    def __hash__(self) -> int:
        return hash((self.major, self.minor, self.patch, self.pre))


def compare(one: Semver, two: Semver) -> int:
    """Return -1, 0 or 1 by precedence."""
    left, right = (one.major, one.minor, one.patch), (two.major, two.minor, two.patch)
    if left != right:
        return 1 if left > right else -1
    if not one.pre or not two.pre:
        return bool(two.pre) - bool(one.pre)
    for first, second in zip(one.pre, two.pre, strict=False):
        found = _compare_identifiers(first, second)
        if found:
            return found
    return (len(one.pre) > len(two.pre)) - (len(one.pre) < len(two.pre))


def _compare_identifiers(one: int | str, two: int | str) -> int:
    if isinstance(one, int) != isinstance(two, int):
        return -1 if isinstance(one, int) else 1
    if one == two:
        return 0
    if isinstance(one, int) and isinstance(two, int):
        return 1 if one > two else -1
    return 1 if str(one) > str(two) else -1


def semver(text: str, normalize: bool = False) -> Semver:
    """``semver(text, normalize)``. Raises `EvalError`."""
    if normalize:
        text = _normalized(text)
    if not text:
        raise EvalError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise EvalError("No Major.Minor.Patch elements found")
    major, minor = _number("Major", parts[0]), _number("Minor", parts[1])
    tail, plus, build_text = parts[2].partition("+")
    patch_text, dash, pre_text = tail.partition("-")
    patch = _number("Patch", patch_text)
    pre = tuple(map(_identifier, pre_text.split("."))) if dash else ()
    build = tuple(map(_build, build_text.split("."))) if plus else ()
    return Semver(major, minor, patch, pre, build)


def _number(name: str, text: str) -> int:
    if not set(text) <= _DIGITS:
        raise EvalError(f"Invalid character(s) found in {name.lower()} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvalError(f"{name} number must not contain leading zeroes {quote(text)}")
    return _uint(text)


def _uint(text: str) -> int:
    if not text:
        raise EvalError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > _UINT_MAX:
        raise EvalError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return int(text)


def _identifier(text: str) -> int | str:
    if not text:
        raise EvalError("Prerelease is empty")
    if set(text) <= _DIGITS:
        if len(text) > 1 and text[0] == "0":
            raise EvalError(f"Numeric PreRelease version must not contain leading zeroes {quote(text)}")
        return _uint(text)
    if not set(text) <= _WORD:
        raise EvalError(f"Invalid character(s) found in prerelease {quote(text)}")
    return text


def _build(text: str) -> str:
    if not text:
        raise EvalError("Build meta data is empty")
    if not set(text) <= _WORD:
        raise EvalError(f"Invalid character(s) found in build meta data {quote(text)}")
    return text


def _normalized(text: str) -> str:
    """Return the text without a leading ``v`` and leading zeros, with missing parts filled with 0."""
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise EvalError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _without_zeros(part: str) -> str:
    if len(part) <= 1:
        return part
    part = part.lstrip("0")
    return part if part and part[0] in _DIGITS else f"0{part}"


def is_semver(text: str, normalize: bool = False) -> bool:
    """``isSemver(text, normalize)``."""
    try:
        semver(text, normalize)
    except EvalError:
        return False
    return True


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_semver", "semver(string) -> Semver", semver),
        overload("string_bool_to_semver", "semver(string, bool) -> Semver", semver),
        overload("is_semver_string", "isSemver(string) -> bool", is_semver),
        overload("is_semver_string_bool", "isSemver(string, bool) -> bool", is_semver),
        overload("semver_is_greater_than", "Semver.isGreaterThan(Semver) -> bool", lambda a, b: compare(a, b) > 0),
        overload("semver_is_less_than", "Semver.isLessThan(Semver) -> bool", lambda a, b: compare(a, b) < 0),
        overload("semver_compare_to", "Semver.compareTo(Semver) -> int", compare),
        overload("semver_major", "Semver.major() -> int", lambda version: version.major),
        overload("semver_minor", "Semver.minor() -> int", lambda version: version.minor),
        overload("semver_patch", "Semver.patch() -> int", lambda version: version.patch),
    ]
