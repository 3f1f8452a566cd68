"""Errors about one field, as values: type, path, bad value, detail, and the text that the API server prints.

Source of the texts: apimachinery, package ``util/validation/field``; for older forms the same package of earlier
releases (objects and lists in Go syntax before 1.34, ``may not be longer than`` before 1.32).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from ovnguard.validators.go.text import GoText, go_syntax, json_text, quote, scalar

DEFAULT_KUBERNETES: Final = "1.35"
"""The release that is meant where none is named. Error texts are in its words; other releases have `Older` forms."""
OLDEST_MINOR: Final = 29
NEWEST_MINOR: Final = 37
"""The minor numbers of the oldest and the newest release whose verdicts are known."""
JSON_VALUES_SINCE: Final = 34
"""The release whose errors print values as JSON first; those before print them in Go syntax."""
RULES_NOT_CHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
"""What the API server answers where errors of the schema keep it from asking the rules."""
ROOT: Final = "<nil>"
"""The path of the whole object as the API server prints it."""


class ErrorType(StrEnum):
    """The type of an error. The value is the reason that the API server puts into a cause."""

    NOT_FOUND = "FieldValueNotFound"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    INVALID = "FieldValueInvalid"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    INTERNAL = "InternalError"
    TYPE_INVALID = "FieldValueTypeInvalid"
    DROPPED = "FieldValueDropped"
    """Not a reason of the API server, which drops such fields without giving one."""


_TITLES: Final = {
    ErrorType.NOT_FOUND: "Not found",
    ErrorType.REQUIRED: "Required value",
    ErrorType.DUPLICATE: "Duplicate value",
    ErrorType.INVALID: "Invalid value",
    ErrorType.NOT_SUPPORTED: "Unsupported value",
    ErrorType.FORBIDDEN: "Forbidden",
    ErrorType.TOO_LONG: "Too long",
    ErrorType.TOO_MANY: "Too many",
    ErrorType.INTERNAL: "Internal error",
    ErrorType.TYPE_INVALID: "Invalid value",
    ErrorType.DROPPED: "dropped",
}
_WITHOUT_VALUE: Final = frozenset({ErrorType.REQUIRED, ErrorType.FORBIDDEN, ErrorType.TOO_LONG, ErrorType.INTERNAL})


class _Omitted:
    """The type of OMITTED: this error has no value to print."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = _Omitted()


class _Same:
    """The type of SAME: an older release prints the same as the newest."""

    def __repr__(self) -> str:
        return "SAME"


SAME: Final = _Same()


def minor(kubernetes: str) -> int:
    """Return the minor number of a release of Kubernetes 1:

    35 for ``1.35`` or ``v1.35.2``. Raises ValueError for others.
    """
    parts = kubernetes.removeprefix("v").split(".")
    if len(parts) < 2 or parts[0] != "1" or not parts[1].isdecimal():
        raise ValueError(f"{kubernetes!r} is not a Kubernetes version such as '1.35'")
    return int(parts[1])


def supported(kubernetes: str) -> str:
    """Return a supported Kubernetes version as ``1.N``. Raises ValueError for any other text."""
    number = minor(kubernetes)
    if not OLDEST_MINOR <= number <= NEWEST_MINOR:
        raise ValueError(f"{kubernetes} is not one of 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR}")
    return f"1.{number}"


class NamedText(str):
    """A text whose type has a name of its own in Go, like a UID: printed as JSON."""

    __slots__ = ()


class Older(NamedTuple):
    """The value or the detail that servers before ``1.<before>`` print in an error."""

    before: int
    bad_value: object = SAME
    detail: str | None = None


