"""The objects of BGP fabrics in the cluster: the leader publishes them and reports what keeps them from working."""
