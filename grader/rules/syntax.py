"""Judges imports, docstrings and the version of Python, from the facts about a submission's syntax.

A module that cannot be read tells nothing: what the others show to be broken is broken, and nothing
is passed on their word alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from grader.demands import Docstrings, Imports, PythonVersion
from grader.messages import message
from grader.rules.finding import Hit, RuleFinding, broken, passed, skipped
from grader.rules.functions import (
    MOST_HITS,
    definitions,
    in_code,
    is_nested,
    listed_name,
    not_found,
    unreadable,
    without_module,
)
from grader.survey import FunctionFacts, Survey, TooNew

_WRITTEN: Final = {
    "any expression as decorator": "@(…)",
    "f-string with =": 'f"{x=}"',
    "from __future__ import annotations": "from __future__ import annotations",
    "except*": "except*",
    "match": "match",
    "parenthesized with": "with (…):",
    "positional-only parameter": "def f(x, /)",
    "quotes nested in an f-string": 'f"{"…"}"',
    "star in an index": "x[*y]",
    "type parameter": "def f[T]()",
    "type statement": "type X = …",
    "walrus": ":=",
}
"""What each newer syntax looks like, which is the same in every language."""
_MOST_SAID: Final = 10
"""So many kinds of syntax that is too new have a sentence of their own."""


def judge_imports(demand: Imports, survey: Survey, own: Collection[str]) -> RuleFinding:
    """Judge whether only allowed modules are imported; `own` are those of the submission."""
    fine = {"__future__", *demand.allowed, *own}
    wrong = [
        each
        for each in sorted(survey.imports, key=lambda each: each.place)
        if not each.name.startswith(".") and fine.isdisjoint(_with_parents(each.name))
    ]
    if wrong:
        names = dict.fromkeys(each.name.partition(".")[0] for each in wrong)
        said = message("syntax.imports", count=len(names), modules=in_code(names))
        hits = [Hit(place=each.place, what=listed_name(each.name)) for each in wrong]
        return broken(said, hits=tuple(hits[:MOST_HITS]))
    if survey.unparsed:
        return skipped(unreadable(survey))
    return passed(message("syntax.imports_allowed"))


def _with_parents(name: str) -> list[str]:
    """Return a dotted `name` and those of the packages that it is in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def judge_docstrings(demand: Docstrings, survey: Survey) -> RuleFinding:
    """Judge whether functions have a docstring: those of `demand`, or all that are not private."""
    named = {name: definitions(survey, name) for name in demand.functions}
    found = [facts for each in named.values() for facts in each]
    looked_at = found if demand.functions else _public(survey)
    bare = [facts for facts in looked_at if not facts.has_docstring]
    if bare:
        names = [without_module(facts) for facts in bare]
        said = message("syntax.docstrings", count=len(bare), functions=in_code(names))
        hits = [Hit(place=facts.place, what=listed_name(without_module(facts))) for facts in bare]
        return broken(said, hits=tuple(hits[:MOST_HITS]))
    for name, each in named.items():
        if not each:
            return not_found(survey, name)
    if survey.unparsed and not named:
        return skipped(unreadable(survey))
    return passed(message("syntax.docstrings_present"))


def _public(survey: Survey) -> list[FunctionFacts]:
    """Return the functions that others use: neither nested, nor private, nor defined anew later."""
    ordered = sorted(survey.functions, key=lambda facts: facts.place)
    last = {facts.name: facts for facts in ordered if not is_nested(facts.name)}
    return [
        facts
        for facts in last.values()
        if not any(part.startswith("_") for part in without_module(facts).split("."))
    ]


def judge_version(demand: PythonVersion, survey: Survey) -> RuleFinding:
    """Judge whether the syntax of a submission existed in the version of `demand`."""
    asked = f"{demand.major}.{demand.minor}"
    if survey.too_new:
        ordered = sorted(survey.too_new, key=lambda each: each.place)
        since = {_written(each): each.since for each in ordered}
        evidence = [
            message("syntax.too_new", what=what, since=f"{major}.{minor}", asked=asked)
            for what, (major, minor) in list(since.items())[:_MOST_SAID]
        ]
        hits = [Hit(place=each.place, what=_written(each)) for each in ordered]
        return broken(*evidence, hits=tuple(hits[:MOST_HITS]))
    if survey.unparsed:
        return skipped(unreadable(survey))
    return passed(message("syntax.old_enough", asked=asked))


def _written(new: TooNew) -> str:
    return _WRITTEN.get(new.what, listed_name(new.what))
