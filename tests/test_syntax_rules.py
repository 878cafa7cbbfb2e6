"""Rules on constructs, imports, headings, docstrings and versions, on real snippets of code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from rule_evidence import by_source, rule_on, survey

from grader.executor.syntax.newer_syntax import MIN_VERSIONS
from grader.judging.results import Hit, Ruling
from grader.judging.rules import source
from grader.judging.rules.constructs import Constructs
from grader.judging.rules.cost import Cost
from grader.judging.rules.encapsulation import Encapsulation
from grader.judging.rules.recursion import Recursion
from grader.judging.rules.rule import MAX_HITS, JudgedRule
from grader.judging.rules.signature import Extra, Signature
from grader.judging.rules.source import Docstrings, Imports, Python
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.observation import CodePlace
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.survey import (
    Construct,
    FunctionSurvey,
    ImportSurvey,
    ParameterSurvey,
    Survey,
    TooNew,
    request_survey,
)
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.search_terms import parse_search_term
from grader.suite.texts import FunctionHeading, Parameter
from grader.suite.vocabulary import CONSTRUCTS, expand_constructs
from grader.verdict import RuleVerdict

SNIPPETS: Final = Path(__file__).parent / "syntax_rules"


def all_snippets() -> Iterator[Any]:
    """Yield each snippet, with its file and its name."""
    for path in sorted(SNIPPETS.glob("*.yaml")):
        for snippet in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield pytest.param(snippet, id=f"{path.stem}: {snippet['name']}")


def surveyed(zygote: Zygote, snippet: dict[str, Any]) -> Survey:
    """Return the facts about the sources of a snippet."""
    sources = snippet.get("modules") or {"sample": snippet["source"]}
    files = {name: (f"{name}.py", text) for name, text in sources.items()}
    program = Program.from_sources(files, {})
    runner = SessionRunner(zygote, program, Limits())
    version = tuple(snippet["python"]) if "python" in snippet else None
    words = expand_constructs((*snippet.get("forbid", ()), *snippet.get("require", ())))
    found = request_survey(
        runner, list(files), version, (), [parse_search_term(word) for word in words]
    )
    assert found is not None
    return found


def judged(snippet: dict[str, Any], survey: Survey) -> Ruling:
    """Return the ruling on the rule of a snippet; its keys say which rule it is."""
    evidence = by_source(survey, snippet.get("defined", ()), snippet.get("own", ()))
    return _rule(snippet).judge(evidence)


def _rule(snippet: dict[str, Any]) -> JudgedRule:
    match snippet:
        case {"forbid": list()} | {"require": list()}:
            keys: dict[str, Any] = {"initialising": snippet.get("initialising", False)}
            keys |= {key: snippet[key] for key in ("forbid", "require") if key in snippet}
            if "function" in snippet:
                keys["functions"] = [snippet["function"]]
            return rule_on(Constructs, **keys)
        case {"allow": list(allowed)}:
            return rule_on(Imports, allow=[]).with_changes(allow=tuple(allowed))
        case {"heading": list(parameters)}:
            extra = snippet.get("extra", "defaults")
            return heading("f", *parameters, extra=extra)
        case {"docstrings": list(functions)}:
            return rule_on(Docstrings, **({"functions": functions} if functions else {}))
        case {"python": [major, minor]}:
            return rule_on(Python, version=f"{major}.{minor}")
    pytest.fail("a snippet without a rule")


def heading(function: str, *parameters: str, extra: Extra = "defaults") -> Signature:
    """Return the rule on a heading; a parameter that ends in `=` has a default."""
    named = tuple(
        Parameter(name=each.rstrip("="), has_default=each.endswith("=")) for each in parameters
    )
    asked = FunctionHeading(function=function, parameters=named)
    return rule_on(Signature, headings=["f()"], extra=extra).with_changes(headings=(asked,))


def without(*forbid: str, function: str | None = None, **keys: Any) -> Constructs:
    """Return the rule that a function, or all code, does without these constructs."""
    functions = {} if function is None else {"functions": [function]}
    return rule_on(Constructs, forbid=list(forbid), **functions, **keys)


def shown(hit: Hit) -> str:
    """Return a hit as the snippets write it."""
    module = "" if hit.place.module == "sample" else f"{hit.place.module} "
    return f"{module}{hit.place.line}:{hit.place.column} {hit.what or ''}".strip()


@pytest.mark.parametrize("snippet", list(all_snippets()))
def test_snippets(zygote: Zygote, snippet: dict[str, Any]) -> None:
    """The rule of a snippet hits exactly where it must, and says what it must."""
    finding = judged(snippet, surveyed(zygote, snippet))
    verdict = snippet.get("verdict", "broken" if snippet["hits"] else "passed")
    assert snippet["hits"] == [shown(hit) for hit in finding.hits]
    assert RuleVerdict(verdict.upper()) is finding.verdict
    if "says" in snippet:
        assert snippet["says"] == [format_message(each, "en") for each in finding.evidence]


def test_snippets_cover_every_construct() -> None:
    """Each construct has a snippet that uses it and one that seems to."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for parameter in all_snippets():
        snippet = parameter.values[0]
        forbidden = expand_constructs(tuple(snippet.get("forbid", ())))
        for kind in {*CONSTRUCTS}.intersection(forbidden):
            found[any(hit.endswith(f" {kind}") for hit in snippet["hits"])].add(kind)
    assert set(CONSTRUCTS) == found[True]
    assert set(CONSTRUCTS) == found[False]