class FieldError(NamedTuple):
    """One error about one field.

    ``field`` is the path as the API server prints it (``spec.a[0].b[key]``). ``rule`` names the rule that reports it:
    the schema location of a structural or CEL rule, or the stable id of a network rule (``OVNG-...``). ``older`` has
    the forms of earlier releases, oldest last. ``kubernetes`` is the release whose words this error uses. ``public`` is
    the detail for requesters who may not learn of objects outside their namespace, empty if ``detail`` names none.
    """

    type: ErrorType
    field: str
    bad_value: object = OMITTED
    detail: str = ""
    rule: str = ""
    older: tuple[Older, ...] = ()
    kubernetes: str = DEFAULT_KUBERNETES
    public: str = ""

    def __eq__(self, other: object) -> bool:
        return type(other) is FieldError and self._key == other._key

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return self.text

    @property
    def _key(self) -> tuple[object, ...]:
        """What makes two errors equal: all but the words of earlier releases and of other requesters."""
        return self[:5]

    @property
    def text(self) -> str:
        """The error as its API server prints it: ``field: Type: value: detail``."""
        return f"{self.field}: {self.body}"

    @property
    def body(self) -> str:
        """The text without the field: the message of a cause."""
        return f"{self.head}: {self.detail}" if self.detail else self.head

    @property
    def head(self) -> str:
        """The type and the value, without the detail."""
        title = _TITLES[self.type]
        if self.type in _WITHOUT_VALUE or self.bad_value is OMITTED:
            return title
        return f"{title}: {_shown(self.bad_value, self.kubernetes)}"

    def in_public(self) -> "FieldError":
        """Return the error without the names of objects outside the requester's namespace."""
        return self._replace(detail=self.public, public="") if self.public else self

    def as_of(self, kubernetes: str) -> "FieldError":
        """Return the error in the words of an older release. Raises ValueError for an invalid version."""
        release = minor(kubernetes)
        bad_value, detail = self.bad_value, self.detail
        for form in self.older:
            if release < form.before:
                bad_value = bad_value if form.bad_value is SAME else form.bad_value
                detail = detail if form.detail is None else form.detail
        return self._replace(bad_value=bad_value, detail=detail, older=(), kubernetes=kubernetes)

    def text_of(self, kubernetes: str) -> str:
        """Return `text` in the words of an older release."""
        return self.as_of(kubernetes).text


def _shown(value: object, kubernetes: str) -> str:
    prints_json = kubernetes == DEFAULT_KUBERNETES or minor(kubernetes) >= JSON_VALUES_SINCE
    if isinstance(value, GoText):
        return str(value)
    if isinstance(value, str):
        return json_text(value) if prints_json and type(value) is NamedText else quote(value)
    if (text := scalar(value)) is not None:
        return text
    if prints_json:
        return json_text(value)
    return '"null"' if value is None else go_syntax(value)


def not_supported(path: str, value: object, supported: Iterable[str], rule: str = "") -> FieldError:
    """Return the error of a value outside an enumeration. The supported values are quoted in their order."""
    names = ", ".join(map(quote, supported))
    detail = f"supported values: {names}" if names else ""
    return FieldError(ErrorType.NOT_SUPPORTED, path, value, detail, rule)


def too_long(path: str, limit: int, rule: str = "") -> FieldError:
    """Return the error of a string over its limit. The API server reports bytes although it counts characters."""
    if limit < 0:
        return FieldError(ErrorType.TOO_LONG, path, OMITTED, "value is too long", rule)
    unit = "byte" if limit == 1 else "bytes"
    before = (
        Older(34, detail=f"may not be more than {limit} bytes"),
        Older(32, detail=f"may not be longer than {limit}"),
    )
    return FieldError(ErrorType.TOO_LONG, path, OMITTED, f"may not be more than {limit} {unit}", rule, before)


def too_many(path: str, count: int, limit: int, rule: str = "") -> FieldError:
    """Return the error of a list or map with more than ``limit`` entries."""
    if limit < 0:
        return FieldError(ErrorType.TOO_MANY, path, count, "has too many items", rule)
    unit = "item" if limit == 1 else "items"
    before = (Older(34, detail=f"must have at most {limit} items"),)
    return FieldError(ErrorType.TOO_MANY, path, count, f"must have at most {limit} {unit}", rule, before)
