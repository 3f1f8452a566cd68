"""Reads a CNI configuration, the text in ``spec.config`` of an attachment, like OVN-Kubernetes.

A key that folds to ``plugins`` marks the text as a list, which libcni reads; otherwise OVN-Kubernetes decodes one
configuration itself. Texts: ovn-kubernetes, ``go-controller/pkg/config/cni.go`` (ParseNetConf).
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.composite_types import StructOf
from ovnguard.validators.go.json_decode import fold, unmarshal
from ovnguard.validators.go.json_syntax import Members, NotJSON, json_of, read_json
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.declared.cni_list import read_list
from ovnguard.validators.network.declared.netconf_fields import NET_CONF
from ovnguard.validators.network.model import DEFAULT_NETWORK

PLUGIN: Final = "ovn-k8s-cni-overlay"
MAX_CONFIG: Final = 64 * 1024
_PLUGINS: Final = "plugins"
_RESERVED_NAMES: Final = ("", DEFAULT_NETWORK, "ovn-kubernetes")
_CRASH: Final = "ovnkube crashes: panic: runtime error: invalid memory address or nil pointer dereference"
# A few texts up to this length are cached, because one judgement reads its object several times.
_SHORT: Final = 4096


class Written(NamedTuple):
    """A key in the text: its object, its spelling, and its documented spelling."""

    place: str
    key: str
    documented: str


class NetConf(NamedTuple):
    """A configuration of OVN-Kubernetes.

    ``plugin`` has the decoded values by documented key, without absent ones; ``name`` is that of the network,
    ``default`` without a topology. ``written`` are the keys in the spelling of the text, ``whole``. ``error`` is
    OVN-Kubernetes' error about an invalid configuration, ``name_error`` its error about names in a valid one; both are
    "" without an error.
    """

    plugin: Mapping[str, Any]
    written: tuple[Written, ...]
    whole: Any
    error: str = ""
    name_error: str = ""

    @property
    def name(self) -> str:
        """The name of the network."""
        name: str = self.plugin.get("name", "")
        return name if self.plugin.get("topology") else DEFAULT_NETWORK


def read_netconf(text: str) -> NetConf | None:
    """Return the configuration in ``text``; None for another plugin. Never raises.

    A text that is not a JSON object has an error, whichever plugin it is for. Configurations of other plugins are not
    judged.
    """
    if len(text) > MAX_CONFIG:
        return NetConf({}, (), None, f"must not be longer than {MAX_CONFIG} characters")
    return _remembered(text) if len(text) <= _SHORT else _read(text)


def with_key(config: NetConf, key: str, value: str) -> str:
    """Return the text with one key of the plugin replaced, in ovn-kubernetes' format: compact, with sorted keys."""
    whole: Members = config.whole
    plugins = dict(whole).get(_PLUGINS)
    if plugins is None:
        return json_of(_replaced(whole, key, value))
    return json_of(_replaced(whole, _PLUGINS, [_replaced(plugins[0], key, value)]))


def _replaced(members: Members, key: str, value: Any) -> Members:
    return Members([*(each for each in members if fold(each[0]) != fold(key)), (key, value)])


@lru_cache(maxsize=512)
def _remembered(text: str) -> NetConf | None:
    return _read(text)


def _read(text: str) -> NetConf | None:
    whole = read_json(text)
    if isinstance(whole, NotJSON):
        return NetConf({}, (), None, whole.text)
    if whole is None:
        return NetConf({}, (), None, _CRASH)
    if whole.__class__ is not Members:
        return NetConf({}, (), None, unmarshal(NET_CONF, whole).error)
    if not _is_ours(whole):
        return None
    written = tuple(_written(whole))
    values, error = _list(whole) if any(fold(key) == _PLUGINS for key, _ in whole) else unmarshal(NET_CONF, whole)
    if values.get("type") != PLUGIN and not error and not repeated(written):
        return None
    return NetConf(values, written, whole, error, "" if error else _name_error(values))


def _is_ours(whole: Members) -> bool:
    """Whether the text contains the type of OVN-Kubernetes' plugin at any path where a reader may look for it."""
    if _names_our_plugin(whole):
        return True
    lists = (value for key, value in whole if fold(key) == _PLUGINS and value.__class__ is list)
    return any(_names_our_plugin(each) for plugins in lists for each in plugins if each.__class__ is Members)


def _names_our_plugin(members: Members) -> bool:
    return any(value == PLUGIN and fold(key) == "type" for key, value in members)


def _list(whole: Members) -> tuple[dict[str, Any], str]:
    """The content of a list, and the error."""
    found = read_list(whole)
    if isinstance(found, str):
        return {}, found
    if not found.plugins:
        return {}, f"error parsing configuration list {quote(found.name)}: no plugins found"
    values, error = unmarshal(NET_CONF, found.plugins[0], marshalled=True)
    if error or values.get("type") != PLUGIN:
        return values, error
    if len(found.plugins) > 1:
        return values, "CNI plugin chaining is not supported"
    values |= {"name": found.name, "cniVersion": found.version}
    if not _name_error(values):
        alone, wrong = unmarshal(NET_CONF, whole)
        if not wrong and alone.get("type") == PLUGIN and not _name_error(alone):
            error = "CNI config cannot have both a plugin list and a single config"
    return values, error


def _name_error(values: Mapping[str, Any]) -> str:
    name = values.get("name", "")
    if not values.get("topology") or values.get("type") != PLUGIN:
        return ""
    if not values.get("netAttachDefName"):
        return f"missing NADName in secondary network netconf {name}"
    # the doubled word is upstream's
    return f"invalid name in in secondary network netconf ({name})" if name in _RESERVED_NAMES else ""


def _written(whole: Members) -> Iterator[Written]:
    """The keys of the whole text, and of its plugins."""
    yield from (each for each in _written_keys(NET_CONF, whole) if fold(each.key) != _PLUGINS)
    for key, plugins in whole:
        if fold(key) == _PLUGINS:
            yield Written("", key, _PLUGINS)
            for index, plugin in enumerate(plugins if plugins.__class__ is list else ()):
                yield from _written_keys(NET_CONF, plugin, f"{_PLUGINS}[{index}].")


def _written_keys(struct: StructOf, value: Any, place: str = "") -> Iterator[Written]:
    """The keys of a struct and of the structs inside, in their order. A key of no field is its own name."""
    if value.__class__ is not Members:
        return
    for key, inner in value:
        found = struct.field_of(key, ignores_case=True)
        yield Written(place, key, key if found is None else found.key)
        if found is not None and isinstance(found.kind, StructOf):
            yield from _written_keys(found.kind, inner, f"{place}{found.key}.")


def repeated(written: tuple[Written, ...]) -> dict[str, list[str]]:
    """Return the fields with more than one key, by path, with these keys.

    Keys of no field count as well if they fold to one.
    """
    found: dict[tuple[str, str], list[Written]] = {}
    for each in written:
        found.setdefault((each.place, fold(each.documented)), []).append(each)
    groups = (group for group in found.values() if len(group) > 1)
    return {f"{group[0].place}{group[0].documented}": [each.key for each in group] for group in groups}
