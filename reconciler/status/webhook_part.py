"""The webhook: its replicas, its certificates, how its registrations fail, and what it refused last.

Secrets are not read. The served certificate is in the ConfigMap of the webhook's own authority; whoever else issues it
publishes it nowhere. The webhook is ready only while its certificate is valid.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from cryptography import x509

from ovnguard.reconciler.status.part import (
    UNKNOWN,
    Finding,
    Part,
    age_text,
    missing_replicas,
    replica_text,
    runbook,
    time_text,
)
from ovnguard.reconciler.status.snapshot import (
    AUTHORITY,
    MUTATING,
    VALIDATING,
    WEBHOOK_PODS,
    Snapshot,
    latest,
    replicas,
)
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.parse_values import dig, text_of

DEPLOYMENT: Final = "ovnguard-webhook"
FAIL_CLOSED: Final = ("validate.ovnguard.io", "mutate.udn.ovnguard.io")
"""The webhooks without whose verdict no network changes, where a second replica answers for the first."""
SOON: Final = timedelta(days=2)
"""The rest of a certificate's life in which the webhook has failed to renew it."""
HOUR: Final = timedelta(hours=1)
MANY: Final = 50
_OURS: Final = ".ovnguard.io"
_INSTALL: Final = "docs/webhook.md#install"
_FAILS_OPEN: Final = runbook("OvnguardAdmissionFailsOpen")
_FEW: Final = 3


class _Refusal(NamedTuple):
    at: datetime
    text: str


def webhook_part(seen: Snapshot) -> Part:
    """Return the state of the webhook."""
    deployment = seen.named("deployments", DEPLOYMENT)
    ready, wanted = replicas(deployment)
    hooks = _hooks(seen)
    served, authority = _served(seen), _trusted(hooks.values())
    refused = _refusals(seen)
    rows = [
        (
            "replicas",
            replica_text(ready, wanted) if deployment is not None or not seen.knows("deployments") else "none",
        ),
        ("certificate", _until(served, seen.now)),
        ("authority", _until(authority, seen.now)),
        ("failure policy", _policies(hooks) if seen.knows(VALIDATING, MUTATING) else UNKNOWN),
        *_refusal_rows(refused, seen.now),
    ]
    findings = (
        *_missing(seen, deployment, ready, wanted),
        *_badly_registered(seen, hooks, wanted),
        *_expiring(served, authority, seen.now),
        *_many(refused),
    )
    data = {
        "replicas": {"ready": ready, "wanted": wanted},
        "certificateUntil": None if served is None else time_text(served),
        "authorityUntil": None if authority is None else time_text(authority),
        "failurePolicies": {name: hook.get("failurePolicy") for name, hook in hooks.items()},
        "refusals": None if refused is None else [{"time": time_text(at), "text": text} for at, text in refused],
    }
    return Part("WEBHOOK", (), tuple(rows), findings, data)


def _missing(seen: Snapshot, found: JsonObject | None, ready: int | None, wanted: int | None) -> Iterator[Finding]:
    title = f"the webhook, Deployment {seen.namespace}/{DEPLOYMENT}"
    if not seen.knows("deployments"):
        return
    if found is None:
        yield Finding(f"the webhook is not installed: there is no Deployment {seen.namespace}/{DEPLOYMENT}", _INSTALL)
    else:
        page = runbook("OvnguardWebhookDown" if ready == 0 else "OvnguardWebhookOneReplica")
        yield from missing_replicas(title, ready, wanted, page)


def _hooks(seen: Snapshot) -> Mapping[str, JsonObject]:
    """Our webhooks in both registrations, by name."""
    found = {}
    for kind in (VALIDATING, MUTATING):
        for registration in seen.items(kind):
            webhooks = registration.get("webhooks")
            for hook in webhooks if isinstance(webhooks, list) else ():
                if (name := text_of(dig(hook, "name"))).endswith(_OURS):
                    found[name] = hook
    return found


