"""What a preflight reads before it judges: manifests, old objects, definitions, policies and the cluster around."""

import argparse
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from ovnguard.crd_schemas.gating import Features, features
from ovnguard.validators.base.field import DEFAULT_KUBERNETES, supported
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.catalog import Catalog, group_and_kind, gvk_of, set_of
from ovnguard.validators.cli.cluster_release import known_release
from ovnguard.validators.cli.configuration import CLUSTER, GIT
from ovnguard.validators.cli.generated_names import is_unnamed_network, with_names
from ovnguard.validators.cli.namespaces import as_stored, in_namespace
from ovnguard.validators.cli.preflight_options import WrongCall
from ovnguard.validators.commandline.program import tell
from ovnguard.validators.fast.disk_store import user_store
from ovnguard.validators.manifest.documents import Document, Loaded
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.cluster_view import GroupKind, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.report.findings import Finding

if TYPE_CHECKING:
    from ovnguard.validators.cli.given_policies import GivenPolicies
    from ovnguard.validators.cluster.live_cluster import LiveCluster

_ALMOST: Final = 0.85
"""The least similarity of a misspelt kind to one that is there, as difflib measures it."""


class Inputs(NamedTuple):
    """The manifests with their old objects, and what they are judged by.

    ``inventory`` are documents of files, ``definitions`` the given CRDs by group and kind. ``warnings``
    are about the cluster.
    """

    loaded: Loaded
    view: ObjectsView
    catalog: Catalog
    inventory: Sequence[Document]
    policies: "GivenPolicies | None"
    definitions: dict[tuple[str, str], Document]
    warnings: tuple[Finding, ...]


def read_inputs(options: argparse.Namespace) -> Inputs:
    """Return the inputs that the options name. Raises `WrongCall` for what cannot be read or used."""
    return _Reader(options).read()


class _Reader:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._stored = as_stored(options.namespace)

    @cached_property
    def _cluster(self) -> "LiveCluster":
        from ovnguard.validators.cluster.client_protocol import ClusterConfigError, ClusterOptions
        from ovnguard.validators.cluster.kubernetes_client import connect
        from ovnguard.validators.cluster.live_cluster import LiveCluster  # the client takes 0.3 s

        options = ClusterOptions(self._options.kubeconfig, self._options.context, "ovn-preflight")
        try:
            client = connect(options)
        except ClusterConfigError as error:
            raise WrongCall(str(error)) from None
        return LiveCluster(client, client.server)

    def read(self) -> Inputs:
        options = self._options
        named = _release(options.kubernetes_version)
        loaded = self._with_old(read_sources(options.paths, self._files(options.old), stored=self._stored))
        kubernetes, warnings = (named, ()) if named else self._release_of_cluster()
        if options.namespace:
            loaded = in_namespace(loaded, options.namespace)
        loaded = _without(loaded, [kind.strip() for text in options.skip for kind in text.split(",")])
        loaded = with_names(loaded)
        inventory = _must_read(self._files(options.inventory))
        known = inventory.documents
        all_documents = (*known, *loaded.documents)
        around = [document.value for document in all_documents if not is_unnamed_network(document)]
        empty = {GroupKind(*each) for each in inventory.empty_lists}
        empty.update(group_kind_of(document.value) for document in all_documents if is_unnamed_network(document))
        stored = [document.value for document in known]
        if CLUSTER in options.inventory:
            stored += self._add_surroundings(around, empty)
        # what has an old object is there already
        new = [document.value for document in loaded.documents if document.old is None]
        view = ObjectsView(around, empty, all_complete=GroupKind("", "") in empty, requested=new)
        definitions = _definitions(options.crds)
        catalog = self._catalog(definitions, loaded, kubernetes, set_of(stored))
        by_kind = {group_and_kind(document.value): document for document in definitions}
        policies = self._policies(around, definitions, kubernetes)
        return Inputs(loaded, view, catalog, known, policies, by_kind, warnings)

    def _release_of_cluster(self) -> tuple[str, tuple[Finding, ...]]:
        """The release of the cluster that the options name, if they name one, and the warning about it."""
        options = self._options
        if not (options.from_cluster or options.kubeconfig or CLUSTER in (*options.old, *options.inventory)):
            return DEFAULT_KUBERNETES, ()
        from ovnguard.validators.cluster.client_protocol import ClusterError  # see `_cluster`

        try:
            return known_release(self._cluster.minor(), self._cluster.server)
        except ClusterError as error:
            text = f"the release of the cluster is unknown: {error}; name one with --kubernetes-version"
            raise WrongCall(text) from None

    def _files(self, places: Iterable[str]) -> list[str]:
        return [place for place in places if place != CLUSTER and not place.startswith(GIT)]

    def _with_old(self, loaded: Loaded) -> Loaded:
        """Give documents without an old object that of the revision, or of the cluster."""
        revisions = [place.removeprefix(GIT) for place in self._options.old if place.startswith(GIT)]
        for revision in revisions:
            loaded = self._from_git(loaded, revision)
        return self._from_cluster(loaded) if CLUSTER in self._options.old else loaded

    def _from_git(self, loaded: Loaded, revision: str) -> Loaded:
        from ovnguard.validators.cli.git_program import BadRevision  # few runs ask git
        from ovnguard.validators.cli.git_revision import read_revision

        try:
            found = read_revision(revision, self._options.paths, self._stored)
        except BadRevision as error:
            raise WrongCall(str(error)) from None
        self._say(f"old objects: git {revision} ({found.commit})")
        return _with(loaded, [found.objects.get(document.identity) for document in loaded.documents])

    def _from_cluster(self, loaded: Loaded) -> Loaded:
        from ovnguard.validators.cluster.client_protocol import ClusterError  # see `_cluster`

        try:
            old = [self._cluster.stored(each.value, self._options.namespace) for each in loaded.documents]
        except ClusterError as error:
            raise WrongCall(f"--old cluster: {error}") from None
        self._say(f"old objects: {self._cluster.server}")
        return _with(loaded, old)

    def _add_surroundings(self, around: list[JsonObject], empty: set[GroupKind]) -> Sequence[JsonObject]:
        """Add the objects of the cluster, and return them; the manifests replace their stored versions."""
        from ovnguard.validators.cluster.client_protocol import ClusterError  # see `_cluster`

        try:
            found = self._cluster.surroundings()
        except ClusterError as error:
            raise WrongCall(f"--inventory cluster: {error}") from None
        if found.forbidden:
            tell(f"warning: the cluster does not let you list {', '.join(found.forbidden)}")
        own = {_identity(obj) for obj in around}
        around += [obj for obj in found.objects if _identity(obj) not in own]
        empty |= found.empty
        return found.objects

    def _catalog(self, definitions: Sequence[Document], loaded: Loaded, kubernetes: str, usual: str) -> Catalog:
        options = self._options
        store, unused = (None, "") if options.no_cache else user_store()
        if unused and options.verbose:
            tell(f"warning: compiled definitions are not kept: {unused}")
        features = _features(options.feature_set, options.feature_gates)
        values = [document.value for document in definitions]
        fallback = self._definitions_of_cluster(values, loaded) if options.from_cluster else ()
        return Catalog(values, options.schema_set, kubernetes, store, features, fallback=fallback, usual=usual)

    def _definitions_of_cluster(self, definitions: Sequence[JsonObject], loaded: Loaded) -> list[JsonObject]:
        from ovnguard.validators.cluster.client_protocol import ClusterError  # see `_cluster`

        bundled = Catalog(definitions)
        kinds = dict.fromkeys(gvk_of(each.value) for each in loaded.documents if not bundled.knows(each.value))
        try:
            return list(self._cluster.definitions(kinds))
        except ClusterError as error:
            raise WrongCall(f"--from-cluster: {error}") from None

    def _policies(
        self, around: Sequence[JsonObject], definitions: Sequence[Document], kubernetes: str
    ) -> "GivenPolicies | None":
        if not self._options.policies:
            return None
        from ovnguard.validators.cli.given_policies import BadPolicy, GivenPolicies  # few runs give policies

        try:
            found = GivenPolicies(_must_read(self._options.policies).documents, around, kubernetes)
        except BadPolicy as error:
            raise WrongCall(str(error)) from None
        for name in found.unbound():
            tell(f"warning: policy {name} has no binding and no effect")
        crds = [document.value for document in definitions]
        for text in found.type_warnings(crds, self._options.schema_set, kubernetes):
            self._say(f"warning: {text}")
        return found

    def _say(self, line: str) -> None:
        if not self._options.quiet:
            tell(line)


