"""Rule suites in the format of openshift/api, run without an API server.

`discovery` is the only module here that touches the disk; `runner.run_suites` is the way in. It imports nothing itself,
because every pytest in the environment loads the plugin.
"""
