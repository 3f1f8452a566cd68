"""The calls that generated code supports, and the data that it may compare as plain Python."""

from typing import Final

from ovnguard.validators.cel.library.named_format import FORMATS
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type

_SCALARS: Final = frozenset({"bool", "int", "uint", "double", "string"})
_ORDERS: Final = {"less": "<", "less_equals": "<=", "greater": ">", "greater_equals": ">="}
_ORDERED: Final = (*("int64", "int64_uint64", "uint64", "uint64_int64", "double", "string", "bool"),)
_ROUNDED: Final = ("int64_double", "uint64_double", "double_int64", "double_uint64")
INFIX: Final = {
    **{f"{name}_{kind}": f"{{0}} {sign} {{1}}" for name, sign in _ORDERS.items() for kind in _ORDERED},
    **{f"{name}_{kind}": f"float_({{0}}) {sign} float_({{1}})" for name, sign in _ORDERS.items() for kind in _ROUNDED},
    "in_list": "{0} in {1}",
    "in_map": "{0} in {1}",
    "add_string": "{0} + {1}",
    "contains_string": "{1} in {0}",
    "starts_with_string": "{0}.startswith({1})",
    "ends_with_string": "{0}.endswith({1})",
    "ip_family": "{0}.family",
    "cidr_ip": "{0}.address",
    "cidr_prefix_length": "{0}.length",
    "cidr_masked": "{0}.masked()",
}
SAFE_CALLS: Final = frozenset(
    {
        *("add_int64", "subtract_int64", "multiply_int64", "divide_int64", "modulo_int64", "negate_int64"),
        *("string_to_ip", "ip_family", "ip_is_canonical", "ip_is_unspecified", "ip_is_loopback", "is_ip"),
        *("ip_is_link_local_multicast", "ip_is_link_local_unicast", "ip_is_global_unicast", "ip_to_string"),
        *("string_to_cidr", "cidr_contains_ip_string", "cidr_contains_ip_ip", "cidr_contains_cidr_string"),
        *("cidr_contains_cidr", "cidr_ip", "cidr_prefix_length", "cidr_masked", "is_cidr", "cidr_to_string"),
        *("string_char_at_int", "string_index_of_string", "string_index_of_string_int"),
        *("string_last_index_of_string", "string_last_index_of_string_int", "string_lower_ascii"),
        *("string_replace_string_string", "string_replace_string_string_int", "string_split_string"),
        *("string_split_string_int", "string_substring_int", "string_substring_int_int", "string_trim"),
        *("string_upper_ascii", "list_join", "list_join_string", "string_find_string", "string_find_all_string"),
        *("string_to_url", "url_get_scheme", "url_get_host", "url_get_hostname", "url_get_port"),
        *("url_get_escaped_path", "is_url_string", "string_to_quantity", "is_quantity_string", "quantity_sign"),
        *("quantity_is_greater_than", "quantity_is_less_than", "quantity_compare_to", "quantity_is_integer"),
        *("string_to_semver", "is_semver_string", "semver_is_greater_than", "semver_is_less_than"),
        *("semver_compare_to", "semver_major", "semver_minor", "semver_patch"),
        *("int64_to_string", "bool_to_string", "string_to_string", "string_to_int64", "int64_to_int64"),
        *("list_int_sum_int", "list_int_max_int", "list_int_min_int", "list_int_is_sorted_bool"),
        *("list_string_is_sorted_bool", "format-validate", *(f"format.{name}" for name in FORMATS)),
        *("string_to_uint64", "uint64_to_uint64", "int64_to_uint64", "uint64_to_int64", "int64_to_double"),
        *("string_to_duration", "duration_to_seconds", "duration_to_minutes", "duration_to_hours"),
        *("duration_to_milliseconds", *(f"{order}_duration" for order in _ORDERS)),
    }
)


def is_scalar(held: Type) -> bool:
    """Return whether values of the type are plain Python values whose ``==`` is CEL's."""
    return held.kind in _SCALARS or (held.kind == "opaque" and held.name in {"net.IP", "net.CIDR"})


def is_plain(decl: Decl) -> bool:
    """Return whether equal Python data under the declaration is equal in CEL: no part is unknown or converted."""
    match decl.shape:
        case "string":
            return decl.format not in {"byte", "date", "date-time", "duration"}
        case "integer" | "number" | "boolean" | "int-or-string":
            return True
        case "array":
            return decl.element is not None and not _unhashable_set(decl) and is_plain(decl.element)
        case "map":
            return decl.element is not None and is_plain(decl.element)
        case "object":
            return (
                decl.names_are_escaped
                and not decl.nulls_differ
                and all(map(is_plain, (decl.properties or {}).values()))
            )
        case _:
            return False


def _unhashable_set(decl: Decl) -> bool:
    return decl.list_type == "set" and decl.element is not None and decl.element.shape in {"array", "object", "map"}
