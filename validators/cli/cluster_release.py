"""The release of Kubernetes to judge like for the server of a cluster."""

from typing import Final

from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from ovnguard.validators.report.findings import Finding, Severity, Subject

RELEASE_RULE: Final = "unknown-kubernetes-release"
"""The id of the warning about a server of another release than those whose verdicts are known."""
_CLUSTER: Final = Subject("<cluster>")


def known_release(minor: int, server: str) -> tuple[str, tuple[Finding, ...]]:
    """Return the known release that is nearest to 1.``minor``, and a warning if it is another one."""
    judged = min(max(minor, OLDEST_MINOR), NEWEST_MINOR)
    if judged == minor:
        return f"1.{minor}", ()
    which = "newest" if judged < minor else "oldest"
    text = f"{server} runs Kubernetes 1.{minor}: judged like 1.{judged}, the {which} release that is known"
    return f"1.{judged}", (Finding(_CLUSTER, 1, 1, "", "Warning", text, RELEASE_RULE, Severity.WARNING),)
