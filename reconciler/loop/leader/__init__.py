"""The loop of the leader: it records allocations and writes conditions."""
