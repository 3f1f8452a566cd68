"""Passwords of FRRConfigurations: values that no text shows, and objects without them.

Whoever may ask for verdicts must not learn a stored password, so neither a verdict nor a message depends on its value.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.frr.frr_values import FrrError
from ovnguard.validators.network.parse_values import dig, text_of

PRESENT: Final = "(present)"
"""Takes the place of a password that is stored."""
HIDDEN: Final = "<hidden>"
_BASIC_AUTH: Final = "kubernetes.io/basic-auth"


@dataclass(frozen=True, slots=True, repr=False)
class Password:
    """A session's password; without ``text`` and ``secret`` there is none. It prints as `HIDDEN`.

    ``secret`` is the name of the Secret with the password when its content is unknown.
    """

    text: str = ""
    secret: str = ""

    def __bool__(self) -> bool:
        return bool(self.text or self.secret)

    def __repr__(self) -> str:
        return HIDDEN if self else "''"

    @property
    def is_known(self) -> bool:
        """Whether ``text`` is the password itself."""
        return not self.secret and self.text != PRESENT


NO_PASSWORD: Final = Password()
StoredPassword = Callable[[str, str], Password]
"""Returns the password in the Secret of a name, for a neighbour shown so. Raises FrrError, whose field is empty."""


def ignored(_secret: str, _neighbor: str) -> Password:
    """Ignore Secrets, as frr-k8s' webhook does: they may be created later."""
    return NO_PASSWORD


def unread(secret: str, _neighbor: str) -> Password:
    """Keep the reference to a Secret whose content is unknown."""
    return Password(secret=secret)


def stored_in(secrets: Mapping[str, JsonObject]) -> StoredPassword:
    """Read passwords from Secrets by name, all of the namespace in which frr-k8s runs: it ignores other namespaces."""

    def read(name: str, neighbor: str) -> Password:
        secret = secrets.get(name)
        if secret is None:
            raise FrrError("", f"secret {name} not found for neighbor {neighbor}")
        shown = f"{quote(text_of(dig(secret, 'metadata', 'namespace')))}/{quote(name)}"
        if secret.get("type") != _BASIC_AUTH:
            raise FrrError("", f"secret type mismatch on {shown}, type {quote(_BASIC_AUTH)} is expected ")
        encoded = dig(secret, "data", "password")
        if not isinstance(encoded, str):
            raise FrrError("", f"password field not specified in the secret {shown}")
        try:
            return Password(base64.b64decode(encoded, validate=True).decode())
        except (binascii.Error, ValueError):
            raise FrrError("", f"the password in the secret {shown} is not text in base64") from None

    return read


def without_secrets(obj: JsonObject) -> JsonObject:
    """Return a copy of an FRRConfiguration without values of passwords and without its raw configuration."""
    spec = obj.get("spec")
    if not isinstance(spec, Mapping):
        return obj
    kept = {key: value for key, value in spec.items() if key != "raw"}
    return with_passwords({**obj, "spec": kept}, PRESENT)


def with_passwords(obj: JsonObject, text: str) -> JsonObject:
    """Return a copy of an FRRConfiguration with ``text`` in the place of every password."""
    routers = dig(obj, "spec", "bgp", "routers")
    if not isinstance(routers, list):
        return obj

    def neighbors(listed: Any) -> Any:
        if not isinstance(listed, list):
            return listed
        return [_mapped(neighbor, "password", lambda password: text if password else password) for neighbor in listed]

    bgp = {**obj["spec"]["bgp"], "routers": [_mapped(router, "neighbors", neighbors) for router in routers]}
    return {**obj, "spec": {**obj["spec"], "bgp": bgp}}


def agree(one: Password, other: Password) -> bool:
    """Whether two passwords of a neighbour are not known to differ: an unknown one is compared by its presence."""
    return one == other if one.is_known and other.is_known else bool(one) == bool(other)


def _mapped(obj: Any, key: str, change: Any) -> Any:
    return {**obj, key: change(obj[key])} if isinstance(obj, Mapping) and key in obj else obj
