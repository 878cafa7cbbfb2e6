"""Turns examples into drafts of steps, with actions and output in separate steps.

`print(puzzle.fill((0, 1)).fill((0, 2)))` tries two actions, each of which must return the puzzle,
and then prints the board. In a single step, a mistake in `__str__` would cost all points. In three
steps, each mistake costs only its share. The reference shows whether an action returns its object.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from typing import Final

from grader.plugins.authoring.deriving.examples import Example
from grader.sandbox.planning import Item

WITHOUT_SUBJECT: Final = "session"
"""The subject of a draft that tries nothing with a name."""


@unique
class DraftExpectation(Enum):
    """The kind of expectation of a draft."""

    COMPLETES = "completes"
    RETURNS = "returns"
    PRINTS = "prints"
    RAISES = "raises"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A future step of a suite, whose expectation is still text from the spec."""

    code: str
    want: DraftExpectation
    lines: tuple[str, ...] = ()
    """The lines of output that the spec shows."""
    exception: str | None = None
    same_as: str | None = None
    """The name of the object that an action must return, for `DraftExpectation.SAME`."""
    subject: str
    """The name of what is tried: a class, function, method or attribute, or `str`."""
    receiver: str | None = None
    """The name of the object on which it is tried."""
    share: Fraction
    """Its share of the example. The shares of one example add up to 1."""
    example: Example

    @property
    def refuses(self) -> bool:
        """Whether it shows a refusal. `StopIteration` does not count as a refusal."""
        if self.exception is not None:
            return not self.exception.startswith(StopIteration.__name__)
        return is_attempt(ast.parse(self.code))

    @property
    def is_silent(self) -> bool:
        """Whether it is a case that shows no output and binds no name."""
        is_case = self.want in {DraftExpectation.RETURNS, DraftExpectation.COMPLETES}
        return is_case and not (self.lines or self.binds or self.example.is_setup)

    @property
    def binds(self) -> tuple[str, ...]:
        """The names that the step assigns or imports."""
        return tuple(dict.fromkeys(_bound_names(ast.parse(self.code))))

    def item(self, index: int) -> Item:
        """Return the item that runs the draft as the step with this `index`."""
        return Item(
            step_index=index,
            code=self.code if self.example.input_text is None else self.example.runnable_code,
            is_expression=self.example.expression is not None,
            binds=self.binds,
        )


def is_attempt(tree: ast.Module) -> bool:
    """Return whether `tree` is a `try` statement that shows a refusal."""
    match tree.body:
        case [ast.Try(handlers=[_, *_], orelse=[])]:
            return True
        case _:
            return False


def _bound_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that `tree` assigns or imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=module, asname=asname):
                yield asname or module.partition(".")[0]  # `import a.b` binds `a`


def drafts_of(example: Example) -> list[Draft]:
    """Return the drafts for `example`. A printed chain of actions becomes several drafts."""
    expression = example.expression
    if expression is None:
        return [_statement_draft(example)]
    argument = _print_argument(expression)
    if example.exception is None and argument is not None:
        return _print_drafts(example, argument)
    expectation = DraftExpectation.RETURNS if example.exception is None else DraftExpectation.RAISES
    return [_single_draft(example, expectation, expression)]


def program_draft(module: str, line: int) -> Draft:
    """Return the draft of a step that runs `module` as a program, shown on `line` of the spec."""
    return Draft(
        code="",
        want=DraftExpectation.PRINTS,
        subject=module,
        share=Fraction(1),
        example=Example(code="", line=line),
    )


def unsplit_draft(example: Example) -> Draft:
    """Return `example`, which is an expression, as a single draft, even if it is a chain."""
    expression = example.expression
    assert expression is not None, "only expressions are split"
    return _single_draft(
        example, DraftExpectation.PRINTS, _print_argument(expression) or expression
    )


def as_single_draft(example: Example) -> Draft:
    """Return `example`, an expression or statements, as a single draft."""
    return _statement_draft(example) if example.expression is None else unsplit_draft(example)


def _single_draft(example: Example, expectation: DraftExpectation, expression: ast.expr) -> Draft:
    """Return `example` as a single draft, with the subject of `expression`."""
    subject, receiver = subject_of(expression)
    return Draft(
        code=example.code,
        want=expectation,
        lines=example.want,
        exception=example.exception,
        subject=subject,
        receiver=receiver,
        share=Fraction(1),
        example=example,
    )