def _badly_registered(seen: Snapshot, hooks: Mapping[str, JsonObject], wanted: int | None) -> Iterator[Finding]:
    for kind in (VALIDATING, MUTATING):
        if seen.knows(kind) and not seen.items(kind):
            yield Finding(f"the API server asks no webhook: {kind}/ovnguard is missing", _FAILS_OPEN)
    untrusted = [name for name, hook in hooks.items() if not _certificates(hook)]
    if untrusted:
        names = shortlist(untrusted)
        yield Finding(f"no caBundle, so API servers cannot trust {names}", runbook("OvnguardWebhookUnreachable"))
    # one replica on a laptop fails open on purpose
    fails_open = [name for name in FAIL_CLOSED if name in hooks and hooks[name].get("failurePolicy") != "Fail"]
    if fails_open and (wanted or 0) > 1:
        text = f"networks may change without a verdict: failurePolicy of {shortlist(fails_open)} is not Fail"
        yield Finding(text, _FAILS_OPEN)


def _certificates(hook: JsonObject) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(base64.b64decode(text_of(dig(hook, "clientConfig", "caBundle"))))
    except ValueError:
        return []


def _trusted(hooks: Iterable[JsonObject]) -> datetime | None:
    """Until when the first of the webhooks is trusted: each as long as the last certificate of its bundle."""
    ends = []
    for hook in hooks:
        found = [each.not_valid_after_utc for each in _certificates(hook)]
        ends += [max(found)] if found else []
    return min(ends, default=None)


def _served(seen: Snapshot) -> datetime | None:
    text = text_of(dig(seen.named(AUTHORITY, AUTHORITY), "data", "tls.crt"))
    try:
        return x509.load_pem_x509_certificate(text.encode()).not_valid_after_utc
    except ValueError:
        return None


def _until(end: datetime | None, now: datetime) -> str:
    if end is None:
        return UNKNOWN
    return f"until {time_text(end)} ({f'in {age_text(end - now)}' if end > now else 'over'})"


def _expiring(served: datetime | None, authority: datetime | None, now: datetime) -> Iterator[Finding]:
    for title, end in (("the webhook's certificate", served), ("the authority in caBundle", authority)):
        if end is not None and end - now < SOON:
            verb = "ended" if end <= now else "ends"
            yield Finding(f"{title} {verb} at {time_text(end)}", runbook("OvnguardCertificateExpires"))


def _policies(hooks: Mapping[str, JsonObject]) -> str:
    closed = [name for name, hook in hooks.items() if hook.get("failurePolicy") == "Fail"]
    others = counted(len(hooks) - len(closed), "webhook")
    return f"Fail: {', '.join(closed) or 'none'}; Ignore: {others}" if hooks else "not registered"


def _refusals(seen: Snapshot) -> list[_Refusal] | None:
    """The refusals of the last hour, newest first, as the logs of all replicas have them; None while one is unknown."""
    if not seen.knows(WEBHOOK_PODS) or not seen.logs or None in seen.logs.values():
        return None
    found = []
    for line in "\n".join(filter(None, seen.logs.values())).splitlines():
        try:
            decision = json.loads(line)
        except ValueError:
            continue
        at = latest([dig(decision, "time")])
        if dig(decision, "verdict") == "denied" and at is not None and seen.now - at < HOUR:
            found.append(_Refusal(at, _described(decision)))
    return sorted(found, reverse=True)


def _described(decision: JsonObject) -> str:
    texts = {key: text_of(value) for key, value in decision.items()}
    kind = texts.get("gvk", "").rpartition("=")[2].rpartition("/")[2]
    place = f"{texts.get('namespace')}/" if texts.get("namespace") else ""
    rules = decision.get("rules")
    why = shortlist(map(str, rules)) if isinstance(rules, list) and rules else texts.get("reason", "")
    return f"{texts.get('operation')} {kind} {place}{texts.get('name')} by {texts.get('user')}: {why}"


def _refusal_rows(refused: list[_Refusal] | None, now: datetime) -> Iterator[tuple[str, str]]:
    if refused is None:
        yield "refusals", f"{UNKNOWN}: the logs of the webhook cannot be read"
        return
    yield "refusals", f"{len(refused)} in the last hour"
    yield from (("", f"{age_text(now - at)} ago: {text}") for at, text in refused[:_FEW])


def _many(refused: list[_Refusal] | None) -> Iterator[Finding]:
    if refused is not None and len(refused) > MANY:
        text = f"the webhook refused {len(refused)} requests in the last hour, the last one: {refused[0].text}"
        yield Finding(text, runbook("OvnguardManyRefusals"))
