"""Northbound rows per topology."""
