"""PURE: what a node itself must hold beside its rows - nftables, links, addresses, rules, routes."""
