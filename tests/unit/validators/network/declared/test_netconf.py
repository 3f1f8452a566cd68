"""Configurations against what a Go program with the same structs and libcni 1.3 read."""

from typing import Any

import pytest

from ovnguard.validators.go.json_syntax import read_json
from ovnguard.validators.network.declared.netconf import NetConf, Written, read_netconf, with_key
from tests.attacks.mutated_netconf import ANSWERS, expected, read

OURS = '"type":"ovn-k8s-cni-overlay"'


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: ascii(row["config"]))
def test_a_configuration_is_read_or_refused_as_in_go(row: dict[str, Any]) -> None:
    assert read(row["config"]) == expected(row)


@pytest.mark.parametrize(
    "config",
    [
        '{"type":"macvlan","mtu":"1400","name":5}',
        '{"name":"a","plugins":[{"type":"macvlan"},{"type":"tuning","mtu":[]}]}',
        '{"name":"a","plugins":[{"type":"macvlan"},{' + OURS + "}]}",
        '{"name":"a","other":"ovn-k8s-cni-overlay"}',
        "{}",
    ],
)
def test_what_is_somebody_elses_is_not_judged(config: str) -> None:
    assert read_netconf(config) is None


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("null", "ovnkube crashes: panic: runtime error: invalid memory address or nil pointer dereference"),
        ("7", "json: cannot unmarshal number into Go value of type types.NetConf"),
        ("{", "unexpected end of JSON input"),
        ("\ufeff{}", "invalid character 'ï' looking for beginning of value"),
        ("{" + OURS + "} x", "invalid character 'x' after top-level value"),
    ],
)
def test_a_text_without_a_configuration_is_refused(config: str, expected: str) -> None:
    found = read_netconf(config)
    assert found is not None
    assert (found.plugin, found.error) == ({}, expected)


def test_a_long_configuration_is_not_read() -> None:
    short = "{" + OURS + ',"a":"' + "x" * (65_536 - 37) + '"}'
    assert len(short) == 65_536
    found = read_netconf(short)
    assert found is not None
    assert found.error == ""
    longer = read_netconf(short + " ")
    assert longer is not None
    assert longer.error == "must not be longer than 65536 characters"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{" + OURS + ',"mtu":1.0e3,"a":1e400}', '{"a":1e400,"mtu":1.0e3,"transitSubnet":"new",' + OURS + "}"),
        ("{" + OURS + ',"TransitSubnet":"old"}', '{"transitSubnet":"new",' + OURS + "}"),
        (
            '{"name":"a","plugins":[{' + OURS + ',"tran\u017fitSubnet":"old"}],"z":{"b":2,"a":[]}}',
            '{"name":"a","plugins":[{"transitSubnet":"new",' + OURS + '}],"z":{"a":[],"b":2}}',
        ),
    ],
)
def test_a_key_is_replaced_and_everything_else_stays(config: str, expected: str) -> None:
    assert with_key(NetConf({}, (), read_json(config)), "transitSubnet", "new") == expected


def test_keys_are_known_in_the_spelling_of_the_text() -> None:
    config = read_netconf('{"TYPE":"ovn-k8s-cni-overlay","other":1,"ipam":{"Type":"b","x":1},"ipam":7}')
    assert config is not None
    assert list(config.written) == [
        Written("", "TYPE", "type"),
        Written("", "other", "other"),
        Written("", "ipam", "ipam"),
        Written("ipam.", "Type", "type"),
        Written("ipam.", "x", "x"),
        Written("", "ipam", "ipam"),
    ]
