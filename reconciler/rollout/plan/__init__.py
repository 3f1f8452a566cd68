"""The interconnect upgrade as a state machine: what it observes, decides and does next."""
