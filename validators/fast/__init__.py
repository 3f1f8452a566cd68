"""Generated code that accepts ordinary objects in microseconds.

It accepts only what the exact path (`validators.crd.strategy`) accepts and would store unchanged. It refuses nothing:
all other objects go to the exact path.
"""
