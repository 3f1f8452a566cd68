"""Egress addresses and the objects that ask for them: EgressIP, its pods and its nodes."""
