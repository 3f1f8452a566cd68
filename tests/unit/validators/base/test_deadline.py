"""A judgement ends when its time is over: between rules, and inside the loops of a rule."""

import math

import pytest

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.base import deadline
from ovnguard.validators.base.deadline import DeadlineExceeded
from ovnguard.validators.network.cluster_view import EmptyView
from tests.support.cel.cel_compile import compile_rule

NETWORK = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "ClusterUserDefinedNetwork",
    "metadata": {"name": "blue"},
    "spec": {
        "namespaceSelector": {},
        "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.1.0.0/16"]}},
    },
}


def test_without_a_deadline_nothing_ends():
    assert deadline.end() == math.inf
    deadline.check()


def test_deadline_is_that_of_its_block():
    with deadline.deadline(60):
        deadline.check()
        with deadline.deadline(-1), pytest.raises(DeadlineExceeded):
            deadline.check()
        deadline.check()
    assert deadline.end() == math.inf


def test_loop_of_a_rule_ends():
    rule = compile_rule("self.all(x, x > 0)", {"type": "array", "items": {"type": "integer"}})
    with deadline.deadline(-1):
        assert rule.evaluate([]).ok is True
        with pytest.raises(DeadlineExceeded):
            rule.evaluate([1])
    assert rule.evaluate([1]).ok is True


def test_judgement_of_an_accepted_object_ends_between_network_rules():
    with deadline.deadline(-1), pytest.raises(DeadlineExceeded):
        judge(Request(Operation.CREATE, NETWORK), EmptyView())
    assert judge(Request(Operation.CREATE, NETWORK), EmptyView()).allowed is True


def test_judgement_of_a_refused_object_ends_between_schema_rules():
    refused = {**NETWORK, "spec": {"namespaceSelector": {}, "network": {"topology": "Layer2"}}}
    with deadline.deadline(-1), pytest.raises(DeadlineExceeded):
        judge(Request(Operation.CREATE, refused), EmptyView())
    assert judge(Request(Operation.CREATE, refused), EmptyView()).allowed is False
