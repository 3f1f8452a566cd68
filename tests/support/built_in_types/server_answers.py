"""What the API server creates, and how its decoder refuses an object."""

from typing import Any

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.built_in.decoded import decode_object
from tests.testbed.apiserver import ApiServer


def created_kinds(server: ApiServer) -> dict[tuple[str, str], str]:
    """The kinds whose objects the server creates, as apiVersion and kind, each with the path of a creation."""
    _, groups = server.request("GET", "/apis")
    versions = ["v1", *(each["groupVersion"] for group in groups["groups"] for each in group["versions"])]
    found: dict[tuple[str, str], str] = {}
    for version in versions:
        base = "/api/v1" if version == "v1" else f"/apis/{version}"
        for each in server.request("GET", base)[1].get("resources", ()):
            if "create" in each["verbs"] and "/" not in each["name"]:
                folder = f"{base}/namespaces/default" if each["namespaced"] else base
                found[version, each["kind"]] = f"{folder}/{each['name']}"
    return found


def refusal(obj: dict[str, Any]) -> str:
    """The message with which the server's decoder refuses an object, as ovnguard finds it; "" for none."""
    decoded = decode_object(obj, DEFAULT_KUBERNETES)
    assert decoded is not None
    texts = [error.detail for error in decoded.errors]
    if not texts or decoded.errors[0].rule != "strict":
        return "".join(texts)
    version = obj["apiVersion"].rpartition("/")[2]
    head = f'{obj["kind"]} in version "{version}" cannot be handled as a {obj["kind"]}'
    return f"{head}: strict decoding error: {', '.join(texts)}"


def sorted_value(value: Any) -> Any:
    """A value as kubectl sends it, with its keys in order."""
    if isinstance(value, dict):
        return {key: sorted_value(value[key]) for key in sorted(value)}
    return [sorted_value(one) for one in value] if isinstance(value, list) else value
