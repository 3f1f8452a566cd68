"""Services: what objects say about them, and their load balancers."""
