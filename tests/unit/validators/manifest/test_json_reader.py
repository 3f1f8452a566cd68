import pytest

from ovnguard.validators.manifest.json_reader import NotJSON, load_json
from ovnguard.validators.manifest.yaml_reader import BadYAML, Position


def values(text: str | bytes, max_values: int = 1000) -> list[object]:
    raw = text.encode() if isinstance(text, str) else text
    return [value for value, _, _ in load_json(raw, positions=False, max_values=max_values)]


VALUES = [
    (r'"\ud83d\ude00"', ["\U0001f600"]),
    (r'"\ud83dx\ude00"', ["\ufffdx\ufffd"]),
    (r'"\ud83d\u0041"', ["\ufffdA"]),
    (r'"\"\\\/\b\f\n\r\t\u00e9"', ['"\\/\b\f\n\r\té']),
    ('\t{"a"\t:\r\n[\t]}\n', [{"a": []}]),
    ('{"a": {}} {"b": null}\n[true, false]', [{"a": {}}, {"b": None}, [True, False]]),
    ("[0, -1, 9223372036854775807, 1.0, 1e3, 2.5, -0.5e-1]", [[0, -1, 9223372036854775807, 1, 1000, 2.5, -0.05]]),
    ("[9223372036854775808]", [[9223372036854775808.0]]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text, expected):
    found = values(text)
    assert (found, repr(found)) == (expected, repr(expected))


WRONG = [
    ('{"a": 1,}', "malformed JSON: a key in double quotes is expected here, not '}'", Position(1, 9)),
    ('{"a" 1}', "malformed JSON: ':' after a key is expected here, not '1'", Position(1, 6)),
    ('{"a":\n  x}', "malformed JSON: a value is expected here, not 'x'", Position(2, 3)),
    ("[1, 2", "malformed JSON: ',' or ']' is expected here, not the end of the text", Position(1, 6)),
    ("[01]", "malformed JSON: ',' or ']' is expected here, not '1'", Position(1, 3)),
    ('["\n"]', r"malformed JSON: an escape for this character is expected here, not '\n'", Position(1, 3)),
    ('["ab', "malformed JSON: '\"' at the end of a string is expected here, not the end of the text", Position(1, 5)),
    (
        r'["\x"]',
        "malformed JSON: one of \"\\/bfnrt, or u and four hexadecimal digits, is expected here, not 'x'",
        Position(1, 4),
    ),
    ("{} ]", "malformed JSON: a value is expected here, not ']'", Position(1, 4)),
    (b'{"a": "\xff"}', "not JSON text: invalid UTF-8 (byte 7)", Position(1, 1)),
]


@pytest.mark.parametrize(("text", "message", "position"), WRONG)
def test_wrong_syntax_is_one_fault_with_its_place(text, message, position):
    with pytest.raises(NotJSON) as caught:
        values(text)
    assert (caught.value.message, caught.value.position) == (message, position)


REFUSED = [
    ('{"a": 1,\n "a": 2}', "duplicate key 'a'", Position(2, 2)),
    (r'{"a": 1, "\u0061": 2}', "duplicate key 'a'", Position(1, 10)),
    ('{"a": NaN}', "NaN is not a JSON number", Position(1, 7)),
    ("[-Infinity]", "-Infinity is not a JSON number", Position(1, 2)),
    ("[1e999]", "1e999 is larger than a number can be", Position(1, 2)),
    (f"[{'9' * 1000}]", f"{'9' * 40}... is larger than a number can be", Position(1, 2)),
    ('{"a":' * 101 + "1" + "}" * 101, "nested deeper than 100 levels", Position(1, 501)),
    ("[" + "1," * 1000 + "1]", "more than 1000 values in one document", Position(1, 2000)),
]


@pytest.mark.parametrize(("text", "message", "position"), REFUSED)
def test_what_no_reader_may_take_is_one_fault_with_its_place(text, message, position):
    with pytest.raises(BadYAML) as caught:
        values(text)
    assert (type(caught.value), caught.value.message, caught.value.position) == (BadYAML, message, position)


def test_positions_name_keys_and_members():
    raw = '{"\u00e9": 1,\n  "spec": {"list": ["x",\n {"z": 2}]}}'.encode()
    ((_, node, start),) = load_json(raw, positions=True, max_values=1000)
    assert (start, node.position, node.keys["spec"]) == (Position(1, 1), Position(1, 1), Position(2, 3))
    item = node.members["spec"].members["list"].members[1]
    assert (item.position, item.keys["z"], item.members["z"].position) == (
        Position(3, 2),
        Position(3, 3),
        Position(3, 8),
    )
