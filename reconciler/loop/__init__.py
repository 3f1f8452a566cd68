"""The plan in a loop: what the cluster says now, judged, planned and applied to one node's zone, until stopped.

Level-triggered: an event says only that something changed; every tick looks at everything as it is now. So a lost or
doubled event, a restart and a first start are the same thing.
"""
