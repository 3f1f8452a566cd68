"""Whether ovnkube allocates networks dynamically, from all its objects in a view.

Source: OKEP-5552, 'Proposal'. A workload that reads the configuration file takes the options from it that the workload
itself does not set.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CONFIG_MAP
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.ovnkube_settings.allocation_settings import WORKLOADS, Setting, Settings, settings_of
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC, GRACE, INTERCONNECT, PRECONFIGURED
from ovnguard.validators.network.request_context import RuleContext

_KINDS: Final = (*WORKLOADS, CONFIG_MAP)
# Workloads that serve a zone, or all zones.
_ON_NODES: Final = frozenset({"ovnkube-node", "ovnkube-single-node-zone", "ovnkube-zone-controller", "ovnkube-master"})
# Workloads that render the attachments of networks.
_CLUSTER_MANAGERS: Final = frozenset({"ovnkube-control-plane", "ovnkube-cluster-manager", "ovnkube-master"})


class Source(NamedTuple):
    """One object with settings: its identity and the settings."""

    kind: str
    namespace: str
    name: str
    settings: tuple[Settings, ...]

    @property
    def is_file(self) -> bool:
        """Whether this is a configuration file."""
        return self.kind == CONFIG_MAP.kind

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Namespace(NamedTuple):
    """The objects with settings in one namespace, and all settings of its workloads (False) and of its files (True)."""

    sources: list[Source]
    settings: dict[bool, dict[str, Setting]]


class Allocation(NamedTuple):
    """All objects with settings of ovnkube's options."""

    sources: tuple[Source, ...]
    namespaces: Mapping[str, Namespace]

    @property
    def is_dynamic(self) -> bool:
        """Whether any part of ovnkube allocates networks dynamically."""
        return any(each.is_on(DYNAMIC) for source in self.sources for each in source.settings)


def allocation(inventory: Inventory) -> Allocation | None:
    """Return the known settings of ovnkube's options; None when no object has any."""
    return inventory.derived(_allocation, *_KINDS)


def _allocation(inventory: Inventory) -> Allocation | None:
    listed = (obj for kind in _KINDS for obj in inventory.objects(kind) or ())
    sources = tuple(source for source in map(source_of, listed) if source.settings)
    namespaces: dict[str, Namespace] = {}
    for source in sources:
        here = namespaces.setdefault(source.namespace, Namespace([], {}))
        here.sources.append(source)
        for each in source.settings:
            here.settings.setdefault(source.is_file, {}).update(each.by_option)
    return Allocation(sources, namespaces) if sources else None


def source_of(obj: JsonObject) -> Source:
    """Return the settings of one object."""
    ref = ref_of(obj)
    return Source(group_kind_of(obj).kind, ref.namespace, ref.name, settings_of(obj))


class _Sources(NamedTuple):
    """The settings of the object, and the ``rest``: those that files add to a workload, and workloads to a file.

    The rest is None without such an object.
    """

    own: Source
    rest: Mapping[str, Setting] | None

    @classmethod
    def of(cls, ctx: RuleContext) -> "_Sources":
        own = source_of(ctx.object)
        here = _namespace_of(ctx, own)
        return cls(own, here.settings.get(not own.is_file))

    def effective(self) -> tuple[Settings, ...]:
        rest = self.rest or {}
        filled = (each.filled(rest) if self.own.is_file or each.reads_file else each for each in self.own.settings)
        return tuple(each for each in filled if each.is_on(DYNAMIC))

    def is_whole(self, each: Settings) -> bool:
        """Whether no unknown source can add to the settings of ``each``."""
        return not each.reads_script and (not (self.own.is_file or each.reads_file) or self.rest is not None)


def others(ctx: RuleContext, own: Source) -> Iterator[Source]:
    """Iterate over the other objects of the namespace that have settings; ``own`` is the source of the object."""
    for each in _namespace_of(ctx, own).sources:
        if (each.kind, each.name) != (own.kind, own.name):
            yield each


def _namespace_of(ctx: RuleContext, own: Source) -> Namespace:
    known = allocation(ctx.inventory)
    return (known.namespaces if known is not None else {}).get(own.namespace, Namespace([], {}))


def effective(ctx: RuleContext) -> tuple[Settings, ...]:
    """Return the parts of the object that allocate dynamically, completed with settings of other objects."""
    return _Sources.of(ctx).effective()


def settings_known(ctx: RuleContext) -> bool:
    """Whether every source that completes the object's settings is known, or an option is explicitly off."""
    sources = _Sources.of(ctx)
    asked = (*sources.effective(), *(each for each in sources.own.settings if GRACE in each.by_option))
    return all(sources.is_whole(each) or _switched_off(each.by_option) for each in asked)


def _switched_off(settings: Mapping[str, Setting]) -> bool:
    return any(setting.is_on is False for option, setting in settings.items() if option.startswith("enable-"))


def lacking(ctx: RuleContext, option: str, detail: str) -> Iterator[FieldError]:
    """One error for each part that allocates dynamically without ``option``: where it is off, or at the place to set
    it.
    """
    sources = _Sources.of(ctx)
    own = frozenset(setting for part in sources.own.settings for setting in part.by_option.values())
    for each in sources.effective():
        setting, dynamic = each.by_option.get(option), each.by_option[DYNAMIC]
        if setting is not None and setting.is_on is False:
            wrong = setting
        elif setting is None and sources.is_whole(each):
            wrong = dynamic
        else:
            continue
        # a setting of another object is reported at the part that inherits it
        yield FieldError(ErrorType.INVALID, wrong.field if wrong in own else each.where, wrong.value, detail)


def interconnect_is_off(inventory: Inventory) -> bool:
    """Whether ovnkube is known to run without OVN interconnect."""
    return _switch(inventory, INTERCONNECT, _ON_NODES) is False


def preconfigured_addresses(inventory: Inventory) -> bool | None:
    """Whether ovnkube lets primary Layer2 networks choose addresses; None where that is unknown."""
    return _switch(inventory, PRECONFIGURED, _CLUSTER_MANAGERS)


def _switch(inventory: Inventory, option: str, workloads: frozenset[str]) -> bool | None:
    """Whether a switch is on; None where that is unknown.

    It is off if it is off explicitly, or no setting of a completely known part of ``workloads`` enables it.
    """
    known = allocation(inventory)
    sources = known.sources if known is not None else ()
    parts = [(source, each) for source in sources for each in source.settings]
    if any(each.is_on(option) for _, each in parts):
        return True
    if any(each.reads_script for _, each in parts):
        return None
    has_file = any(source.is_file for source in sources)
    is_off = any(
        option in each.by_option or (source.name in workloads and (has_file or not each.reads_file))
        for source, each in parts
        if option not in each.by_option or each.by_option[option].value is not None
    )
    return False if is_off else None
