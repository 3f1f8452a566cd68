"""Which networks are active on which nodes, as zones and the leader see it, and the condition that says so."""
