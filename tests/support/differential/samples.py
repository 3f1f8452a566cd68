"""Generated schemas with requests for their objects."""

from typing import Any, Final

from tests.support.differential.generate import requests
from tests.support.differential.rules import with_rules
from tests.support.differential.schemas import SchemaGenerator
from tests.support.differential.wide import WideGenerator

REQUESTS: Final = 12


def sample(
    seed: int, count: int = REQUESTS, *, rules: bool = False
) -> tuple[dict[str, Any], bool, list[dict[str, Any]]]:
    """A schema, whether it has a status subresource, and requests for its objects in the peer's form."""
    schema = SchemaGenerator(seed).root()
    if rules:
        with_rules(schema, seed)
    has_status = bool(seed % 2)
    generator = WideGenerator(seed, hardness=0.03)
    return schema, has_status, [*requests(generator, schema, "example.com/v1", "Foo", has_status, count)]
