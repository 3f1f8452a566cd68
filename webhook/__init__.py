"""The door of the API server: AdmissionReview in, AdmissionReview out, over TLS.

Pure: `review` and `responses` are the codec, `patch` the RFC 6902 difference, `schemas` and `defaults` what follows
from the definitions that a cluster serves, `authority` what becomes of a shared Secret. `door` asks the one judgement,
within the time of `deadline`; `app` is the Flask application around it, which runs under any WSGI server. The rim:
`cluster` and `seeing` (watches), `certs`, `store` and `keeper` (certificates), `framing` and `server` (sockets,
gunicorn), `metrics`, `serving` and `cli`. No network is judged here; that is done by `validators`.
"""
