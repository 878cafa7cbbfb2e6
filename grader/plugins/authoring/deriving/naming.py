"""Names a case after its subject: the part of the submission that it tests.

A subject is a function, a class, or an operator of a class. `sorted(unique("b a"))` tests `unique`,
`a + b` tests the `+` of the class of `a`, and `values`, after `bubble(values)`, tests `bubble`: a
value or a file is credited to the function that changed it last, as in `open('a.txt').read()` after
`save('a.txt')`. A statement that does not involve the submission, such as an import or
`x = [3, 1]`, is set-up and earns nothing. So is `x = read()` if a later example shows `x`.
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
from grader.sandbox.planning import read_names
from grader.sandbox.scenery import binds_only_names
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
    ast.NotIn: "in",  # both call `__contains__`
}
_CLASS_CHECKS: Final = frozenset({"isinstance", "issubclass", "type", "hasattr", "getattr"})
"""Built-in functions that show something about a class: the class is the subject, not an operation
on its objects."""
# Without `str`, because the text of an object is a subject itself.
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
    """Names of the modules of the submission."""
    _bound_modules: set[str]
    """Names that refer to these modules so far, aliases included."""
    _previous_subject: str | None = None
    """The subject of the previous case."""
    _makers: dict[str, str] = field(default_factory=dict)
    """The function or class of the submission that created or last changed a value or file. Values
    are keyed by their names, and files by the literals of their names."""

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> Namer:
        """Return the namer for a reference with these `sources`, keyed by module name."""
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
            # With a single module, steps use its names directly.
            _bound_modules={*(sources if len(sources) > 1 else ())},
        )

    def add_subjects(
        self,
        pairs: Sequence[tuple[Draft, DerivedExpectation]],
        effects: Sequence[Effect],
    ) -> Iterator[tuple[Draft, DerivedExpectation]]:
        """Yield `pairs` with their subjects, and with set-up marked.

        A function call that shows nothing is set-up if later examples show its effect. The
        first of these examples is named after that function if it only observes a value. `effects`
        has the effect of each draft. Use a namer for one session only, because it remembers which
        function made each value.
        """
        drafts: list[Draft] = []
        observed_subjects: dict[int, str] = {}
        for index, ((draft, proof), effect) in enumerate(zip(pairs, effects, strict=True)):
            # Drafts are processed in order, because each can change the makers of values.
            named_draft = self._name_draft(
                draft, shows="shows" in proof.expectation, is_idle=effect.is_idle
            )
            if named_draft.subject in self.functions | self.attributes:
                self._makers.update(dict.fromkeys(effect.changed, named_draft.subject))
            if index in observed_subjects and self._only_observes(named_draft):
                named_draft = replace(named_draft, subject=observed_subjects[index], receiver=None)
            showing_indexes = [
                later for later in effect.alters if draft.is_silent and pairs[later][0].lines
            ]
            if showing_indexes and named_draft.subject in self.functions:
                observed_subjects[showing_indexes[0]] = named_draft.subject
                named_draft = _mark_as_setup(named_draft)
            drafts.append(named_draft)
        # A second loop, because a draft is compared with the subjects of later ones.
        for index, (_, proof) in enumerate(pairs):
            showing_index = self._find_showing_draft(drafts, index)
            if showing_index is not None:
                subject = drafts[index].subject
                drafts[index] = _mark_as_setup(drafts[index])
                drafts[showing_index] = replace(
                    drafts[showing_index], subject=subject, receiver=None
                )
            expectation = {} if drafts[index].example.is_setup else proof.expectation
            if effects[index].is_pure:
                expectation = {**expectation, "action": False}
            yield drafts[index], replace(proof, expectation=expectation)

    def _only_observes(self, draft: Draft) -> bool:
        """Return whether `draft` is an expression that passes no arguments to the submission."""
        return draft.example.expression is not None and not any(
            isinstance(node, ast.Call)
            and (node.args or node.keywords)
            and not (isinstance(node.func, ast.Name) and node.func.id in _BUILTINS | {"str"})
            for node in ast.walk(ast.parse(draft.code))
        )

    def _find_showing_draft(self, drafts: Sequence[Draft], index: int) -> int | None:
        """Return the index of the draft that shows a value which the draft at `index` only binds.

        Return None if there is no such draft. The binding should not be a case of its own, because
        even a function that does nothing can be called without an error.
        """
        draft = drafts[index]
        is_case = draft.want is DraftExpectation.COMPLETES and not draft.example.is_setup
        if not is_case or not binds_only_names(ast.parse(draft.code)):
            return None
        for later in range(index + 1, len(drafts)):
            later_draft = drafts[later]
            reads_value = not read_names(later_draft.code).isdisjoint(draft.binds)
            if not reads_value or not later_draft.example.is_shown:
                continue
            if draft.subject == later_draft.subject or self._shows_result(draft, later_draft):
                return later
        return None

    def _shows_result(self, draft: Draft, later: Draft) -> bool:
        """Return whether `later` shows the result of an operator or a method in `draft`."""
        return draft.subject not in self.functions | self.classes and self._only_observes(later)

    def _name_draft(self, draft: Draft, *, shows: bool, is_idle: bool) -> Draft:
        """Return `draft` with its subject, or marked as set-up, and record what it makes.

        `shows` is whether the case expects the text at a prompt, and `is_idle` whether the draft
        shows the same with an empty submission.
        """
        if not draft.code:
            return draft
        original_tree = ast.parse(draft.code)
        # The code is parsed again, because the visitor changes its tree.
        tree = _PrefixRemover(self._bound_modules).visit(ast.parse(draft.code))
        # This follows the removal of prefixes, because the code of the draft uses the old names.
        self._record_modules(original_tree)
        if draft.example.is_setup:
            return draft
        imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
        involved = [] if imports else [*self._involved_names(tree)]
        if not involved and (is_idle or not draft.example.is_shown):
            return _mark_as_setup(draft)
        subject, receiver = draft.subject, draft.receiver
        if self._has_weak_subject(draft, involved):
            better_subject = (
                self._better_subject(tree, involved, shows=shows)
                if involved
                else self._previous_subject
            )
            subject, receiver = better_subject or subject, None
        self._record_makers(tree, involved, draft)
        return replace(draft, subject=subject, receiver=receiver)

    def _has_weak_subject(self, draft: Draft, involved: Sequence[str]) -> bool:
        """Return whether the subject of `draft` might not be what it tests in the submission.

        For example, `read` might be the method of a file, even if the submission has a function
        `read`. `involved` has the names in the draft that involve the submission.
        """
        if draft.subject in self.attributes | {"str"}:
            belongs = True
        else:
            involved_subject = ({draft.subject} | self.modules).intersection(involved)
            belongs = bool(involved_subject) and draft.subject in self.functions | self.classes
        return not belongs or (
            # If a class is the receiver, as in `Color.RED`, no object is tested.
            draft.receiver in self.classes and not isinstance(draft.example.expression, ast.Call)
        )

    def _involved_names(self, tree: ast.AST) -> Iterator[str]:
        """Yield the names in `tree` that involve the submission, in reading order.

        A string literal counts too if it is the name of a file that the submission has written.
        """
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Constant)]
        # The nodes are sorted, because `ast.walk` is breadth-first.
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            match node:
                case ast.Name(id=name, ctx=ast.Load() | ast.Del()) if self._is_from_submission(
                    name
                ):
                    yield name
                case ast.Constant(value=str(file)) if repr(file) in self._makers:
                    yield repr(file)

    def _is_from_submission(self, name: str) -> bool:
        """Return whether the submission defines `name`, or created the value or file so named."""
        defined = self.functions | self.classes | self.modules
        return name in defined or name in self._makers

    def _better_subject(self, tree: ast.Module, involved: Sequence[str], *, shows: bool) -> str:
        """Return the subject of `tree`: a function, an attribute, or an operation on an object.

        `involved` has at least one name. `shows` is whether the case expects the text at a prompt.
        """
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                    return name
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)) if (
                    self._is_from_submission(name)
                ):
                    return attribute
        match tree.body[0]:
            case ast.Expr(value=ast.Tuple(elts=[value, *_]) | value):
                return self._subject_of_value(value, involved, shows=shows)
            case (
                ast.Assign(targets=[ast.Attribute(attr=name)])
                | ast.Delete(targets=[ast.Attribute(attr=name)])
            ):
                return name
            case ast.Try(body=[*_, last]):
                return self._better_subject(ast.Module([last], []), involved, shows=shows)
            case ast.Assign(targets=[ast.Subscript()]) | ast.Delete(targets=[ast.Subscript()]):
                return self._operation_subject(involved[0], "[]")
            case ast.AugAssign(op=operator):
                return self._operation_subject(involved[0], OPERATORS[type(operator)])
            case ast.Assign(value=value):
                return self._subject_of_value(value, involved, shows=shows)
            case _:
                return self._maker_of(involved[0])

    def _subject_of_value(self, value: ast.expr, involved: Sequence[str], *, shows: bool) -> str:
        """Return the subject of the expression `value`, which calls no submitted function."""
        match value:
            case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) if type(operator) in OPERATORS:
                return self._operation_subject(involved[0], OPERATORS[type(operator)])
            case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
                return self._operation_subject(involved[0], OPERATORS[type(operator)])
            case ast.Subscript():
                return self._operation_subject(involved[0], "[]")
            case ast.Attribute(attr=name) if not name.startswith("__"):
                return involved[0] if involved[0] in self.classes else name
            case ast.Call(func=ast.Name(id=name)) if name in self._makers:
                return self._operation_subject(name, "()")
            case ast.Call(func=ast.Name(id=name)) if name in _BUILTINS - _CLASS_CHECKS:
                # `print(x)` shows `str(x)`.
                return self._operation_subject(involved[0], "str" if name == "print" else name)
            # A bare name at a prompt shows the `repr` of the object.
            case ast.Name(id=name) if shows and self._maker_of(name) in self.classes:
                return self._operation_subject(name, "repr")
            case _:
                return self._maker_of(involved[0])

    def _record_modules(self, tree: ast.Module) -> None:
        """Record new names of modules of the submission, and remove names that are rebound."""
        match tree.body:
            case [ast.Import(names=names)]:
                self._bound_modules |= {
                    alias.asname or alias.name for alias in names if alias.name in self.modules
                }
            case [ast.Assign(targets=[ast.Name(id=alias)], value=ast.Name(id=name))] if (
                name in self._bound_modules
            ):
                self._bound_modules.add(alias)
            case _:
                self._bound_modules.difference_update(parse_code(ast.unparse(tree)).binds)

    def _maker_of(self, name: str) -> str:
        """Return the function or class that `name` refers to, or that made the value `name`."""
        return name if name in self.functions | self.classes else self._makers.get(name, name)

    def _operation_subject(self, name: str, operation: str) -> str:
        """Return the subject of an `operation`, such as `[]`, on the object called `name`."""
        maker = self._maker_of(name)
        return f"{maker} {operation}" if maker in self.classes else maker

    def _record_makers(self, tree: ast.Module, involved: Sequence[str], draft: Draft) -> None:
        """Record the function or class that made each value that `draft` binds.

        The values that it passes to a function count as made by that function. Later cases are
        named after the maker, which also becomes the previous subject. `involved` are the names
        that the draft uses. If there are none, do nothing.
        """
        if not involved:
            return
        definition = next(
            (name for name in involved if name in self.functions | self.classes), None
        )
        maker = definition or self._makers.get(involved[0], involved[0])
        self._previous_subject = maker
        for name in parse_code(draft.code).binds:
            self._makers[name] = maker
        if definition in self.functions:
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    for argument in node.args:
                        # The function might have changed its arguments.
                        if isinstance(argument, ast.Name) and not self._is_from_submission(
                            argument.id
                        ):
                            self._makers[argument.id] = definition


def _mark_as_setup(draft: Draft) -> Draft:
    return replace(draft, example=replace(draft.example, is_setup=True))


class _PrefixRemover(ast.NodeTransformer):
    """Replaces `marks.read()` with `read()` if `marks` is a module of the submission."""

    def __init__(self, modules: Collection[str]) -> None:
        self._modules = frozenset(modules)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node.value:
            case ast.Name(id=name) if name in self._modules:
                # The position is kept, because names are later sorted by it.
                return ast.copy_location(ast.Name(node.attr, node.ctx), node)
        return self.generic_visit(node)
