"""Reads an exercise of Dodona with TESTed, its judge, as a first suite.

Their contexts become sessions, their tabs groups. Parts without a counterpart are left out, and
reported with their place. Code in TESTed's own subset of Python stays as it is.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.plugins.dodona.tested_files import (
    Tagged,
    config_of,
    found_suite,
    is_in,
    literal,
    loaded,
    text_of,
)
from grader.suite.code import parse_code
from grader.suite.diagnostics import Refusal
from grader.suite.texts import MAX_ID_CHARS
from grader.values.foreign_text import one_line
from grader.values.literals import LiteralError, parse_literal

_BUILT_IN: Final = frozenset(dir(builtins))
_THEIR_TYPES: Final = re.compile(r"u?int\d+|bigint|single_precision|double_precision|char|sequence")
_MAX_REPORTED: Final = 5
_MAX_TESTS: Final = 5_000
_MAX_PLACES: Final = 15


class _Lost(Exception):
    """A part has no counterpart; the message names it."""


@dataclass(slots=True, kw_only=True)
class ReadSuite:
    """The suite made from an exercise, as plain data, and the parts left out."""

    document: dict[str, Any]
    solution: Path | None
    left_out: list[str] = field(default_factory=list)


def read_tested(place: Path, language: str, title: str | None) -> ReadSuite:
    """Return the suite of the exercise at `place`, its folder or the file of its test suite.

    Raises `UsageError` without one, or if it is for another language than Python.
    """
    folder, source = found_suite(place)
    config = config_of(folder)
    data = loaded(source)
    whole = data if isinstance(data, dict) else {"tabs": data}
    if whole.get("language", "tested") not in {"tested", "python"}:
        language_name = one_line(str(whole["language"]))
        raise UsageError(f"{one_line(str(source))} is for {language_name}, not for Python")
    tabs = whole.get("tabs", whole.get("units"))
    if not isinstance(tabs, list) or not all(isinstance(tab, dict) for tab in tabs):
        raise UsageError(f"{one_line(str(source))} has no tabs", help="is it a suite of TESTed?")
    names = _mapping(_mapping(config.get("description")).get("names"))
    name = _id((folder or source.with_suffix("")).name) or "exercise"
    module = _snake(str(whole.get("namespace", "submission")))
    reader = _Reader(module, source.parent, _mapping(whole.get("config")))
    try:
        groups, sessions = reader.read(tabs)
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        # Not checked here: their schema has some forty shapes, and their own judge checks it.
        raise UsageError(f"{one_line(str(source))} is not a valid suite of TESTed") from error
    if not sessions:
        raise UsageError(
            f"none of the tests in {one_line(str(source))} can be converted",
            help="; ".join(one_line(each, 100) for each in reader.left_out[:_MAX_REPORTED]) or None,
        )
    document = {
        "exercise": name,
        "title": title or str(names.get(language) or next(iter(names.values()), name)),
        "language": language,
        "module": module,
        "defines": sorted(reader.called),  # a set has any order
        **({"files": reader.files} if reader.files else {}),
        "groups": groups,
        "sessions": sessions,
    }
    # The system has them in any order.
    solutions = sorted(folder.glob("solution/*.py")) if folder else []
    solutions = [each for each in solutions if folder and is_in(folder, each)]
    return ReadSuite(
        document=document, solution=next(iter(solutions), None), left_out=reader.left_out
    )


def _mapping(data: object) -> Mapping[str, Any]:
    return data if isinstance(data, dict) else {}


class _Reader:
    """Reads tabs, and collects names, files and parts left out."""

    def __init__(self, module: str, folder: Path, config: Mapping[str, Any]) -> None:
        self._module: Final = module
        self._folder: Final = folder
        self._config: Final = config
        self.called: set[str] = set()
        self.files: dict[str, str] = {}
        self.left_out: list[str] = []

    def read(self, tabs: Sequence[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
        """Return the groups and the sessions made from `tabs`."""
        if sum(len(each) for tab in tabs for each in _contexts(tab)) > _MAX_TESTS:
            raise UsageError(
                f"the suite of TESTed has more than {_MAX_TESTS:,} tests",
                help="split it into several exercises",
            )
        groups: dict[str, float] = {}
        sessions = []
        for number, tab in enumerate(tabs, start=1):
            title = str(tab.get("tab", tab.get("unit", f"tab {number}")))
            group = _id(title) or f"tab-{number}"
            config = {**self._config, **_mapping(tab.get("config"))}
            for place, testcases in enumerate(_contexts(tab), start=1):
                steps = list(self._steps(testcases, config, group, f"{title}, context {place}"))
                if count := sum("group" in step for step in steps):
                    # TESTed has no points: each test counts as one.
                    groups[group] = groups.get(group, 0) + count
                    session: dict[str, Any] = {"id": f"{group}-{place}", "title": title}
                    if tab.get("hidden"):
                        session["visibility"] = "hidden"
                    sessions.append({**session, "steps": steps})
        return [{"id": name, "points": points} for name, points in groups.items()], sessions

    def _steps(
        self, testcases: Sequence[Any], config: Mapping[str, Any], group: str, where: str
    ) -> Iterator[dict[str, Any]]:
        bound: set[str] = set()
        for number, testcase in enumerate(testcases, start=1):
            try:
                step = self._step(testcase, {**config, **_mapping(testcase.get("config"))}, bound)
            except _Lost as lost:
                self.left_out.append(f"{where}, test {number}: {lost}")
                if "statement" in testcase:
                    return  # later tests need the state that this statement makes
            else:
                wanted = step.keys() & {"returns", "stdout", "shows", "raises", "exits", "run"}
                yield {**step, "group": group} if wanted else step

    def _step(
        self, testcase: Mapping[str, Any], config: Mapping[str, Any], bound: set[str]
    ) -> dict[str, Any]:
        if lost := testcase.keys() & {"output_files", "file", "stderr"}:
            raise _Lost(f"the expected {min(lost)}")  # a set has any order
        self._keep_files(testcase)
        note = testcase.get("description")
        step = {} if not isinstance(note, str) else {"note": note}
        given = testcase.get("expression", testcase.get("statement"))
        if given is None:
            return {**self._main_call(testcase, config), **step}
        code = self._code(given, bound)
        return {"do": code, **_outcome(testcase, config), **step}

    def _main_call(self, testcase: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
        typed = testcase.get("stdin", "")
        if isinstance(typed, dict):
            typed = self._content(typed)
        call: dict[str, Any] = {"run": self._module}
        if testcase.get("arguments"):
            call["argv"] = [str(each) for each in testcase["arguments"]]
        if typed:
            call["stdin"] = _whole_lines(str(typed))
        # Of an expression it would expect None.
        outcome = _outcome({"statement": "", **testcase}, config)
        if "stdout" in outcome and typed:
            outcome["ignore"] = [*outcome.get("ignore", ()), "prompts"]
        if exit_code := testcase.get("exit_code"):
            outcome["exits"] = exit_code
        return {**call, **outcome}

    def _code(self, given: object, bound: set[str]) -> str:
        code = given.get("python") if isinstance(given, dict) else given
        if not isinstance(code, str):
            raise _Lost("code for other languages")
        try:
            tree = _Plain(self._module).visit(ast.parse(code.strip()))
            # `unparse` reads the line of an assignment, and the new ones have none.
            plain = ast.unparse(ast.fix_missing_locations(tree))
            parsed = parse_code(plain)
        except (SyntaxError, ValueError, RecursionError, Refusal) as error:
            raise _Lost(f"code that is not Python: {one_line(code, 60)}") from error
        # Sorted, since a set has any order.
        if theirs := sorted(name for name in parsed.reads if _THEIR_TYPES.fullmatch(name)):
            raise _Lost(f"the TESTed type {theirs[0]}")
        self.called |= parsed.reads - bound - _BUILT_IN
        bound |= {*parsed.binds}
        return plain

    def _keep_files(self, testcase: Mapping[str, Any]) -> None:
        for each in testcase.get("input_files", testcase.get("files", ())):
            name = str(each.get("path", each.get("name", "")))
            text = self._content(each) if "content" in each else self._read(name)
            if self.files.setdefault(name, text) != text:
                raise _Lost(f"different content for the file {one_line(name, 60)}")

    def _content(self, data: Mapping[str, Any]) -> str:
        content = data.get("content")
        if isinstance(content, Tagged):
            return self._read(content.text)
        return str(content) if content is not None else self._read(str(data.get("path", "")))

    def _read(self, name: str) -> str:
        if not is_in(self._folder, self._folder / name):
            raise _Lost(f"the file {one_line(name, 60)}, which is missing")
        return text_of(self._folder / name)


class _Plain(ast.NodeTransformer):
    """Removes TESTed's additions: types of variables, and the name of the module before names."""

    def __init__(self, module: str) -> None:
        self._module: Final = module

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value is not None else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        is_module = isinstance(node.value, ast.Name) and node.value.id == self._module
        return ast.Name(node.attr, node.ctx) if is_module else node


