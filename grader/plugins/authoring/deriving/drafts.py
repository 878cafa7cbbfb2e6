"""Turns examples into drafts of steps, with actions and output in separate steps.

`print(puzzle.fill((0, 1)).fill((0, 2)))` tries two actions, each of which must return the puzzle,
and then prints the board. As one step, a mistake in `__str__` would cost all its points; as three,
each mistake costs its share. The reference shows whether an action returns its object.
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

WITHOUT_SUBJECT: Final = "session"
"""The subject of a draft without a named one."""


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
    """A step to be, whose expectation is still the text of the spec."""

    code: str
    want: DraftExpectation
    lines: tuple[str, ...] = ()
    """The text that the spec shows."""
    exception: str | None = None
    same_as: str | None = None
    subject: str
    """The name of what is tried: a class, function, method or attribute, or `str`."""
    receiver: str | None = None
    """The name of the object that it is tried on."""
    share: Fraction
    """Its share of the example: the shares of one example add up to 1."""
    example: Example

    @property
    def refuses(self) -> bool:
        """Whether it shows a refusal; `StopIteration` is not one."""
        if self.exception is not None:
            return not self.exception.startswith(StopIteration.__name__)
        return is_attempt(ast.parse(self.code))

    @property
    def is_silent(self) -> bool:
        """Whether it is a case without shown output that binds no name."""
        asked = self.want in {DraftExpectation.RETURNS, DraftExpectation.COMPLETES}
        return asked and not (self.lines or self.binds or self.example.is_setup)

    @property
    def binds(self) -> tuple[str, ...]:
        """The names that the step assigns or imports."""
        return tuple(dict.fromkeys(_bound(ast.parse(self.code))))


def is_attempt(tree: ast.Module) -> bool:
    """Return whether `tree` is a `try` that shows a refusal."""
    match tree.body:
        case [ast.Try(handlers=[_, *_], orelse=[])]:
            return True
        case _:
            return False


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=module, asname=asname):
                yield asname or module.partition(".")[0]  # `import a.b` binds `a`


def drafts_of(example: Example) -> list[Draft]:
    """Return the drafts for `example`, chains of actions split."""
    expression = example.expression
    if expression is None:
        return [_statement(example)]
    printed = _printed(expression)
    if example.exception is None and printed is not None:
        return _print_drafts(example, printed)
    want = DraftExpectation.RETURNS if example.exception is None else DraftExpectation.RAISES
    return [_whole(example, want, expression)]


def program_draft(module: str, line: int) -> Draft:
    """Return the draft of a step that runs `module`, as `line` of the spec shows it."""
    return Draft(
        code="",
        want=DraftExpectation.PRINTS,
        subject=module,
        share=Fraction(1),
        example=Example(code="", line=line),
    )


def unsplit(example: Example) -> Draft:
    """Return `example`, a `print` of an action, as one draft."""
    expression = example.expression
    assert expression is not None, "a print is an expression"
    return _whole(example, DraftExpectation.PRINTS, _printed(expression) or expression)


def as_one(example: Example) -> Draft:
    """Return `example` as one draft, whatever it is."""
    return _statement(example) if example.expression is None else unsplit(example)


def _whole(example: Example, want: DraftExpectation, tried: ast.expr) -> Draft:
    """Return `example` as one draft that is about what the expression `tried` tries."""
    subject, receiver = subject_of(tried)
    return Draft(
        code=example.code,
        want=want,
        lines=example.want,
        exception=example.exception,
        subject=subject,
        receiver=receiver,
        share=Fraction(1),
        example=example,
    )


def _statement(example: Example) -> Draft:
    want = DraftExpectation.PRINTS if example.want else DraftExpectation.COMPLETES
    return Draft(
        code=example.code,
        want=want if example.exception is None else DraftExpectation.RAISES,
        lines=example.want,
        exception=example.exception,
        subject=_subject_of_statement(ast.parse(example.code)),
        share=Fraction(1),
        example=example,
    )


def _subject_of_statement(tree: ast.Module) -> str:
    """Return the subject of the statements of an example: of the assigned value, or first call."""
    match tree.body:
        case [(ast.Assign() | ast.AnnAssign(value=ast.expr())) as assigned, *_] if assigned.value:
            return subject_of(assigned.value)[0]
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    tried = (
        call
        for call in calls
        # `print(f(x))` tries `f`.
        if not (isinstance(call.func, ast.Name) and hasattr(builtins, call.func.id))
    )
    return next((subject_of(call)[0] for call in tried), WITHOUT_SUBJECT)


def _print_drafts(example: Example, printed: ast.expr) -> list[Draft]:
    root, calls = _chain(printed)
    if root is None:
        return [unsplit(example)]
    look = Fraction(1, 2) if calls else Fraction(1)  # floats need not add up to 1
    actions = [
        Draft(
            code=f"{root}.{ast.unparse(call)}",
            want=DraftExpectation.SAME,
            same_as=root,
            subject=_called(call),
            receiver=root,
            share=(1 - look) / len(calls),
            example=example,
        )
        for call in calls
    ]
    shown = Draft(
        code=f"print({root})",
        want=DraftExpectation.PRINTS,
        lines=example.want,
        subject="str",
        receiver=root,
        share=look,
        example=example,
    )
    return [*actions, shown]


def _printed(expression: ast.expr) -> ast.expr | None:
    match expression:
        case ast.Call(func=ast.Name(id="print"), args=[printed], keywords=[]):
            return printed
        case _:
            return None


def _chain(expression: ast.expr) -> tuple[str | None, list[ast.Call]]:
    """Return the name at the root of `name.a(...).b(...)`, and its calls without their receiver."""
    match expression:
        case ast.Name(id=name):
            return name, []
        case ast.Call(
            func=ast.Attribute(value=receiver, attr=method), args=args, keywords=keywords
        ):
            root, calls = _chain(receiver)
            call = ast.Call(ast.Name(method, ast.Load()), args, keywords)
            return root, [*calls, call]
        case _:
            return None, []


def _called(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name), "made by _chain"
    return call.func.id


def subject_of(expression: ast.expr) -> tuple[str, str | None]:
    """Return the subject of `expression`, and the name of the object that it is tried on."""
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
    """Return expressions without arguments that show the state of objects with refusals."""
    drafts = list(drafts)
    refusing = {
        draft.receiver
        for draft in drafts
        if draft.want is DraftExpectation.RAISES and draft.receiver
    }
    return list(dict.fromkeys(_observations(drafts, refusing)))


def _observations(drafts: Iterable[Draft], names: set[str]) -> Iterator[str]:
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
