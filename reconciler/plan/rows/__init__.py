"""Rows of the Northbound database as values, their names, their differences, and the inputs of a plan."""
