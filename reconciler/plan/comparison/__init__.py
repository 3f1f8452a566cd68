"""A zone that OVN-Kubernetes maintains next to the planned one: which rows differ, where, and which rule says why."""
