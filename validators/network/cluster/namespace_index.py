"""All namespaces of a view, indexed by label, so that thousands of selectors can be matched with thousands of them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster_view import NAMESPACE
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import dig, mapping, text_of
from ovnguard.validators.network.selectors import labels_of, matches

PRIMARY_LABEL: Final = "k8s.ovn.org/primary-user-defined-network"
NAME_LABEL: Final = "kubernetes.io/metadata.name"


class Namespace(NamedTuple):
    """One namespace. The API server labels each with its name; manifests rarely contain that label."""

    name: str
    labels: Mapping[str, str]

    @property
    def has_primary_label(self) -> bool:
        """Whether its pods may use a primary user-defined network."""
        return PRIMARY_LABEL in self.labels


def namespace_of(obj: JsonObject) -> Namespace:
    """Return the namespace that a core/v1 Namespace describes."""
    name = ref_of(obj).name
    return Namespace(name, {NAME_LABEL: name, **labels_of(obj)})


class Namespaces:
    """All known namespaces except terminating ones, which no network selects any more.

    ``read``: each object's namespace by its ``id()``, None for one that does not count; ``before`` are those of the
    moment before, whose objects still live.
    """

    def __init__(self, objects: Sequence[JsonObject], before: "Namespaces | None" = None) -> None:
        known: Mapping[int, Namespace | None] = {} if before is None else before.read
        self.read: Mapping[int, Namespace | None] = {
            id(obj): known[id(obj)] if id(obj) in known else _alive(obj) for obj in objects
        }
        self.by_name: Mapping[str, Namespace] = {each.name: each for each in self.read.values() if each is not None}
        self._all = frozenset(self.by_name)
        self._with: Mapping[tuple[str, str | None], frozenset[str]] = self._having(before)
        self._last: tuple[object, tuple[Namespace, ...]] = (None, ())

    def _having(self, before: "Namespaces | None") -> dict[tuple[str, str | None], frozenset[str]]:
        """The names of the namespaces with each label, given those of the moment before."""
        former = {} if before is None else before.by_name
        came = [each for name, each in self.by_name.items() if former.get(name) is not each]
        gone = [each for name, each in former.items() if self.by_name.get(name) is not each]
        having = {} if before is None else {**before._with}
        changed: dict[tuple[str, str | None], set[str]] = {}
        for namespace in gone:
            for pair in pairs_of(namespace.labels):
                changed.setdefault(pair, set(having.get(pair, ()))).discard(namespace.name)
        for namespace in came:
            for pair in pairs_of(namespace.labels):
                changed.setdefault(pair, set(having.get(pair, ()))).add(namespace.name)
        having.update((pair, frozenset(names)) for pair, names in changed.items())
        return {pair: names for pair, names in having.items() if names} if gone else having

    def selected_by(self, selector: object) -> tuple[Namespace, ...]:
        """Return the namespaces that ``selector`` selects, by name; cached, because several rules in a row use the same
        selector.
        """
        last = self._last
        if last[0] == selector:
            return last[1]
        found = tuple(map(self.by_name.__getitem__, sorted(self.names(selector, frozenset()))))
        self._last = (selector, found)
        return found

    def names(self, selector: object, without: Set[str]) -> list[str]:
        """Return the unordered names of the namespaces that ``selector`` selects, except those in ``without``."""
        found: Set[str] = self._all
        for pairs, wanted in requirements(selector):
            having: Set[str] = set().union(*(self._with.get(pair, ()) for pair in pairs))
            found = found & having if wanted else found - having
        return [name for name in found - without if matches(selector, self.by_name[name].labels)]


def known_namespaces(now: ObservedObjects, before: Namespaces | None) -> Namespaces:
    """Index all Namespaces; unchanged ones are not read again."""
    return Namespaces(now.objects(NAMESPACE), before)


def requirements(selector: object) -> Iterator[tuple[list[tuple[str, str | None]], bool]]:
    """Iterate over alternatives of labels (None: any value): a selected namespace has at least one of them, or lacks
    all.

    Invalid parts are skipped: callers must still match the selector against the remaining namespaces.
    """
    for key, value in mapping(selector, "matchLabels").items():
        yield [(key, text_of(value))], True
    expressions = dig(selector, "matchExpressions")
    for expression in expressions if isinstance(expressions, list) else ():
        key, operator, values = text_of(dig(expression, "key")), dig(expression, "operator"), dig(expression, "values")
        if operator in ("Exists", "DoesNotExist"):
            yield [(key, None)], operator == "Exists"
        elif operator in ("In", "NotIn") and isinstance(values, list):
            yield [(key, text_of(value)) for value in values], operator == "In"


def _alive(obj: JsonObject) -> Namespace | None:
    namespace = namespace_of(obj) if dig(obj, "metadata", "deletionTimestamp") is None else None
    return namespace if namespace is not None and namespace.name else None


def pairs_of(labels: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Iterate over the labels, each with its value and with None for any."""
    for key, value in labels.items():
        yield key, value
        yield key, None
