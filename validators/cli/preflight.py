"""`kubectl ovn-preflight PATH...`: the verdict on manifests before anybody applies them."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from validators.bundled.catalog import AUTO, Catalog
from validators.cli.judge_documents import Checked, Detail, check
from validators.commandline.arguments import Arguments, Option, WrongCall
from validators.commandline.program import Exit, tell
from validators.fast.disk_store import DiskStore, default_folder
from validators.manifest.sources import Loaded, read_sources
from validators.network.cluster_view import ObjectsView

if TYPE_CHECKING:
    from crd_schemas.gating import Features

PROGRAM: Final = "kubectl ovn-preflight"
_USAGE: Final = f"Usage: {PROGRAM} [OPTIONS] PATH..."
_HELP: Final = f"""{_USAGE}

  Judge manifests as the API server and the network designs would, without a
  cluster.

  PATH is a file, a folder or - for standard input.

Options:
  --old FILE|DIR                  Old objects of updates, matched by identity.
  --crds FILE|DIR                 CRDs that win over the bundled ones.
                                  Repeatable.
  --inventory FILE|DIR            Objects of the cluster around the manifests.
                                  Repeatable.
  --schema-set [auto|enhancement|released]
                                  Which generation of the no-overlay API
                                  judges.  [default: auto]
  --feature-set NAME              Judge as a cluster with this feature set
                                  would: Default, TechPreviewNoUpgrade, ...
                                  [default: every gate on]
  --feature-gates NAME=true|false,...
                                  Feature gates that differ from it.
                                  Repeatable.
  -o, --output [text|json]        [default: text]
  --warnings-as-errors            Exit 1 when there are warnings.
  -q, --quiet                     Print errors only.
  -v, --verbose                   Print every note, unchecked rules included.
  --color [auto|always|never]     [default: auto]
  --version                       Show the version and exit.
  -h, --help                      Show this message and exit.

  Examples:
    kubectl ovn-preflight network.yaml
    kustomize build overlays/prod | kubectl ovn-preflight -
    kubectl ovn-preflight --old live/ desired/          judge updates, transition rules included
    kubectl ovn-preflight --inventory cluster/ cudn.yaml  know nodes and networks around it
    kubectl ovn-preflight deploy/ -o json

  Sub-commands:
    kubectl ovn-preflight test PATH...            run rule suites; see test --help (a path named test is ./test)
    kubectl ovn-preflight cost CRD...             what rules may cost, and which bounds are missing; see cost --help
    kubectl ovn-preflight explain [ID]...         what a network rule says, why, and what to do; see explain --help

  A file NAME.old.yaml beside NAME.yaml is its old object: the pair is judged as an update.
  Exit codes: 0 accepted, 1 refused, 2 wrong call or unreadable input, 3 a fault of this program.
"""
OPTIONS: Final = (
    Option(("--old",)),
    Option(("--crds",)),
    Option(("--inventory",)),
    Option(("--schema-set",), (AUTO, "enhancement", "released")),
    Option(("--feature-set",)),
    Option(("--feature-gates",)),
    Option(("-o", "--output"), ("text", "json")),
    Option(("--warnings-as-errors",), None),
    Option(("-q", "--quiet"), None),
    Option(("-v", "--verbose"), None),
    Option(("--color",), ("auto", "always", "never")),
    Option(("--version",), None),
    Option(("-h", "--help"), None),
)


def preflight(args: Sequence[str]) -> Exit:
    """Judge manifests as the API server and the network designs would, without a cluster; ``_HELP`` tells more."""
    try:
        said = Arguments(OPTIONS, args)
        asked = next((name for name in said.values if name in {"--help", "--version"}), None)
        if asked is not None:
            sys.stdout.write(_HELP if asked == "--help" else _version())
            return Exit.OK
        return _judge(said)
    except WrongCall as error:
        if not error.explains:
            tell(f"{_USAGE}\nTry '{PROGRAM} --help' for help.\n")
        tell(f"Error: {error}")
        return Exit.USAGE


def _judge(said: Arguments) -> Exit:
    schema_set, output, color = map(said.chosen, ("--schema-set", "--output", "--color"))
    if not said.words:
        raise WrongCall("Missing argument 'PATH...'.", explains=False)
    loaded = read_sources(said.words, said.all("--old"))
    folder = default_folder()
    store = DiskStore(folder) if folder else None
    catalog = Catalog(_definitions(said.all("--crds")), schema_set, store=store, features=_features(said))
    known = _must_read(said.all("--inventory")).documents
    around = [document.value for document in (*known, *loaded.documents)]
    quiet, verbose = said.has("--quiet"), said.has("--verbose")
    if quiet and verbose:
        raise WrongCall("-q and -v exclude each other.", explains=False)
    detail = Detail.ERRORS if quiet else Detail.ALL if verbose or output == "json" else Detail.FINDINGS
    progress = _progress(len(loaded.documents))
    checked = check(loaded, ObjectsView(around), catalog, progress, known, detail)
    sys.stdout.write(_rendered(checked, output, color, detail))
    return _exit_code(checked, warnings_as_errors=said.has("--warnings-as-errors"))


def _features(said: Arguments) -> "Features | None":
    sets, gates = said.all("--feature-set"), said.all("--feature-gates")
    if not sets and not gates:
        return None
    from crd_schemas.gating import features  # noqa: PLC0415 - most calls ask for no feature set

    try:
        return features(sets[-1] if sets else None, gates)
    except ValueError as error:
        raise WrongCall(str(error)) from None


def _rendered(checked: Checked, output: str, color: str, detail: Detail) -> str:
    if output == "json":
        from validators.report import as_json  # noqa: PLC0415 - people read text

        return as_json.render(checked.report)
    from validators.report import as_text  # noqa: PLC0415 - programs read JSON

    return as_text.render(
        checked.report,
        colour=_colour(color),
        quiet=detail is Detail.ERRORS,
        verbose=detail is Detail.ALL,
    )


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow, and asked once in a lifetime

    return f"{PROGRAM}, version {version('ovnguard')}\n"


def _exit_code(checked: Checked, *, warnings_as_errors: bool) -> Exit:
    if checked.unreadable:
        return Exit.USAGE
    report = checked.report
    return Exit.INVALID if report.errors or (warnings_as_errors and report.warnings) else Exit.OK


def _must_read(paths: Sequence[str]) -> Loaded:
    """Read side inputs, where one problem is enough to make every verdict doubtful."""
    loaded = read_sources(paths)
    if loaded.problems:
        first = loaded.problems[0]
        raise WrongCall(f"{first.file}:{first.line}:{first.column}: {first.message}")
    return loaded


def _definitions(paths: Sequence[str]) -> list[dict[str, object]]:
    documents = _must_read(paths).documents
    for document in documents:
        if document.value.get("kind") != "CustomResourceDefinition":
            where = document.position("kind")
            kind = document.value.get("kind")
            raise WrongCall(
                f"{document.file}:{where.line}:{where.column}: kind: {kind} is not a CustomResourceDefinition; "
                "--crds takes CRDs only"
            )
    return [document.value for document in documents]


def _colour(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return choice == "always"


def _progress(total: int) -> Callable[[int], None]:
    """Say on stderr how far we are, every two seconds and never before."""
    last = time.monotonic()

    def judged(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 2 and done < total:
            last = now
            tell(f"judged {done} of {total} objects ...")

    return judged
