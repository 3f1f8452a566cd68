"""ValidatingAdmissionPolicy without a server: compiles a policy once, judges requests as kube-apiserver does."""

from validators.policy.compiled_policy import (
    CompiledBinding,
    CompiledPolicy,
    compile_binding,
    compile_policy,
)
from validators.policy.decision import Decision, Denial, PolicyVerdict
from validators.policy.decode import InvalidPolicy
from validators.policy.request import PolicyRequest, UserInfo

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
