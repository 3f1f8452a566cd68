"""A policy or binding that the API server would refuse."""

from collections.abc import Iterable

from validators.base.field import FieldError


class InvalidPolicy(ValueError):
    """A ValidatingAdmissionPolicy or its binding cannot be used; ``errors`` says why, in the API server's order."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))
