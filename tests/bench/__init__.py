"""Ratios against peers, measured side by side in one run; nothing here is a test."""
