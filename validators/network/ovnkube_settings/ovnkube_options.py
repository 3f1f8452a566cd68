"""The options with which a cluster's ovnkube runs, from all objects that configure it.

A command line overrides the file in ConfigMap ovnkube-config. Zones count before the cluster manager, because their
processes write the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CONFIG_MAP
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.ovnkube_settings.allocation_settings import OVNKUBE_KINDS, PREFIX, WORKLOADS
from ovnguard.validators.network.ovnkube_settings.command_lines import (
    OVERRIDES,
    CommandLine,
    lines_of_library,
    lines_of_workload,
    scripts_in,
)
from ovnguard.validators.network.ovnkube_settings.option_names import ALIASES, PLANNED, RECORDED_BY_NODES, is_known
from ovnguard.validators.network.ovnkube_settings.option_places import IGNORED_KEYS, IGNORED_SECTIONS, SECTIONS
from ovnguard.validators.network.ovnkube_settings.shell_conditions import UNDECIDED, plain
from ovnguard.validators.network.parse_values import MAX_ITEMS, mapping, text_of

VALUES_OF_CHART: Final = "ovn-config"
"""The ConfigMap of upstream's chart that its containers take variables from."""
LIBRARY: Final = "ovnkube-script-lib"
_TRUE: Final = frozenset({"1", "t", "true", "yes", "on"})
_FALSE: Final = frozenset({"", "0", "f", "false", "no", "off"})
_MAX_TEXT: Final = 500_000
_NO_OPTIONS: Final[Mapping[str, frozenset[str]]] = {}


class Option(NamedTuple):
    """The value of an option, None where nothing decides it, and the object with it."""

    value: str | None
    source: str

    @property
    def is_on(self) -> bool | None:
        """Whether a switch is on; None where nothing decides it."""
        return None if self.value is None else self.value.lower() in _TRUE


class OvnkubeOptions(NamedTuple):
    """The options of a cluster's zones by name, and those of any of its processes.

    ``doubtful``: the variables that nothing decides, each with the options that it may contain, none where these are
    unknown. ``known``: whether any object configures ovnkube.
    """

    by_name: Mapping[str, Option] = {}
    anywhere: Mapping[str, tuple[Option, ...]] = {}
    doubtful: Mapping[str, frozenset[str]] = _NO_OPTIONS
    known: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether everything that configures ovnkube is known."""
        return self.known and all(self.doubtful.values())

    def overridden(self, values: Mapping[str, str]) -> "OvnkubeOptions":
        """Return these options with ``values``, which a person gives."""
        given = {name: Option(value, "the command line") for name, value in values.items()}
        doubtful = {variable: names - given.keys() for variable, names in self.doubtful.items()}
        kept = {variable: names for variable, names in doubtful.items() if names or not self.doubtful[variable]}
        return self._replace(by_name={**self.by_name, **given}, doubtful=kept)

    def value(self, name: str) -> str | None:
        """Return the value of an option, None where it is absent or undecided."""
        option = self.by_name.get(name)
        return None if option is None else option.value

    def is_on(self, name: str) -> bool:
        """Whether a switch is known to be on."""
        option = self.by_name.get(name)
        return option is not None and option.is_on is True

    @property
    def unplanned(self) -> tuple[str, ...]:
        """The options that may change rows and from which no plan follows, with their objects."""
        own = (
            f"{_shown(name)} ({option.source})" for name, option in self.by_name.items() if _may_change(name, option)
        )
        variables = (
            f"{_shown(name)} (variable {variable})"
            for variable, names in self.doubtful.items()
            for name in sorted(names)
            if name in PLANNED or not (is_known(name) or name in RECORDED_BY_NODES)
        )
        hidden = (_hidden(variable) for variable, names in self.doubtful.items() if not names)
        undecided = (
            f"{_shown(name)} ({option.source}, undecided)"
            for name, option in self.by_name.items()
            if option.value is None and name in PLANNED
        )
        return tuple(sorted({*own, *variables, *hidden, *undecided}))

    @property
    def notes(self) -> tuple[str, ...]:
        """One note about the variables that nothing decides."""
        names = sorted(name for name in self.doubtful if not name.endswith(".sh"))
        return (f"no object decides these variables of ovnkube's command line: {', '.join(names)}",) if names else ()


def configures_ovnkube(obj: JsonObject) -> bool:
    """Whether an object is one of those with ovnkube's options."""
    ref, kind = ref_of(obj), group_kind_of(obj)
    named = ref.name.startswith(PREFIX) or (kind == CONFIG_MAP and ref.name in (VALUES_OF_CHART, OVERRIDES))
    return kind in OVNKUBE_KINDS and ref.namespace in OVNKUBE_NAMESPACES and named


