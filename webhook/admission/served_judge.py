"""The judge of the webhook: `validators.admission.judge` with the schemas that the cluster serves."""

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.bundled.catalog import gvk_of
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.webhook.admission.managed_bgp_defaults import with_managed_bgp
from ovnguard.webhook.admission.served_schemas import ServedSchemas


class ServedJudge:
    """A function of a request and a view; many threads call it."""

    def __init__(self, schemas: ServedSchemas) -> None:
        self._schemas = schemas

    def __call__(self, request: Request, view: ClusterView) -> Judgement:
        """Return the judgement under the schema that the cluster serves.

        ``mutated`` has the defaults that this schema lacks; a schema that differs from all bundled ones causes a
        warning.
        """
        obj = request.object
        if obj is None or request.operation is Operation.DELETE:
            return judge(request, view)
        # Read once, so that a concurrent change of the schema cannot affect half of the judgement.
        served = self._schemas.served(obj)
        if served is None:
            return judge(request, view, self._schemas.bundled)
        answer = judge(request, view, served.catalog)
        remark = served.remarks[gvk_of(obj).version]
        if remark:
            answer = answer._replace(schema_warnings=(*answer.schema_warnings, remark))
        if answer.mutated is None or request.subresource:
            return answer
        mutated = with_managed_bgp(answer.mutated, request.old, served.definition)
        return answer if mutated is answer.mutated else answer._replace(mutated=mutated)
