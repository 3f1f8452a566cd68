"""ValidatingAdmissionPolicy, offline: compile a policy once, judge requests as kube-apiserver does."""

from validators.policy.compiled import (
    CompiledBinding,
    CompiledPolicy,
    compile_binding,
    compile_policy,
    evaluate_policies,
)
from validators.policy.errors import InvalidPolicy
from validators.policy.request import PolicyRequest, UserInfo
from validators.policy.verdict import Decision, Denial, PolicyVerdict

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
    "evaluate_policies",
]
