"""The loop of one node: its rows, its FRR, its host, and the audit of a zone."""
