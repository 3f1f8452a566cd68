"""The controller of the interconnect upgrade: it reads the workloads, makes the decision true, and reports."""
