"""The fast accept path: code generated from a definition that can only say yes.

What it accepts, the exact path (`validators.crd.strategy`) accepts too, unchanged; about everything else it says
nothing.
"""
