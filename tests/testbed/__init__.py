"""The test bed: the real OVN, FRR, etcd and kube-apiserver, got into the user's cache and run for tests.

`python -m tests.testbed` installs (standard library only, it runs before anything else); `tests.testbed.parts.find`
says what is there; `ovn`, `frr` and `apiserver` start the real programs as children of the test run.
"""