def test_newer_syntax_is_shown_as_it_is_written() -> None:
    """Whatever a survey can call too new is shown as code, which needs no translation."""
    assert set(MIN_VERSIONS) == set(source._NOTATIONS)


def place(line: int = 1, column: int = 1, module: str = "sample", lines: int = 1) -> CodePlace:
    """Return a place of so many `lines`."""
    return CodePlace(
        module=module, line=line, column=column, end_line=line + lines - 1, end_column=column + 1
    )


def function(
    name: str, *parameters: ParameterSurvey, calls: tuple[str, ...] = (), line: int = 1
) -> FunctionSurvey:
    """Return the facts about a function of two lines."""
    return FunctionSurvey(
        name=name,
        place=place(line, module=name.rpartition(".")[0], lines=2),
        parameters=parameters,
        has_docstring=False,
        code_lines=2,
        nesting=0,
        calls=calls,
        touches=(),
    )


def use(kind: str, where: str, line: int = 1) -> Construct:
    """Return one use of a construct in the function `where`."""
    here = place(line, module=where.rpartition(".")[0] or where)
    return Construct(kind=kind, place=here, function=where, initialises=False)


def test_a_module_is_found_in_a_folder_and_by_another_case() -> None:
    """A file that counts as `Board` may be `board.py`, or lie in a folder."""
    demand = without("for", function="Board.f")
    for module in ("Board", "board", "src.Board"):
        facts = survey(
            functions=(function(f"{module}.f"),), constructs=(use("for", f"{module}.f"),)
        )
        found = demand.judge(by_source(facts, ["Board.f"]))
        assert RuleVerdict.BROKEN is found.verdict


def test_the_module_that_is_called_exactly_so_counts() -> None:
    """Beside `Board.py` a `board.py` is just another file."""
    facts = survey(
        functions=(function("Board.f"), function("board.f")), constructs=(use("for", "board.f"),)
    )
    found = without("for", function="Board.f").judge(by_source(facts, ["Board.f"]))
    assert RuleVerdict.PASSED is found.verdict


def test_hits_are_bounded() -> None:
    """A submission that breaks a rule without end is not pointed at without end."""
    lines = range(1, 3 * MAX_HITS)
    facts = survey(constructs=tuple(use("for", "sample", line) for line in reversed(lines)))
    found = without("for").judge(by_source(facts))
    assert list(range(1, MAX_HITS + 1)) == [hit.place.line for hit in found.hits]


def test_sentences_about_helpers_are_bounded() -> None:
    """Of many helpers the nearest ones have a sentence."""
    names = [f"sample.h{number}" for number in range(30)]
    facts = survey(
        functions=(function("sample.f", calls=tuple(names)), *map(function, names)),
        constructs=tuple(use("for", name, line) for line, name in enumerate(names, start=1)),
    )
    found = without("for", function="f").judge(by_source(facts, ["f"]))
    assert RuleVerdict.REVIEW is found.verdict
    assert 5 == len(found.evidence)
    assert 30 == len(found.hits)
    assert "`f` calls `h0`, which uses `for`." == format_message(found.evidence[0], "en")


def test_names_of_a_submission_are_harmless() -> None:
    """What a submission calls things is cut short, and breaks out of no sentence."""
    name = "a`b\n\x1b[31m" + "x" * 5_000
    here = place()
    bare = function("sample.f", ParameterSurvey(name=name, kind="positional", has_default=False))
    rulings = [
        rule.judge(by_source(facts))
        for rule, facts in (
            (rule_on(Imports, allow=[]), survey(imports=(ImportSurvey(name=name, place=here),))),
            (heading("f", "board"), survey(functions=(bare,))),
            (rule_on(Docstrings), survey(functions=(function(f"sample.{name}"),))),
            (
                rule_on(Python, version="3.6"),
                survey(too_new=(TooNew(what=name, since=(3, 8), place=here),)),
            ),
            (rule_on(Docstrings), survey(unparsed={name: "SyntaxError"})),
        )
    ]
    for finding in rulings:
        texts = [format_message(each, "en") for each in finding.evidence]
        texts += [hit.what or "" for hit in finding.hits]
        for text in texts:
            assert len(text) < 400
            assert text.isprintable()
            assert 0 == text.count("`") % 2


