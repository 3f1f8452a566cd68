"""How nodes change to the transit router of Layer2 networks one by one, and how far they are."""
