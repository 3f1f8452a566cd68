"""PURE: the network state of a node besides its rows - nftables, links, addresses, rules, routes."""
