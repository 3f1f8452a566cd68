"""OVN-Kubernetes ignores the case of a key; Multus and libcni read some keys only in their documented case."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.netconf import Written
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, config_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

# A key may be as long as the text.
_SHOWN = 40


def applies(ctx: RuleContext) -> bool:
    """Attachments that somebody wrote."""
    return config_of(ctx.object) is not None and not ctx.rendered


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning that names the keys and their documented spelling."""
    config = config_of(ctx.object)
    misspelt = [each for each in config.written if each.key != each.documented] if config is not None else []
    if misspelt:
        shown = shortlist(map(_spelling, misspelt))
        yield FieldError(ErrorType.INVALID, CONFIG_FIELD, misspelt[0].key[:_SHOWN], f"OVN-Kubernetes reads {shown}")


def _spelling(written: Written) -> str:
    return f"{written.place}{quote(written.key[:_SHOWN])} as {quote(written.documented)}"


RULE = Rule(
    id="OVNG-L2-038",
    kinds=(NAD,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, config.ParseNetConf; Go, encoding/json",
    message="keys of a CNI configuration should be spelt as documented",
    hint="use the spelling that the warning names",
    applies=applies,
    check=check,
)
