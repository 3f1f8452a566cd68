"""The interconnect upgrade: the state machine, the loop that applies its steps, and the commands."""
