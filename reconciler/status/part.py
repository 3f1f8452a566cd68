"""One part of the state: a table for people, the same for programs, and what is wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from ovnguard.validators.network.list_text import MOST_NAMED, counted

UNKNOWN: Final = "unknown"
NONE: Final = "-"
RUNBOOKS: Final = "docs/runbooks"
PAGE: Final = "docs/status.md"
NOT_KNOWN: Final = f"{PAGE}#what-cannot-be-read"


class Finding(NamedTuple):
    """Something that is wrong, or that nobody can say, and the page that says what to do."""

    text: str
    runbook: str


@dataclass(frozen=True, slots=True)
class Part:
    """``heads`` are the columns of ``rows``, none for rows of a name and a value; ``data`` is the same for programs.

    ``quiet`` is the number of rows at the end that people need not see.
    """

    title: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    findings: tuple[Finding, ...] = ()
    data: Any = None
    quiet: int = 0


def runbook(alert: str) -> str:
    """Return the page of an alert."""
    return f"{RUNBOOKS}/{alert}.md"


def number(value: int | None) -> str:
    """Return a number for people."""
    return UNKNOWN if value is None else str(value)


def age_text(age: timedelta) -> str:
    """Return an age as kubectl prints it: ``12s``, ``4m3s``, ``6h12m``, ``3d4h``."""
    seconds = max(0, int(age.total_seconds()))
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days}d{hours}h"
    if hours:
        return f"{hours}h{minutes}m"
    return f"{minutes}m{seconds % 60}s" if minutes else f"{seconds}s"


def time_text(moment: datetime) -> str:
    """Return a time as Kubernetes writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def grouped(noun: str, texts: Mapping[str, str], page: str) -> Iterable[Finding]:
    """Yield one finding about all things with a text, such as zones: the first few, and how many more."""
    if len(texts) == 1:
        (found,) = texts.items()
        yield Finding(": ".join(found), page)
    elif texts:
        first = [f"{name}: {text}" for name, text in list(texts.items())[:MOST_NAMED]]
        more = [f"and {len(texts) - MOST_NAMED} more"] if len(texts) > MOST_NAMED else []
        yield Finding(f"{counted(len(texts), noun)}: {'; '.join([*first, *more])}", page)


def missing_replicas(title: str, ready: int | None, wanted: int | None, page: str) -> Iterable[Finding]:
    """Yield what is wrong with the number of ready Pods of a workload."""
    if ready is None or wanted is None:
        yield Finding(f"unknown: how many Pods of {title} are ready: no controller has counted them", NOT_KNOWN)
    elif ready < wanted:
        yield Finding(f"{ready} of {counted(wanted, 'Pod')} of {title} {'is' if wanted == 1 else 'are'} ready", page)


def replica_text(ready: int | None, wanted: int | None) -> str:
    """Return ``2 of 2 ready``."""
    return UNKNOWN if ready is None or wanted is None else f"{ready} of {wanted} ready"
