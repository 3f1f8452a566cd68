"""Errors of the webhook client of a conversion; texts confirmed by the API server's own code, release 1.35."""

from typing import Any

import pytest

from ovnguard.validators.structural.definitions.conversion_check import check_conversion

CLIENT = "spec.conversion.webhookClientConfig"
HTTPS = "'https' is the only allowed URL scheme; desired format: https://host[/path]"
HOST = 'Invalid value: "": host must be specified; desired format: https://host[/path]'
LABEL = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    r" '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
PORT = "port is not valid: must be between 1 and 65535, inclusive"


def unreadable(url: str, why: str) -> list[str]:
    form = "desired format: https://host[/path]"
    return [f'url: Required value: url must be a valid URL: parse "{url}": {why}; {form}']


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ({"url": "https://x/y"}, []),
        ({"url": "http://x"}, [f'url: Invalid value: "http": {HTTPS}']),
        ({"url": ""}, [f'url: Invalid value: "": {HTTPS}', f"url: {HOST}"]),
        ({"url": "https:///a"}, [f"url: {HOST}"]),
        (
            {"url": "https://x?y#z"},
            [
                'url: Invalid value: "z": fragments are not permitted in the URL',
                'url: Invalid value: "y": query parameters are not permitted in the URL',
            ],
        ),
        ({"url": "https://x/#%41"}, ['url: Invalid value: "A": fragments are not permitted in the URL']),
        ({"url": "https://a:b@x"}, ['url: Invalid value: "a:b": user information is not permitted in the URL']),
        ({"url": "https://u:p w@x/"}, unreadable("https://u:p w@x/", "net/url: invalid userinfo")),
        ({"url": "://"}, unreadable("://", "missing protocol scheme")),
        ({"url": "https://x/%zz"}, unreadable("https://x/%zz", 'invalid URL escape "%zz"')),
        ({"service": {"name": "a", "namespace": "b"}}, []),
        ({"service": {}}, ["service.name: Required value", "service.namespace: Required value"]),
        # The server names the field of the other one.
        (
            {"service": {"name": "a", "port": 0, "path": "x"}},
            [
                "service.name: Required value",
                f"service.port: Invalid value: 0: {PORT}",
                "service.path: Invalid value: \"x\": must start with a '/'",
                'service.path: Invalid value: "x": segment[0] may not be empty',
            ],
        ),
        (
            {"service": {"namespace": "b", "path": "//"}},
            ["service.namespace: Required value", 'service.path: Invalid value: "//": segment[0] may not be empty'],
        ),
        (
            {"service": {"name": "a", "namespace": "b", "path": "/a/B/", "port": 65536}},
            [
                f"service.port: Invalid value: 65536: {PORT}",
                f'service.path: Invalid value: "/a/B/": segment[1]: {LABEL}',
            ],
        ),
        (
            {"service": {"name": "a", "namespace": "b", "path": "é"}},
            [
                "service.path: Invalid value: \"é\": must start with a '/'",
                f'service.path: Invalid value: "é": segment[0]: {LABEL}',
            ],
        ),
    ],
)
def test_client(client: dict[str, Any], expected: list[str]) -> None:
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    errors = check_conversion(conversion, 35, preserves=False)
    assert [error.text for error in errors] == [f"{CLIENT}.{text}" for text in expected]
