"""Surveys the sources of a submission: collects facts about their syntax before any of it runs.

An executor that gets a request for a survey does nothing else: it parses the sources, replies with
facts in JSON, and exits. A source can be crafted to crash the parser, so only executors parse
sources, and only the executor dies. Modules that cannot be parsed are listed; the others are
surveyed.

`grader.executor.syntax` documents the facts where they are found, and `grader.sandbox.survey` how
the judge uses them. All lists are capped, so only the first facts are sent.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from grader.executor.compiling import split_cells
from grader.executor.syntax import newer_syntax, repetition, touches
from grader.executor.syntax.calls import Calls
from grader.executor.syntax.names import LocatedName, find_imports
from grader.executor.syntax.nodes import docstring_of
from grader.executor.syntax.repetition import digest_definitions
from grader.executor.syntax.running import (
    enclosing_function_name,
    find_main_only_nodes,
    may_look_up_function,
)
from grader.executor.syntax.seeker import TermSeeker
from grader.executor.syntax.source import ModuleText, Span
from grader.executor.syntax.suspicious import find_suspicious_names
from grader.executor.syntax.tree import Function, Module
from grader.protocol import MAX_NAME_CHARS, SURVEY_CAPS, TOO_MANY_FUNCTIONS

Facts: TypeAlias = list[object]


def survey(request: Mapping[str, Any]) -> dict[str, object]:
    """Return the facts about the sources in `request`, from which the judge makes a `Survey`.

    A source that cannot be parsed is listed in `unparsed`, with the reason.
    """
    modules: dict[str, Module] = {}
    unparsed: dict[str, str] = {}
    for name, module in request["survey"].items():
        try:
            tree = _parse(module["source"], module["file"])
            if _has_too_many_functions(tree):
                unparsed[name] = TOO_MANY_FUNCTIONS
                continue
            modules[name] = Module(name, ModuleText(name, module["source"]), tree)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            unparsed[name] = type(error).__name__
    version, calls = request["python"], Calls(modules, SURVEY_CAPS.calls_per_function)
    return {
        "constructs": _construct_facts(
            modules.values(), TermSeeker(request["sought"], modules.values())
        ),
        "functions": list(_function_facts(modules.values(), calls)),
        "imports": _name_facts(map(find_imports, modules.values()), SURVEY_CAPS.imports),
        "too_new": [] if version is None else _newer_syntax_facts(modules.values(), tuple(version)),
        "repeated": [
            list(stretch)
            for stretch in repetition.find_repetitions(modules.values(), SURVEY_CAPS.repeated)
        ],
        "suspicious": _suspicious_name_facts(modules)[: SURVEY_CAPS.suspicious],
        "starts": {name: list(map(_clip, names)) for name, names in calls.entry_points.items()},
        "unnamed": _dynamic_callers(modules)[: SURVEY_CAPS.unnamed],
        "definitions": [
            list(definition)
            for module in modules.values()
            for definition in digest_definitions(module, frozenset(request["definitions"]))
        ][: SURVEY_CAPS.definitions],
        "unparsed": unparsed,
    }


def _parse(source: str, file: str) -> ast.Module:
    """Return the tree of `source`, leaving out the cells of a notebook that have syntax errors.

    Raises `ValueError`, `OverflowError`, `RecursionError` or `MemoryError` if `ast.parse` does, and
    also `SyntaxError` if the file is not a notebook.
    """
    if not file.endswith(".ipynb"):
        return ast.parse(source)
    tree = ast.Module([], [])
    for start, _, cell in split_cells(source):
        with suppress(SyntaxError):
            tree.body += ast.increment_lineno(ast.parse(cell), start).body
    return tree


def _has_too_many_functions(tree: ast.Module) -> bool:
    """Return whether `tree` has more functions than anyone would write by hand."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    functions = sum(isinstance(node, kinds) for node in ast.walk(tree))
    return functions > SURVEY_CAPS.functions_per_module


def _construct_facts(modules: Iterable[Module], seeker: TermSeeker) -> list[Facts]:
    """Return facts about the first uses, in each function, of each word that `seeker` looks for."""
    facts: list[Facts] = []
    for module in modules:
        counts: Counter[tuple[str, str]] = Counter()
        # In source order, since only the first uses are kept.
        for use in sorted(seeker.find_uses(module), key=lambda use: use.span[1:3]):
            name = module.name if use.function is None else use.function.name
            counts[use.word, name] += 1
            if counts[use.word, name] <= SURVEY_CAPS.constructs_per_function:
                facts.append([use.word, use.span, _clip(name), use.initialises, use.doubt])
    return facts[: SURVEY_CAPS.constructs]


