"""Converts a Dodona exercise for the TESTed judge to a first version of a suite.

Contexts become sessions, and tabs become groups. Parts without a counterpart are omitted and
reported with their location. Code in TESTed's subset of Python is kept unchanged.
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
    is_in,
    literal,
    load_yaml,
    locate_suite,
    read_config,
    read_text,
    tabs_in,
)
from grader.suite.code import parse_code
from grader.suite.diagnostics import Refusal
from grader.suite.texts import MAX_ID_CHARS
from grader.values.foreign_text import one_line
from grader.values.literals import LiteralError, parse_literal

_BUILT_IN: Final = frozenset(dir(builtins))
_TESTED_TYPES: Final = re.compile(
    r"u?int\d+|bigint|single_precision|double_precision|char|sequence"
)
_CASE_KEYS: Final = frozenset({"returns", "stdout", "shows", "raises", "exits", "run"})
"""Keys that make a step a case."""
_MAX_REPORTED: Final = 5
"""The largest number of omissions to list if nothing can be converted."""
_MAX_TESTS: Final = 5_000
_MAX_DECIMALS: Final = 15
"""A `float` has no more significant decimals."""


class _NotConvertible(Exception):
    """Raised for a part that has no counterpart in suites. The message names the part."""


@dataclass(slots=True, kw_only=True)
class ConvertedSuite:
    """A suite converted from an exercise, as plain data, and the omitted parts."""

    document: dict[str, Any]
    solution: Path | None
    """The first solution in the exercise, or None if it has none."""
    omissions: list[str] = field(default_factory=list)
    """The location of each omitted part, and what cannot be converted."""


def read_tested(path: Path, language: str, title: str | None) -> ConvertedSuite:
    """Convert the TESTed exercise at `path`, which is its folder or its test suite file.

    `language` is the language of the exercise text; `title` replaces the title in that language.
    Raises `UsageError` if there is no such suite, if it is invalid or for a programming language
    other than Python, or if none of its tests can be converted.
    """
    folder, source = locate_suite(path)
    config = read_config(folder)
    data = load_yaml(source)
    suite_data = data if isinstance(data, dict) else {"tabs": data}
    tabs = tabs_in(suite_data, source)
    names = _as_mapping(_as_mapping(config.get("description")).get("names"))
    name = _slug((folder or source.with_suffix("")).name) or "exercise"
    module = _module_name(str(suite_data.get("namespace", "submission")))
    reader = _Reader(module, source.parent, _as_mapping(suite_data.get("config")))
    try:
        groups, sessions = reader.read(tabs)
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        # Not validated here: the schema has some forty variants, and TESTed validates it.
        raise UsageError(
            f"{one_line(str(source))} is not a valid TESTed suite",
            help="run it with TESTed, which reports the mistake",
        ) from error
    if not reader.omissions and not sessions:
        raise UsageError(
            f"{one_line(str(source))} has no tests", help="check that it is a TESTed suite"
        )
    if not sessions:
        omissions = (one_line(omission, 100) for omission in reader.omissions[:_MAX_REPORTED])
        raise UsageError(
            f"none of the tests in {one_line(str(source))} can be converted:"
            f" {'; '.join(omissions)}",
            help="choose another exercise, or write its suite yourself",
        )
    document = {
        "exercise": name,
        "title": title or str(names.get(language) or next(iter(names.values()), name)),
        "language": language,
        "module": module,
        "defines": sorted(reader.called),  # a set has no fixed order
        **({"files": reader.files} if reader.files else {}),
        "groups": groups,
        "sessions": sessions,
    }
    return ConvertedSuite(document=document, solution=_solution(folder), omissions=reader.omissions)


def _solution(folder: Path | None) -> Path | None:
    """Return the first solution in the exercise folder, or None if there is none."""
    if folder is None:
        return None
    # Sorted, because the file system lists files in no fixed order.
    files = sorted(folder.glob("solution/*.py"))
    return next((file for file in files if is_in(folder, file)), None)


def _as_mapping(data: object) -> Mapping[str, Any]:
    """Return `data` if it is a mapping, otherwise an empty one."""
    return data if isinstance(data, dict) else {}


class _Reader:
    """Converts tabs, and collects the names that are used, the files and the omitted parts."""

    def __init__(self, module: str, folder: Path, config: Mapping[str, Any]) -> None:
        self._module: Final = module
        self._folder: Final = folder
        self._config: Final = config
        self.called: set[str] = set()
        self.files: dict[str, str] = {}
        self.omissions: list[str] = []

    def read(self, tabs: Sequence[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
        """Return the groups and the sessions converted from `tabs`, without any that have no case.

        Raises `UsageError` if there are too many tests.
        """
        if sum(len(testcases) for tab in tabs for testcases in _contexts(tab)) > _MAX_TESTS:
            raise UsageError(
                f"the TESTed suite has more than {_MAX_TESTS:,} tests",
                help="split it into several exercises",
            )
        groups: dict[str, float] = {}
        sessions = []
        for number, tab in enumerate(tabs, start=1):
            title = str(tab.get("tab", tab.get("unit", f"tab {number}")))
            group = _slug(title) or f"tab-{number}"
            config = {**self._config, **_as_mapping(tab.get("config"))}
            for context_number, testcases in enumerate(_contexts(tab), start=1):
                steps = list(
                    self._steps(testcases, config, group, f"{title}, context {context_number}")
                )
                if count := sum("group" in step for step in steps):
                    # TESTed has no points, so each test counts as one point.
                    groups[group] = groups.get(group, 0) + count
                    session: dict[str, Any] = {"id": f"{group}-{context_number}", "title": title}
                    if tab.get("hidden"):
                        session["visibility"] = "hidden"
                    sessions.append({**session, "steps": steps})
        return [{"id": name, "points": points} for name, points in groups.items()], sessions

    def _steps(
        self, testcases: Sequence[Any], config: Mapping[str, Any], group: str, location: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the steps of one context, and add to `omissions` what cannot be converted.

        If a statement cannot be converted, the tests after it are omitted too. `location` names the
        context in messages.
        """
        bound: set[str] = set()
        for number, testcase in enumerate(testcases, start=1):
            try:
                step = self._step(
                    testcase, {**config, **_as_mapping(testcase.get("config"))}, bound
                )
            except _NotConvertible as error:
                self.omissions.append(f"{location}, test {number}: {error}")
                if "statement" in testcase:
                    return  # later tests depend on the effects of this statement
            else:
                is_case = not _CASE_KEYS.isdisjoint(step)
                yield {**step, "group": group} if is_case else step

    def _step(
        self, testcase: Mapping[str, Any], config: Mapping[str, Any], bound: set[str]
    ) -> dict[str, Any]:
        """Return the step for `testcase`.

        Adds to `bound` the names that its code binds, and to `files` its input files. Raises
        `_NotConvertible` if suites have no such step.
        """
        if unsupported := testcase.keys() & {"output_files", "file", "stderr"}:
            # `min`, because a set has no fixed order.
            raise _NotConvertible(f"the expected {min(unsupported)}")
        self._record_files(testcase)
        description = testcase.get("description")
        step = {} if not isinstance(description, str) else {"note": description}
        source = testcase.get("expression", testcase.get("statement"))
        if source is None:
            return {**self._main_call(testcase, config), **step}
        code = self._code(source, bound)
        return {"do": code, **_expectation_keys(testcase, config), **step}

    def _main_call(self, testcase: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the step that runs the whole program, as `testcase` does.

        Raises `_NotConvertible` if suites have no such step.
        """
        stdin = testcase.get("stdin", "")
        if isinstance(stdin, dict):
            stdin = self._content(stdin)
        call: dict[str, Any] = {"run": self._module}
        if testcase.get("arguments"):
            call["argv"] = [str(argument) for argument in testcase["arguments"]]
        if stdin:
            call["stdin"] = _whole_lines(str(stdin))
        # As a statement, because the outcome of an expression would include the value None.
        outcome = _expectation_keys({"statement": "", **testcase}, config)
        if "stdout" in outcome and stdin:
            outcome["ignore"] = [*outcome.get("ignore", ()), "prompts"]
        if exit_code := testcase.get("exit_code"):
            outcome["exits"] = exit_code
        return {**call, **outcome}

    def _code(self, source: object, bound: set[str]) -> str:
        """Return the Python code of an expression or statement, without TESTed's additions.

        Adds to `bound` the names that the code binds, and to `called` those that it must get from
        the submission.
        Raises `_NotConvertible` for code that is not Python or uses a TESTed type.
        """
        code = source.get("python") if isinstance(source, dict) else source
        if not isinstance(code, str):
            raise _NotConvertible("code that is not for Python")
        try:
            tree = _AdditionRemover(self._module).visit(ast.parse(code.strip()))
            # `unparse` reads the line number of an assignment, which the new nodes do not have.
            plain_code = ast.unparse(ast.fix_missing_locations(tree))
            parsed = parse_code(plain_code)
        except (SyntaxError, ValueError, RecursionError, Refusal) as error:
            raise _NotConvertible(f"code that is not valid Python: {one_line(code, 60)}") from error
        # Sorted, because a set has no fixed order.
        if tested_types := sorted(name for name in parsed.reads if _TESTED_TYPES.fullmatch(name)):
            raise _NotConvertible(f"the TESTed type {tested_types[0]}")
        # What no earlier step binds must come from the submission.
        self.called |= parsed.reads - bound - _BUILT_IN
        bound |= {*parsed.binds}
        return plain_code

    def _record_files(self, testcase: Mapping[str, Any]) -> None:
        """Add the input files of `testcase` to `files`.

        Raises `_NotConvertible` if a file is missing, or if two tests give it different
        contents.
        """
        for file in testcase.get("input_files", testcase.get("files", ())):
            name = str(file.get("path", file.get("name", "")))
            text = self._content(file) if "content" in file else self._read(name)
            if self.files.setdefault(name, text) != text:
                # A suite has one set of files for all sessions.
                raise _NotConvertible(f"conflicting contents of the file {one_line(name, 60)}")

    def _content(self, data: Mapping[str, Any]) -> str:
        """Return the text in `data`, or in the file that it names.

        Raises `_NotConvertible` if that file is missing.
        """
        content = data.get("content")
        if isinstance(content, Tagged):
            return self._read(content.text)
        return str(content) if content is not None else self._read(str(data.get("path", "")))

    def _read(self, name: str) -> str:
        """Return the text of the file `name` in the folder. Raises `_NotConvertible` if missing."""
        if not is_in(self._folder, self._folder / name):
            raise _NotConvertible(f"the missing file {one_line(name, 60)}")
        return read_text(self._folder / name)


class _AdditionRemover(ast.NodeTransformer):
    """Removes TESTed's additions: type annotations, and the module name before names."""

    def __init__(self, module: str) -> None:
        self._module: Final = module

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value is not None else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        is_module = isinstance(node.value, ast.Name) and node.value.id == self._module
        return ast.Name(node.attr, node.ctx) if is_module else node


def _expectation_keys(testcase: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectation of `testcase` as keys of a step.

    Raises `_NotConvertible` if suites have no such expectation.
    """
    printed = testcase.get("stdout")
    settings = config.get("stdout", {})
    if isinstance(printed, dict):
        _reject_oracle(printed)
        settings = {**settings, **printed.get("config", {})}
        printed = str(printed["data"])
    if (raised := testcase.get("exception")) is not None:
        if printed:
            raise _NotConvertible("an exception after output")
        return {"raises": _exception_text(raised)}
    value = testcase.get("return")
    if isinstance(value, dict):
        _reject_oracle(value)
    value_text = literal(value) if "return" in testcase else None
    if value_text is None and "return" in testcase:
        raise _NotConvertible("a value with a TESTed type or an oracle")
    if value_text is not None:
        _require_literal(value_text)
    if printed is not None:
        printed_text = _whole_lines(str(printed))
        # A prompt displays no None.
        has_value = value_text not in {None, "None"}
        output = (
            {"shows": f"{printed_text}{value_text}\n"} if has_value else {"stdout": printed_text}
        )
        return {**output, **_leniency(settings)}
    if value_text is not None or "expression" in testcase:
        return {"returns": value_text or "None"}
    return {}


def _require_literal(text: str) -> None:
    """Raise `_NotConvertible` unless `text` is a literal that a suite can contain."""
    try:
        parse_literal(text)
    except LiteralError as error:
        raise _NotConvertible(f"the value {one_line(text, 60)}: {error.problem}") from error


def _reject_oracle(data: Mapping[str, Any]) -> None:
    """Raise `_NotConvertible` if custom code, called an oracle, checks the output or the value."""
    if data.get("oracle", "builtin") != "builtin":
        raise _NotConvertible(f"the oracle {one_line(str(data['oracle']), 40)}")


def _leniency(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a step that correspond to TESTed settings for comparing text.

    Raises `_NotConvertible` if the number of decimals is not a whole number.
    """
    # TESTed's `ignoreWhitespace` covers only trailing whitespace, which suites always ignore.
    leniency: dict[str, Any] = {"ignore": ["case"]} if settings.get("caseInsensitive") else {}
    if settings.get("tryFloatingPoint"):
        places = settings.get("roundTo", 3) if settings.get("applyRounding") else 6
        try:
            decimals = int(places)
        except (TypeError, ValueError, OverflowError) as error:
            text = one_line(str(places), 40)
            raise _NotConvertible(f"roundTo: {text}, which is not a whole number") from error
        # Numbers that round to a value differ from it by at most half a unit of the last decimal.
        leniency["tolerance"] = 0.5 * 10.0 ** -min(max(decimals, 0), _MAX_DECIMALS)
    return leniency


def _exception_text(raised: object) -> str:
    """Return the expected exception as a suite writes it, with its type and message."""
    data = raised if isinstance(raised, dict) else {"message": raised}
    types = data.get("types", {})
    type_name = types.get("python", "Exception") if isinstance(types, dict) else types
    message = data.get("message")
    return f"{type_name}: {message}" if message else str(type_name)


def _contexts(tab: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the testcases of each context of `tab`, in the new or the old format."""
    for key in ("contexts", "cases"):
        for context in tab.get(key, ()):
            yield context.get("testcases", context.get("script", ()))
    for key in ("testcases", "scripts"):
        for testcase in tab.get(key, ()):
            yield [testcase]


def _whole_lines(text: str) -> str:
    """Return `text` with a line ending at its end, unless it is empty."""
    return text if text.endswith("\n") or not text else f"{text}\n"


def _module_name(name: str) -> str:
    """Return `name` in snake case, as TESTed names Python modules."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-\s]+", "_", name).lower()


def _slug(text: str) -> str:
    """Return an id for an exercise or a group, made from `text`."""
    # Leaves room for a hyphen and the number of a context.
    return re.sub(r"\W+", "-", text.casefold()).strip("-_")[: MAX_ID_CHARS - 6]
