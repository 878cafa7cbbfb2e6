"""Writes a suite as a Dodona exercise for TESTed, its judge for many programming languages.

Steps in TESTed's own language also work for other languages; other steps are written as Python.
Parts that TESTed cannot express are omitted and reported. The format is defined by
`tested/dsl/schema.json` in the repository `dodona-edu/universal-judge`.
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
_EXCEPTION_NAME: Final = "e"
"""The variable of the `except ... as e` that TESTed puts around each step, which deletes it."""
_LENIENCY_SETTINGS: Final = {Ignored.CASE: "caseInsensitive"}
"""TESTed settings for differences to ignore in text."""
_DEFAULT_CONFIG: Final = {"stdout": {"ignoreWhitespace": True}}
"""Settings for the whole exercise. Suites ignore empty lines at the end of text."""


class _Expression(str):
    """A value as a Python expression."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes multiline text as a block, and expressions with a tag."""

    def ignore_aliases(self, data: object) -> bool:
        """Return True, so that repeated data is written in full instead of as an alias."""
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_expression(dumper: yaml.SafeDumper, text: _Expression) -> yaml.Node:
    if text == "set()":  # TESTed would parse it as a call
        return dumper.represent_sequence("!set", [], flow_style=True)
    return dumper.represent_scalar("!expression", str(text), style='"')


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(_Expression, _represent_expression)


class _NotExpressible(Exception):
    """Raised for a part that TESTed cannot express. The message names the part."""


@dataclass(slots=True, kw_only=True)
class DodonaExercise:
    """The files of a Dodona exercise, keyed by path, and the omitted parts."""

    files: dict[str, str] = field(default_factory=dict)
    omissions: list[str] = field(default_factory=list)


def exercise_for_tested(suite: Suite, spec: str, solution: str) -> DodonaExercise:
    """Convert the public part of `suite` to a Dodona exercise.

    `spec` is the text of the exercise and `solution` the source of a correct solution. Raises
    `ValueError` if the suite has several modules, because a Dodona submission is one file, or if
    TESTed cannot express any public case.
    """
    if len(suite.modules) != 1:
        raise ValueError(
            f"{suite.exercise} has several modules, but Dodona accepts only one file: split it into"
            " exercises with one module each"
        )
    exercise = DodonaExercise(omissions=list(_unsupported_settings(suite, solution)))
    tabs = []
    for session in suite.sessions:
        if session.visibility is not Visibility.PUBLIC:
            continue
        if testcases := list(_testcases(suite, session, exercise.omissions)):
            tabs.append({"tab": session.title, "contexts": [{"testcases": testcases}]})
    if not tabs:
        raise ValueError(
            f"TESTed cannot express any public case of {suite.exercise}: add public cases that call"
            " functions with plain values, or run the program"
        )
    suite_data = {"namespace": suite.modules[0], "config": _DEFAULT_CONFIG, "tabs": tabs}
    config = {
        "type": "exercise",
        "programming_language": "python",
        "description": {"names": {suite.language: suite.title}},
        "evaluation": {"test_suite": "suite.yaml"},
    }
    exercise.files = {
        "config.json": json.dumps(config, indent=2, ensure_ascii=False) + "\n",
        "evaluation/suite.yaml": yaml.dump(
            suite_data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
        ),
        f"description/description.{suite.language}.md": spec,
        f"solution/solution.{suite.language}.py": solution,
        **{f"description/media/{name}": text for name, text in suite.files.items()},
    }
    return exercise


def _unsupported_settings(suite: Suite, solution: str) -> Iterator[str]:
    """Yield what TESTed does not support in `suite`, apart from steps."""
    if hidden := sum(session.visibility is not Visibility.PUBLIC for session in suite.sessions):
        yield f"sessions that are not public: {hidden}"
    if suite.rules:
        yield "rules"
    if suite.given or suite.checkers:
        yield "given code and checkers"
    if any(suite.stand_ins) or any(session.observers for session in suite.sessions):
        yield "stand-ins, and observers of refused steps"
    if suite.now is not None or suite.writes:
        yield "a fixed clock, and files that are written"
    if "__main__" in solution and any(session.runs_programs for session in suite.sessions):
        yield "programs under `if __name__ == '__main__'`: TESTed imports modules to run them"
    yield "points: Dodona only accepts or rejects a submission"


