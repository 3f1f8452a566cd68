"""How the data writes a type: ``[]`` or ``{}`` (a list, a map) with a type, ``@`` with a struct, or a word.

A name of its own comes first: ``v1.Protocol=string``, ``v1.ResourceList={}quantity``.
"""

from typing import Final

_SHOWN: Final = {
    "bytes": "[]uint8",
    "quantity": "resource.Quantity",
    "time": "v1.Time",
    "microtime": "v1.MicroTime",
    "int-or-string": "intstr.IntOrString",
    "any": "runtime.RawExtension",
}


def shown_name(text: str) -> str:
    """Return a type as Go prints it."""
    if text[:2] == "[]":
        return f"[]{shown_name(text[2:])}"
    if text[:2] == "{}":
        return f"map[string]{shown_name(text[2:])}"
    name, own, _ = text.partition("=")
    if own:
        return name
    return ".".join(text[1:].split(".")[-2:]) if text[0] == "@" else _SHOWN.get(text, text)
