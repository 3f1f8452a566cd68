"""The executable kubectl-ovn_preflight: preflight, and the commands test, cost and explain."""
