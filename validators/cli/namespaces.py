"""The namespaces of manifests: `-n` gives it to those that name none, and cluster-scoped objects have none."""

from dataclasses import replace

from validators.manifest.sources import Document, Loaded, SourceProblem
from validators.network.declared.namespace import in_its_scope, with_namespace
from validators.network.parse_values import dig


def in_scope(loaded: Loaded) -> Loaded:
    """Return ``loaded`` without the namespaces of cluster-scoped objects, which the API server removes."""
    return loaded._replace(documents=tuple(map(_in_scope, loaded.documents)))


def _in_scope(document: Document) -> Document:
    old = document.old if document.old is None else in_its_scope(document.old)
    return replace(document, value=in_its_scope(document.value), old=old)


def in_namespace(loaded: Loaded, namespace: str) -> Loaded:
    """Return ``loaded`` with ``namespace`` in objects that name none; another one is a problem, as for kubectl."""
    documents, problems = [], list(loaded.problems)
    for document in loaded.documents:
        own = dig(document.value, "metadata", "namespace")
        if own and own != namespace:
            problems.append(_mismatch(document, str(own), namespace))
            continue
        old = document.old if document.old is None else with_namespace(document.old, namespace)
        documents.append(replace(document, value=with_namespace(document.value, namespace), old=old))
    return loaded._replace(documents=tuple(documents), problems=tuple(problems))


def _mismatch(document: Document, own: str, namespace: str) -> SourceProblem:
    """The problem. Text: k8s.io/cli-runtime, pkg/resource, ``RequireNamespace``."""
    at = document.position("metadata.namespace")
    text = (
        f'the namespace from the provided object "{own}" does not match the namespace "{namespace}". '
        f"You must pass '--namespace={own}' to perform this operation."
    )
    return SourceProblem(document.file, at.line, at.column, text)
