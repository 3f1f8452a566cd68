"""The namespaces of manifests: `-n` gives it to those that name none, and cluster-scoped objects have none."""

from collections.abc import Callable

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.documents import Document, Loaded, SourceProblem
from ovnguard.validators.network.declared.namespace import in_its_scope, with_namespace
from ovnguard.validators.network.parse_values import dig


def as_stored(namespace: str) -> Callable[[JsonObject], JsonObject]:
    """Return the function that gives objects the namespace in which the API server stores them; "" is unknown."""

    def stored(obj: JsonObject) -> JsonObject:
        scoped = in_its_scope(obj)
        return with_namespace(scoped, namespace) if namespace else scoped

    return stored


def in_namespace(loaded: Loaded, namespace: str) -> Loaded:
    """Return ``loaded`` without the objects of another namespace, which are problems, as for kubectl."""
    documents, problems = [], list(loaded.problems)
    for document in loaded.documents:
        own = dig(document.value, "metadata", "namespace")
        if own and own != namespace:
            problems.append(_mismatch(document, str(own), namespace))
        else:
            documents.append(document)
    return loaded._replace(documents=tuple(documents), problems=tuple(problems))


def _mismatch(document: Document, own: str, namespace: str) -> SourceProblem:
    """The problem. Text: k8s.io/cli-runtime, pkg/resource, ``RequireNamespace``."""
    at = document.position("metadata.namespace")
    text = (
        f'the namespace from the provided object "{own}" does not match the namespace "{namespace}". '
        f"You must pass '--namespace={own}' to perform this operation."
    )
    return SourceProblem(document.file, at.line, at.column, text)
