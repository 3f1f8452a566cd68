"""The command line of the preflight."""

import argparse
import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.bundled.catalog import AUTO
from ovnguard.validators.cli.outputs import FORMATS
from ovnguard.validators.cli.peer_options import PEER_OPTIONS
from ovnguard.validators.commandline.option_groups import ALL, Groups, grouped, others_line
from ovnguard.validators.commandline.terminal import COLOURS
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.files import CONFIGURATION

PROGRAM: Final = "kubectl ovn-preflight"
SUB_COMMANDS: Final = ("test", "cost", "evolve", "explain", "plan", "completion")
MAX_JOBS: Final = 64
"""The most processes that judge at once."""
USUAL_JOBS: Final = 4
SEVERAL: Final = 500
"""From this number of objects on, more processes than one save time (docs/benchmarks.md)."""
_WIDTH: Final = 100
_DIGITS: Final = 3
_ALMOST: Final = 0.75
_UNKNOWN: Final = lazy_pattern(r"unrecognized arguments: (--?[^ =]+)")
_NO_CHOICE: Final = lazy_pattern(r"argument (\S+): invalid choice: '(.*)' \(choose from ")
_INVENTORY: Final = ",".join(
    (
        "nodes,namespaces,pods,services,networks.operator.openshift.io,clusteruserdefinednetworks,userdefinednetworks",
        "network-attachment-definitions,routeadvertisements,frrconfigurations,egressips,egressservices",
        "clusternetworkconnects,clusterversions.config.openshift.io,infrastructures.config.openshift.io",
        "dnses.config.openshift.io,daemonsets,deployments,statefulsets,configmaps",
    )
)
"""The kinds that rules ask for; kubectl refuses the whole line if one of them is not served."""
_EPILOG: Final = f"""\
examples:
  {PROGRAM} network.yaml
  kustomize build overlays/prod | {PROGRAM} -
  {PROGRAM} --old git:main networks/        judge updates, including transition rules
  {PROGRAM} --inventory all.yaml cudn.yaml  check against nodes and other networks too
  {PROGRAM} deploy/ -o text -o sarif=report.sarif

a complete inventory in a file:
  kubectl get {_INVENTORY} -A -o yaml > all.yaml

sub-commands, each with its own --help:
  {PROGRAM} test PATH...     run CEL rule suites (a path named test is ./test)
  {PROGRAM} cost CRD...      show the cost of CEL rules and the missing bounds
  {PROGRAM} evolve OLD NEW   what changed CRDs do to stored objects
  {PROGRAM} explain [NAME].. explain rules by id, and fields as KIND.path
  {PROGRAM} plan PATH...     what the networks become on each node: ovnguard-reconciler plan
  {PROGRAM} completion SHELL print the completion script of bash, zsh or fish

{CONFIGURATION} in the folder of the first path, or above, configures options, severities and findings to ignore.
It may ask git and the cluster only with --trust-config.
NAME.old.yaml next to NAME.yaml is its old object: the pair is judged as an update.
Exit codes: 0 accepted, 1 refused, 2 wrong call or unreadable input, 3 internal error, 4 a required schema is missing.
"""


_GROUPS: Final[Groups] = {
    "what is judged": ("--crds", "--policies", "--trust-config", "--namespace", "--skip"),
    "the cluster": ("--from-cluster", "--kubeconfig", "--context"),
    "the API server": ("--schema-set", "--feature-set", "--feature-gates"),
    "findings": (
        "--ignore",
        "--require-schemas",
        "--warnings-as-errors",
        "--exit-zero",
        "--show-mutations",
    ),
    "the process": ("--jobs", "--no-cache", "--color"),
}


class WrongCall(Exception):
    """An invalid command line; the message contains the reason."""


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse creates a formatter for every option; a fixed width avoids importing shutil for the terminal's width."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH)


