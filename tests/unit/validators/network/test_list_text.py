from ovnguard.validators.network.list_text import and_elsewhere, counted, shortlist


def test_lists_stay_short() -> None:
    assert shortlist([]) == ""
    assert shortlist("abc") == "a, b, c"
    assert shortlist("abcde") == "a, b, c and 2 more"
    assert shortlist("abc", 1) == "a and 2 more"
    assert shortlist(["a"] * 1236, 1) == "a and 1,235 more"


def test_numbers_agree_with_their_words() -> None:
    assert counted(1, "node") == "1 node"
    assert counted(0, "node") == "0 nodes"
    assert counted(2, "key", "keys") == "2 keys"
    assert counted(12345, "row") == "12,345 rows"


def test_other_places() -> None:
    assert and_elsewhere(["a"]) == ""
    assert and_elsewhere(["a", "b"]) == "; also in b"
    assert and_elsewhere(list("abcdef")) == "; also in b, c, d and 2 more"
