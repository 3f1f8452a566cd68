"""Checks of ``spec.conversion``: strategy, webhook client, and the versions of ConversionReview.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (validateCustomResourceConversion); apiserver,
``pkg/util/webhook/validation.go``.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base import object_names
from ovnguard.validators.base.field import JSON_VALUES_SINCE, FieldError, NamedText, Older, not_supported
from ovnguard.validators.go.text import Boxed, GoText, Texts
from ovnguard.validators.go.url import STRICT_SINCE, BadURL, as_text, parse_reference, unescape, userinfo_text
from ovnguard.validators.structural.definitions.allowances import NEW, Allowances
from ovnguard.validators.structural.definitions.ca_bundle import bundle_fault
from ovnguard.validators.structural.definitions.structural_check import forbidden, invalid, required

_CLIENT: Final = "spec.conversion.webhookClientConfig"
_REVIEWED: Final = "spec.conversion.conversionReviewVersions"
_FORM: Final = "; desired format: https://host[/path]"
_RECOGNIZED: Final = frozenset({"v1", "v1beta1"})
_HTTPS_PORT: Final = 443
_LAST_PORT: Final = 65535

Errors = Iterator[FieldError]
Json = Mapping[str, Any]


def check_conversion(
    conversion: Json, release: int, *, preserves: bool, allowed: Allowances = NEW, bundle: bytes = b""
) -> Errors:
    """Yield the errors of a conversion; ``preserves``: the definition has preserveUnknownFields.

    ``release`` is the minor number of the API server, ``bundle`` the certificates of the webhook.
    """
    strategy, path = conversion.get("strategy", ""), "spec.conversion.strategy"
    if strategy != "None" and preserves:
        yield invalid(path, Boxed(strategy), "must be None if spec.preserveUnknownFields is true")
    if not strategy:
        yield required(path, "")
    elif strategy not in {"None", "Webhook"}:
        yield not_supported(path, strategy, ("None", "Webhook"))
    webhook = conversion.get("webhook", {})
    client, reviewed = webhook.get("clientConfig"), webhook.get("conversionReviewVersions", [])
    if strategy == "Webhook":
        yield from _client(client, strict=release >= STRICT_SINCE)
        if client is not None and not allowed.ca_bundle:
            yield from _bundle(bundle)
        yield from _review_versions(reviewed, any_version=allowed.review_versions)
        return
    detail = "should not be set when strategy is not set to Webhook"
    if client is not None:
        yield forbidden(_CLIENT, detail)
    if reviewed:
        yield forbidden(_REVIEWED, detail)


def _client(client: Json | None, *, strict: bool) -> Errors:
    if client is None:
        yield required(_CLIENT, "required when strategy is set to Webhook")
        return
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(_CLIENT, "exactly one of url or service is required")
    elif url is not None:
        yield from _url(url, strict=strict)
    elif service is not None:
        yield from _service(service)


def _bundle(bundle: bytes) -> Errors:
    if complaint := bundle_fault(bundle):
        older = Older(JSON_VALUES_SINCE, bad_value=GoText(f"[]byte{{{', '.join(map(hex, bundle))}}}"))
        yield invalid(f"{_CLIENT}.caBundle", NamedText(b64encode(bundle).decode()), complaint, older)


def is_recognized(conversion: Json) -> bool:
    """Return whether the API server knows a version of the conversion's reviews, or none is named."""
    versions = conversion.get("webhook", {}).get("conversionReviewVersions", [])
    return not versions or bool(_RECOGNIZED & set(versions))


def _url(text: str, *, strict: bool) -> Errors:
    path = f"{_CLIENT}.url"
    try:
        url, fragment = parse_reference(text, strict=strict)
    except BadURL as fault:
        yield required(path, f"url must be a valid URL: {fault}{_FORM}")
        return
    if url.scheme != "https":
        yield invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not url.host:
        yield invalid(path, url.host, f"host must be specified{_FORM}")
    if url.userinfo is not None:
        yield invalid(path, userinfo_text(url.userinfo), "user information is not permitted in the URL")
    if fragment:
        yield invalid(path, as_text(unescape(fragment)), "fragments are not permitted in the URL")
    if url.query:
        yield invalid(path, as_text(url.query), "query parameters are not permitted in the URL")


def _service(service: Json) -> Errors:
    path = f"{_CLIENT}.service"
    # The API server exchanges the two: each message names the field of the other one.
    if not service.get("namespace"):
        yield required(f"{path}.name", "", Older(34, detail="service name is required"))
    if not service.get("name"):
        yield required(f"{path}.namespace", "", Older(34, detail="service namespace is required"))
    port = service.get("port", _HTTPS_PORT)
    if not 1 <= port <= _LAST_PORT:
        yield invalid(f"{path}.port", port, f"port is not valid: must be between 1 and {_LAST_PORT}, inclusive")
    yield from _service_path(service.get("path", ""), f"{path}.path")


def _service_path(text: str, path: str) -> Errors:
    if text in {"", "/"}:
        return
    if text == "//":
        yield invalid(path, text, "segment[0] may not be empty")
        return
    if not text.startswith("/"):
        yield invalid(path, text, "must start with a '/'")
    # Go cuts off the first byte, even of a longer character.
    for index, step in enumerate(text.encode(errors="replace")[1:].removesuffix(b"/").split(b"/")):
        if not step:
            yield invalid(path, text, f"segment[{index}] may not be empty")
            continue
        for complaint in object_names.dns1123_subdomain(step.decode(errors="replace")):
            yield invalid(path, text, f"segment[{index}]: {complaint}")


def _review_versions(versions: Sequence[str], *, any_version: bool) -> Errors:
    if not versions:
        yield required(_REVIEWED, "")
        return
    seen = set()
    for index, version in enumerate(versions):
        if version in seen:
            yield invalid(f"{_REVIEWED}[{index}]", version, "duplicate version")
            continue
        seen.add(version)
        for complaint in object_names.dns1035_label(version):
            yield invalid(f"{_REVIEWED}[{index}]", version, complaint)
    if not any_version and not _RECOGNIZED & set(versions):
        yield invalid(_REVIEWED, Texts(versions), "must include at least one of v1, v1beta1")
