"""Collects a bundle from a live cluster: objects, databases of zones and logs."""