def _outcome(testcase: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectation of `testcase`, as keys of a step."""
    printed = testcase.get("stdout")
    settings = config.get("stdout", {})
    if isinstance(printed, dict):
        _refuse_oracle(printed)
        settings = {**settings, **printed.get("config", {})}
        printed = str(printed["data"])
    if (raised := testcase.get("exception")) is not None:
        if printed:
            raise _Lost("an exception after output")
        return {"raises": _exception(raised)}
    value = testcase.get("return")
    if isinstance(value, dict):
        _refuse_oracle(value)
    shown = literal(value) if "return" in testcase else None
    if shown is None and "return" in testcase:
        raise _Lost("a value of a TESTed type, or with an oracle")
    if shown is not None:
        _require_literal(shown)
    if printed is not None:
        told = _whole_lines(str(printed))
        as_shown = {"shows": f"{told}{shown}\n"} if shown not in {None, "None"} else {}
        return {**(as_shown or {"stdout": told}), **_leniency(settings)}
    if shown is not None or "expression" in testcase:
        return {"returns": shown or "None"}
    return {}


def _require_literal(text: str) -> None:
    try:
        parse_literal(text)
    except LiteralError as error:
        raise _Lost(f"the value {one_line(text, 60)}: {error.problem}") from error


def _refuse_oracle(data: Mapping[str, Any]) -> None:
    if data.get("oracle", "builtin") != "builtin":
        raise _Lost(f"the oracle {one_line(str(data['oracle']), 40)}")


def _leniency(settings: Mapping[str, Any]) -> dict[str, Any]:
    # `ignoreWhitespace` is about blanks at the end there, which our suites always ignore.
    told: dict[str, Any] = {"ignore": ["case"]} if settings.get("caseInsensitive") else {}
    if settings.get("tryFloatingPoint"):
        places = int(settings.get("roundTo", 3)) if settings.get("applyRounding") else 6
        # Numbers that round to one value differ by less than a unit.
        told["tolerance"] = 0.5 * 10.0 ** -min(max(places, 0), _MAX_PLACES)
    return told


def _exception(raised: object) -> str:
    data = raised if isinstance(raised, dict) else {"message": raised}
    types = data.get("types", {})
    kind = types.get("python", "Exception") if isinstance(types, dict) else types
    message = data.get("message")
    return f"{kind}: {message}" if message else str(kind)


def _contexts(tab: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the testcases of each context of `tab`, in the new and the old format."""
    for key in ("contexts", "cases"):
        for context in tab.get(key, ()):
            yield context.get("testcases", context.get("script", ()))
    for key in ("testcases", "scripts"):
        for testcase in tab.get(key, ()):
            yield [testcase]


def _whole_lines(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _snake(name: str) -> str:
    """Return `name` as TESTed names a module of Python."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-\s]+", "_", name).lower()


def _id(text: str) -> str:
    # With room for the number of a context.
    return re.sub(r"\W+", "-", text.casefold()).strip("-_")[: MAX_ID_CHARS - 6]