def _with(loaded: Loaded, olds: Sequence[JsonObject | None]) -> Loaded:
    """Pair documents with old objects; those that have one already keep it."""
    pairs = zip(loaded.documents, olds, strict=True)
    documents = tuple(each if old is None or each.old is not None else each._replace(old=old) for each, old in pairs)
    return loaded._replace(documents=documents)


def _identity(obj: JsonObject) -> tuple[GroupKind, str, str]:
    metadata = obj.get("metadata")
    meta = metadata if isinstance(metadata, dict) else {}
    return group_kind_of(obj), str(meta.get("namespace") or ""), str(meta.get("name") or "")


def _release(version: str) -> str:
    if not version:
        return version
    try:
        return supported(version)
    except ValueError as error:
        raise WrongCall(f"--kubernetes-version: {error}") from None


def _without(loaded: Loaded, kinds: Sequence[str]) -> Loaded:
    """The documents of other kinds than ``kinds``, each a kind or ``Kind.group``."""
    if not kinds:
        return loaded
    there = {name for document in loaded.documents for name in _kind_names(document)}
    for kind in kinds:
        if kind not in there and (meant := _similar(kind, there)):
            tell(f"warning: --skip {kind}: no object has this kind; did you mean {meant}?")
    kept = (document for document in loaded.documents if not _kind_names(document) & {*kinds})
    return loaded._replace(documents=tuple(kept))


def _kind_names(document: Document) -> set[str]:
    identity = document.identity
    return {identity.kind, f"{identity.kind}.{identity.group}"}


def _similar(kind: str, there: Iterable[str]) -> str:
    folded = {name.casefold(): name for name in there}
    close = get_close_matches(kind.casefold(), folded, 1, _ALMOST)
    return folded[close[0]] if close else ""


def _features(feature_set: str | None, gates: Sequence[str]) -> Features | None:
    if not feature_set and not gates:
        return None
    try:
        return features(feature_set, tuple(gates))
    except ValueError as error:
        raise WrongCall(str(error)) from None


def _must_read(paths: Sequence[str]) -> Loaded:
    """Read inventory or CRDs; raise `WrongCall` on the first problem, because it makes every verdict doubtful."""
    loaded = read_sources(paths, stored=as_stored(""))
    if loaded.problems:
        first = loaded.problems[0]
        raise WrongCall(f"{first.file}:{first.line}:{first.column}: {first.message}")
    return loaded


def _definitions(paths: Sequence[str]) -> tuple[Document, ...]:
    documents = _must_read(paths).documents
    for document in documents:
        if document.value.get("kind") != "CustomResourceDefinition":
            where = document.position("kind")
            kind = document.value.get("kind")
            raise WrongCall(
                f"{document.file}:{where.line}:{where.column}: kind: {kind} is not a CustomResourceDefinition; "
                "--crds takes CRDs only"
            )
    return documents
