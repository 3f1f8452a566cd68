"""Rule ids that people write: which there are, and which one a misspelt one means."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

from ovnguard.validators.bundled.rule_ids import cases
from ovnguard.validators.network.rules.index import RULES

_LISTED: Final = "'kubectl ovn-preflight explain' lists them"
_RULE_OF_A_CRD: Final = "x-kubernetes-validations["


def unknown_rule(name: str, policies: Collection[str], *, crds: bool, suggests: bool = True) -> str:
    """Return what to say about a rule id that no finding can have, "" for one that may.

    ``policies`` are the names of given policies. With given ``crds`` findings may name any place of a schema.
    ``suggests``: whether to compare the id with those that there are.
    """
    if name in policies or any(name == entry.id for entry in RULES) or any(name == entry["id"] for entry in cases()):
        return ""
    from ovnguard.validators.cli.explain.explanations import rule_ids  # loads every rule
    from ovnguard.validators.cli.explain.keyword_explanations import is_keyword, places_of

    ids = rule_ids()
    if name in ids or (crds and (is_keyword(name) or _RULE_OF_A_CRD in name)) or any(places_of(name)):
        return ""
    return no_rule(name, [*policies, *ids] if suggests else ())


def no_rule(name: str, known: Collection[str]) -> str:
    """Return what to say about a rule id that is not known."""
    folded = {each.casefold(): each for each in known}
    close = [folded[each] for each in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    hint = f"did you mean {' or '.join(close)}?" if close else _LISTED
    return f"no rule {name}; {hint}"