def _statement_draft(example: Example) -> Draft:
    """Return `example`, which consists of statements, as a single draft."""
    expectation = DraftExpectation.PRINTS if example.want else DraftExpectation.COMPLETES
    return Draft(
        code=example.code,
        want=expectation if example.exception is None else DraftExpectation.RAISES,
        lines=example.want,
        exception=example.exception,
        subject=_subject_of_statement(ast.parse(example.code)),
        share=Fraction(1),
        example=example,
    )


def _subject_of_statement(tree: ast.Module) -> str:
    """Return the subject of statements: that of the assigned value, or else of the first call."""
    match tree.body:
        case [(ast.Assign() | ast.AnnAssign(value=ast.expr())) as assigned, *_] if assigned.value:
            return subject_of(assigned.value)[0]
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    tried_calls = (
        call
        for call in calls
        # Calls of built-in functions do not count, because `print(f(x))` tries `f`.
        if not (isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id))
    )
    return next((subject_of(call)[0] for call in tried_calls), WITHOUT_SUBJECT)


def _print_drafts(example: Example, printed: ast.expr) -> list[Draft]:
    """Return a draft for each action in the `printed` chain, and one that prints the object.

    If `printed` is not a chain that begins with a name, return a single draft.
    """
    root, calls = _split_chain(printed)
    if root is None:
        return [unsplit_draft(example)]
    # Shares are fractions, because floats need not add up to 1.
    print_share = Fraction(1, 2) if calls else Fraction(1)
    actions = [
        Draft(
            code=f"{root}.{ast.unparse(call)}",
            want=DraftExpectation.SAME,
            same_as=root,
            subject=_function_name(call),
            receiver=root,
            share=(1 - print_share) / len(calls),
            example=example,
        )
        for call in calls
    ]
    print_draft = Draft(
        code=f"print({root})",
        want=DraftExpectation.PRINTS,
        lines=example.want,
        subject="str",
        receiver=root,
        share=print_share,
        example=example,
    )
    return [*actions, print_draft]


def _print_argument(expression: ast.expr) -> ast.expr | None:
    match expression:
        case ast.Call(func=ast.Name(id="print"), args=[printed], keywords=[]):
            return printed
        case _:
            return None


def _split_chain(expression: ast.expr) -> tuple[str | None, list[ast.Call]]:
    """Return the name at the root of `name.a(...).b(...)`, and the calls without their receivers.

    The name is None if `expression` is not such a chain. A name alone is a chain without calls.
    """
    match expression:
        case ast.Name(id=name):
            return name, []
        case ast.Call(
            func=ast.Attribute(value=receiver, attr=method), args=args, keywords=keywords
        ):
            root, calls = _split_chain(receiver)
            call = ast.Call(ast.Name(method, ast.Load()), args, keywords)
            return root, [*calls, call]
        case _:
            return None, []


def _function_name(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name), "created by _split_chain"
    return call.func.id


def subject_of(expression: ast.expr) -> tuple[str, str | None]:
    """Return the subject of `expression`, and the name of its receiver, or None if it has none.

    The subject is `WITHOUT_SUBJECT` if `expression` is neither a call nor an attribute.
    """
    match expression:
        case ast.Call(func=ast.Name(id="str" | "print"), args=[ast.Name(id=name)]):
            return "str", name
        case ast.Call(func=ast.Name(id=name)):
            return name, None
        case ast.Call(func=ast.Attribute() as attribute):
            return subject_of(attribute)
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return attribute, name
        case ast.Attribute(value=inner, attr=attribute):
            return attribute, subject_of(inner)[1]
        case _:
            return WITHOUT_SUBJECT, None


def observers(drafts: Iterable[Draft]) -> list[str]:
    """Return the expressions in `drafts` that show the state of objects that refuse something.

    Only `str`, attributes and methods without arguments are returned.
    """
    drafts = list(drafts)
    refusing = {
        draft.receiver
        for draft in drafts
        if draft.want is DraftExpectation.RAISES and draft.receiver
    }
    return list(dict.fromkeys(_observations(drafts, refusing)))


def _observations(drafts: Iterable[Draft], names: set[str]) -> Iterator[str]:
    """Yield expressions in `drafts` that show the state of the objects with these `names`."""
    for draft in drafts:
        if draft.receiver not in names or not draft.lines:
            continue
        if draft.subject == "str":
            yield f"str({draft.receiver})"
        elif draft.code in {
            f"{draft.receiver}.{draft.subject}",
            f"{draft.receiver}.{draft.subject}()",
        }:
            yield draft.code
