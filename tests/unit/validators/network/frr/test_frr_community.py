"""Communities in the notation of FRRConfigurations, with the texts of frr-k8s."""

import pytest

from ovnguard.validators.network.frr.frr_community import community_of
from ovnguard.validators.network.frr.frr_values import FrrError


@pytest.mark.parametrize(
    ("text", "community"),
    [
        ("64512:100", "64512:100"),
        ("0:65535", "0:65535"),
        ("00012:0001", "12:1"),
        ("large:4294967295:0:1", "large:4294967295:0:1"),
        ("large:1:02:3", "large:1:2:3"),
    ],
)
def test_good(text: str, community: str) -> None:
    assert community_of(text) == community


SECTION = 'err: invalid community value: invalid section "{0}" of community "{1}", err: '
RANGE = '"strconv.ParseUint: parsing \\"{0}\\": value out of range"'
SYNTAX = '"strconv.ParseUint: parsing \\"{0}\\": invalid syntax"'
MARKER = (
    "err: invalid community value: invalid marker for large community, expected community to be of format "
    'large:<uint32>:<uint32>:<uint32> but got "{}" instead'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no-export", "err: invalid community format: no-export"),
        ("", "err: invalid community format: "),
        ("1:2:3", "err: invalid community format: 1:2:3"),
        ("65536:1", (SECTION + RANGE).format("65536", "65536:1")),
        ("1:-1", (SECTION + SYNTAX).format("-1", "1:-1")),
        ("1:", (SECTION + SYNTAX).format("", "1:")),
        ("1:٣", (SECTION + SYNTAX).format("٣", "1:٣")),
        ("large:1:2:4294967296", (SECTION + RANGE).format("4294967296", "large:1:2:4294967296")),
        (f"1:{'9' * 5000}", (SECTION + RANGE).format("9" * 5000, f"1:{'9' * 5000}")),
        ("huge:1:2:3", MARKER.format("huge:1:2:3")),
    ],
)
def test_bad(text: str, message: str) -> None:
    with pytest.raises(FrrError) as raised:
        community_of(text)
    assert (raised.value.field, raised.value.text) == ("", f"invalid community {text}, {message}")
