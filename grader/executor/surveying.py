"""Surveys the sources of a submission: collects facts about their syntax before any of it runs.

An executor that is asked for a survey does nothing else: it parses the sources, replies with facts
in JSON, and ends. A source may be made to crash the parser, so only executors parse sources; then
only the executor dies. Modules that cannot be parsed are listed; the others are surveyed.

`grader.executor.syntax` explains each fact where it is found, and `grader.sandbox.survey` what the
judge makes of it. All lists are capped: only the first facts are sent.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from grader.executor.compiling import cells_in
from grader.executor.syntax import newer, repetition, touches
from grader.executor.syntax.calls import Calls
from grader.executor.syntax.names import Named, imports
from grader.executor.syntax.repetition import digested
from grader.executor.syntax.running import looks_up, unrun, where
from grader.executor.syntax.sought import Seeker
from grader.executor.syntax.source import ModuleText, Place, docstring_of
from grader.executor.syntax.suspicious import suspicious
from grader.executor.syntax.tree import Function, Module
from grader.protocol import MAX_NAME_CHARS, SURVEY_CAPS

Facts: TypeAlias = list[object]


def survey(request: Mapping[str, Any]) -> dict[str, object]:
    """Return the facts about the sources in `request`, as the data of a `Survey`."""
    modules: dict[str, Module] = {}
    unparsed: dict[str, str] = {}
    for name, module in request["survey"].items():
        try:
            tree = _parsed(module["source"], module["file"])
            if _has_too_many_functions(tree):
                unparsed[name] = "TooManyFunctions"
                continue
            modules[name] = Module(name, ModuleText(name, module["source"]), tree)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            unparsed[name] = type(error).__name__
    version, calls = request["python"], Calls(modules, SURVEY_CAPS.calls_of_a_function)
    return {
        "constructs": _constructs(modules.values(), Seeker(request["sought"], modules.values())),
        "functions": list(_functions(modules.values(), calls)),
        "imports": _named_facts(map(imports, modules.values()), SURVEY_CAPS.imports),
        "too_new": [] if version is None else _too_new(modules.values(), tuple(version)),
        "repeated": [
            list(each) for each in repetition.repetitions(modules.values(), SURVEY_CAPS.repeated)
        ],
        "suspicious": _suspicious(modules)[: SURVEY_CAPS.suspicious],
        "starts": {name: list(map(_clipped, names)) for name, names in calls.starts.items()},
        "unnamed": _unnamed_callers(modules)[: SURVEY_CAPS.unnamed],
        "definitions": [
            list(each)
            for module in modules.values()
            for each in digested(module, frozenset(request["definitions"]))
        ][: SURVEY_CAPS.definitions],
        "unparsed": unparsed,
    }


def _parsed(source: str, file: str) -> ast.Module:
    """Return the tree of `source`, without the cells of a notebook that have syntax errors."""
    if not file.endswith(".ipynb"):
        return ast.parse(source)
    tree = ast.Module([], [])
    for start, _, cell in cells_in(source):
        with suppress(SyntaxError):
            tree.body += ast.increment_lineno(ast.parse(cell), start).body
    return tree


def _has_too_many_functions(tree: ast.Module) -> bool:
    """Return whether `tree` has more functions than anyone would write by hand."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    functions = sum(isinstance(node, kinds) for node in ast.walk(tree))
    return functions > SURVEY_CAPS.functions_of_a_module


def _constructs(modules: Iterable[Module], seeker: Seeker) -> list[Facts]:
    """Return the first uses of each word that `seeker` looks for."""
    facts: list[Facts] = []
    for module in modules:
        counts: Counter[str] = Counter()
        # In the order of the source, as only the first are kept.
        for use in sorted(seeker.uses(module), key=lambda use: use.place[1:3]):
            counts[use.word] += 1
            if counts[use.word] <= SURVEY_CAPS.constructs_of_a_kind:
                name = module.name if use.function is None else use.function.name
                facts.append([use.word, use.place, _clipped(name), use.initialises, use.doubt])
    return facts[: SURVEY_CAPS.constructs]


