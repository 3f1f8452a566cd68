"""The stack of subexpressions of Go's ``regexp/syntax``, and its limits: counts, nesting and size.

Source: Go 1.26, ``regexp/syntax/parse.go``.
"""

from typing import Final, NamedTuple

MAX_COUNT: Final = 1000
_MAX_HEIGHT: Final = 1000
_MAX_SIZE: Final = (128 << 20) // 40


class BadPattern(ValueError):
    """Go refuses the pattern. The message is Go's."""


def bad_pattern(code: str, part: str) -> BadPattern:
    """Return the error about a part of a pattern."""
    return BadPattern(f"error parsing regexp: {code}: `{part}`")


class Repeat(NamedTuple):
    """A repetition: ``more`` instructions for ``*``, ``+`` and ``?``, else a count (``most`` -1: unbounded)."""

    more: int
    least: int = 0
    most: int = 0

    def size(self, inner: int) -> int:
        """Return the instructions of the repetition of so many."""
        if self.more:
            return self.more + inner
        if self.most < 0:
            return 2 + inner if self.least == 0 else 1 + self.least * inner
        return max(1, self.most * inner + self.most - self.least)

    def copies(self, inner: int) -> int:
        """Return the largest product of nested counts."""
        if self.more:
            return inner
        if self.most == 0:
            return 1
        return max(1, self.least if self.most < 0 else self.most) * inner


class Node(NamedTuple):
    """A subexpression: what Go's limits count.

    ``op`` is ``literal``, ``class``, ``concat``, ``alternate``, ``other``, or a ``(`` or ``|`` whose end is not yet
    read. ``folds``: case does not count; of a ``(``, outside of it.
    """

    op: str
    height: int = 1
    size: int = 1
    copies: int = 1
    folds: bool = False
    captures: bool = False


class Stack:
    """Go's stack of subexpressions.

    Unlike Go, it does not factor out the common prefixes of alternatives. That could only count right at a limit.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.nodes: list[Node] = []
        self.made = 0
        self.repeats = 1
        self.counts_size = False

    def push(self, node: Node) -> None:
        """Push a new node, after the literals on top have become one."""
        self.made += 1
        self._merge()
        self.nodes.append(node)
        self._check(node)

    def _merge(self) -> None:
        if len(self.nodes) >= 2:
            left, right = self.nodes[-2:]
            if left.op == right.op == "literal" and left.folds == right.folds:
                self.nodes[-2:] = [left._replace(size=left.size + right.size)]
                self.made -= 1

    def _check(self, node: Node) -> None:
        self.counts_size = self.counts_size or self.made >= _MAX_SIZE // self.repeats
        if self.counts_size and node.size > _MAX_SIZE:
            raise bad_pattern("expression too large", self.pattern)
        if node.height > _MAX_HEIGHT:
            raise bad_pattern("expression nests too deeply", self.pattern)

    def repeat(self, kind: Repeat, written: str) -> None:
        """Repeat the node on top."""
        if not self.nodes or self.nodes[-1].op in {"(", "|"}:
            raise bad_pattern("missing argument to repetition operator", written)
        inner = self.nodes[-1]
        self.made += 1
        if not kind.more:
            self.repeats = min(_MAX_SIZE, self.repeats * max(1, kind.least if kind.most < 0 else kind.most))
        made = Node("other", inner.height + 1, kind.size(inner.size), kind.copies(inner.copies))
        self.nodes[-1] = made
        self._check(made)
        if not kind.more and max(kind.least, kind.most) >= 2 and made.copies > MAX_COUNT:
            raise bad_pattern("invalid repeat count", written)

    def open(self, *, captures: bool, folds: bool) -> None:
        """Begin a group."""
        self.push(Node("(", folds=folds, captures=captures))

    def bar(self) -> None:
        """End an alternative."""
        self._concat()
        if not self._swap():
            self.push(Node("|"))

    def close(self) -> bool:
        """End a group. Return whether case counts outside of it not."""
        self._end_alternatives()
        if len(self.nodes) < 2 or self.nodes[-2].op != "(":
            raise bad_pattern("unexpected )", self.pattern)
        inner, group = self.nodes.pop(), self.nodes.pop()
        if group.captures:
            inner = Node("other", inner.height + 1, inner.size + 2, inner.copies)
        self.push(inner)
        return group.folds

    def end(self) -> None:
        """End the pattern."""
        self._end_alternatives()
        if len(self.nodes) != 1:
            raise bad_pattern("missing closing )", self.pattern)

    def _end_alternatives(self) -> None:
        self._concat()
        if self._swap():
            self.nodes.pop()
        self._collapse("alternate", ("(",))

    def _concat(self) -> None:
        self._merge()
        self._collapse("concat", ("(", "|"))

    def _collapse(self, op: str, until: tuple[str, ...]) -> None:
        """Make one node of those above the last group or bar."""
        start = len(self.nodes)
        while start and self.nodes[start - 1].op not in until:
            start -= 1
        inner = self.nodes[start:]
        del self.nodes[start:]
        if len(inner) == 1:
            self.push(inner[0])
            return
        size = sum(one.size for one in inner) + (len(inner) - 1 if op == "alternate" else 0)
        height = max((one.height - (one.op == op) for one in inner), default=0) + 1
        self.push(Node(op if inner else "other", height, max(1, size), max((one.copies for one in inner), default=1)))

    def _swap(self) -> bool:
        """Put the alternative on top below its bar, as one class with the one before if both are single characters."""
        if len(self.nodes) < 2 or self.nodes[-2].op != "|":
            return False
        top = self.nodes[-1]
        if len(self.nodes) >= 3 and _is_single(top) and _is_single(self.nodes[-3]):
            self.nodes[-3:] = [Node("class"), self.nodes[-2]]
        else:
            self.nodes[-2:] = [top, self.nodes[-2]]
        return True


def _is_single(node: Node) -> bool:
    return node.op == "class" or (node.op == "literal" and node.size == 1)
