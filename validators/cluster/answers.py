"""What an API server answers: its bytes, the object in them, and the error that a refusal says."""

import json
from typing import Any, Final

import urllib3

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError

MAX_ANSWER_BYTES: Final = 512 * 1024 * 1024


def read_answer(response: Any, server: str) -> bytes:
    """Return the body of a response. Raises ClusterError when the connection breaks."""
    try:
        data: bytes = response.read(MAX_ANSWER_BYTES)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ClusterError(f"{server}: {innermost(error)}") from error
    return data


def json_object(data: bytes, server: str) -> JsonObject:
    """Return the object in ``data``. Raises ClusterError for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ClusterError(f"{server}: did not answer with a JSON object")
    return value


def status_error(code: int, data: bytes) -> ApiStatusError:
    """Return the error of a refusal with this status code and body."""
    try:
        status = json.loads(data)
    except (ValueError, RecursionError):
        status = None
    if not isinstance(status, dict):
        status = {}
    return ApiStatusError(
        code, str(status.get("reason", "")), str(status.get("message", data[:200].decode(errors="replace")))
    )


def innermost(error: BaseException) -> str:
    """Return the innermost of urllib3's nested reasons."""
    reason: object = getattr(error, "reason", None) or error
    return str(reason).rsplit(">: ", 1)[-1]
