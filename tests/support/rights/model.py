"""Rows of the table of rights and mounts, which docs/rights.md shows: tests compare them with deploy/ and with runs."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ovnguard.reconciler.loop.process.events import EVENTS
from ovnguard.reconciler.loop.process.lease import LEASES
from ovnguard.validators.cluster.resources import Part, Resource

OURS: Final = "ovnguard-system"
EVERY: Final = "*"
"""In place of a name: every object of the resource."""
BASE: Final = "base"
CONSTRAINTS: Final = "security.openshift.io/securitycontextconstraints"
"""What roles ``system:openshift:scc:NAME`` of OpenShift permit to use."""


class Request(NamedTuple):
    """What a right permits, and what a process asks for: ``namespace`` is "" for the whole cluster."""

    namespace: str
    group: str
    resource: str
    name: str
    verb: str


class Right(NamedTuple):
    """One right of ``subject``, which ``component`` grants unless one of ``without`` is there too.

    ``asker`` is the module that needs it, or who does. ``idle`` says why no run in the tests asks for it.
    """

    subject: str
    component: str
    namespace: str
    group: str
    resource: str
    name: str
    verb: str
    asker: str
    idle: str = ""
    without: tuple[str, ...] = ()

    @property
    def request(self) -> Request:
        """What it permits."""
        return Request(*self[2:7])

    def permits(self, asked: Request) -> bool:
        """Whether a request needs no other right."""
        mine = self.request
        return (
            mine._replace(name="", namespace="") == asked._replace(name="", namespace="")
            and mine.namespace in ("", asked.namespace)
            and mine.name in (EVERY, asked.name)
        )


class Mount(NamedTuple):
    """One mount of a workload; that of a later component replaces one at the same ``path``.

    ``source`` is a path of the host, or what else it is. ``kind`` is the type that the path of the host must have.
    ``files`` are the paths that ``asker``, a module or who else needs them, uses below it.
    """

    workload: str
    component: str
    path: str
    source: str
    kind: str
    writable: bool
    files: tuple[str, ...]
    asker: str


class Grant(NamedTuple):
    """Who gets rights, from which component, and which module asks."""

    subject: str
    component: str
    asker: str = ""
    idle: str = ""
    without: tuple[str, ...] = ()

    def of(self, verbs: str, resource: Resource | str, name: str = EVERY, namespace: str = "") -> Iterator[Right]:
        """Rights to ``verbs``, separated by spaces; a text is a plural of the core group or ``group/plural``."""
        group, plural = (resource.group, resource.plural) if isinstance(resource, Resource) else _parts(resource)
        for verb in verbs.split():
            place = (namespace, group, plural, name, verb)
            yield Right(self.subject, self.component, *place, self.asker, self.idle, self.without)

    def watch(self, parts: Iterable[tuple[Resource, Part]]) -> Iterator[Right]:
        """Rights to list and watch."""
        for resource, part in parts:
            yield from self.of("list watch", resource, part.name or EVERY, part.namespace)

    def report(self, namespace: str) -> Iterator[Right]:
        """Rights of `reconciler.loop.process.events`."""
        yield from self._replace(asker="reconciler/loop/process/events.py").of(
            "create get patch", EVENTS, namespace=namespace
        )

    def lead(self, lease: str) -> Iterator[Right]:
        """Rights of `reconciler.loop.process.lease`; one to create cannot name the object."""
        mine = self._replace(asker="reconciler/loop/process/lease.py")
        yield from mine.of("create", LEASES, namespace=OURS)
        yield from mine.of("get update", LEASES, lease, OURS)


def status(resource: Resource) -> str:
    """The subresource of a resource's status, as rules name it."""
    return f"{resource.group}/{resource.plural}/status"


def _parts(text: str) -> tuple[str, str]:
    """Group and plural: a group has a dot or is ``apps``."""
    first, _, rest = text.partition("/")
    return (first, rest) if rest and ("." in first or first == "apps") else ("", text)
