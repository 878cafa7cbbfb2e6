"""A suite as an exercise of Dodona for TESTed, its judge for many languages.

What TESTed asks in its own terms it can ask of other languages too; the rest is written as Python.
What it has no words for is left out, and named. The format is that of `tested/dsl/schema.json` in
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
"""What TESTed calls an exception around each step: a variable of that name is gone after it."""
_SETTINGS: Final = {Ignored.CASE: "caseInsensitive"}
"""What TESTed can be told not to count in a text."""
_BLANK_ENDS: Final = {"stdout": {"ignoreWhitespace": True}}
"""Empty lines at the end of a text do not count for us."""


class _Expression(str):
    """A value that is written as Python has it."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as a block, and values with their tag."""

    def ignore_aliases(self, data: object) -> bool:
        """Write what is there twice twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


def _expression(dumper: yaml.SafeDumper, text: _Expression) -> yaml.Node:
    if text == "set()":  # which is a call to them
        return dumper.represent_sequence("!set", [], flow_style=True)
    return dumper.represent_scalar("!expression", str(text), style='"')


_Dumper.add_representer(str, _text)
_Dumper.add_representer(_Expression, _expression)


class _Lost(Exception):
    """TESTed has no words for it: the message says for what."""


@dataclass(slots=True, kw_only=True)
class DodonaExercise:
    """The files of an exercise of Dodona, by their paths, and what is not in them."""

    files: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def exercise_for_tested(suite: Suite, spec: str, solution: str) -> DodonaExercise:
    """Return what is public of `suite`, with the text that students get and a solution.

    Raises `ValueError` where it has several modules: Dodona takes one file of a student.
    """
    if len(suite.modules) != 1:
        raise ValueError(f"{suite.exercise} has several modules, and Dodona takes one file")
    made = DodonaExercise(left_out=list(_lost_settings(suite, solution)))
    tabs = []
    for session in suite.sessions:
        if session.visibility is Visibility.PUBLIC:
            testcases = list(_testcases(suite, session, made.left_out))
            if testcases:
                tabs.append({"tab": session.title, "contexts": [{"testcases": testcases}]})
    if not tabs:
        raise ValueError(f"TESTed can ask nothing of what {suite.exercise} asks in public")
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
    """Yield what belongs to the whole `suite` and cannot go along."""
    hidden = sum(session.visibility is not Visibility.PUBLIC for session in suite.sessions)
    if hidden:
        yield f"{hidden} sessions that are not public"
    if suite.rules:
        yield "rules"
    if suite.given or suite.checkers:
        yield "given code and checkers"
    if any(suite.stand_ins) or any(session.observers for session in suite.sessions):
        yield "stand-ins, and looks at what a refused step leaves unchanged"
    if suite.now is not None or suite.writes:
        yield "a clock that stands still, and files that are written"
    if "__main__" in solution and any(session.runs for session in suite.sessions):
        yield "programs behind `if __name__ == '__main__'`: TESTed imports what it runs"
    yield "points: Dodona accepts a hand-in or it does not"


def _testcases(suite: Suite, session: Session, left_out: list[str]) -> Iterator[dict[str, Any]]:
    names = _Names(suite, session)
    for number, step in enumerate(session.steps, start=1):
        if names.imports(step.do.text):
            continue  # they import the module, and we name what is in it
        try:
            testcase = _testcase(suite, step, names)
        except _Lost as lost:
            left_out.append(f"{session.id}, step {number}: {lost}")
            if not isinstance(step.expectation, Returns | Accepts) or step.stdin is not None:
                return  # what comes after it would ask of another state
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
        raise _Lost("lines that are typed to a function")
    wanted = step.expectation if step.group is not None else None
    if isinstance(wanted, SameAs):
        code = f"({step.do.text}) is {wanted.name}"
        return {"expression": names.code(code), "return": True, **besides}
    if isinstance(wanted, Shows) and wanted.of_value:
        shown = str(_printed(wanted)).rstrip("\n")  # as the prompt does
        return {"expression": names.code(f"repr({step.do.text})"), "return": shown}
    # What an expression returns is looked at, be it None; that of a statement is not.
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
    """Return what stays of a screen where no prompt is printed, and nothing typed is echoed."""
    waiting, kept = [*typed], []
    for line in wanted.text.splitlines(keepends=True):
        if waiting and line.rstrip("\n").endswith(waiting[0]):
            del waiting[0]
        else:
            kept.append(line)
    if waiting and len(waiting) < len(typed):
        raise _Lost("a screen on which not all stands that is typed")
    return replace(wanted, text="".join(kept))


def _outcome(wanted: Expectation | None) -> dict[str, Any]:
    match wanted:
        case None | Completes():
            return {}
        case Accepts():
            raise _Lost("an answer that a checker accepts")
        case Returns() | Raises() | Prints() if wanted.others:
            raise _Lost("several answers that will do")
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
            raise _Lost("what is expected")


def _value(wanted: Returns) -> _Expression:
    if wanted.leniency.is_tolerant or wanted.leniency.ignored or wanted.leniency.ellipsis:
        raise _Lost("a value of which not all counts")
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
        raise _Lost("a text of which not all counts")
    if leniency.is_tolerant:
        raise _Lost("a text with numbers that may differ")
    return {"data": wanted.text, "config": settings} if settings else wanted.text


class _Names:
    """What the code of a session is about, in the terms of TESTed."""

    def __init__(self, suite: Suite, session: Session) -> None:
        self._module: Final = suite.modules[0]
        codes = [step.do for step in session.steps]
        binds = {each for code in codes if not self.imports(code.text) for each in code.binds}
        self._renamed: Final = {each: f"{each}_" for each in binds & {_CAUGHT, self._module}}
        imported = any(code.text.split() == ["import", self._module] for code in codes)
        self._known: Final = _BUILT_IN | ({self._module} if imported else frozenset())
        self.bound: set[str] = set()

    def imports(self, code: str) -> bool:
        """Return whether all that `code` does is to import the module of the student."""
        found = _IMPORT.fullmatch(code)
        return found is not None and self._module in found.groups()

    def code(self, code: str) -> str | dict[str, str]:
        """Return `code` as TESTed has it, or as Python that knows the module by its name."""
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
            raise _Lost("a statement of several lines")
        return {"python": "; ".join(lines)}


class _Qualified(ast.NodeTransformer):
    """Names what a module of a student defines by way of that module, as TESTed imports it."""

    def __init__(self, module: str, known: AbstractSet[str], renamed: Mapping[str, str]) -> None:
        self._module: Final = module
        self._known: Final = known
        self._renamed: Final = renamed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known:
            return ast.Name(self._renamed.get(node.id, node.id), node.ctx)
        return ast.Attribute(ast.Name(self._module, ast.Load()), node.id, node.ctx)


def _is_plain(statement: ast.stmt, bound: set[str]) -> bool:
    """Return whether TESTed reads this as it reads any language: calls, attributes and data."""
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
