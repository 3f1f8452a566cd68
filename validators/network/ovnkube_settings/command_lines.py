"""The command lines of ovnkube, from its workloads and the script in ConfigMap ovnkube-script-lib.

OpenShift's containers source the script, whose functions start ovnkube, and the variables that ConfigMap env-overrides
contains for one node or for the control plane; those of upstream's chart run ovnkube.sh of their image, which makes the
command line from its environment.

Sources: cluster-network-operator, ``bindata/network/ovn-kubernetes``; ovn-kubernetes, ``helm`` and
``dist/images/ovnkube.sh``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.workloads import containers, texts
from ovnguard.validators.network.ovnkube_settings.option_names import ALIASES, is_known
from ovnguard.validators.network.ovnkube_settings.option_places import (
    OFF_AT,
    SWITCHES,
    VALUES,
    WORDS,
    is_known_variable,
)
from ovnguard.validators.network.ovnkube_settings.shell_conditions import UNDECIDED, plain, undecided
from ovnguard.validators.network.ovnkube_settings.shell_run import Call, Script, WordValue
from ovnguard.validators.network.ovnkube_settings.shell_syntax import MAX_TEXT, Node, parsed
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of

_OVNKUBE: Final = "ovnkube"
_OF_IMAGE: Final = "ovnkube.sh"
OVERRIDES: Final = "env-overrides"
"""The ConfigMap with variables: a script for each node under the node's name, and one for the control plane."""
_OVERRIDES_FOLDER: Final = "/env"
_CONTROL_PLANE: Final = "_master"
_PROGRAMS: Final = frozenset({_OVNKUBE, _OF_IMAGE})
_SHELLS: Final = frozenset({"sh", "bash"})
# Arguments of ovnkube.sh that start ovnkube, and whether that serves a zone.
_STARTS: Final[Mapping[str, bool]] = {
    "ovnkube-controller-with-node": True,
    "ovnkube-controller": True,
    "ovn-cluster-manager": False,
    "ovn-node": True,
}
_ROLES: Final[Mapping[str, bool]] = {
    "init-ovnkube-controller": True,
    "init-master": True,
    "init-cluster-manager": False,
}
# Kubernetes' own references to variables in arguments.
_REFERENCE: Final = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")


class CommandLine(NamedTuple):
    """One command line of ovnkube, in ``source``.

    ``options``: their values; one that only the running shell knows contains `UNDECIDED`. ``doubtful``: options that
    nothing decides, by the variable that may contain them; none where they are unknown. ``serves_zone`` is None where
    nothing shows what the process is for.
    """

    source: str
    options: Mapping[str, str]
    doubtful: Mapping[str, frozenset[str]]
    serves_zone: bool | None


class Scripts(NamedTuple):
    """The scripts of ConfigMaps ovnkube-script-lib and env-overrides by their names, and the data of all ConfigMaps."""

    trees: Mapping[str, Sequence[Node]]
    overrides: Mapping[str, Sequence[Node]]
    data: Mapping[str, Mapping[str, Any]]

    def sourced(self, path: str) -> Sequence[Sequence[Node]]:
        """Return the trees of the script at ``path`` in a container; a node without overrides has an empty one."""
        folder, _, name = path.rpartition("/")
        if folder != _OVERRIDES_FOLDER:
            return (self.trees[name],) if name in self.trees else ()
        if UNDECIDED.search(name):
            return tuple(tree for node, tree in self.overrides.items() if node != _CONTROL_PLANE)
        return (self.overrides.get(name, ()),)


def scripts_in(config_maps: Mapping[str, JsonObject], library: str) -> Scripts:
    """Return the scripts of the ConfigMap ``library`` among those of one namespace."""
    data = {name: mapping(obj, "data") for name, obj in config_maps.items()}
    trees, overrides = (_trees(data.get(name, {})) for name in (library, OVERRIDES))
    return Scripts(trees, overrides, data)


def _trees(data: Mapping[str, Any]) -> dict[str, Sequence[Node]]:
    return {name: parsed(plain(text_of(text))) for name, text in list(data.items())[:MAX_ITEMS]}


def lines_of_library(source: str, scripts: Scripts) -> Iterator[CommandLine]:
    """Iterate over the command lines of a script's functions, where no workload shows how these are called."""
    for tree in scripts.trees.values():
        script = Script({}, _PROGRAMS, scripts.sourced, closed=False)
        script.run(tree)
        for name in script.functions:
            script.call(name)
        yield from _lines(source, script.calls, {})


def lines_of_workload(source: str, obj: JsonObject, scripts: Scripts) -> Iterator[CommandLine]:
    """Iterate over the command lines of a workload's containers."""
    left = MAX_TEXT
    for _, container in containers(obj):
        words = [plain(text) for _, text in texts(container)]
        left -= sum(map(len, words))
        if left >= 0:
            environment, closed = _environment(container, scripts.data)
            yield from _container_lines(source, words, environment, scripts, closed=closed)


