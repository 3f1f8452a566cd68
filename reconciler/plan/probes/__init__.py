"""Packets that show whether planned rows work."""
