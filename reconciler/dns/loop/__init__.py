"""User-managed DNS: one loop per node writes CoreDNS's configuration, one per cluster records the load balancer."""
