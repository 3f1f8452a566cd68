"""Realises accepted networks: a pure plan, the stores that apply it, and the loop that maintains it."""
