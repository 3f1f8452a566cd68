"""BGP communities in the notation of FRRConfigurations: ``<as>:<value>`` and ``large:<admin>:<part>:<part>``.

Source: metallb and frr-k8s, ``internal/community``.
"""

import re
from functools import lru_cache
from typing import Final

from ovnguard.validators.go.text import quote
from ovnguard.validators.network.frr.frr_values import FrrError

LARGE: Final = "large"
_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)
_VALUE: Final = "invalid community value: "


@lru_cache(1024)
def community_of(text: str) -> str:
    """Return the community without leading zeros. Raises FrrError, whose field is empty."""
    sections = text.split(":")
    lead = f"invalid community {text}, err: "
    if len(sections) == 2:
        return ":".join(str(_number(text, section, 16)) for section in sections)
    if len(sections) != 4:
        raise FrrError("", f"{lead}invalid community format: {text}")
    if sections[0] != LARGE:
        expected = f"{LARGE}:<uint32>:<uint32>:<uint32>"
        detail = f"invalid marker for large community, expected community to be of format {expected}"
        raise FrrError("", f"{lead}{_VALUE}{detail} but got {quote(text)} instead")
    return ":".join([LARGE, *(str(_number(text, section, 32)) for section in sections[1:])])


def _number(community: str, section: str, bits: int) -> int:
    if not _DIGITS.fullmatch(section):
        reason = "invalid syntax"
    elif len(section.lstrip("0")) > 10 or int(section) >= 1 << bits:
        reason = "value out of range"
    else:
        return int(section)
    message = quote(f"strconv.ParseUint: parsing {quote(section)}: {reason}")
    detail = f"invalid section {quote(section)} of community {quote(community)}, err: {message}"
    raise FrrError("", f"invalid community {community}, err: {_VALUE}{detail}")
