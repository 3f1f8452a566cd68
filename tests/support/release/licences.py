"""The licences of the packages that ovnguard installs: what their own metadata names, and the texts that they carry."""

import re
from collections.abc import Iterable, Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Final
from zipfile import ZipFile

_CLASSIFIER: Final = "License :: OSI Approved :: "
_FEW: Final = 60
"""Characters: older packages have a whole licence in the field that should name it."""
_TEXT: Final = re.compile(r"[^/]+\.dist-info/(?:.*/)?(?:LICEN[CS]E|COPYING|NOTICE)[^/]*", re.IGNORECASE)
_METADATA: Final = re.compile(r"[^/]+\.dist-info/METADATA")
_RULE: Final = "=" * 80


def licences(wheels: Iterable[Path]) -> str:
    """For each wheel a line with package, version and licence, then the texts in it."""
    return "\n".join(_licence(wheel) for wheel in sorted(wheels))


def _licence(wheel: Path) -> str:
    with ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        (metadata,) = filter(_METADATA.fullmatch, names)
        fields = Parser().parsestr(archive.read(metadata).decode("utf-8"))
        texts = [archive.read(name).decode("utf-8", "replace") for name in names if _TEXT.fullmatch(name)]
    named = ", ".join(_named(fields))
    if not named and not texts:
        raise ValueError(f"{wheel.name}: it neither names a licence nor has the text of one")
    head = f"{fields['Name']} {fields['Version']}: {named or 'the licence below'}"
    return "\n".join([_RULE, head, _RULE, *(text.strip("\n") + "\n" for text in texts)])


def _named(fields: Message) -> Iterator[str]:
    """The names of licences, from the field that is meant for them, else from classifiers, else from the old field."""
    if expression := fields["License-Expression"]:
        yield expression
        return
    found = [
        each.removeprefix(_CLASSIFIER) for each in fields.get_all("Classifier", ()) if each.startswith(_CLASSIFIER)
    ]
    old = fields["License"] or ""
    yield from found or ([old] if 0 < len(old) <= _FEW and "\n" not in old else [])
