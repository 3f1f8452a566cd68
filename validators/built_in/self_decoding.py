"""The Go types of built-in kinds that decode themselves from more than one JSON type, or from a text.

Source: apimachinery, ``pkg/api/resource``, ``pkg/util/intstr``, ``pkg/apis/meta/v1`` and ``pkg/runtime``.
"""

from typing import Any, Final

from ovnguard.validators.cel.library.quantity import quantity
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.go.basic_types import INT32_POINTER, TEXT_POINTER, Plain
from ovnguard.validators.go.json_decode import Decoder
from ovnguard.validators.go.text import json_text
from ovnguard.validators.go.time import MICROSECONDS, BadTime, parse_time

_BLANKS: Final = " \t\n\r"


class Raw(Plain):
    """``runtime.RawExtension`` and ``metav1.FieldsV1``: any value."""

    name = "runtime.RawExtension"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        return value


class IntOrString(Plain):
    """``intstr.IntOrString``: a text, or a number of 32 bits."""

    name = "intstr.IntOrString"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        return value if type(value) is str else at.inside(INT32_POINTER, value)


class MicroTime(Plain):
    """``metav1.MicroTime``: a time with exactly six digits after the second."""

    name = "v1.MicroTime"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        text = at.inside(TEXT_POINTER, value)
        try:
            parse_time(text, MICROSECONDS)
        except BadTime as fault:
            raise at.stop(str(fault)) from None
        return text


class Quantity(Plain):
    """``resource.Quantity``: a number, or a text with a suffix. It reads the JSON text of any other value, too."""

    name = "resource.Quantity"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        text = json_text(value)
        inner = text[1:-1] if type(value) is str else text
        try:
            quantity(inner.strip(_BLANKS))
        except EvalError as fault:
            raise at.stop(str(fault)) from None
        return value
