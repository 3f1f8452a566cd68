"""``string.format(list)`` of the strings library, and the check of constant formats while compiling.

Source: cel-go ``ext/formatting.go``; numbers with a fraction are printed as Go's English locale prints them.
"""

from collections.abc import Callable, Sequence
from math import isfinite, isinf, isnan
from typing import Final, NamedTuple

from ovnguard.validators.cel.library.conversions import bytes_to_string, duration_to_string
from ovnguard.validators.cel.types.errors import EvalError, EvaluationPanic
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Duration, Timestamp, TypeValue, UInt, Value
from ovnguard.validators.cel.values.json_values import Obj
from ovnguard.validators.cel.values.operations import LISTS, MAPS, type_name
from ovnguard.validators.go.integers import BadNumber, atoi
from ovnguard.validators.go.text import float_plain, float_text, quote

DEFAULT_PRECISION: Final = 6
_LARGE: Final = 1_000_000
_NO_VERB: Final = "%!(NOVERB)"
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
REFUSALS: Final = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given",
    "d": "decimal clause can only be used on integers, was given",
    "f": "fixed-point clause can only be used on doubles, was given",
    "e": "scientific clause can only be used on doubles, was given",
    "b": "only integers and bools can be formatted as binary, was given",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given",
    "o": "octal clause can only be used on integers, was given",
}


class Clause(NamedTuple):
    """One ``%`` clause of a format: its verb, upper case, precision."""

    verb: str
    upper: bool = False
    precision: int = DEFAULT_PRECISION


def pieces(text: str, arguments: int) -> Sequence[str | Clause]:
    """Return literal text and clauses of a format. Raises `EvalError` for a bad clause, or for too few arguments."""
    found: list[str | Clause] = []
    at = used = 0
    while at < len(text):
        end = text.find("%", at)
        if end < 0:
            found.append(text[at:])
            break
        found.append(text[at:end])
        if text[end + 1 : end + 2] == "%":
            found.append("%")
            at = end + 2
            continue
        if used >= arguments:
            raise EvalError(f"index {used} out of range")
        if end + 1 >= len(text):
            raise EvalError("unexpected end of string")
        clause, at = _clause(text, end + 1)
        found.append(clause)
        used += 1
    return found


def _clause(text: str, at: int) -> tuple[Clause, int]:
    lead = "could not parse formatting clause: "
    precision = DEFAULT_PRECISION
    if text[at] == ".":
        end = at + 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
        if end >= len(text):
            raise EvalError(f"{lead}error while parsing precision: could not find end of precision specifier")
        try:
            precision, at = atoi(text[at + 1 : end]), end
        except BadNumber as fault:
            reason = "error while parsing precision: error while converting precision to integer"
            raise EvalError(f"{lead}{reason}: {fault}") from None
    verb = text[at]
    if verb.lower() not in REFUSALS or (verb.isupper() and verb != "X"):
        raise EvalError(f'{lead}unrecognized formatting clause "{verb}"')
    return Clause(verb.lower(), verb.isupper(), precision), at + 1


def format_string(text: str, arguments: Value, times: str = "×") -> str:
    """``text.format(arguments)``. ``times`` is printed before the power of ten. Raises `EvalError`."""
    values = iter(arguments)
    parts = []
    for piece in pieces(text, len(arguments)):
        if isinstance(piece, str):
            parts.append(piece)
            continue
        try:
            written = _VERBS[piece.verb](next(values), piece)
            parts.append(written.replace("×", times) if piece.verb == "e" else written)
        except EvalError as fault:
            raise EvalError(f"error during formatting: {fault}") from None
    return "".join(parts)


def _refuse(verb: str, value: Value) -> EvalError:
    return EvalError(f"{REFUSALS[verb]} {type_name(value)}")


def _string(value: Value, _clause: Clause) -> str:
    return _text(value)


def _text(value: Value) -> str:
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind in {int, UInt}:
        return str(int(value))
    if kind is float:
        return float_text(value)
    if value is None:
        return "null"
    if kind is bytes:
        return _decoded(value)
    if kind is Duration:
        return duration_to_string(value)
    if kind is Timestamp:
        return str.__str__(value)
    if kind is TypeValue:
        return str(value)
    if kind in LISTS:
        return f"[{', '.join(_inside(one) for one in value)}]"
    if kind in MAPS:
        return _map(value)
    raise _refuse("s", value)


