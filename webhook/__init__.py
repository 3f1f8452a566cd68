"""The door of the API server: AdmissionReview in, AdmissionReview out, over TLS.

`review` and `responses` are the codec, `patch` the RFC 6902 difference: pure. `app` is the Flask application that calls
``validators.admission.judge``; it runs under any WSGI server. `certs`, `framing`, `server` and `cli` are the rim:
certificates, sockets, gunicorn, the command line. No network is judged here; that is done by `validators`.
"""
