"""The cluster network operator knows its network by its type; with a misspelt one it installs no network."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

TYPE_FIELD: Final = "spec.defaultNetwork.type"
TYPE: Final = "OVNKubernetes"
_ALMOST: Final = 0.8
_LONGEST: Final = 2 * len(TYPE)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the type."""
    word = dig(ctx.object, *TYPE_FIELD.split("."))
    if not isinstance(word, str) or word == TYPE or len(word) > _LONGEST:
        return
    if SequenceMatcher(None, word.lower(), TYPE.lower()).ratio() > _ALMOST:
        text = f"is no type of network; did you mean {quote(TYPE)}?"
        yield FieldError(ErrorType.INVALID, TYPE_FIELD, word, text)


RULE = Rule(
    id="OVNG-NET-072",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.WARNING,
    design="cluster-network-operator, pkg/network (renderDefaultNetwork)",
    message="the type of the default network should be spelt as the cluster network operator spells it",
    hint=f"write {TYPE}",
    check=check,
)
