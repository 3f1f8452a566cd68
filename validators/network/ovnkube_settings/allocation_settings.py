"""The settings of ovnkube that verdicts and plans depend on: flags, environment and configuration file, from manifests.

Sources: OKEP-5552, 'Proposal' (flag ``--dynamic-udn-allocation``); ovn-kubernetes, ``pkg/config/config.go`` (flags, and
keys of ``OVNKubernetesFeatureConfig``) and ``dist/images/ovnkube.sh`` (environment). A flag overrides the environment,
which overrides the file. Settings that a script adds are unknown.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.cluster.workloads import containers, texts
from ovnguard.validators.network.cluster_view import CONFIG_MAP, DAEMON_SET, DEPLOYMENT, STATEFUL_SET
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.ovnkube_settings.option_names import (
    DYNAMIC,
    GRACE,
    INTERCONNECT,
    ISOLATION,
    MULTI_NETWORK,
    PRECONFIGURED,
    SEGMENTATION,
)
from ovnguard.validators.network.ovnkube_settings.option_places import SWITCHES, VALUES
from ovnguard.validators.network.parse_values import MAX_ITEMS, mapping, text_of

WORKLOADS: Final = (DAEMON_SET, DEPLOYMENT, STATEFUL_SET)
OVNKUBE_KINDS: Final = (CONFIG_MAP, *WORKLOADS)
"""The kinds of objects that configure ovnkube."""
PREFIX: Final = "ovnkube"
"""The prefixes of the names of ovnkube's workloads and ConfigMaps."""

_OPTIONS: Final = (DYNAMIC, GRACE, SEGMENTATION, MULTI_NETWORK, INTERCONNECT, PRECONFIGURED, ISOLATION)
# Every other option is a switch.
_VALUED: Final = frozenset({GRACE, ISOLATION})
_PROPOSED: Final = "dynamic-udn-allocation"
_FLAG: Final = lazy_pattern(
    rf"(?<![\w-])--?({'|'.join((*_OPTIONS, _PROPOSED))})(?![\w-])"
    r"(?:=(?P<joined>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';&|]*))?"
    r"(?:[ \t]+(?P<apart>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';&|-][^\s\"';&|]*))?"
)
_ENVIRONMENT: Final = {name: option for name, option in {**SWITCHES, **VALUES}.items() if option in _OPTIONS}
_SECTION: Final = "ovnkubernetesfeature"
_FILE: Final = "--config-file"
_SCRIPT: Final = lazy_pattern(r"ovnkube[\w-]*\.sh")
_TRUE: Final = frozenset({"1", "t", "true", "yes", "on"})
# The maximum number of characters read from one object: about ten times the size of ovnkube's own manifests.
_MAX_TEXT: Final = 500_000


class Setting(NamedTuple):
    """One option with its value at ``field``; None if only the running shell knows the value."""

    value: str | None
    field: str

    @property
    def is_on(self) -> bool | None:
        """Whether a switch is on; None when unknown."""
        return None if self.value is None else self.value.lower() in _TRUE


class Settings(NamedTuple):
    """The settings of one container, or of one configuration file in a ConfigMap.

    ``reads_file``: the file in ConfigMap ovnkube-config adds further settings. ``reads_script``: a script adds unknown
    settings.
    """

    where: str
    by_option: Mapping[str, Setting]
    reads_file: bool = False
    reads_script: bool = False

    def is_on(self, option: str) -> bool:
        """Whether the switch ``option`` is known to be on."""
        setting = self.by_option.get(option)
        return setting is not None and setting.is_on is True

    def filled(self, rest: Mapping[str, Setting]) -> "Settings":
        """These settings, with ``rest`` for the absent ones."""
        return Settings(self.where, {**rest, **self.by_option}, self.reads_file, self.reads_script)


def settings_of(obj: JsonObject) -> tuple[Settings, ...]:
    """Return the settings of a workload's containers or a ConfigMap's files; empty for any other object."""
    if not text_of(mapping(obj, "metadata").get("name")).startswith(PREFIX):
        return ()
    kind = group_kind_of(obj)
    if kind == CONFIG_MAP:
        return tuple(_files(obj))
    return tuple(_containers(obj)) if kind in WORKLOADS else ()


def _containers(obj: JsonObject) -> Iterator[Settings]:
    left = _MAX_TEXT
    for where, container in containers(obj):
        found = dict(_environment(where, container))
        lines = list(texts(container))
        left -= sum(len(text) for _, text in lines)
        if left < 0:
            # Overlong text is not read and counts as a script, because it may set anything.
            yield Settings(where, found, reads_script=True)
            continue
        for index, (path, text) in enumerate(lines):
            following = lines[index + 1][1] if index + 1 < len(lines) else ""
            found.update(_flags(f"{where}.{path}", text, following))
        reads_file = any(_FILE in text for _, text in lines)
        reads_script = any(_SCRIPT.search(text) for _, text in lines)
        if found or reads_file or reads_script:
            yield Settings(where, found, reads_file, reads_script)


def _flags(field: str, text: str, following: str) -> Iterator[tuple[str, Setting]]:
    """Flags in one element of a command; a separate value may be the next element."""
    for found in _FLAG.finditer(text):
        option = DYNAMIC if found[1] == _PROPOSED else found[1]
        if option not in _VALUED:
            value = "true" if found["joined"] is None else found["joined"]
        elif found["joined"] is not None:
            value = found["joined"]
        else:
            value = found["apart"] or (following if found.end() == len(text) else "")
        yield option, Setting(_literal(value), field)


def _environment(where: str, container: Mapping[str, Any]) -> Iterator[tuple[str, Setting]]:
    listed = container.get("env")
    for index, each in enumerate(listed[:MAX_ITEMS] if isinstance(listed, list) else ()):
        named = mapping(each)
        option = _ENVIRONMENT.get(text_of(named.get("name")))
        if option is not None and (named.get("value") or "valueFrom" in named):
            value = None if "valueFrom" in named else _literal(text_of(named.get("value")))
            yield option, Setting(value, f"{where}.env[{index}].value")


def _literal(value: str) -> str | None:
    """A value without its quotes; None where a shell or a template still has to fill it in."""
    bare = value.strip().strip("\"'")
    return None if "$" in bare or "{{" in bare else bare


def _files(obj: JsonObject) -> Iterator[Settings]:
    left = _MAX_TEXT
    for key, value in list(mapping(obj, "data").items())[:MAX_ITEMS]:
        text = text_of(value)
        left -= len(text)
        found = dict(_keys(f"data[{key}]", text)) if left >= 0 and f"[{_SECTION}]" in text.lower() else {}
        if found:
            yield Settings(f"data[{key}]", found)


def _keys(field: str, text: str) -> Iterator[tuple[str, Setting]]:
    """Keys of the section with the options."""
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line.lower().startswith(f"[{_SECTION}]")
        elif inside and not line.startswith(("#", ";")):
            key, sign, value = line.partition("=")
            option = key.strip().lower()
            if option in _OPTIONS or option == _PROPOSED:
                name = DYNAMIC if option == _PROPOSED else option
                yield name, Setting(_literal(value) if sign else "true", field)
