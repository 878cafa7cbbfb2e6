"""Writes a suite as an exercise of Dodona for TESTed, its judge for many languages.

Steps in TESTed's own language also work for other languages; the rest is written as Python. Parts
that it cannot express are left out, and reported. The format is that of `tested/dsl/schema.json` in
the repository `dodona-edu/universal-judge`.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Final

import yaml

from grader.suite.code import parse_code
from grader.suite.expectations import (
    Accepts,
    Completes,
    Exits,
    Expectation,
    Prints,
    Raises,
    Returns,
    SameAs,
    Shows,
)
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Step
from grader.values.leniency import Ignored
from grader.verdict import Visibility

_DATA: Final = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub)
_IMPORT: Final = re.compile(r"\s*(?:from (\w+) import \*|import (\w+))\s*")
_BUILT_IN: Final = frozenset(dir(builtins))
_CAUGHT: Final = "e"
"""TESTed's `except ... as e` around each step deletes a variable of that name."""
_SETTINGS: Final = {Ignored.CASE: "caseInsensitive"}
"""Settings of TESTed for differences to ignore in a text."""
_BLANK_ENDS: Final = {"stdout": {"ignoreWhitespace": True}}
"""Our suites ignore empty lines at the end of a text."""


class _Expression(str):
    """A value as a Python expression."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes multiline text as a block, and expressions with a tag."""

    def ignore_aliases(self, data: object) -> bool:
        """Write shared data in full instead of as aliases."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


def _expression(dumper: yaml.SafeDumper, text: _Expression) -> yaml.Node:
    if text == "set()":  # TESTed would read it as a call
        return dumper.represent_sequence("!set", [], flow_style=True)
    return dumper.represent_scalar("!expression", str(text), style='"')


_Dumper.add_representer(str, _text)
_Dumper.add_representer(_Expression, _expression)


class _Lost(Exception):
    """TESTed cannot express a part; the message names it."""


@dataclass(slots=True, kw_only=True)
class DodonaExercise:
    """The files of an exercise of Dodona, by path, and the parts left out."""

    files: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def exercise_for_tested(suite: Suite, spec: str, solution: str) -> DodonaExercise:
    """Return the public part of `suite` as an exercise, with its text and a solution.

    Raises `ValueError` if it has several modules, as Dodona takes one file per student.
    """
    if len(suite.modules) != 1:
        raise ValueError(f"{suite.exercise} has several modules, but Dodona takes only one file")
    made = DodonaExercise(left_out=list(_lost_settings(suite, solution)))
    tabs = []
    for session in suite.sessions:
        if session.visibility is Visibility.PUBLIC:
            testcases = list(_testcases(suite, session, made.left_out))
            if testcases:
                tabs.append({"tab": session.title, "contexts": [{"testcases": testcases}]})
    if not tabs:
        raise ValueError(f"TESTed can express no public case of {suite.exercise}")
    whole = {"namespace": suite.modules[0], "config": _BLANK_ENDS, "tabs": tabs}
    config = {
        "type": "exercise",
        "programming_language": "python",
        "description": {"names": {suite.language: suite.title}},
        "evaluation": {"test_suite": "suite.yaml"},
    }
    made.files = {
        "config.json": json.dumps(config, indent=2, ensure_ascii=False) + "\n",
        "evaluation/suite.yaml": yaml.dump(
            whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
        ),
        f"description/description.{suite.language}.md": spec,
        f"solution/solution.{suite.language}.py": solution,
        **{f"description/media/{name}": text for name, text in suite.files.items()},
    }
    return made


def _lost_settings(suite: Suite, solution: str) -> Iterator[str]:
    """Yield the parts of the whole `suite` that TESTed cannot express."""
    hidden = sum(session.visibility is not Visibility.PUBLIC for session in suite.sessions)
    if hidden:
        yield f"{hidden} sessions that are not public"
    if suite.rules:
        yield "rules"
    if suite.given or suite.checkers:
        yield "given code and checkers"
    if any(suite.stand_ins) or any(session.observers for session in suite.sessions):
        yield "stand-ins, and observers of refused steps"
    if suite.now is not None or suite.writes:
        yield "a fixed clock, and files that are written"
    if "__main__" in solution and any(session.runs for session in suite.sessions):
        yield "programs under `if __name__ == '__main__'`: TESTed imports what it runs"
    yield "points: Dodona only accepts or rejects a hand-in"


def _testcases(suite: Suite, session: Session, left_out: list[str]) -> Iterator[dict[str, Any]]:
    names = _Names(suite, session)
    for number, step in enumerate(session.steps, start=1):
        if names.imports(step.do.text):
            continue  # TESTed imports the module itself, and `code` names it where needed
        try:
            testcase = _testcase(suite, step, names)
        except _Lost as lost:
            left_out.append(f"{session.id}, step {number}: {lost}")
            if not isinstance(step.expectation, Returns | Accepts) or step.stdin is not None:
                return  # later steps need the state that this one makes
            yield {"statement": names.code(step.do.text)}
        else:
            yield testcase
        names.bound |= {*step.do.binds}


def _testcase(suite: Suite, step: Step, names: _Names) -> dict[str, Any]:
    files = [{"path": name, "content": text} for name, text in suite.files.items()]
    besides: dict[str, Any] = {"input_files": files} if files else {}
    if step.note is not None:
        besides["description"] = step.note
    if step.run is not None:
        return {**_main_call(step), **besides}
    if step.stdin is not None:
        raise _Lost("typed lines for a function")
    wanted = step.expectation if step.group is not None else None
    if isinstance(wanted, SameAs):
        code = f"({step.do.text}) is {wanted.name}"
        return {"expression": names.code(code), "return": True, **besides}
    if isinstance(wanted, Shows) and wanted.of_value:
        shown = str(_printed(wanted)).rstrip("\n")  # `repr` has no line end
        return {"expression": names.code(f"repr({step.do.text})"), "return": shown}
    # TESTed checks the result of an expression, None too, but not that of a statement.
    is_asked = step.is_expression and isinstance(wanted, Returns | Accepts | Raises)
    kind = "expression" if is_asked else "statement"
    return {kind: names.code(step.do.text), **_outcome(wanted), **besides}


def _main_call(step: Step) -> dict[str, Any]:
    wanted = step.expectation
    if not isinstance(wanted, Exits) or wanted.accepts is not None:
        raise _Lost("a program whose output a checker accepts")
    call: dict[str, Any] = {"stdin": step.stdin or ""}
    if step.argv:
        call["arguments"] = [*step.argv]
    if wanted.printed is not None:
        call["stdout"] = _printed(_without_prompts(wanted.printed, wanted.typed))
    return {**call, "exit_code": wanted.code} if wanted.code else call


def _without_prompts(wanted: Prints, typed: Sequence[str]) -> Prints:
    """Return `wanted` without the lines of prompts and typed input, which TESTed does not echo."""
    waiting, kept = [*typed], []
    for line in wanted.text.splitlines(keepends=True):
        if waiting and line.rstrip("\n").endswith(waiting[0]):
            del waiting[0]
        else:
            kept.append(line)
    if waiting and len(waiting) < len(typed):
        raise _Lost("a screen without all typed lines")
    return replace(wanted, text="".join(kept))


def _outcome(wanted: Expectation | None) -> dict[str, Any]:
    match wanted:
        case None | Completes():
            return {}
        case Accepts():
            raise _Lost("an answer that a checker accepts")
        case Returns() | Raises() | Prints() if wanted.others:
            raise _Lost("several right answers")
        case Returns():
            return {"return": _value(wanted)}
        case Raises():
            message = {} if wanted.message is None else {"message": wanted.message}
            if not message:
                raise _Lost("an exception with any message")
            return {"exception": {**message, "types": {"python": wanted.type_name}}}
        case Prints():
            return {"stdout": _printed(wanted)}
        case _:
            raise _Lost("the expected result")


def _value(wanted: Returns) -> _Expression:
    if wanted.leniency.is_tolerant or wanted.leniency.ignored or wanted.leniency.ellipsis:
        raise _Lost("a value that is compared leniently")
    try:
        nodes = [*ast.walk(ast.parse(wanted.text, mode="eval").body)]
    except SyntaxError:
        nodes = []
    if wanted.text == "set()":
        return _Expression(wanted.text)
    if not nodes or not all(isinstance(each, (*_DATA, ast.Load)) for each in nodes):
        raise _Lost(f"the value {wanted.text[:60]}")
    return _Expression(wanted.text)


def _printed(wanted: Prints) -> str | dict[str, Any]:
    leniency = wanted.leniency
    settings: dict[str, Any] = {
        name: True for each, name in _SETTINGS.items() if each in leniency.ignored
    }
    if leniency.ellipsis or leniency.ignored - {*_SETTINGS, Ignored.PROMPTS}:
        raise _Lost("a text that is compared leniently")
    if leniency.is_tolerant:
        raise _Lost("a text with a tolerance for numbers")
    return {"data": wanted.text, "config": settings} if settings else wanted.text


class _Names:
    """Translates the names in the code of a session for TESTed."""

    def __init__(self, suite: Suite, session: Session) -> None:
        self._module: Final = suite.modules[0]
        codes = [step.do for step in session.steps]
        binds = {each for code in codes if not self.imports(code.text) for each in code.binds}
        self._renamed: Final = {each: f"{each}_" for each in binds & {_CAUGHT, self._module}}
        imported = any(code.text.split() == ["import", self._module] for code in codes)
        self._known: Final = _BUILT_IN | ({self._module} if imported else frozenset())
        self.bound: set[str] = set()

    def imports(self, code: str) -> bool:
        """Return whether `code` only imports the module of the student."""
        found = _IMPORT.fullmatch(code)
        return found is not None and self._module in found.groups()

    def code(self, code: str) -> str | dict[str, str]:
        """Return `code` in TESTed's own language, or as Python with the module before names."""
        tree = ast.parse(code)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        is_free = used.isdisjoint({*self._renamed, self._module}) and all(
            name[:1].islower() for name in used & self.bound
        )
        if len(tree.body) == 1 and is_free and _is_plain(tree.body[0], self.bound):
            return code
        known = self._known | self.bound | {*parse_code(code).binds}
        named = _Qualified(self._module, known, self._renamed).visit(tree)
        lines = ast.unparse(named).split("\n")
        if len(lines) > len(tree.body):
            raise _Lost("a compound statement")
        return {"python": "; ".join(lines)}


