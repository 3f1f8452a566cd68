"""Reads a list of CNI plugins like libcni: with exact keys, and with every plugin marshalled again and decoded
separately.

Texts: containernetworking/cni 1.3, ``libcni/conf.go`` (NetworkConfFromBytes) and ``pkg/version``.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.basic_types import ANYTHING
from ovnguard.validators.go.json_decode import go_type, unmarshal
from ovnguard.validators.go.json_syntax import Members
from ovnguard.validators.go.text import quote
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.declared.netconf_fields import PLUGIN_CONF

_CURRENT: Final = (1, 1, 0)
_FAILED: Final = "error parsing configuration list"
_INTEGER: Final = lazy_pattern(r"[+-]?[0-9]{1,30}")
_SWITCHES: Final = ("disableCheck", "disableGC", "loadOnlyInlinedPlugins")

Version = tuple[int, int, int]


class PluginList(NamedTuple):
    """libcni's result: the name of the network, the version of CNI, and the unchanged plugins of the text."""

    name: str
    version: str
    plugins: list[Any]


class _ListError(Exception):
    """The list is invalid; the argument is libcni's error."""


def read_list(whole: Members) -> PluginList | str:
    """Return the list of plugins, or libcni's error. The list is empty if the key is absent."""
    try:
        return _read(whole)
    except _ListError as error:
        return str(error)


def _read(whole: Members) -> PluginList:
    if error := unmarshal(ANYTHING, whole).error:
        raise _ListError(f"{_FAILED}: {error}")
    raw = dict(whole)
    if "name" not in raw:
        raise _ListError(f"{_FAILED}: no name")
    name, version = _text(raw, "name"), _text(raw, "cniVersion")
    versions = list(_versions(raw, version))
    if versions:
        version = max(versions, key=lambda each: each[0])[1]
    switches = [_switch(raw, key) for key in _SWITCHES]
    if "plugins" not in raw:
        if switches[-1]:
            raise _ListError(f"{_FAILED}: `loadOnlyInlinedPlugins` is true, and no 'plugins' key")
        return PluginList(name, version, [])
    plugins = raw["plugins"]
    if plugins.__class__ is not list:
        raise _ListError(f"{_FAILED}: invalid 'plugins' type {go_type(plugins)}")
    if not plugins:
        raise _ListError(f"{_FAILED}: no plugins in list")
    for index, plugin in enumerate(plugins):
        values, error = unmarshal(PLUGIN_CONF, plugin, marshalled=True)
        if not error and not values.get("type"):
            error = "missing 'type'"
        if error:
            raise _ListError(f"failed to parse plugin config {index}: error parsing configuration: {error}")
    return PluginList(name, version, plugins)


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str):
        raise _ListError(f"{_FAILED}: invalid {key} type {go_type(value)}")
    return value


def _switch(raw: dict[str, Any], key: str) -> bool:
    value = raw.get(key, False)
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _ListError(f"{_FAILED}: invalid type {go_type(value)} for {key}")
    word = value.lower()
    if word not in ("false", "true"):
        raise _ListError(f"{_FAILED}: invalid value {quote(word)} for {key}")
    return word == "true"


def _versions(raw: dict[str, Any], version: str) -> Iterator[tuple[Version, str]]:
    """Iterate over the offered versions of CNI that are not newer than libcni's own."""
    if "cniVersions" not in raw:
        return
    offered = raw["cniVersions"]
    if offered.__class__ is not list:
        # libcni prints the type that it expected
        raise _ListError(f"{_FAILED}: invalid type for cniVersions: []interface {{}}")
    for index, each in enumerate(offered):
        if not isinstance(each, str):
            raise _ListError(f"{_FAILED}: invalid type for cniVersions index {index}: {go_type(each)}")
        number = _number(each, f"{_FAILED}: invalid cniVersions entry {each} at index {index}")
        if number <= _CURRENT:
            yield number, each
    if version:
        number = _number(version, f"{_FAILED}: invalid cniVersion {version}")
        if number <= _CURRENT:
            yield number, version


def _number(version: str, failed: str) -> Version:
    if not version:
        return (0, 1, 0)
    parts = version.split(".")
    if len(parts) > len(_CURRENT):
        raise _ListError(f"{failed}: invalid version {quote(version)}: too many parts")
    numbers = [0, 0, 0]
    for index, (part, place) in enumerate(zip(parts, ("major", "minor", "micro"), strict=False)):
        if not _INTEGER.fullmatch(part) or not -(2**63) <= int(part) < 2**63:
            why = "value out of range" if re.fullmatch(r"[+-]?[0-9]+", part) else "invalid syntax"
            message = f"strconv.Atoi: parsing {quote(part)}: {why}"
            raise _ListError(f"{failed}: failed to convert {place} version part {quote(part)}: {message}")
        numbers[index] = int(part)
    return (numbers[0], numbers[1], numbers[2])
