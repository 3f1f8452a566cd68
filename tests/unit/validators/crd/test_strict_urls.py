"""URLs with colons in their host, which Go 1.26 refuses. Texts confirmed by the API server's code, 1.35 and 1.36."""

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.differential.compare import definition
from tests.support.differential.definition_verdicts import our_texts

FAULT = "URL parse error during conversion from string: "
CASES = [
    ("http://a:b:1/", ":b:1"),
    ("HTTPS://a:b:1/", ":b:1"),
    ("http://::1:80", "::1:80"),
    ("ftp://a:b:1/", None),
    ("http://[::1]:80", None),
    ("http://u:p@a:1", None),
]


def errors(schema: dict[str, object], value: object, kubernetes: str) -> list[str]:
    """The errors of a value at ``v``."""
    crd = compile_crd(definition({"type": "object", "properties": {"v": schema}}, status=False), kubernetes=kubernetes)
    obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "y"}, "v": value}
    return [error.text for error in crd.verdict(obj).errors]


@pytest.mark.parametrize(("url", "port"), CASES)
def test_format(url: str, port: str | None) -> None:
    schema: dict[str, object] = {"type": "string", "format": "uri"}
    refused = [f'v: Invalid value: "{url}": v in body must be of type uri: "{url}"']
    assert errors(schema, url, "1.35") == []
    assert errors(schema, url, "1.36") == ([] if port is None else refused)


@pytest.mark.parametrize(("url", "port"), CASES)
def test_rules(url: str, port: str | None) -> None:
    checks = [f"isURL('{url}')", f"!format.uri().validate('{url}').hasValue()"]
    checks += [f"!format.named('uri').value().validate('{url}').hasValue()", f"url('{url}').getScheme() != ''"]
    rules = [{"rule": rule, "message": "wrong"} for rule in checks]
    schema: dict[str, object] = {"type": "integer", "x-kubernetes-validations": rules}
    fault = f'{FAULT}parse "{url}": invalid port "{port}" after host evaluating rule: wrong'
    refused = [*["v: Invalid value: 1: wrong"] * 3, f'v: Invalid value: "integer": {fault}']
    assert errors(schema, 1, "1.35") == []
    assert errors(schema, 1, "1.36") == ([] if port is None else refused)


def test_formats_with_a_name_are_those_of_their_functions() -> None:
    rule = "format.named('uri').value() == format.uri() && format.named('date').value() == format.date()"
    schema: dict[str, object] = {"type": "integer", "x-kubernetes-validations": [{"rule": rule}]}
    assert errors(schema, 1, "1.36") == []


def test_webhooks_of_conversions() -> None:
    client = {"clientConfig": {"url": "https://x:1:2/"}, "conversionReviewVersions": ["v1"]}
    crd = definition({"type": "object"}, status=False)
    crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": client}
    assert our_texts(crd, "1.35") == []
    assert our_texts(crd, "1.36") == [
        "spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL:"
        ' parse "https://x:1:2/": invalid port ":1:2" after host; desired format: https://host[/path]'
    ]


def test_links_of_approvals() -> None:
    crd = definition({"type": "object"}, status=False)
    crd["spec"]["group"] = "x.k8s.io"
    approval = "api-approved.kubernetes.io"
    crd["metadata"] = {"name": "foos.x.k8s.io", "annotations": {approval: "https://x:1:2/"}}
    assert our_texts(crd, "1.35") == []
    assert our_texts(crd, "1.36") == [
        f'metadata.annotations[{approval}]: Invalid value: "https://x:1:2/": protected groups must have approval'
        f' annotation "{approval}" with either a URL or a reason starting with "unapproved",'
        " see https://github.com/kubernetes/enhancements/pull/1111"
    ]
