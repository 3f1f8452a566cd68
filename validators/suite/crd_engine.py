"""The interface between suites and an engine that judges objects, and the adapter for ovnguard's engine."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonMapping, JsonObject
from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from ovnguard.validators.suite.suite import SuiteFault


class Verdict(Protocol):
    """The answer to one request; `validators.crd.strategy.Verdict` is one."""

    @property
    def allowed(self) -> bool:
        """Whether the request is accepted."""

    @property
    def object(self) -> Any:
        """The object as the server would store it, when the request is accepted."""

    @property
    def errors(self) -> Sequence[FieldError]:
        """The field errors of a refusal."""

    def status(self) -> JsonObject | None:
        """The metav1.Status of a refusal; None when the request is accepted."""


class Compiled(Protocol):
    """A compiled CRD; `validators.crd.compiled_crd.CompiledCRD` is one."""

    def verdict(self, obj: JsonMapping, old: JsonMapping | None = None, subresource: str | None = None) -> Verdict:
        """Judge a create, an update (``old`` given) or an update of the subresource ``status``."""


Compiler = Callable[[JsonObject, str, str], Compiled]
"""Takes a CRD, its version and the Kubernetes version. Raises SuiteFault for a CRD that is not valid."""


def compile_definition(crd: JsonObject, version: str, kubernetes: str) -> Compiled:
    """The default `Compiler` of suites; tests may pass another."""
    try:
        return compile_crd(crd, version=version, kubernetes=kubernetes)
    except InvalidCRD as error:
        raise SuiteFault(f"the CRD is not valid: {error}") from error
