import pytest

from ovnguard.validators.base import object_names
from ovnguard.validators.structural.definitions.definition_check import priority


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (object_names.dns1123_label, ["a", "0", "a-b", "x" * 63], ["", "A", "-a", "a-", "a_b", "a.b", "x" * 64]),
        (object_names.dns1123_subdomain, ["a", "a.b", "0.1", "x" * 253], ["", ".", "a..b", "A.b", "a_b", "x" * 254]),
        (object_names.dns1035_label, ["a", "a-1"], ["", "1a", "A", "a.b", "x" * 64]),
        (object_names.label_key, ["a", "A_b.c", "a.b/C", "x" * 63], ["", "/a", "a/", "a/b/c", "A.b/c", "-a", "x" * 64]),
        (object_names.label_value, ["", "a", "A_b.c", "x" * 63], ["-a", "a b", "x" * 64]),
        (object_names.path_segment, ["a", "A B", "..."], [".", "..", "a/b", "a%b"]),
    ],
)
def test_names(check: object, good: list[str], bad: list[str]) -> None:
    assert callable(check)
    assert [text for text in good if check(text)] == []
    assert [text for text in bad if not check(text)] == []


@pytest.mark.parametrize("text", ["", "a", "A_b.c", "a.b/C", "x" * 63, "x" * 64, "/a", "a/", "a/b/c", "é" * 40])
def test_predicates_agree_with_messages(text: str) -> None:
    assert object_names.is_dns1123_label(text) == (not object_names.dns1123_label(text))
    assert object_names.is_dns1123_subdomain(text) == (not object_names.dns1123_subdomain(text))
    assert object_names.is_label_key(text) == (not object_names.label_key(text))
    assert object_names.is_label_value(text) == (not object_names.label_value(text))


def test_messages_about_invalid_names() -> None:
    assert object_names.dns1123_label("a.b") == ["must not contain dots"]
    assert object_names.label_key("A.b/c")[0].startswith("prefix part a lowercase RFC 1123 subdomain must consist of")
    assert object_names.label_key("/c") == ["prefix part must be non-empty"]
    assert object_names.label_key("a/b/c")[0].endswith(
        "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    )
    assert object_names.path_segment("a/%") == ["may not contain '/'", "may not contain '%'"]
    assert object_names.path_segment("..", prefix=True) == []


def test_a_prefix_may_end_in_a_dash() -> None:
    assert object_names.resource_name("test-", prefix=True) == []
    assert object_names.resource_name("test-") != []
    assert object_names.resource_name("-", prefix=True) != []


def test_versions_are_ordered_by_stage_and_number() -> None:
    newest_first = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    shuffled = newest_first[5:] + newest_first[:5]
    assert sorted(shuffled, key=priority, reverse=True) == newest_first
