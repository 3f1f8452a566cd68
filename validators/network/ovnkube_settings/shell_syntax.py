"""The part of bash that ovnkube's manifests are written in, as a tree: commands, `if`, loops, groups and functions.

Only what decides the value of a variable or the words of a command is understood. Everything else is a command without
an effect: nothing is ever run.
"""

from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.network.ovnkube_settings.shell_words import Part, Token, Word, literal, tokens

MAX_TEXT: Final = 120_000
"""The maximum number of characters of a script: four times the size of ovnkube's own."""
_MAX_DEPTH: Final = 64
_SEPARATORS: Final = frozenset({";", "\n", "&", ";;"})
_LOOPS: Final = frozenset({"while", "until", "for", "select"})
_CLOSING: Final = frozenset({"then", "elif", "else", "fi", "do", "done", "}", ")", "esac"})


class Command(NamedTuple):
    """A simple command."""

    words: tuple[Word, ...]


class Chain(NamedTuple):
    """Commands of a pipeline or an `&&`/`||` list; ``operators`` are in front of the second and later ones."""

    nodes: "tuple[Node, ...]"
    operators: tuple[str, ...]


class If(NamedTuple):
    """Conditions with their bodies; the last one has the condition None if it is an `else`."""

    branches: "tuple[tuple[tuple[Node, ...] | None, tuple[Node, ...]], ...]"


class Block(NamedTuple):
    """A group, or the body of a loop or a `case` that may be ``skipped``."""

    nodes: "tuple[Node, ...]"
    skipped: bool


class Function(NamedTuple):
    """The definition of a function."""

    name: str
    nodes: "tuple[Node, ...]"


Node: TypeAlias = Command | Chain | If | Block | Function


def parsed(text: str) -> tuple[Node, ...]:
    """Return the tree of a script; of one that cannot be read, the part in front of the fault."""
    pieces = list(tokens(text[:MAX_TEXT].replace("\\\n", " ")))
    return _Parser(pieces).statements(frozenset())


def _bare(piece: Token | None) -> str | None:
    """The text of an unquoted word without variables: only such a word can be a keyword."""
    if piece is None or isinstance(piece, str) or any(part.quoted for part in piece):
        return None
    return literal(piece)


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def statements(self, ends: frozenset[str]) -> tuple[Node, ...]:
        """The statements up to a word of ``ends``, which stays."""
        found: list[Node] = []
        self._depth += 1
        while self._at < len(self._tokens) and self._depth < _MAX_DEPTH:
            piece = self._peek()
            if piece in ends or _bare(piece) in ends:
                break
            if piece in _SEPARATORS or piece in ("|", "&&", "||") or _bare(piece) in _CLOSING or piece == ")":
                self._at += 1
                continue
            found.append(self._chain(ends))
        self._depth -= 1
        return tuple(found)

    def _peek(self, ahead: int = 0) -> Token | None:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def _chain(self, ends: frozenset[str]) -> Node:
        nodes, operators = [self._statement(ends)], list[str]()
        while (operator := self._peek()) in ("&&", "||", "|"):
            assert isinstance(operator, str)
            self._at += 1
            while self._peek() == "\n":
                self._at += 1
            operators.append(operator)
            nodes.append(self._statement(ends))
        return nodes[0] if len(nodes) == 1 else Chain(tuple(nodes), tuple(operators))

    def _statement(self, ends: frozenset[str]) -> Node:
        piece = self._peek()
        word = _bare(piece)
        if word == "if":
            return self._if()
        if word in _LOOPS:
            self._skip_to("do")
            return Block(self._body("done"), skipped=True)
        if word == "case":
            self._skip_to("in")
            return Block(self._body("esac"), skipped=True)
        if word == "{" or piece == "(":
            self._at += 1
            return Block(self._body("}" if word else ")"), skipped=False)
        if word == "function":
            self._at += 1
            word = _bare(self._peek())
            return self._function(word or "")
        if word is not None and self._peek(1) == "(" and self._peek(2) == ")":
            return self._function(word)
        return self._command()

    def _function(self, name: str) -> Node:
        self._at += 1
        while self._peek() in ("(", ")", "\n"):
            self._at += 1
        if _bare(self._peek()) != "{":
            return Function(name, ())
        self._at += 1
        return Function(name, self._body("}"))

    def _body(self, end: str) -> tuple[Node, ...]:
        nodes = self.statements(frozenset({end}))
        self._at += 1
        return nodes

    def _skip_to(self, word: str) -> None:
        while self._at < len(self._tokens) and _bare(self._peek()) != word:
            self._at += 1
        self._at += 1

    def _if(self) -> If:
        branches: list[tuple[tuple[Node, ...] | None, tuple[Node, ...]]] = []
        keyword = "if"
        while keyword in ("if", "elif"):
            self._at += 1
            condition = self._body("then")
            branches.append((condition, self.statements(frozenset({"elif", "else", "fi"}))))
            keyword = _bare(self._peek()) or ""
        if keyword == "else":
            self._at += 1
            branches.append((None, self.statements(frozenset({"fi"}))))
        self._at += 1
        return If(tuple(branches))

    def _command(self) -> Command:
        words: list[Word] = []
        test = _bare(self._peek()) == "[["
        while self._at < len(self._tokens):
            piece = self._peek()
            assert piece is not None
            if isinstance(piece, str):
                if not test or piece == "\n":
                    break
                piece = (Part(piece),)
            words.append(piece)
            self._at += 1
            if test and _bare(piece) == "]]":
                break
        if not words:
            # an operator where a command should be
            self._at += 1
        return Command(tuple(words))
