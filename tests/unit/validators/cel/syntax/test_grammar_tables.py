"""The tables in the package are those of the grammar and of the tested version of Lark, and nothing else is read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ovnguard.validators.cel.syntax import grammar_tables, parse
from ovnguard.validators.cel.syntax.source_position import CompileIssues

TABLES = Path(__file__).parents[1] / "tables"
MACROS = frozenset({"has/1", "all/2", "exists/2", "exists_one/2", "map/2", "map/3", "filter/2"})


def test_the_tables_are_those_of_the_grammar(request):
    # Lark numbers the states differently in every process, so the digest of what determines them is compared
    if request.config.getoption("--update"):
        grammar_tables.FILE.write_text(parse.tables())
    advice = "the grammar or Lark changed: run pytest --update"
    assert json.loads(grammar_tables.FILE.read_bytes())["digest"] == json.loads(parse.tables())["digest"], advice


def expressions(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from expressions(one)


def result_of(text):
    try:
        return parse.parse(text, MACROS)
    except CompileIssues as fault:
        return str(fault)


@pytest.mark.parametrize("name", sorted(file.name for file in TABLES.glob("*.json")))
def test_shipped_and_built_tables_parse_the_same(monkeypatch, name):
    texts = sorted({text for text in expressions(json.loads((TABLES / name).read_text())) if len(text) < 2000})
    assert texts
    results = []
    try:
        for digest in ("", "another"):
            parse.parse.cache_clear()
            parse._parser.cache_clear()
            if digest:
                monkeypatch.setattr(grammar_tables, "digest_of", lambda *_: "another")
            results.append([result_of(text) for text in texts])
    finally:
        monkeypatch.undo()
        parse.parse.cache_clear()
        parse._parser.cache_clear()
    assert results[0] == results[1]


@pytest.mark.parametrize("content", [None, '{"digest": "another"}'])
def test_outdated_tables_are_rebuilt(monkeypatch, tmp_path, content):
    file = tmp_path / "tables.json"
    if content is not None:
        file.write_text(content)
    monkeypatch.setattr(grammar_tables, "FILE", file)
    assert grammar_tables.read("this", {}) is None


def test_parsing_touches_no_cache(tmp_path):
    program = "from ovnguard.validators.cel.syntax.parse import parse; print(parse('1 + 1', frozenset()).function)"
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environ,
        cwd=Path(__file__).parents[5],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "_+_\n"
    assert list(tmp_path.iterdir()) == []
