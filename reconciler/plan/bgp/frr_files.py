"""frr.conf of each zone of a plan, and why some zones keep the file that they have."""

from collections.abc import Iterable, Mapping, Sequence

from ovnguard.reconciler.plan.bgp.frr_conf import render
from ovnguard.reconciler.plan.bgp.node_configuration import FrrConfigurations
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.frr_secrets import HIDDEN
from ovnguard.validators.network.model import Network, Transport


class FrrFiles:
    """The files of all nodes that are asked for, with notes and errors about them.

    A node without valid configuration is an error of every no-overlay network: its routes there stay as they are.
    ``secrets`` are as in `FrrConfigurations`.
    """

    def __init__(
        self,
        documents: Iterable[JsonObject],
        networks: Sequence[Network],
        settings: Settings,
        secrets: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self.notes: list[Remark] = []
        self.errors: list[Remark] = []
        self._configurations = FrrConfigurations(documents, secrets)
        self._routed = [each.name for each in networks if each.transport is Transport.NO_OVERLAY]
        self._settings = settings

    def on(self, node: Node) -> tuple[str, str | None]:
        """Return the file of a node, for people and as FRR reads it; the latter is None when the node keeps its own."""
        configuration = self._configurations.on(node, self._settings.default_join_subnets)
        level, blocked = self._settings.frr_log_level, self._settings.frr_always_block
        shown = render(configuration, level, always_block=blocked)
        if configuration.errors:
            for error in configuration.errors:
                self.errors += (Remark(error.text, name, error.node) for name in self._routed or [""])
            return "", None
        if unknown := configuration.unknown_passwords:
            text = f"frr.conf is not written: the password of neighbor {unknown[0]} is unknown"
            self.notes.append(Remark(text, node=node.name))
            return shown, None
        if HIDDEN not in shown:
            return shown, shown
        return shown, render(configuration, level, always_block=blocked, reveal=True)