class _Parser(argparse.ArgumentParser):
    """The parser of the command line. ``known`` are its options, each with its choices."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.known: dict[str, tuple[str, ...]] = {}

    def learn(self, action: argparse.Action) -> None:
        """Note the names and choices of an option."""
        self.known.update(dict.fromkeys(action.option_strings, tuple(action.choices or ())))

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument and note it."""
        action = super().add_argument(*names, **settings)
        self.learn(action)
        return action

    def help(self, *, everything: bool) -> str:
        """Return what --help prints: the usual options, with ``everything`` all of them."""
        usual, others = grouped(self._actions, lambda action: action.option_strings, _GROUPS)
        listed = {"options": [each for each in usual if each.option_strings], **(others if everything else {})}
        made = self._get_formatter()
        made.add_usage(self.usage, self._actions, ())
        made.add_text(self.description)
        made.add_arguments(each for each in usual if not each.option_strings)
        for title, actions in listed.items():
            made.start_section(title)
            made.add_arguments(actions)
            made.end_section()
        made.add_text(None if everything else others_line(others))
        made.add_text(self.epilog)
        return made.format_help()

    def error(self, message: str) -> NoReturn:
        if chosen := _NO_CHOICE.match(message):
            close = get_close_matches(chosen[2], self.known[chosen[1]], 1)
        else:
            unknown = _UNKNOWN.match(message)
            if unknown and (meant := PEER_OPTIONS.get(unknown[1].strip("-"))):
                raise WrongCall(f"{message}; {meant}\nTry '{PROGRAM} --help' for help.")
            is_long = unknown is not None and unknown[1].startswith("--")
            close = get_close_matches(unknown[1], self.known, 1, _ALMOST) if unknown and is_long else []
        hint = f"; did you mean {close[0]}?" if close else ""
        raise WrongCall(f"{message}{hint}\nTry '{PROGRAM} --help' for help.")


