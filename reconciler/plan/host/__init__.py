"""Pure planning of a node's network state besides its rows: nftables, links, addresses, rules, routes."""