def _decoded(value: bytes) -> str:
    try:
        return bytes_to_string(value)
    except EvalError as fault:
        raise EvalError(f"could not convert argument {quote(str(fault))} to string") from None


def _inside(value: Value) -> str:
    """Return the text of a value inside a list or map."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is bytes:
        return f"b{quote(_decoded(value))}"
    if kind is float:
        return f"{value:.6f}" if isfinite(value) else quote(float_text(value))
    if kind is Duration:
        return f"duration({quote(duration_to_string(value))})"
    if kind is Timestamp:
        return f"timestamp({quote(str.__str__(value))})"
    if kind in {bool, int, UInt, TypeValue} or value is None or kind in LISTS or kind in MAPS:
        return _text(value)
    raise EvalError(f"no formatting function for {type_name(value)}")


def _map(value: Value) -> str:
    pairs = []
    for key in value:
        if type(key) not in {str, bool, int, UInt}:
            raise EvalError(f"no formatting function for map key of type {type_name(key)}")
        found, inner = value.entry(key)
        if not found:
            raise EvalError(f"could not find key: {_inside(key)}")
        pairs.append((_inside(key), _inside(inner)))
    if type(value) is Obj and value.hidden:
        raise EvaluationPanic("runtime error: invalid memory address or nil pointer dereference")
    return f"{{{', '.join(f'{key}:{inner}' for key, inner in sorted(pairs))}}}"


def _decimal(value: Value, _clause: Clause) -> str:
    if type(value) in {int, UInt}:
        return str(int(value))
    raise _refuse("d", value)


def _double(value: Value, verb: str) -> float:
    if type(value) is float:
        return value
    if type(value) is str and value in _SPECIAL:
        return _SPECIAL[value]
    raise _refuse(verb, value)


def _fixed(value: Value, clause: Clause) -> str:
    """Go keeps the largest number of digits in 16 bits, with a sign, and the smallest in 8."""
    number = _double(value, "f")
    if _is_too_large(clause.precision):
        return _NO_VERB
    if not isfinite(number):
        return _special(number)
    most, least = (clause.precision + 2**15) % 2**16 - 2**15, clause.precision % 2**8
    digits = f"{abs(number):.{most}f}" if most >= 0 else float_plain(abs(number))
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0").ljust(least, "0")
    return f"{'-' if number < 0 else ''}{int(whole):,}{'.' if fraction else ''}{fraction}"


def _is_too_large(count: int) -> bool:
    """Return whether Go stops to read the number before its last digit."""
    return count // 10 > _LARGE


def _special(number: float) -> str:
    if isnan(number):
        return "NaN"
    return "∞" if isinf(number) and number > 0 else "-∞"


def _scientific(value: Value, clause: Clause) -> str:
    """There are always six digits: Go takes the precision for the width, which it keeps in 16 bits."""
    number = _double(value, "e")
    if _is_too_large(clause.precision):
        return _NO_VERB
    written = _with_exponent(number) if isfinite(number) else _special(number)
    return written.rjust(clause.precision % 2**16)


def _with_exponent(number: float) -> str:
    mantissa, _, exponent = f"{abs(number):.{DEFAULT_PRECISION}e}".partition("e")
    power = int(exponent)
    digits = f"{'-' if power < 0 else ''}{abs(power):02d}"
    return f"{'-' if number < 0 else ''}{mantissa}×10{digits.translate(_SUPERSCRIPTS)}"


def _binary(value: Value, _clause: Clause) -> str:
    if type(value) is bool:
        return "1" if value else "0"
    if type(value) in {int, UInt}:
        return f"{int(value):b}"
    raise _refuse("b", value)


def _hex(value: Value, clause: Clause) -> str:
    if type(value) is str:
        text = value.encode().hex()
    elif type(value) is bytes:
        text = value.hex()
    elif type(value) in {int, UInt}:
        text = f"{int(value):x}"
    else:
        raise _refuse("x", value)
    return text.upper() if clause.upper else text


def _octal(value: Value, _clause: Clause) -> str:
    if type(value) in {int, UInt}:
        return f"{int(value):o}"
    raise _refuse("o", value)


_VERBS: Final[dict[str, Callable[[Value, Clause], str]]] = {
    "s": _string,
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "b": _binary,
    "x": _hex,
    "o": _octal,
}


def declarations() -> list[Overload]:
    """Return the only overload."""
    return [overload("string_format", "string.format(list(dyn)) -> string", format_string)]
