"""Names a case after its subject: the function, class or operator of the submission that it tests.

`sorted(unique("b a"))` tests `unique`, `a + b` the `+` of the class of `a`, and `values`, after
`bubble(values)`, tests `bubble`: a value or a file is credited to the function that changed it
last, as in `open('a.txt').read()` after `save('a.txt')`. A statement that does not involve the
submission, such as an import or `x = [3, 1]`, is set-up and earns nothing; so is `x = read()` if a
later example shows `x`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from grader.plugins.authoring.deriving.drafts import Draft, DraftExpectation
from grader.plugins.authoring.deriving.effects import Effect
from grader.plugins.authoring.deriving.reconciling import DerivedExpectation
from grader.sandbox.planning import names_read, only_names
from grader.suite.code import parse_code

OPERATORS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "in",
}
_CLASS_CHECKS: Final = frozenset({"isinstance", "issubclass", "type", "hasattr", "getattr"})
# Without `str`: the text of an object is a subject of its own.
_BUILTINS: Final = frozenset(vars(builtins)) - {"str"}


@dataclass(slots=True)
class Namer:
    """Finds the subject of each draft of a session, in order."""

    functions: frozenset[str]
    """Top-level names of the submission, except its classes."""
    classes: frozenset[str]
    attributes: frozenset[str]
    """Methods of its classes, and attributes that they set."""
    modules: frozenset[str]
    _modules: set[str]
    """Names of modules so far, aliases included."""
    _latest: str | None = None
    """The subject of the previous case."""
    _makers: dict[str, str] = field(default_factory=dict)
    """By name of a value, or literal of the name of a file: the function or class of the submission
    that made it, or changed it last."""

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> Namer:
        """Return the namer for a reference with these `sources`, by module."""
        trees = [ast.parse(source) for source in sources.values()]
        body = [node for tree in trees for node in tree.body]
        classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
        functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        functions |= {
            target.id
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        attributes = set[str]()
        for node in (node for tree in trees for node in ast.walk(tree)):
            match node:
                case ast.FunctionDef(name=name) if node not in body and not name.startswith("__"):
                    attributes.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    attributes.add(name)
        return cls(
            functions=frozenset(functions - classes),
            classes=frozenset(classes),
            attributes=frozenset(attributes),
            modules=frozenset(sources),
            # With a single module, steps have its names directly.
            _modules={*(sources if len(sources) > 1 else ())},
        )

    def named(
        self,
        pairs: Sequence[tuple[Draft, DerivedExpectation]],
        effects: Sequence[Effect],
    ) -> Iterator[tuple[Draft, DerivedExpectation]]:
        """Yield `pairs` with their subjects, and with set-up marked; `effects` are of the drafts.

        A call of a function that shows nothing is set-up if later examples show its effect: the
        first of them is named after it, if it only looks.
        """
        found: list[Draft] = []
        looks: dict[int, str] = {}
        for index, ((draft, proof), effect) in enumerate(zip(pairs, effects, strict=True)):
            # In order, as each draft may change the makers of values.
            named = self._named(draft, shows="shows" in proof.expectation, is_idle=effect.is_idle)
            if named.subject in self.functions | self.attributes:
                self._makers.update(dict.fromkeys(effect.changed, named.subject))
            if index in looks and self._only_looks(named):
                named = replace(named, subject=looks[index], receiver=None)
            seen = [at for at in effect.alters if draft.is_silent and pairs[at][0].lines]
            if seen and named.subject in self.functions:
                looks[seen[0]] = named.subject
                named = _as_setup(named)
            found.append(named)
        # Only now all drafts have subjects, so later ones can be compared.
        for number, (_, proof) in enumerate(pairs):
            look = self._look_at(found, number)
            if look is not None:
                found[number], subject = _as_setup(found[number]), found[number].subject
                found[look] = replace(found[look], subject=subject, receiver=None)
            asked = {} if found[number].example.is_setup else proof.expectation
            if effects[number].is_pure:
                asked = {**asked, "action": False}
            yield found[number], replace(proof, expectation=asked)

    def _only_looks(self, draft: Draft) -> bool:
        """Return whether `draft` is an expression that passes nothing to the submission."""
        return draft.example.expression is not None and not any(
            isinstance(node, ast.Call)
            and (node.args or node.keywords)
            and not (isinstance(node.func, ast.Name) and node.func.id in _BUILTINS | {"str"})
            for node in ast.walk(ast.parse(draft.code))
        )

    def _look_at(self, drafts: Sequence[Draft], number: int) -> int | None:
        """Return the index of the draft that shows what draft `number` only binds to a name.

        Such a binding is no case: even an empty function can be called without an error.
        """
        draft = drafts[number]
        is_case = draft.want is DraftExpectation.COMPLETES and not draft.example.is_setup
        if not is_case or not only_names(ast.parse(draft.code)):
            return None
        for later in range(number + 1, len(drafts)):
            each = drafts[later]
            if names_read(each.code).isdisjoint(draft.binds) or not each.example.is_shown:
                continue
            if draft.subject == each.subject or self._shows_it(draft, each):
                return later
        return None

    def _shows_it(self, draft: Draft, look: Draft) -> bool:
        """Return whether `look` shows the result of an operator or a method in `draft`."""
        return draft.subject not in self.functions | self.classes and self._only_looks(look)

    def _named(self, draft: Draft, *, shows: bool, is_idle: bool) -> Draft:
        if not draft.code:
            return draft
        whole = ast.parse(draft.code)
        # Parsed again, as the visitor changes its tree.
        tree = _Unprefixed(self._modules).visit(ast.parse(draft.code))
        self._note_modules(whole)
        if draft.example.is_setup:
            return draft
        imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
        hands = [] if imports else [*self._hands(tree)]
        if not hands and (is_idle or not draft.example.is_shown):
            return _as_setup(draft)
        subject, receiver = draft.subject, draft.receiver
        if self._is_weak(draft, hands):
            better = self._better(tree, hands, shows=shows) if hands else self._latest
            subject, receiver = better or subject, None
        self._note(tree, hands, draft)
        return replace(draft, subject=subject, receiver=receiver)

    def _is_weak(self, draft: Draft, hands: Sequence[str]) -> bool:
        """Return whether the subject of the draft may not belong to the submission.

        A file has a method `read`, even if the submission has a function `read`.
        """
        if draft.subject in self.attributes | {"str"}:
            is_theirs = True
        else:
            named = ({draft.subject} | self.modules).intersection(hands)
            is_theirs = bool(named) and draft.subject in self.functions | self.classes
        return not is_theirs or (
            # A class as a receiver, as in `Color.RED`, is not the object that is tested.
            draft.receiver in self.classes and not isinstance(draft.example.expression, ast.Call)
        )

    def _hands(self, tree: ast.AST) -> Iterator[str]:
        """Yield the names in `tree` that involve the submission, in reading order.

        Literals of files that it has written included.
        """
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Constant)]
        # `ast.walk` goes breadth-first, not in reading order.
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            match node:
                case ast.Name(id=name, ctx=ast.Load() | ast.Del()) if self._is_theirs(name):
                    yield name
                case ast.Constant(value=str(file)) if repr(file) in self._makers:
                    yield repr(file)

    def _is_theirs(self, name: str) -> bool:
        own = self.functions | self.classes | self.modules
        return name in own or name in self._makers

    def _better(self, tree: ast.Module, hands: Sequence[str], *, shows: bool) -> str:
        """Return the subject of `tree`: a function, an attribute, or an operation on an object."""
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                    return name
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)) if (
                    self._is_theirs(name)
                ):
                    return attribute
        match tree.body[0]:
            case ast.Expr(value=ast.Tuple(elts=[value, *_]) | value):
                return self._of_value(value, hands, shows=shows)
            case (
                ast.Assign(targets=[ast.Attribute(attr=name)])
                | ast.Delete(targets=[ast.Attribute(attr=name)])
            ):
                return name
            case ast.Try(body=[*_, tried]):
                return self._better(ast.Module([tried], []), hands, shows=shows)
            case ast.Assign(targets=[ast.Subscript()]) | ast.Delete(targets=[ast.Subscript()]):
                return self._on(hands[0], "[]")
            case ast.AugAssign(op=operator):
                return self._on(hands[0], OPERATORS[type(operator)])
            case ast.Assign(value=value):
                return self._of_value(value, hands, shows=shows)
            case _:
                return self._maker(hands[0])

    def _of_value(self, value: ast.expr, hands: Sequence[str], *, shows: bool) -> str:
        match value:
            case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) if type(operator) in OPERATORS:
                return self._on(hands[0], OPERATORS[type(operator)])
            case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
                return self._on(hands[0], OPERATORS[type(operator)])
            case ast.Subscript():
                return self._on(hands[0], "[]")
            case ast.Attribute(attr=name) if not name.startswith("__"):
                return hands[0] if hands[0] in self.classes else name
            case ast.Call(func=ast.Name(id=name)) if name in self._makers:
                return self._on(name, "()")
            case ast.Call(func=ast.Name(id=name)) if name in _BUILTINS - _CLASS_CHECKS:
                # `print(x)` shows `str(x)`.
                return self._on(hands[0], "str" if name == "print" else name)
            # A bare name at the prompt shows the `__repr__` of the object.
            case ast.Name(id=name) if shows and self._maker(name) in self.classes:
                return self._on(name, "repr")
            case _:
                return self._maker(hands[0])

    def _note_modules(self, tree: ast.Module) -> None:
        """Record new names of modules of the submission, and forget rebound ones."""
        match tree.body:
            case [ast.Import(names=names)]:
                self._modules |= {
                    each.asname or each.name for each in names if each.name in self.modules
                }
            case [ast.Assign(targets=[ast.Name(id=alias)], value=ast.Name(id=name))] if (
                name in self._modules
            ):
                self._modules.add(alias)
            case _:
                self._modules.difference_update(parse_code(ast.unparse(tree)).binds)

    def _maker(self, name: str) -> str:
        return name if name in self.functions | self.classes else self._makers.get(name, name)

    def _on(self, name: str, done: str) -> str:
        """Return the subject of the operation `done` on the object called `name`."""
        maker = self._maker(name)
        return f"{maker} {done}" if maker in self.classes else maker

    def _note(self, tree: ast.Module, hands: Sequence[str], draft: Draft) -> None:
        """Record the values that the submission made, and those passed to its functions."""
        if not hands:
            return
        own = next((name for name in hands if name in self.functions | self.classes), None)
        maker = own or self._makers.get(hands[0], hands[0])
        self._latest = maker
        for name in parse_code(draft.code).binds:
            self._makers[name] = maker
        if own in self.functions:
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    for each in node.args:
                        # The function may have changed its arguments.
                        if isinstance(each, ast.Name) and not self._is_theirs(each.id):
                            self._makers[each.id] = own


def _as_setup(draft: Draft) -> Draft:
    return replace(draft, example=replace(draft.example, is_setup=True))


class _Unprefixed(ast.NodeTransformer):
    """Turns `marks.read()` into `read()` if `marks` is a module of the submission."""

    def __init__(self, modules: Collection[str]) -> None:
        self._modules = frozenset(modules)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node.value:
            case ast.Name(id=name) if name in self._modules:
                # `_hands` sorts names by position.
                return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return self.generic_visit(node)
