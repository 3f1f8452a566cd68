"""The test bed: installs the real OVN, FRR, etcd, kube-apiserver and more in the user's cache and runs them.

`python -m tests.testbed` installs (standard library only, it runs before anything else); `tests.testbed.parts.find`
says what is there; `ovn`, `frr` and `apiserver` start the real programs as children of the test run.
"""
