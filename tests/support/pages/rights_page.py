"""docs/rights.md: what each workload mounts and what each account may do."""

from collections.abc import Iterable, Iterator
from typing import Final

from tests.support.rights.model import EVERY, Mount, Right
from tests.support.rights.table import MOUNTS, RIGHTS

_HEAD: Final = """\
# Rights and mounts

This page lists what `deploy/` grants and mounts: one row for each right that the code asks for, with the module that
asks.

Tests compare the table with the kustomizations, and with the audit log of an API server that ran every process with the
rights of its account: a right or a mount that is not in the table fails them, and so does a right that no process used.
`pytest --update` writes this page. [threat-model.md](threat-model.md) says what follows when somebody takes an account.
What a user needs is on the page of the command: [status.md](status.md#rights).

"With" names the component or overlay that adds a row; `base` is in all, and `hosted` is `deploy/hosted`. Objects in parentheses
are the only ones that a right is about. RBAC alone cannot say which objects the following writes are about, so a policy does:

| policy | with | limits |
|---|---|---|
| `reporter.ovnguard.io` | `reconciler` | `ovnguard-reconciler`: ConfigMaps to the report of the token's own node |
| `node-topology.ovnguard.io` | `own` | `ovnguard-reconciler`: Nodes to one annotation of the token's own Node |
| `attachment.ovnguard.io` | `own` | `ovnguard-reconciler-cluster`: NetworkAttachmentDefinitions to those that a UserDefinedNetwork or ClusterUserDefinedNetwork controls, with the configuration of that network and without changing what others set; of all others, four annotations; and the default network's |
| `pod-record.ovnguard.io` | `own` | `ovnguard-reconciler`: Pods to one annotation of those on the token's own node; `ovnguard-reconciler-cluster`: Pods to the same annotation |
"""
_MOUNTS: Final = """\

## Mounts

Each Pod also has the token of its account, mounted by Kubernetes.

| workload | path | with | source | type | access | files | used by |
|---|---|---|---|---|---|---|---|
"""
_RIGHTS: Final = """\

## Rights

"""


def render() -> str:
    """The page."""
    subjects = dict.fromkeys(each.subject for each in RIGHTS)
    parts = [_HEAD, _MOUNTS, *map(_mount, MOUNTS), _RIGHTS]
    for subject in subjects:
        heading = subject if " " in subject else f"Account {subject}"
        parts += [f"### {heading[:1].upper()}{heading[1:]}\n\n"]
        parts += ["| with | namespace | resources | verbs | asked by |\n|---|---|---|---|---|\n"]
        parts += [*_rows(each for each in RIGHTS if each.subject == subject), "\n"]
    return "".join(parts).rstrip("\n") + "\n"


def _mount(mount: Mount) -> str:
    access = "writes" if mount.writable else "reads"
    files = ", ".join(f"`{each}`" for each in mount.files)
    cells = (f"`{mount.workload}`", f"`{mount.path}`", f"`{mount.component}`", f"`{mount.source}`", mount.kind, access)
    return _row(*cells, files, f"`{mount.asker}`")


def _rows(rights: Iterable[Right]) -> Iterator[str]:
    """A row for all resources with the same verbs, from the same module."""
    verbs: dict[Right, list[str]] = {}
    for each in rights:
        verbs.setdefault(each._replace(verb=""), []).append(each.verb)
    rows: dict[tuple[Right, str], dict[str, list[str]]] = {}
    for right, found in verbs.items():
        resources = rows.setdefault((right._replace(group="", resource="", name=""), ", ".join(found)), {})
        resources.setdefault(".".join(filter(None, (right.resource, right.group))), []).append(right.name)
    for (right, listed_verbs), resources in rows.items():
        listed = ", ".join(_resource(*each) for each in resources.items())
        place = f"`{right.namespace}`" if right.namespace else "all"
        asker = f"`{right.asker.replace(', ', '`, `')}`" if right.asker.endswith(".py") else right.asker
        yield _row(_with(right), place, listed, listed_verbs, "; ".join(filter(None, (asker, right.idle))))


def _with(right: Right) -> str:
    without = f", not with `{'`, `'.join(right.without)}`" if right.without else ""
    return f"`{right.component}`{without}"


def _resource(resource: str, names: list[str]) -> str:
    return f"`{resource}`" + ("" if names == [EVERY] else f" ({', '.join(f'`{each}`' for each in names)})")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
