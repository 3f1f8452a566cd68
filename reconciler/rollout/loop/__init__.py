"""The controller of the interconnect upgrade: it reads the workloads, executes the decision, and reports."""