def _function_facts(modules: Iterable[Module], calls: Calls) -> Iterator[Facts]:
    """Yield facts about each function, in the source order of each module, up to a maximum."""
    functions_left = SURVEY_CAPS.functions
    for module in modules:
        touches_by_function = _touch_facts(module)
        code_line_counts = module.source.count_code_lines([visit.node for visit in module.visits])
        spans = {function: module.source.span(function.node) for function in module.functions}
        for function in sorted(spans, key=lambda item: spans[item][1:3])[:functions_left]:
            node = function.node
            yield [
                _clip(function.name),
                spans[function],
                list(_parameter_facts(node.args))[: SURVEY_CAPS.parameters_per_function],
                docstring_of(node) is not None,
                code_line_counts[node.end_lineno or node.lineno]
                - code_line_counts[node.lineno - 1],
                function.max_nesting,
                [_clip(name) for name in calls.callees[function]],
                touches_by_function.get(function, []),
            ]
        functions_left -= min(functions_left, len(spans))


def _parameter_facts(arguments: ast.arguments) -> Iterator[Facts]:
    """Yield facts about each parameter: its name, its kind, and whether it has a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    without_default = len(positional) - len(arguments.defaults)
    for index, parameter in enumerate(positional):
        kind = "positional only" if index < len(arguments.posonlyargs) else "positional"
        yield [_clip(parameter.arg), kind, index >= without_default]
    if arguments.vararg is not None:
        yield [_clip(arguments.vararg.arg), "*args", False]
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield [_clip(parameter.arg), "keyword only", default is not None]
    if arguments.kwarg is not None:
        yield [_clip(arguments.kwarg.arg), "**kwargs", False]


def _touch_facts(module: Module) -> dict[Function, list[Facts]]:
    """Return facts about the places where functions first use the structure of their parameters.

    The facts are keyed by function.
    """
    facts_by_function: dict[Function, list[Facts]] = {}
    for touch in sorted(touches.find_touches(module), key=lambda touch: touch.span[1:3]):
        facts = facts_by_function.setdefault(touch.function, [])
        if len(facts) < SURVEY_CAPS.touches_per_function:
            facts.append([_clip(touch.parameter), touch.usage, touch.span])
    return facts_by_function


def _newer_syntax_facts(modules: Iterable[Module], version: tuple[int, int]) -> list[Facts]:
    """Return facts about the syntax in `modules` that is newer than `version`."""
    facts: list[Facts] = [
        [syntax.name, list(newer_syntax.MIN_VERSIONS[syntax.name]), syntax.span]
        for module in modules
        for syntax in sorted(
            newer_syntax.find_newer_syntax(module, version), key=lambda syntax: syntax.span[1:3]
        )
    ]
    return facts[: SURVEY_CAPS.too_new]


def _name_facts(names_by_module: Iterable[Iterable[LocatedName]], max_count: int) -> list[Facts]:
    """Return facts about the first `max_count` names: each name with its span, without duplicates.

    `names_by_module` contains the located names of each module.
    """
    facts: list[Facts] = []
    for names in names_by_module:
        fact_by_span: dict[tuple[object, ...], tuple[str, Span]] = {}
        for name, span in names:
            fact_by_span.setdefault((*span[1:], name), (name, span))
        ordered = sorted(fact_by_span.values(), key=lambda item: item[1][1:3])
        facts += ([_clip(name), span] for name, span in ordered)
    return facts[:max_count]


def _suspicious_name_facts(modules: Mapping[str, Module]) -> list[Facts]:
    """Return facts about suspicious names: each name, its span, and the function that it is in.

    Code that runs only if a module is run as a program is left out.
    """
    facts: list[Facts] = []
    for module in modules.values():
        skipped = find_main_only_nodes(module)
        fact_by_span: dict[tuple[object, ...], Facts] = {}
        for visit in module.visits:
            if visit.node not in skipped:
                for name, span in find_suspicious_names(visit, modules):
                    fact: Facts = [_clip(name), span, _clip(enclosing_function_name(visit))]
                    fact_by_span.setdefault((*span[1:], name), fact)
        facts += (fact_by_span[key] for key in sorted(fact_by_span, key=lambda key: key[:2]))
    return facts


def _dynamic_callers(modules: Mapping[str, Module]) -> list[str]:
    """Return the names of functions that might look up functions by a name made at run time.

    A module's name is returned for code that is outside functions.
    """
    names = {
        enclosing_function_name(visit): None
        for module in modules.values()
        for visit in module.visits
        if may_look_up_function(visit, modules)
    }
    return list(map(_clip, names))


def _clip(name: str) -> str:
    return name[:MAX_NAME_CHARS]
