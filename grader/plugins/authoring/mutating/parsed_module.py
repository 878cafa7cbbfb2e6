"""One reference module as text and as a syntax tree, for mutators.

Edits apply to the text, at the positions in the tree, so that a mutant keeps the author's layout
and comments. Positions are UTF-8 offsets, as in `ast`.

Some nodes are omitted because changing them does not change the behaviour: docstrings, annotations,
type aliases, imports and the condition of the main block. The contents of f-strings are omitted
because their positions differ between Python versions.
"""

from __future__ import annotations

import ast
import io
import itertools
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
Span: TypeAlias = tuple[int, int]
_Node = TypeVar("_Node", bound=ast.AST)
_Other = TypeVar("_Other", bound=ast.AST)

_Atom: TypeAlias = (
    ast.Name
    | ast.Attribute
    | ast.Subscript
    | ast.Call
    | ast.Constant
    | ast.JoinedStr
    | ast.List
    | ast.Set
    | ast.Dict
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
"""Expressions that never need brackets."""
_TypingNode: TypeAlias = (
    ast.Name | ast.Attribute | ast.Subscript | ast.Tuple | ast.Constant | ast.BinOp | ast.List
)
"""Expressions that can be part of a type."""

_IGNORED_KEYWORDS: Final = {"encoding", "newline", "strict"}
"""Keyword arguments that make no difference for valid input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceModule:
    """A parsed reference module, with lookups for mutators."""

    module_name: str
    source: bytes
    code: bytes
    """The source with spaces in place of comments."""
    line_starts: tuple[int, ...]
    """The offset at which each line starts."""
    tree: ast.Module
    parents: Mapping[ast.AST, ast.AST]
    nodes: Mapping[type[ast.AST], tuple[ast.AST, ...]]
    """The nodes that mutators are allowed to change, in source order, keyed by type."""

    def nodes_of_type(self, node_type: type[_Node]) -> Iterator[_Node]:
        """Yield the changeable nodes of type `node_type`."""
        for node in self.nodes.get(node_type, ()):
            assert isinstance(node, node_type)
            yield node

    def nodes_of_types(
        self, first_type: type[_Node], second_type: type[_Other]
    ) -> Iterator[_Node | _Other]:
        """Yield the changeable nodes of type `first_type`, then those of type `second_type`."""
        yield from self.nodes_of_type(first_type)
        yield from self.nodes_of_type(second_type)

    def defs(self) -> Iterator[FunctionNode]:
        """Yield the functions and methods."""
        yield from self.nodes_of_type(ast.FunctionDef)
        yield from self.nodes_of_type(ast.AsyncFunctionDef)

    def statements(self) -> Iterator[ast.stmt]:
        """Yield the changeable statements, grouped by type."""
        for node_type in self.nodes:
            if issubclass(node_type, ast.stmt):
                yield from self.nodes_of_type(node_type)

    def span(self, node: ast.AST) -> Span:
        """Return the start and end offset of `node`, which must be a node with a position."""
        assert isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword | ast.ExceptHandler)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.line_starts[node.lineno - 1] + node.col_offset,
            self.line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, node: ast.AST) -> str:
        """Return the source of `node`."""
        start, end = self.span(node)
        return self.source[start:end].decode()

    def parenthesized(self, node: ast.expr) -> str:
        """Return the source of an expression, in brackets if adjacent operators require them."""
        text = self.text(node)
        if isinstance(node, _Atom) or (isinstance(node, ast.Tuple) and text.startswith("(")):
            return text
        return f"({text})"

    def indent(self, statement: ast.stmt) -> str:
        """Return the indentation of `statement` as spaces."""
        return " " * statement.col_offset

    def enclosing_function(self, node: ast.AST) -> FunctionNode | None:
        """Return the innermost function around `node`, or None."""
        return next(
            (ancestor for ancestor in self.ancestors(node) if isinstance(ancestor, FunctionNode)),
            None,
        )

    def enclosing_class(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the innermost class around `node`, or None."""
        return next(
            (ancestor for ancestor in self.ancestors(node) if isinstance(ancestor, ast.ClassDef)),
            None,
        )

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of `node`, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def owners(self, node: ast.AST) -> list[ast.stmt]:
        """Return the owner of `node`, followed by the classes around the owner, innermost first.

        The owner is the outermost statement, `node` or one around it, that is not a class. It is
        usually a function or method. If all these statements are classes, the owner is the
        innermost class.
        """
        statements = [
            ancestor for ancestor in (node, *self.ancestors(node)) if isinstance(ancestor, ast.stmt)
        ]
        outside_in = statements[::-1]
        classes = list(
            itertools.takewhile(lambda statement: isinstance(statement, ast.ClassDef), outside_in)
        )
        return (classes + outside_in[len(classes) :][:1])[::-1]

    def block(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements that contains the statement `node`."""
        for _, value in ast.iter_fields(self.parents[node]):
            if isinstance(value, list) and node in value:
                return value
        raise AssertionError(f"the statement is in no block: {ast.dump(node)}")

    def statements_after(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements that follow `node` in its block."""
        block = self.block(node)
        return block[block.index(node) + 1 :]

    def statements_before(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements that precede `node` in its block."""
        block = self.block(node)
        return block[: block.index(node)]


def parse_module(module_name: str, source: str) -> ReferenceModule:
    """Return the parsed `source` of the module `module_name`, which must be trusted and valid."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    # Not `splitlines`, which also splits at form feeds, unlike `ast`.
    lines = [line.encode() for line in text.split("\n")]
    starts = tuple(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    tree = ast.parse(text)
    nodes: dict[type[ast.AST], list[ast.AST]] = {}
    for node in _changeable_nodes(tree):
        nodes.setdefault(type(node), []).append(node)
    return ReferenceModule(
        module_name=module_name,
        source=text.encode(),
        code=_without_comments(text, starts),
        line_starts=starts,
        tree=tree,
        # CPython shares one `ast.Load()` among all names, so a context has no meaningful parent.
        parents={child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)},
        nodes={node_type: tuple(nodes_of_kind) for node_type, nodes_of_kind in nodes.items()},
    )


def is_docstring(node: ast.AST) -> bool:
    """Return whether `node` is a statement that consists of a string, such as a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def body_without_docstring(function: FunctionNode) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    return [statement for statement in function.body if not is_docstring(statement)]


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes in the body of `function`, but none inside inner functions and classes."""
    # Reversed, so that nodes are popped in source order.
    pending: list[ast.AST] = list(reversed(body_without_docstring(function)))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _without_comments(text: str, starts: tuple[int, ...]) -> bytes:
    """Return `text` as UTF-8 with each comment overwritten with spaces.

    `starts` has the offset of each line, in bytes.
    """
    lines = text.split("\n")
    code = bytearray(text.encode())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            # `tokenize` counts characters, while `ast` counts bytes.
            start = starts[line - 1] + len(lines[line - 1][:column].encode())
            size = len(token.string.encode())
            code[start : start + size] = b" " * size
    return bytes(code)


def _changeable_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that mutators are allowed to change, parents before children."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if not is_main_program(node):  # its body can be changed, but not its condition
            yield node
        children = [child for child in _children(node) if not _is_unchangeable(child, node)]
        pending.extend(reversed(children))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children of `node`, except annotations, type parameters and parts of f-strings."""
    if isinstance(node, ast.JoinedStr):  # positions in f-strings differ between Python versions
        return
    for field, value in ast.iter_fields(node):
        if field not in {"annotation", "returns", "type_params"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child


def is_main_program(node: ast.AST) -> bool:
    """Return whether `node` is an `if` statement that compares `__name__`, as main blocks do."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case _:
            return False


def _is_unchangeable(node: ast.AST, parent: ast.AST) -> bool:
    """Return whether `node` and the nodes below it are excluded from changes.

    Changing them would not affect the behaviour.
    """
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return True
        case ast.keyword(arg=str() as name):
            return name in _IGNORED_KEYWORDS
        case ast.If(test=ast.Name(id=name)) | ast.If(test=ast.Attribute(attr=name)):
            return name == "TYPE_CHECKING"
        case ast.Compare():
            return is_main_program(parent)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            is_type_name = name.lower() != name != name.upper()  # mixed case, as in Position
            is_type_alias = _is_type(value) and (is_type_name or isinstance(value, ast.Call))
            return isinstance(parent, ast.Module) and is_type_alias
        case ast.AnnAssign(annotation=annotation):
            return "TypeAlias" in ast.dump(annotation)
        case _:
            # By name, because `ast.TypeAlias` is new in Python 3.12.
            return is_docstring(node) or type(node).__name__ == "TypeAlias"


def _is_type(node: ast.expr) -> bool:
    """Return whether the expression `node` is a type, such as `tuple[int, int]`."""
    match node:
        case ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "ParamSpec")):
            return True
        case ast.Subscript(value=value):
            # With an integer inside, as in `table[0]`, the subscript is an element instead.
            return isinstance(value, ast.Name | ast.Attribute) and all(
                isinstance(part, _TypingNode | ast.expr_context | ast.operator)
                and not (isinstance(part, ast.Constant) and isinstance(part.value, int))
                for part in ast.walk(node)
            )
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_type(left) or _is_type(right)
        case _:
            return False