def ovnkube_options(inventory: Inventory) -> OvnkubeOptions:
    """Return the options of the cluster's ovnkube; those of two namespaces must agree."""
    return inventory.derived(_options, *OVNKUBE_KINDS)


def _options(inventory: Inventory) -> OvnkubeOptions:
    found = [each for namespace in OVNKUBE_NAMESPACES if (each := _of_namespace(inventory, namespace)).known]
    if len(found) < 2:
        return found[0] if found else OvnkubeOptions()
    one, two = found
    names = dict.fromkeys(name for each in found for name in each.by_name)
    shared = {name: _agreed([each.by_name[name] for each in found if name in each.by_name]) for name in names}
    anywhere = {
        name: one.anywhere.get(name, ()) + two.anywhere.get(name, ()) for name in {**one.anywhere, **two.anywhere}
    }
    return OvnkubeOptions(shared, anywhere, {**one.doubtful, **two.doubtful}, known=True)


def _of_namespace(inventory: Inventory, namespace: str) -> OvnkubeOptions:
    maps = {ref_of(obj).name: obj for obj in inventory.objects(CONFIG_MAP) or () if ref_of(obj).namespace == namespace}
    lines = list(_lines(inventory, namespace, maps))
    place = f"in namespace {namespace}"
    file = {
        name: Option(value, f"ConfigMap {each} {place}")
        for each, obj in sorted(maps.items())
        if each.startswith(PREFIX)
        for name, value in _keys(obj)
    }
    zones = (
        [each for each in lines if each.serves_zone] or [each for each in lines if each.serves_zone is None] or lines
    )
    names = dict.fromkeys(name for each in zones for name in each.options)
    own = {name: _agreed([_option(each, name) for each in zones if name in each.options]) for name in names}
    anywhere = {
        name: (*(_option(each, name) for each in lines if name in each.options), *filter(None, [file.get(name)]))
        for name in dict.fromkeys((*file, *(name for each in lines for name in each.options)))
    }
    doubtful = {variable: names for each in zones for variable, names in each.doubtful.items()}
    return OvnkubeOptions({**file, **own}, anywhere, doubtful, known=bool(lines or file))


def _lines(inventory: Inventory, namespace: str, maps: Mapping[str, JsonObject]) -> Iterator[CommandLine]:
    scripts = scripts_in(maps, LIBRARY)
    found = [
        line
        for kind in WORKLOADS
        for obj in inventory.objects(kind) or ()
        if (ref := ref_of(obj)).namespace == namespace and ref.name.startswith(PREFIX)
        for line in lines_of_workload(f"{kind.kind} {ref.name} in namespace {namespace}", obj, scripts)
    ]
    yield from found
    if not any(each.serves_zone for each in found):
        yield from lines_of_library(f"ConfigMap {LIBRARY} in namespace {namespace}", scripts)


def _option(line: CommandLine, name: str) -> Option:
    value = line.options[name]
    return Option(None if UNDECIDED.search(value) else value, line.source)


def _agreed(options: Sequence[Option]) -> Option:
    """The value on which all agree."""
    first = options[0]
    return first if all(each.value == first.value for each in options) else first._replace(value=None)


def _keys(obj: JsonObject) -> Iterator[tuple[str, str]]:
    """The options of a configuration file; a key of an unknown section is one that ovnguard does not know."""
    for text in list(mapping(obj, "data").values())[:MAX_ITEMS]:
        section = ""
        for line in map(str.strip, plain(text_of(text)[:_MAX_TEXT]).splitlines()):
            if line.startswith("[") and line.endswith("]"):
                section = line[1:-1].strip().lower()
            elif section and section not in IGNORED_SECTIONS and line and not line.startswith(("#", ";")):
                key, equals, value = line.partition("=")
                yield _name(section, key.strip().lower()), _bare(value) if equals else "true"


def _name(section: str, key: str) -> str:
    names, key = SECTIONS.get(section), ALIASES.get(key, key)
    if names is not None and key in names:
        return names[key]
    return key if names is not None and key not in PLANNED else f"[{section}] {key}"


def _bare(value: str) -> str:
    return value.strip().strip("\"'")


def _may_change(name: str, option: Option) -> bool:
    off = option.value is not None and option.value.lower() in _FALSE
    return not off and not is_known(name) and name not in IGNORED_KEYS


def _hidden(variable: str) -> str:
    return f"script {variable}, which no object contains" if variable.endswith(".sh") else f"variable {variable}"


def _shown(name: str) -> str:
    return name if name.startswith(("[", "OVN_")) else f"--{name}"
