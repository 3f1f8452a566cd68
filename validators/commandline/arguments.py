"""Reading the words of a command line, in the forms and with the complaints of click, which costs 20 ms to import."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_ENDS_OPTIONS: Final = "--"


class WrongCall(Exception):
    """A call that cannot be carried out; ``explains`` is false where its message is better with a hint at --help."""

    def __init__(self, message: str, *, explains: bool = True) -> None:
        super().__init__(message)
        self.explains = explains


class Option(NamedTuple):
    """One option. ``choices`` are its values, the default first; empty for any; None for a flag, which has none."""

    names: tuple[str, ...]
    choices: tuple[str, ...] | None = ()

    @property
    def name(self) -> str:
        """The long name, which stands for the option."""
        return self.names[-1]


class Arguments:
    """What was said: ``words`` that are no options, and the values of each option in their order."""

    def __init__(self, options: Sequence[Option], args: Sequence[str]) -> None:
        """Read ``args``. Raises `WrongCall` for options that are not there, or not used as they are meant."""
        self._options = {name: option for option in options for name in option.names}
        self.words: list[str] = []
        self.values: dict[str, list[str]] = {}
        rest = iter(args)
        for word in rest:
            if word == _ENDS_OPTIONS:
                self.words += rest
            elif word.startswith("-") and word != "-":
                self._option(word, rest)
            else:
                self.words.append(word)

    def _option(self, word: str, rest: Iterator[str]) -> None:
        is_long = word.startswith("--")
        name, attached, value = word.partition("=") if is_long else (word[:2], word[2:], word[2:])
        option = self._options.get(name)
        if option is None:
            raise WrongCall(f"No such option '{name}'.{_similar(name, self._options)}", explains=False)
        values = self.values.setdefault(option.name, [])
        if option.choices is None:
            if attached and is_long:
                raise WrongCall(f"Option '{name}' does not take a value.")
            if attached:
                self._option(f"-{attached}", rest)
            return
        found = value if attached else next(rest, None)
        if found is None:
            raise WrongCall(f"Option '{name}' requires an argument.")
        values.append(found)

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return name in self.values

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of an option."""
        return tuple(self.values.get(name, ()))

    def chosen(self, name: str) -> str:
        """The last value of an option with choices, or its default. Raises `WrongCall` for a value that is none."""
        option = self._options[name]
        assert option.choices
        value = self.values.get(name, [option.choices[0]])[-1]
        if value not in option.choices:
            shown, choices = " / ".join(map(repr, option.names)), ", ".join(map(repr, option.choices))
            raise WrongCall(f"Invalid value for {shown}: {value!r} is not one of {choices}.", explains=False)
        return value


def _similar(name: str, known: Mapping[str, Option]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for wrong calls

    near = sorted(get_close_matches(name, [one for one in known if one.startswith("--")]))
    if len(near) > 1:
        return f" (Did you mean one of: {', '.join(map(repr, near))}?)"
    return f" Did you mean {near[0]!r}?" if near else ""
