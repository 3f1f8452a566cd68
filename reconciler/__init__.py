"""Realises accepted networks: a pure plan, what applies it, and the loop that keeps it so."""
