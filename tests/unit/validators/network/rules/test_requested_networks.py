"""Of more new networks than there are ids, those that are requested last get none."""

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, udn

IDS = 4095


def network(number: int) -> JsonObject:
    made = udn(topology="Layer2", layer2={"role": "Secondary", "subnets": ["10.9.0.0/16"]})
    return {**made, "metadata": {**made["metadata"], "name": f"n{number}"}}


def refused(view: ObjectsView, *objects: JsonObject) -> list[str]:
    """The names of the objects that get no id."""
    judged = [(obj, judge(Request(Operation.CREATE, obj), view)) for obj in objects]
    return [obj["metadata"]["name"] for obj, each in judged if "OVNG-L2-006" in [error.rule for error in each.errors]]


def test_the_last_ones_get_no_id() -> None:
    first, *more = new = [network(number) for number in range(IDS + 2)]
    asked = (first, *more[-3:])
    assert refused(ObjectsView(new, requested=new), *asked) == ["n4095", "n4096"]
    assert refused(ObjectsView(new), *asked) == ["n0", "n4094", "n4095", "n4096"]
