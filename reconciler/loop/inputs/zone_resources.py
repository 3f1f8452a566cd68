"""All that the process of a zone watches."""

from typing import Final

from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_PARTS, INPUT_RESOURCES
from ovnguard.reconciler.loop.inputs.policy_resources import OTHER_RESOURCES, POLICY_RESOURCES

ZONE_RESOURCES: Final = (*DECLARING_PARTS, *INPUT_RESOURCES, *POLICY_RESOURCES, *OTHER_RESOURCES)
