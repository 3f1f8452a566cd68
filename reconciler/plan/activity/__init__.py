"""Dynamic allocation: which nodes a network is rendered on."""
