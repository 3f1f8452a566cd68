"""An attachment whose CNI type is almost OVN-Kubernetes' names a plugin that no node has: its pods do not start."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.json_syntax import Members, NotJSON, read_json
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.netconf import PLUGIN
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_ALMOST: Final = 0.85
_LONGEST: Final = 2 * len(PLUGIN)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the configuration."""
    for word in _types(ctx.object):
        if word != PLUGIN and len(word) <= _LONGEST and SequenceMatcher(None, word.lower(), PLUGIN).ratio() > _ALMOST:
            text = f"type {quote(word)} is no plugin of OVN-Kubernetes; did you mean {quote(PLUGIN)}?"
            yield FieldError(ErrorType.INVALID, CONFIG_FIELD, word, text)


def _types(obj: JsonObject) -> Iterator[str]:
    """The types in a configuration, and in its list of plugins."""
    text = dig(obj, "spec", "config")
    whole = read_json(text) if isinstance(text, str) and text else None
    if whole is None or isinstance(whole, NotJSON) or whole.__class__ is not Members:
        return
    plugins = dict(whole).get("plugins")
    for members in (whole, *(plugins if plugins.__class__ is list else ())):
        word = dict(members).get("type") if members.__class__ is Members else None
        if isinstance(word, str):
            yield word


RULE = Rule(
    id="OVNG-NET-071",
    kinds=(NAD,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, go-controller/pkg/config (CNI.Plugin); CNI specification, section 1 (type)",
    message="the type of an attachment should be spelt as OVN-Kubernetes' plugin is",
    hint=f"write {PLUGIN}, or use a name that is not almost the same for your own plugin",
    check=check,
)
