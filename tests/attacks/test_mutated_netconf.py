"""Whatever a configuration looks like, it is read as Go reads it: what Go does not see changes nothing here either."""

import random

import pytest

from ovnguard.validators.go.json_syntax import Members, read_json
from tests.attacks.mutated_netconf import ANSWERS, MUTATIONS, expected, mutated, read
from tests.support.soak import sized

TIMES = sized(3, 300)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: ascii(answer["config"]))
def test_a_mutated_configuration_is_read_as_its_original(answer: dict[str, str]) -> None:
    choice = random.Random(answer["config"])
    for _ in range(TIMES):
        config = mutated(answer["config"], choice)
        assert read(config) == expected(answer), config


def test_mutations_change_the_texts() -> None:
    choice = random.Random(1)
    objects = [answer["config"] for answer in ANSWERS if isinstance(read_json(answer["config"]), Members)]
    assert len(objects) > len(ANSWERS) * 0.9
    assert sum(mutated(config, choice) != config for config in objects) > len(objects) * 0.9
    assert len(MUTATIONS) == 4
