"""The admission webhook: AdmissionReview in, AdmissionReview out, over TLS. `validators` judges; this package does not.

Pure, in `admission`: the codec (`review`, `responses`), the handlers around the one judgement, the schemas that the
cluster serves. `app` is the Flask application, which runs under any WSGI server. The rim: `server` (gunicorn, TLS),
`certificates`, `observability` (metrics, logs), `commands` and `cli`.
"""
