"""AdmissionReviews for tests, and a judge that returns the verdict written in the object."""

import copy
import json
from typing import Any

from ovnguard.validators.admission import Judgement, Request
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import ClusterView

UID = "705ab4f5-6393-11e8-b7cc-42010a800002"
NOTE = "ovnguard.io/transit-subnets"


def network(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue"},
        "spec": spec,
    }


def review(**changes: Any) -> dict[str, Any]:
    """A CREATE of `network()`; ``changes`` replace members of the request, None takes one away."""
    request = {
        "uid": UID,
        "kind": {"group": "k8s.ovn.org", "version": "v1", "kind": "ClusterUserDefinedNetwork"},
        "resource": {"group": "k8s.ovn.org", "version": "v1", "resource": "clusteruserdefinednetworks"},
        "name": "blue",
        "operation": "CREATE",
        "userInfo": {"username": "alice"},
        "object": network(),
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    } | changes
    request = {key: value for key, value in request.items() if value is not None}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def body(**changes: Any) -> bytes:
    return json.dumps(review(**changes)).encode()


def judge(request: Request, view: ClusterView) -> Judgement:
    """Obey the object: ``spec.refuse`` texts deny, ``spec.warn`` texts warn, ``spec.select`` is written down."""
    obj = request.object
    spec = obj["spec"] if obj else {}
    if "crash" in spec:
        raise ZeroDivisionError(spec["crash"])
    errors = tuple(
        FieldError(ErrorType.INVALID, "spec.refuse", text, "refused by the test", f"OVNG-T{number}")
        for number, text in enumerate(spec.get("refuse", ()))
    )
    warnings = tuple(
        FieldError(ErrorType.FORBIDDEN, "spec.warn", detail=text, rule="OVNG-W") for text in spec.get("warn", ())
    )
    mutated = obj
    if "select" in spec and not errors:
        mutated = copy.deepcopy(obj)
        assert mutated is not None
        mutated["metadata"].setdefault("annotations", {})[NOTE] = spec["select"]
    return Judgement(
        allowed=not errors,
        object=mutated,
        mutated=mutated,
        errors=errors,
        warnings=warnings,
        schema_warnings=tuple(spec.get("unknown", ())),
        notes=tuple(spec.get("note", ())),
        schema_set="enhancement",
    )
