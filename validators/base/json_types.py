"""Names for the shapes of JSON values that all packages use."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None
JsonObject: TypeAlias = dict[str, Any]
JsonMapping: TypeAlias = Mapping[str, Any]