class _Qualified(ast.NodeTransformer):
    """Puts the module before names that the student defines, as TESTed imports only the module."""

    def __init__(self, module: str, known: AbstractSet[str], renamed: Mapping[str, str]) -> None:
        self._module: Final = module
        self._known: Final = known
        self._renamed: Final = renamed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known:
            return ast.Name(self._renamed.get(node.id, node.id), node.ctx)
        return ast.Attribute(ast.Name(self._module, ast.Load()), node.id, node.ctx)


def _is_plain(statement: ast.stmt, bound: set[str]) -> bool:
    """Return whether `statement` is in TESTed's own language: calls, attributes and data."""
    match statement:
        case ast.Expr(value=value):
            return not isinstance(value, ast.Constant) and _is_plain_value(value, bound)
        case ast.Assign(
            targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id=name)) as value
        ):
            is_constructor = target[:1].islower() and name[:1].isupper()
            return is_constructor and _is_plain_value(value, bound)
        case _:
            return False


def _is_plain_value(value: ast.expr, bound: set[str]) -> bool:
    def all_plain(values: Sequence[ast.expr | None]) -> bool:
        return all(each is not None and _is_plain_value(each, bound) for each in values)

    match value:
        case ast.Constant(value=constant):
            return constant is None or isinstance(constant, bool | int | float | str)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return all_plain(items)
        case ast.Dict(keys=keys, values=values):
            return all_plain([*keys, *values])
        case ast.Name(id=name):
            return name in bound
        case ast.Attribute(value=inner):
            return _is_plain_value(inner, bound)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=named):
            others = [each.value for each in named if each.arg is not None]
            is_theirs = name not in _BUILT_IN and name not in bound
            return is_theirs and len(others) == len(named) and all_plain([*arguments, *others])
        case ast.Call(func=ast.Attribute(value=inner), args=arguments, keywords=named):
            others = [each.value for each in named if each.arg is not None]
            return len(others) == len(named) and all_plain([inner, *arguments, *others])
        case _:
            return False
