"""Allocated numbers: ids of networks and nodes, tunnel keys, subnets and addresses."""
