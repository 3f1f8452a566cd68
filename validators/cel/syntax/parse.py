"""Text to syntax tree. The only module that imports Lark, and the only one that knows where celpy's grammar is.

``grammar.lark`` extends cel-python's grammar file in a separate Lark instance: the package's own parser is a
process-wide singleton that must not be changed. celpy itself is never imported: its grammar is data.
"""

import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.grammar import Rule
from lark.lexer import TerminalDef

from ovnguard.validators.cel.syntax import ast, grammar_tables
from ovnguard.validators.cel.syntax.ast_builder import SyntaxTreeBuilder, token_pos
from ovnguard.validators.cel.syntax.dialect import NEWEST, Dialect
from ovnguard.validators.cel.syntax.escaped_names import masked
from ovnguard.validators.cel.syntax.expression_depth import MAX_DEPTH, MAX_NODES, count
from ovnguard.validators.cel.syntax.node_factory import Depth, NodeFactory, Overgrown
from ovnguard.validators.cel.syntax.source_position import NOWHERE, CompileIssues, Issue
from ovnguard.validators.cel.syntax.syntax_errors import (
    also,
    filler,
    is_too_many,
    misplaced,
    unreadable,
    without_backticks,
)

MAX_CODE_POINTS: Final = 100_000
MAX_RECOVERIES: Final = 10
_TOO_DEEP: Final = f"expression recursion limit exceeded: {MAX_DEPTH}"
_GRAMMAR: Final = Path(__file__).with_name("grammar.lark")


class _Hook(SyntaxTreeBuilder, lark.Transformer[lark.Token, Any]):
    """The tree builder in the form that Lark requires."""


_WORDS: Final = {"true": "BOOL_LIT", "false": "BOOL_LIT", "in": "IN"}


def _word(token: lark.Token) -> lark.Token:
    """Return the token of a word that looks like a name to the lexer."""
    kind = _WORDS.get(token.value)
    return token if kind is None else lark.Token.new_borrow_pos(kind, token.value, token)


_lock = threading.Lock()


@lru_cache(maxsize=1)
def _parser() -> tuple[lark.Lark, _Hook]:
    maker = _Hook(visit_tokens=False)
    options = {"transformer": maker, "lexer_callbacks": {"IDENT": _word}}
    kept = grammar_tables.read(_digest(), options)
    return (_built(**options) if kept is None else lark.Lark.load(kept)), maker


def tables() -> str:
    """Build the tables of the grammar, and return the content of `grammar_tables.FILE`."""
    return grammar_tables.text_of(_digest(), *_built().memo_serialize([TerminalDef, Rule]))


def _built(**options: Any) -> lark.Lark:
    return lark.Lark(
        _GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        start="start",
        import_paths=[str(_extended().parent)],
        maybe_placeholders=False,
        keep_all_tokens=True,
        **options,
    )


def _digest() -> str:
    texts = (file.read_text(encoding="utf-8") for file in (_GRAMMAR, _extended()))
    return grammar_tables.digest_of(str(lark.__version__), *texts)


def _extended() -> Path:
    """The grammar that ours extends."""
    spec = find_spec("celpy")
    return (Path(spec.origin).parent if spec and spec.origin else Path()) / "cel.lark"


@lru_cache(maxsize=2048)
def parse(text: str, macros: frozenset[str], dialect: Dialect = NEWEST) -> ast.Expr:
    """Return the syntax tree of ``text``. Raises `CompileIssues`.

    ``macros`` are those of the environment, as name/arity; ``dialect`` is that of the server's parser.
    """
    if len(text) > MAX_CODE_POINTS:
        message = f"expression code point size exceeds limit: size: {len(text)}, limit {MAX_CODE_POINTS}"
        raise CompileIssues(text, [Issue(NOWHERE, message)])
    with _lock:
        parser, maker = _parser()
        maker.build = build = NodeFactory(macros, dialect)
        readable, build.escaped = masked(text) if dialect.reads_escapes else (text, {})
        try:
            tree: Any = _tree(parser, text, readable, build, dialect.has_backticks)
        except Overgrown:
            raise CompileIssues(text, [Issue(NOWHERE, _TOO_DEEP)]) from None
    if build.issues:
        raise CompileIssues(text, build.issues)
    root: ast.Expr = tree
    _check_depth(text, root, Depth(*build.depths[root.id]))
    return root


def _tree(parser: lark.Lark, text: str, readable: str, build: NodeFactory, has_backticks: bool) -> Any:
    """Return the parser's result for ``readable``, which is ``text`` without names in backticks.

    Characters that are not a token, and superfluous tokens, are recorded and skipped, a few times.
    """
    found: list[Issue] = []
    while True:
        try:
            tree: Any = parser.parse(readable)
        except UnexpectedInput as fault:
            characters = isinstance(fault, UnexpectedCharacters)
            problem = unreadable(readable, int(fault.pos_in_stream or 0), has_backticks) if characters else None
            issue, width = problem or _misplaced(readable, fault, has_backticks)
            found.append(issue)
            if width == 0 or len(found) >= MAX_RECOVERIES:
                known = [] if problem else build.issues
                raise CompileIssues(text, [*known, *found, *also(readable, issue)]) from fault
            at = issue.pos
            readable = (readable[:at] + filler(issue) * width + readable[at + width :])[: len(text)]
            build.issues.clear()
        else:
            build.issues += found
            return tree


def _misplaced(text: str, fault: UnexpectedInput, has_backticks: bool) -> tuple[Issue, int]:
    """Return the error, and how many characters are superfluous: 0 if the parser cannot continue."""
    if isinstance(fault, UnexpectedToken):
        ends = fault.token.type == "$END"
        pos = len(text) if ends else token_pos(fault.token)
        seen, accepted = "" if ends else str(fault.token), fault.accepts
    else:
        pos = int(fault.pos_in_stream or 0)
        allowed = fault.allowed if isinstance(fault, UnexpectedCharacters) else None
        seen, accepted = text[pos : pos + 1], allowed or set()
    issue = misplaced(text, pos, seen, accepted)
    if not has_backticks:
        issue = without_backticks(issue)
    return issue, len(seen) if is_too_many(issue) else 0


def _check_depth(text: str, root: ast.Expr, depth: Depth) -> None:
    """Refuse what the server's parser refuses, and what has grown too large when its macros were expanded."""
    if max(depth.exprs, depth.relations, depth.sums) > MAX_DEPTH or count(root) > MAX_NODES:
        raise CompileIssues(text, [Issue(NOWHERE, _TOO_DEEP)])
    if depth.visits > MAX_DEPTH:
        raise CompileIssues(text, [Issue(NOWHERE, "max recursion depth exceeded")])