def test_many_names_are_not_all_listed() -> None:
    """A sentence names some modules and says that there are more."""
    names = [f"m{number:02}" for number in range(40)]
    imports = tuple(
        ImportSurvey(name=name, place=place(line)) for line, name in enumerate(names, 1)
    )
    found = rule_on(Imports, allow=[]).judge(by_source(survey(imports=imports)))
    said = format_message(found.evidence[0], "en")
    assert said.endswith("`m10`, `m11`, ….")
    assert 40 == len(found.hits)


PROBE: Final[dict[str, Any]] = {"sizes": [1, 2], "call": "f(n)"}


@pytest.mark.parametrize(
    ("demand", "said"),
    [
        (
            rule_on(Recursion, function="Board.free_all_cells", **PROBE),
            "`free_all_cells` moet recursief zijn.",
        ),
        (
            rule_on(Recursion, function="f", helper=False, **PROBE),
            "`f` moet zelf recursief zijn, zonder een hulpfunctie die de recursie overneemt.",
        ),
        (
            rule_on(Recursion, function="Position.are_chained", demand="forbidden", **PROBE),
            "`are_chained` mag niet recursief zijn.",
        ),
        (
            without("for", function="Board.is_filled_row"),
            "Dit mag je in `is_filled_row` niet gebruiken: `for`.",
        ),
        (
            without("for", "comprehension", function="f", initialising=True),
            (
                "Dit mag je in `f` niet gebruiken, behalve om een gegevensstructuur te "
                "initialiseren: `for`, `comprehension`."
            ),
        ),
        (without(*CONSTRUCTS[:2]), "Dit mag je nergens gebruiken: `for`, `while`."),
        (
            without("list comprehension", initialising=True),
            (
                "Dit mag je nergens gebruiken, behalve om een gegevensstructuur te initialiseren: "
                "`list comprehension`."
            ),
        ),
        (rule_on(Imports, allow=[]), "Je mag geen andere modules importeren dan die van jezelf."),
        (
            rule_on(Imports, allow=["math"]),
            "Buiten je eigen modules mag je alleen `math` importeren.",
        ),
        (
            rule_on(Imports, allow=["math", "random"]),
            "Buiten je eigen modules mag je alleen deze importeren: `math`, `random`.",
        ),
        (
            rule_on(Imports, allow=["standard"]),
            "Buiten je eigen modules mag je alleen de standaardbibliotheek importeren.",
        ),
        (
            rule_on(Imports, allow=["standard", "numpy"]),
            (
                "Buiten je eigen modules mag je alleen de standaardbibliotheek importeren, "
                "en ook: `numpy`."
            ),
        ),
        (
            heading("Board.make_board", "dimension=", "cells"),
            (
                "De hoofding `make_board(dimension=…, cells)` moet blijven; een parameter die je "
                "toevoegt, moet een standaardwaarde hebben."
            ),
        ),
        (
            heading("Game.highest_score", "board", "blocks", extra="none"),
            "De hoofding `highest_score(board, blocks)` moet blijven, zonder andere parameters.",
        ),
        (
            rule_on(Cost, function="Board.make_board", memory="constant", **PROBE),
            (
                "Wat `make_board` teruggeeft, moet bij elke n, de grootte van de invoer, evenveel"
                " geheugen innemen."
            ),
        ),
        (
            rule_on(Cost, function="Board.is_filled_at", time="constant", **PROBE),
            (
                "De tijd die `is_filled_at` nodig heeft, mag nauwelijks afhangen van n, de grootte"
                " van de invoer."
            ),
        ),
        (
            rule_on(Cost, function="f", time="logarithmic", **PROBE),
            (
                "De tijd die `f` nodig heeft, mag niet sneller groeien dan de logaritme van n, de "
                "grootte van de invoer."
            ),
        ),
        (
            rule_on(Cost, function="f", time="linear", **PROBE),
            (
                "De tijd die `f` nodig heeft, mag niet sneller groeien dan n, de grootte van de "
                "invoer."
            ),
        ),
        (
            rule_on(
                Encapsulation,
                module="Board",
                made_by=["Board.make_board"],
                known_to=["Board.make_board", "Board.is_filled_at"],
                setup=["f(4)"],
            ),
            (
                "Van alle functies mogen alleen deze weten hoe de gegevens van `Board` voorgesteld "
                "worden: `make_board`, `is_filled_at`."
            ),
        ),
        (rule_on(Python, version="3.6"), "De code moet mogelijk zijn in Python 3.6."),
        (rule_on(Docstrings), "Elke functie moet een docstring hebben."),
        (rule_on(Docstrings, functions=["Board.f"]), "`f` moet een docstring hebben."),
        (
            rule_on(Docstrings, functions=["f", "g"]),
            "Deze functies moeten een docstring hebben: `f`, `g`.",
        ),
    ],
)
def test_demands_are_said(demand: JudgedRule, said: str) -> None:
    """Every kind of rule says what it asks, in each language."""
    assert said == format_message(demand.sentence(), "nl")
    assert len(LANGUAGES) == len(
        {format_message(demand.sentence(), language) for language in LANGUAGES}
    )
