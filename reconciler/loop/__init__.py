"""The loop: the state of the cluster, judged, planned and applied to one node's zone, until stopped.

Level-triggered: an event only means that something changed; every tick compares the whole state. So a lost or
doubled event, a restart and a first start are the same thing.
"""
