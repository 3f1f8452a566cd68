"""ValidatingAdmissionPolicy without a server: compiles a policy once, judges requests as kube-apiserver does."""

from ovnguard.validators.policy.compiled_policy import (
    CompiledBinding,
    CompiledPolicy,
    compile_binding,
    compile_policy,
)
from ovnguard.validators.policy.decision import Decision, Denial, PolicyVerdict
from ovnguard.validators.policy.decode import InvalidPolicy
from ovnguard.validators.policy.request import PolicyRequest, UserInfo

__all__ = [
    "CompiledBinding",
    "CompiledPolicy",
    "Decision",
    "Denial",
    "InvalidPolicy",
    "PolicyRequest",
    "PolicyVerdict",
    "UserInfo",
    "compile_binding",
    "compile_policy",
]
