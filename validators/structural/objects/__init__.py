"""The steps of an object under a schema: prune, default, check values and rules, ratchet."""
