"""``metadata`` of objects and of embedded resources: decoded, checked, written back."""
