"""Usual options apart from those in groups."""

import pytest

from ovnguard.validators.commandline.option_groups import Groups, grouped, others_line

GROUPS: Groups = {"rows": ("--adopt", "--limit"), "the process": ("--jobs",), "of another command": ("--port",)}


@pytest.mark.parametrize(
    ("options", "usual", "others"),
    [
        ([], [], {}),
        ([("-f", "--file")], [("-f", "--file")], {}),
        # any name of an option puts it into its group, and options keep their order
        ([("-j", "--jobs"), ("--file",)], [("--file",)], {"the process": [("-j", "--jobs")]}),
        ([("--limit",), ("--adopt",)], [], {"rows": [("--limit",), ("--adopt",)]}),
    ],
)
def test_options_in_groups(
    options: list[tuple[str, ...]], usual: list[tuple[str, ...]], others: dict[str, list[tuple[str, ...]]]
) -> None:
    assert grouped(options, lambda each: each, GROUPS) == (usual, others)


def test_groups_are_named_with_their_sizes() -> None:
    line = "--help-all also shows: rows (2), the process (1)."
    assert others_line({"rows": ["--adopt", "--limit"], "the process": ["--jobs"]}) == line
