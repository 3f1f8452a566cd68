"""Where the file of a CRD or policy has the fault that makes it invalid, and what to do about it."""

from typing import Final

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.policy import InvalidPolicy
from ovnguard.validators.suite.discovery import shown
from ovnguard.validators.suite.suite import Definition, SuiteFault, mapping

_SHARED_SCHEMA: Final = "spec.validation."
_ONLY_VERSION: Final = "spec.versions[0]."


def place_and_text(definition: Definition, version: str, fault: SuiteFault) -> tuple[str, int, str]:
    """Return the file and the line of the first fault of a CRD, and a text with all of them and what to run next.

    ``version`` is "" for a policy or its binding.
    """
    file, line = shown(definition.path), 1
    if not isinstance(fault.__cause__, InvalidCRD | InvalidPolicy):
        return file, line, str(fault)
    errors = fault.__cause__.errors
    for document in read_sources([str(definition.path)]).documents:
        if document.value == definition.value:
            field = _in_file(errors[0], definition, version) if version else errors[0].field
            line = document.position(field).line
            break
    if not version:
        return file, line, f"{fault}\n'kubectl ovn-preflight {file}' judges the file alone"
    return file, line, f"{fault}\n'kubectl ovn-preflight cost {file}' checks the CRD alone, with the costs of its rules"


def _in_file(error: FieldError, definition: Definition, version: str) -> str:
    """The field of an error as the file has it: the case's CRD has one version, whose schema the API server moves."""
    versions = mapping(definition.value.get("spec")).get("versions")
    names = [mapping(each).get("name") for each in versions] if isinstance(versions, list) else []
    own = f"spec.versions[{names.index(version)}]." if version in names else _ONLY_VERSION
    field = error.field.replace(_SHARED_SCHEMA, f"{_ONLY_VERSION}schema.", 1)
    return field.replace(_ONLY_VERSION, own, 1)
