"""The options of a command with many: ``--help`` shows the usual ones and names the groups of the others."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, TypeAlias, TypeVar

_Option = TypeVar("_Option")
Groups: TypeAlias = Mapping[str, Collection[str]]
"""The options that are not usual, by the title of their group."""
ALL: Final = "--help-all"


def grouped(
    options: Iterable[_Option], names: Callable[[_Option], Iterable[str]], groups: Groups
) -> tuple[list[_Option], dict[str, list[_Option]]]:
    """Return the usual options, and the others by the titles of their groups; ``names`` are those of an option."""
    titles = {name: title for title, members in groups.items() for name in members}
    others: dict[str, list[_Option]] = {title: [] for title in groups}
    usual: list[_Option] = []
    for option in options:
        title = next((titles[name] for name in names(option) if name in titles), None)
        (usual if title is None else others[title]).append(option)
    return usual, {title: listed for title, listed in others.items() if listed}


def others_line(others: Mapping[str, Collection[object]]) -> str:
    """Return what --help says about the options that it does not show."""
    return f"{ALL} also shows: {', '.join(f'{title} ({len(listed)})' for title, listed in others.items())}."
