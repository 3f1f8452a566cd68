"""Networks as frozen values, the cluster view around them, and the rules that no schema can express."""
