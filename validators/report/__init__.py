"""Writers of findings, suite results and costs: one per format. They decide nothing."""