def _functions(modules: Iterable[Module], calls: Calls) -> Iterator[Facts]:
    """Yield the facts about each function, in source order, up to a maximum."""
    functions_left = SURVEY_CAPS.functions
    for module in modules:
        touches_by_function = _touches(module)
        lines = module.source.code_lines([visit.node for visit in module.visits])
        places = {function: module.source.place(function.node) for function in module.functions}
        for function in sorted(places, key=lambda each: places[each][1:3])[:functions_left]:
            node = function.node
            yield [
                _clipped(function.name),
                places[function],
                list(_parameters(node.args))[: SURVEY_CAPS.parameters_of_a_function],
                docstring_of(node) is not None,
                lines[node.end_lineno or node.lineno] - lines[node.lineno - 1],
                function.nesting,
                [_clipped(name) for name in calls.of[function]],
                touches_by_function.get(function, []),
            ]
        functions_left -= min(functions_left, len(places))


def _parameters(arguments: ast.arguments) -> Iterator[Facts]:
    """Yield the name of each parameter, its kind, and whether it has a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    without_default = len(positional) - len(arguments.defaults)
    for number, each in enumerate(positional):
        kind = "positional only" if number < len(arguments.posonlyargs) else "positional"
        yield [_clipped(each.arg), kind, number >= without_default]
    if arguments.vararg is not None:
        yield [_clipped(arguments.vararg.arg), "*args", False]
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield [_clipped(each.arg), "keyword only", default is not None]
    if arguments.kwarg is not None:
        yield [_clipped(arguments.kwarg.arg), "**kwargs", False]


def _touches(module: Module) -> dict[Function, list[Facts]]:
    facts_by_function: dict[Function, list[Facts]] = {}
    for touch in sorted(touches.looks(module), key=lambda touch: touch.place[1:3]):
        facts = facts_by_function.setdefault(touch.function, [])
        if len(facts) < SURVEY_CAPS.touches_of_a_function:
            facts.append([_clipped(touch.parameter), touch.how, touch.place])
    return facts_by_function


def _too_new(modules: Iterable[Module], version: tuple[int, int]) -> list[Facts]:
    facts: list[Facts] = [
        [new.name, list(newer.NEWER[new.name]), new.place]
        for module in modules
        for new in sorted(newer.too_new(module, version), key=lambda new: new.place[1:3])
    ]
    return facts[: SURVEY_CAPS.too_new]


def _named_facts(modules: Iterable[Iterable[Named]], max_count: int) -> list[Facts]:
    facts: list[Facts] = []
    for names in modules:
        by_place: dict[tuple[object, ...], tuple[str, Place]] = {}
        for name, place in names:
            by_place.setdefault((*place[1:], name), (name, place))
        ordered = sorted(by_place.values(), key=lambda each: each[1][1:3])
        facts += ([_clipped(name), place] for name, place in ordered)
    return facts[:max_count]


def _suspicious(modules: Mapping[str, Module]) -> list[Facts]:
    """Return the suspicious names in code that runs on import, with place and function."""
    facts: list[Facts] = []
    for module in modules.values():
        skipped = unrun(module)
        by_place: dict[tuple[object, ...], Facts] = {}
        for visit in module.visits:
            if visit.node not in skipped:
                for name, place in suspicious(visit, modules):
                    fact: Facts = [_clipped(name), place, _clipped(where(visit))]
                    by_place.setdefault((*place[1:], name), fact)
        facts += (by_place[key] for key in sorted(by_place, key=lambda key: key[:2]))
    return facts


def _unnamed_callers(modules: Mapping[str, Module]) -> list[str]:
    """Return the functions, or modules, that may look up functions by names made at run time."""
    names = {
        where(visit): None
        for module in modules.values()
        for visit in module.visits
        if looks_up(visit, modules)
    }
    return list(map(_clipped, names))


def _clipped(name: str) -> str:
    return name[:MAX_NAME_CHARS]