def _container_lines(
    source: str, words: Sequence[str], environment: Mapping[str, str], scripts: Scripts, *, closed: bool
) -> Iterator[CommandLine]:
    program = words[0].rpartition("/")[2] if words else ""
    if program in _SHELLS and "-c" in words[:-1]:
        script = Script(environment, _PROGRAMS, scripts.sourced, closed=closed)
        script.run(parsed(words[words.index("-c") + 1]))
        yield from _lines(source, script.calls, environment)
        if script.missing and not script.calls:
            yield CommandLine(source, {}, {name: frozenset() for name in script.missing}, None)
        return
    words = [_REFERENCE.sub(lambda found: environment.get(found[1], undecided(found[1])), word) for word in words]
    call = tuple(WordValue(((word,),), "") for word in words)
    if program in _PROGRAMS or not words:
        yield from _lines(source, [call], environment)
    elif words[0].startswith("-"):
        # the program is the image's own: ovnkube's has at least one option of ovnkube
        options, doubtful = _options(call)
        if any(is_known(option) for option in options):
            yield _line(source, options, doubtful)


def _environment(container: Mapping[str, Any], data: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, str], bool]:
    """The variables of a container, and whether it has no others."""
    listed, found = container.get("env"), dict[str, str]()
    for each in listed[:MAX_ITEMS] if isinstance(listed, list) else ():
        name = text_of(dig(each, "name"))
        if dig(each, "valueFrom") is None:
            found[name] = plain(text_of(dig(each, "value")))
            continue
        ref = mapping(each, "valueFrom", "configMapKeyRef")
        value = data.get(text_of(ref.get("name")), {}).get(text_of(ref.get("key")))
        if isinstance(value, str):
            found[name] = plain(value)
        elif not (ref.get("optional") is True and text_of(ref.get("name")) in data):
            found[name] = undecided(name)
    return found, not container.get("envFrom")


def _lines(source: str, calls: Sequence[Call], environment: Mapping[str, str]) -> Iterator[CommandLine]:
    for call in calls:
        first = call[0].fields[0][0] if call and call[0].fields[0] else ""
        start = first if first in _STARTS else call[1].fields[0][0] if len(call) > 1 and call[1].fields[0] else ""
        if start in _STARTS:
            yield CommandLine(source, *_of_environment(environment), _STARTS[start])
        elif not call:
            found, doubtful = _of_environment(environment)
            if found:
                yield CommandLine(source, found, doubtful, None)
        else:
            options, doubtful = _options(call)
            if options or doubtful:
                yield _line(source, options, doubtful)


def _line(source: str, options: Mapping[str, str], doubtful: Mapping[str, frozenset[str]]) -> CommandLine:
    roles = {_ROLES[each] for each in options if each in _ROLES}
    serves = None if not roles else True in roles
    return CommandLine(source, options, doubtful, serves)


def _options(call: Call) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """The options of a command line, and those that nothing decides."""
    found, doubtful, waiting = dict[str, str](), dict[str, frozenset[str]](), ""
    for word in call:
        if len(word.fields) > 1:
            same, differing = _alternatives(word)
            if waiting and not (same or differing):
                found[waiting] = undecided(word.variable)
            else:
                found |= same
                doubtful |= {word.variable: differing} if differing != frozenset() or not same else {}
            waiting = ""
            continue
        for field in word.fields[0]:
            if field.startswith("-"):
                name, equals, value = field.lstrip("-").partition("=")
                name = ALIASES.get(name, name)
                if unknown := UNDECIDED.search(name):
                    doubtful[unknown[1]] = frozenset()
                    continue
                found[name] = value.strip("\"'") if equals else "true"
                waiting = "" if equals else name
            elif waiting:
                found[waiting], waiting = field, ""
            else:
                doubtful.update({variable: frozenset[str]() for variable in UNDECIDED.findall(field)})
    return found, doubtful


def _alternatives(word: WordValue) -> tuple[dict[str, str], frozenset[str]]:
    """The options that all values of a word agree on, and the others."""
    read = [_options((WordValue((fields,), word.variable),)) for fields in word.fields]
    items = [set(options.items()) for options, _ in read]
    same = dict(set.intersection(*items))
    return same, frozenset(name for options, _ in read for name in options) - same.keys()


def _of_environment(environment: Mapping[str, str]) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """The options that ovnkube.sh makes of its environment."""
    words = tuple(WordValue(((each,),), WORDS) for each in environment.get(WORDS, "").split())
    found, doubtful = _options(words)
    found |= {option: value for name, option in VALUES.items() if (value := environment.get(name))}
    for name, value in environment.items():
        if name in SWITCHES and value:
            found[SWITCHES[name]] = value
        elif not is_known_variable(name) and value.lower() not in ("", "false", "0", "no"):
            found[name] = value
    found |= {option: environment[name] for name, option in OFF_AT.items() if environment.get(name)}
    return found, doubtful
