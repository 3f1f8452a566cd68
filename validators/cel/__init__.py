"""CEL as kube-apiserver runs it on custom resources: compile a rule once, evaluate it over plain JSON values.

The way of an expression: `syntax.parse` (text to tree, macros expanded), `type_checker` (types of `declaration`,
functions of `environments` and `library`), `literal_checks`, then `planner` (the exact evaluator, which counts cost) or
`codegen` (Python source that may only accept). `cost` estimates a rule before it runs. `validation_rule_compiler` is
the entry, `compiled_rule` holds what it returns.
"""
