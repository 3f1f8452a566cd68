"""Networks as frozen values, the view of everything around them, and the rules that no schema can say."""
