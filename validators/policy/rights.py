"""Rights of users, as rules of Roles and ClusterRoles give them: what ``authorizer`` answers.

Source: Kubernetes, ``plugin/pkg/auth/authorizer/rbac`` (RuleAllows) and ``pkg/apis/rbac/v1`` (evaluation_helpers.go).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from ovnguard.validators.cel.values.authorizer_values import Authorize, Check

_ALL = "*"


@dataclass(frozen=True, slots=True)
class Right:
    """A rule that is bound to ``user``. With no ``namespaces``, it counts in all of them."""

    user: str
    verbs: tuple[str, ...]
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()

    def allows(self, asked: Check) -> bool:
        """Return whether the rule allows what is asked."""
        if asked.user != self.user or not _has(self.verbs, asked.verb):
            return False
        if asked.path:
            return any(_covers(path, asked.path) for path in self.paths)
        below = f"/{asked.subresource}" if asked.subresource else ""
        return (
            _has(self.groups, asked.group)
            and (_has(self.resources, asked.resource + below) or bool(below and _ALL + below in self.resources))
            and (not self.names or asked.name in self.names)
            and (not self.namespaces or asked.namespace in self.namespaces)
        )


def authorize_by(rights: Iterable[Right]) -> Authorize:
    """Return the authorizer that allows what one of the rights allows."""
    return partial(_allowed, tuple(rights))


def _allowed(rights: tuple[Right, ...], asked: Check) -> bool:
    return any(right.allows(asked) for right in rights)


def _has(values: tuple[str, ...], wanted: str) -> bool:
    return _ALL in values or wanted in values


def _covers(path: str, asked: str) -> bool:
    return path == asked or (path.endswith(_ALL) and asked.startswith(path.rstrip(_ALL)))