def _count(text: str) -> int:
    """The number of processes that an option names."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else -1
    if not 0 <= number <= MAX_JOBS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MAX_JOBS}")
    return number or min(os.cpu_count() or 1, MAX_JOBS)


def jobs_for(objects: int, jobs: int | None) -> int:
    """The number of processes that judge: ``jobs``, or if that is None, more than one where it saves time."""
    if jobs is not None:
        return jobs
    return min(os.cpu_count() or 1, USUAL_JOBS) if objects >= SEVERAL and sys.platform == "linux" else 1


def parser() -> _Parser:
    """Return the parser of the command line, which raises `WrongCall`."""
    made = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [OPTIONS] PATH...",
        description="Judge manifests as the API server and the network designs do, without a cluster.",
        epilog=_EPILOG,
        formatter_class=_Help,
        add_help=False,
        allow_abbrev=False,
    )
    _add_inputs(made)
    _add_server(made)
    _add_output(made)
    _add_selection(made)
    _add_amount(made)
    option = made.add_argument
    option("--no-cache", action="store_true", help="neither read nor write the user's cache of compiled definitions")
    option("--color", choices=COLOURS, default="auto", help="default: auto")
    option("--version", action="store_true", help="print the version and exit")
    option(ALL, action="store_true", help="print all options and exit")
    option("-h", "--help", action="store_true", help="print this message and exit")
    return made


def _add_inputs(made: _Parser) -> None:
    """Add the manifests, and the objects and definitions around them."""
    text = "a file, a folder, a pattern, or - for standard input"
    made.add_argument("paths", nargs="*", metavar="PATH", help=text)
    option = made.add_argument
    option("-f", "--filename", action="append", metavar="PATH", default=[], help="the same as PATH; repeatable")
    for name, meta, text in (
        ("--old", "FILE|DIR|git:REV|cluster", "old objects of updates, CRDs included, matched by kind and name"),
        ("--crds", "FILE|DIR", "CRDs that take precedence over the bundled ones; repeatable"),
        ("--policies", "FILE|DIR", "ValidatingAdmissionPolicies with bindings and parameters; repeatable"),
        ("--inventory", "FILE|DIR|cluster", "objects of the cluster around the manifests; repeatable"),
    ):
        option(name, action="append", metavar=meta, help=text)
    text = f"let old and inventory of {CONFIGURATION} name git:REV and cluster, as the command line may"
    option("--trust-config", action="store_true", help=text)
    option("--from-cluster", action="store_true", help="CRDs of the cluster for kinds that are not bundled")
    option("--kubeconfig", metavar="FILE", help="cluster to judge like, and for --from-cluster, --old, --inventory")
    option("--context", metavar="NAME", help="context of the kubeconfig")


def _add_server(made: _Parser) -> None:
    """Add the server, its schemas and feature gates."""
    option = made.add_argument
    text = f"API server to judge like; default: that of the cluster, else {DEFAULT_KUBERNETES}"
    option("--kubernetes-version", metavar="1.N", help=text)
    option("-n", "--namespace", metavar="NAME", help="namespace of manifests that name none")
    option(
        "--schema-set",
        choices=(AUTO, "enhancement", "released"),
        default=AUTO,
        help="the no-overlay API to judge by: enhancement is the proposed one, auto (default) selects by fields, "
        "then by the inventory, else released",
    )
    option(
        "--feature-set",
        metavar="NAME",
        help="judge like a cluster with this feature set: Default, TechPreviewNoUpgrade, ...; default: all gates on",
    )
    option(
        "--feature-gates",
        action="append",
        metavar="NAME=true|false,...",
        help="feature gates that differ from the feature set; repeatable",
    )


def _add_output(made: _Parser) -> None:
    """Add formats and files of the report."""
    option = made.add_argument
    option(
        "-o",
        "--output",
        action="append",
        metavar="FORMAT[=FILE]",
        default=[],
        help=f"{', '.join(FORMATS)} (default: text); repeatable with files: -o text -o sarif=report.sarif",
    )
    option("--show-mutations", action="store_true", help="print the changes of the mutating webhook as a diff")


def _add_selection(made: _Parser) -> None:
    """Add kinds and findings to leave out, what counts as a failure, and how many processes judge."""
    option = made.add_argument
    option("--skip", action="append", metavar="KIND,...", default=[], help="kinds to leave out; repeatable")
    option("--ignore", action="append", metavar="ID", default=[], help="rule ids of findings to leave out; repeatable")
    option("--require-schemas", action="store_true", help="exit 4 if the kind of an object has no schema")
    # None: neither given, so the configuration decides
    choice = argparse.BooleanOptionalAction
    option("--warnings-as-errors", action=choice, default=None, help="exit 1 if there are warnings")
    text = (
        f"processes that judge; 0: one per processor; default: up to {USUAL_JOBS} for {SEVERAL} objects or more, else 1"
    )
    option("-j", "--jobs", type=_count, metavar="N", help=text)
    option("--exit-zero", action="store_true", help="exit 0 also if objects are refused")


def _add_amount(made: _Parser) -> None:
    """Add how much is printed."""
    amount = made.add_mutually_exclusive_group()
    quiet = amount.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    verbose = amount.add_argument(
        "-v", "--verbose", action="store_true", help="print every note and list unchecked rules"
    )
    for action in (quiet, verbose):
        made.learn(action)


_DEFAULTS: Final[Mapping[str, Any]] = {
    "old": [],
    "crds": [],
    "policies": [],
    "kubernetes_version": "",
    "inventory": [],
    "namespace": "",
    "feature_set": None,
    "feature_gates": [],
}
_CONFIGURED: Final[Mapping[str, str]] = {
    "old": "old",
    "crds": "crds",
    "policies": "policies",
    "kubernetes_version": "kubernetesVersion",
    "inventory": "inventory",
    "namespace": "namespace",
    "feature_set": "featureSet",
    "feature_gates": "featureGates",
    "warnings_as_errors": "warningsAsErrors",
}


def complete(options: argparse.Namespace, configured: Mapping[str, Any]) -> None:
    """Give options that the caller did not set the values of the configuration, else their defaults."""
    for name, key in _CONFIGURED.items():
        value = getattr(options, name)
        if value is None or value == []:
            setattr(options, name, configured.get(key, _DEFAULTS.get(name, False)))
    options.paths = options.paths or list(configured.get("paths", ()))