def _testcases(suite: Suite, session: Session, omissions: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the testcases for the steps of `session`.

    Append a message to `omissions` for each step that TESTed cannot express. If only its expected
    value is the problem, the step runs unchecked. Otherwise the steps after it are omitted too.
    """
    names = _Names(suite, session)
    for number, step in enumerate(session.steps, start=1):
        if names.imports(step.do.text):
            continue  # TESTed imports the module itself, and `_Names.code` qualifies names with it
        try:
            testcase = _testcase(suite, step, names)
        except _NotExpressible as error:
            omissions.append(f"{session.id}, step {number}: {error}")
            if not isinstance(step.expectation, Returns | Accepts) or step.stdin is not None:
                return  # later steps depend on the effects of this one
            try:
                statement = names.code(step.do.text)
            except _NotExpressible:  # the code itself is the problem
                return
            yield {"statement": statement}
        else:
            yield testcase
        names.bound |= {*step.do.binds}


def _testcase(suite: Suite, step: Step, names: _Names) -> dict[str, Any]:
    """Return the testcase for `step`. Raises `_NotExpressible` if TESTed has no such testcase."""
    files = [{"path": name, "content": text} for name, text in suite.files.items()]
    extra_keys: dict[str, Any] = {"input_files": files} if files else {}
    if step.note is not None:
        extra_keys["description"] = step.note
    if step.run is not None:
        return {**_main_call(step), **extra_keys}
    if step.stdin is not None:
        raise _NotExpressible("typed input for a function")
    expectation = step.expectation if step.group is not None else None
    if isinstance(expectation, SameAs):
        code = f"({step.do.text}) is {expectation.name}"
        return {"expression": names.code(code), "return": True, **extra_keys}
    if isinstance(expectation, Shows) and expectation.is_value:
        shown = _printed_text(expectation)
        if not isinstance(shown, str):
            raise _NotExpressible("a displayed value that is compared leniently")
        # `repr` has no line ending, unlike the displayed text.
        expression, value_text = names.code(f"repr({step.do.text})"), shown.rstrip("\n")
        return {"expression": expression, "return": value_text, **extra_keys}
    # TESTed checks the result of an expression, even None, but not of a statement.
    is_checked = step.is_expression and isinstance(expectation, Returns | Accepts | Raises)
    code_key = "expression" if is_checked else "statement"
    return {code_key: names.code(step.do.text), **_expectation_keys(expectation), **extra_keys}


def _main_call(step: Step) -> dict[str, Any]:
    """Return the testcase for a step that runs the whole program.

    Raises `_NotExpressible` if TESTed has no such testcase.
    """
    expectation = step.expectation
    if not isinstance(expectation, Exits) or expectation.accepts is not None:
        raise _NotExpressible("a program whose output a checker accepts")
    call: dict[str, Any] = {"stdin": step.stdin or ""}
    if step.argv:
        call["arguments"] = [*step.argv]
    if expectation.printed is not None:
        call["stdout"] = _printed_text(_without_prompts(expectation.printed, expectation.typed))
    return {**call, "exit_code": expectation.code} if expectation.code else call


def _without_prompts(expectation: Prints, typed_lines: Sequence[str]) -> Prints:
    """Return `expectation` without the lines that show prompts and typed input.

    TESTed does not echo typed input. Raises `_NotExpressible` if the text shows only some of
    `typed_lines`.
    """
    pending_lines, kept_lines = [*typed_lines], []
    for line in expectation.text.splitlines(keepends=True):
        if pending_lines and line.rstrip("\n").endswith(pending_lines[0]):
            del pending_lines[0]
        else:
            kept_lines.append(line)
    if pending_lines and len(pending_lines) < len(typed_lines):
        raise _NotExpressible("output that shows only some of the typed lines")
    return replace(expectation, text="".join(kept_lines))


def _expectation_keys(expectation: Expectation | None) -> dict[str, Any]:
    """Return the keys that `expectation` adds to a testcase.

    Raises `_NotExpressible` if TESTed has no such keys.
    """
    match expectation:
        case None | Completes():
            return {}
        case Accepts():
            raise _NotExpressible("an answer that a checker accepts")
        case Returns() | Raises() | Prints() if expectation.alternatives:
            raise _NotExpressible("several right answers")
        case Returns():
            return {"return": _value_expression(expectation)}
        case Raises():
            if expectation.message is None:
                raise _NotExpressible("an exception with any message")
            types = {"python": expectation.type_name}
            return {"exception": {"message": expectation.message, "types": types}}
        case Prints():
            return {"stdout": _printed_text(expectation)}
        case _:
            raise _NotExpressible("this kind of expected result")


def _value_expression(expectation: Returns) -> _Expression:
    """Return the expected value as an expression.

    Raises `_NotExpressible` if it is compared leniently or is not plain data.
    """
    leniency = expectation.leniency
    if leniency.is_tolerant or leniency.ignored or leniency.ellipsis:
        raise _NotExpressible("a value that is compared leniently")
    try:
        tree = ast.parse(expectation.text, mode="eval").body
        is_data = all(isinstance(node, (*_DATA, ast.Load)) for node in ast.walk(tree))
    except SyntaxError:
        is_data = False
    if not is_data and expectation.text != "set()":  # data, although it is written as a call
        raise _NotExpressible(f"the value {expectation.text[:60]}")
    return _Expression(expectation.text)


def _printed_text(expectation: Prints) -> str | dict[str, Any]:
    """Return the expected output, with settings if it is compared leniently.

    Raises `_NotExpressible` for settings that TESTed does not have.
    """
    leniency = expectation.leniency
    settings = {
        name: True for ignored, name in _LENIENCY_SETTINGS.items() if ignored in leniency.ignored
    }
    if leniency.ellipsis or leniency.ignored - {*_LENIENCY_SETTINGS, Ignored.PROMPTS}:
        raise _NotExpressible("text that is compared leniently")
    if leniency.is_tolerant:
        raise _NotExpressible("text with a tolerance for numbers")
    return {"data": expectation.text, "config": settings} if settings else expectation.text


class _Names:
    """Translates the code of a session for TESTed, where names belong to the student's module."""

    def __init__(self, suite: Suite, session: Session) -> None:
        self._module: Final = suite.modules[0]
        codes = [step.do for step in session.steps]
        binds = {name for code in codes if not self.imports(code.text) for name in code.binds}
        # TESTed deletes its own variable `e`, and rebinding the module would hide the submission.
        clashing_names = binds & {_EXCEPTION_NAME, self._module}
        self._new_names: Final = {name: f"{name}_" for name in clashing_names}
        imports_module = any(code.text.split() == ["import", self._module] for code in codes)
        self._known_names: Final = _BUILT_IN | ({self._module} if imports_module else frozenset())
        self.bound: set[str] = set()
        """The names that earlier steps bind."""

    def imports(self, code: str) -> bool:
        """Return whether `code` only imports the student's module."""
        match = _IMPORT.fullmatch(code)
        return match is not None and self._module in match.groups()

    def code(self, code: str) -> str | dict[str, str]:
        """Return `code` unchanged if it is in TESTed's own language, otherwise as Python.

        In Python code, names that the student defines are qualified with the module. Raises
        `_NotExpressible` for compound statements.
        """
        tree = ast.parse(code)
        used_names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        keeps_names = used_names.isdisjoint({*self._new_names, self._module}) and all(
            name[:1].islower() for name in used_names & self.bound
        )
        if len(tree.body) == 1 and keeps_names and _is_plain(tree.body[0], self.bound):
            return code
        known_names = self._known_names | self.bound | {*parse_code(code).binds}
        qualified = _ModuleQualifier(self._module, known_names, self._new_names).visit(tree)
        lines = ast.unparse(qualified).split("\n")
        if len(lines) > len(tree.body):
            raise _NotExpressible("a compound statement")
        return {"python": "; ".join(lines)}


class _ModuleQualifier(ast.NodeTransformer):
    """Qualifies names that the student defines, because TESTed imports only the module."""

    def __init__(
        self, module: str, known_names: AbstractSet[str], new_names: Mapping[str, str]
    ) -> None:
        self._module: Final = module
        self._known_names: Final = known_names
        self._new_names: Final = new_names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known_names:
            return ast.Name(self._new_names.get(node.id, node.id), node.ctx)
        return ast.Attribute(ast.Name(self._module, ast.Load()), node.id, node.ctx)


def _is_plain(statement: ast.stmt, bound: set[str]) -> bool:
    """Return whether `statement` is in TESTed's own language: calls, attributes and data."""
    match statement:
        case ast.Expr(value=value):
            return not isinstance(value, ast.Constant) and _is_plain_value(value, bound)
        case ast.Assign([ast.Name(id=target)], ast.Call(ast.Name(id=name)) as value):
            is_constructor = target[:1].islower() and name[:1].isupper()
            return is_constructor and _is_plain_value(value, bound)
        case _:
            return False


def _is_plain_value(value: ast.expr, bound: set[str]) -> bool:
    """Return whether `value` is an expression in TESTed's own language.

    `bound` has the names that earlier steps bind.
    """

    def all_plain(values: Sequence[ast.expr | None]) -> bool:
        return all(item is not None and _is_plain_value(item, bound) for item in values)

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
        case ast.Attribute(value=inner_value):
            return _is_plain_value(inner_value, bound)
        case ast.Call(func=ast.Name(id=name)):
            is_submission_name = name not in _BUILT_IN and name not in bound
            return is_submission_name and all_plain(_operands(value))
        case ast.Call(func=ast.Attribute(value=inner_value)):
            return all_plain([inner_value, *_operands(value)])
        case _:
            return False


def _operands(call: ast.Call) -> list[ast.expr | None]:
    """Return the arguments of `call`, with None for each dict that `**` unpacks."""
    keyword_values = (item.value if item.arg is not None else None for item in call.keywords)
    return [*call.args, *keyword_values]
