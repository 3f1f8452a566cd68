"""The values of the library ``authz``: who asks, what is checked, and the decision."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

from ovnguard.validators.cel.values.operations import no_overload


class Check(NamedTuple):
    """What an expression asks: whether ``user`` may do this. With a ``path``, it asks for no resource."""

    user: str
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""


Authorize: TypeAlias = Callable[[Check], bool]
"""Whether what is asked is allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class Authorizer:
    """``authorizer``, and what its functions make of it. Nothing is equal to one."""

    TYPE_NAME: ClassVar[str] = "kubernetes.authorization.Authorizer"
    authorize: Authorize
    check: Check

    def __eq__(self, other: object) -> bool:
        raise no_overload()

    def __hash__(self) -> int:
        return hash(self.check)


class PathCheck(Authorizer):
    """``authorizer.path(...)``."""

    __slots__ = ()
    TYPE_NAME = "kubernetes.authorization.PathCheck"


class GroupCheck(Authorizer):
    """``authorizer.group(...)``."""

    __slots__ = ()
    TYPE_NAME = "kubernetes.authorization.GroupCheck"


class ResourceCheck(Authorizer):
    """``authorizer.group(...).resource(...)``, and ``authorizer.requestResource``."""

    __slots__ = ()
    TYPE_NAME = "kubernetes.authorization.ResourceCheck"


class Decision(Authorizer):
    """``authorizer...check(...)``: the answer, which has neither a reason nor an error."""

    __slots__ = ()
    TYPE_NAME = "kubernetes.authorization.Decision"

    @property
    def allowed(self) -> bool:
        """Whether what is asked is allowed."""
        return self.authorize(self.check)
