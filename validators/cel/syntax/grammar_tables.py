"""The parser's tables of the CEL grammar, as JSON in the package: Lark needs longer to build them than to parse.

The tables are data, so that nothing from a cache is executed. They belong to one text of the grammar and one version of
Lark; with any other the parser builds its own.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("grammar_tables.json")


def digest_of(*sources: str) -> str:
    """The digest of everything that determines the tables."""
    return blake2b("\0".join(sources).encode(), digest_size=16).hexdigest()


def text_of(digest: str, data: Mapping[str, Any], memo: Mapping[int, Any]) -> str:
    """The content of the file for the tables that Lark serialized as ``data`` and ``memo``."""
    parser = {key: data["parser"][key] for key in ("lexer_conf", "parser_conf", "parser", "__type__")}
    # options may contain objects; `read` takes those of the caller
    options = {key: value for key, value in data["options"].items() if type(value) in {bool, int, str} or value is None}
    kept = {"parser": parser, "rules": data["rules"], "options": {**options, "cache": False, "start": ["start"]}}
    return json.dumps({"digest": digest, "data": kept, "memo": memo}, separators=(",", ":")) + "\n"


def read(digest: str, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tables with these options in the form that `lark.Lark.load` accepts; None if they are those of another
    grammar.
    """
    try:
        kept: dict[str, Any] = json.loads(FILE.read_bytes())
    except OSError:
        return None
    if kept["digest"] != digest:
        return None
    data = kept["data"]
    table = data["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    data["options"].update(options)
    return {"data": data, "memo": _numbered(kept["memo"])}


def _numbered(entries: Mapping[str, Any]) -> dict[int, Any]:
    """JSON has no numbers as keys."""
    return {int(key): value for key, value in entries.items()}
