"""Rules on constructs, imports, headings, docstrings and versions, on real snippets of code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.constructs import CONSTRUCTS, expanded
from grader.demands import (
    Demand,
    Docstrings,
    Encapsulation,
    Extra,
    Forbidden,
    Growth,
    Imports,
    Memory,
    Parameter,
    Probe,
    ProbeStep,
    PythonVersion,
    Recursion,
    Signature,
    Time,
)
from grader.executor.surveying import NEWER
from grader.importable import STANDARD
from grader.limits import Limits
from grader.program import Program
from grader.rules import syntax
from grader.rules.demanded import demanded
from grader.rules.finding import Hit, RuleFinding
from grader.rules.forbidden import judge_forbidden
from grader.rules.functions import MOST_HITS
from grader.rules.headings import judge_signature
from grader.rules.syntax import judge_docstrings, judge_imports, judge_version
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRunner
from grader.survey import Construct, FunctionFacts, ImportFacts, Param, Place, Survey, TooNew
from grader.verdict import RuleVerdict
from grader.wording import LANGUAGES, say

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
    program = Program.of("sample" if "sample" in files else None, files, {})
    runner = SessionRunner(zygote, program, Limits(), Gate())
    version = tuple(snippet["python"]) if "python" in snippet else None
    found = runner.survey(list(files), python=version)
    assert found is not None
    return found


def judged(snippet: dict[str, Any], survey: Survey) -> RuleFinding:
    """Return what the rule of a snippet finds; its keys say which rule it is."""
    match snippet:
        case {"forbid": list(names)}:
            forbidden = Forbidden(
                constructs=expanded(tuple(names)),
                function=snippet.get("function"),
                initialising=snippet.get("initialising", False),
            )
            return judge_forbidden(forbidden, survey, snippet.get("defined", ()))
        case {"allow": list(allowed)}:
            return judge_imports(Imports(allowed=tuple(allowed)), survey, snippet.get("own", ()))
        case {"heading": list(parameters)}:
            extra = Extra(snippet.get("extra", "defaults"))
            return judge_signature(heading("f", *parameters, extra=extra), survey)
        case {"docstrings": list(functions)}:
            return judge_docstrings(Docstrings(functions=tuple(functions)), survey)
        case {"python": [major, minor]}:
            return judge_version(PythonVersion(major=major, minor=minor), survey)
    pytest.fail("a snippet without a rule")


def heading(function: str, *parameters: str, extra: Extra = Extra.DEFAULTS) -> Signature:
    """Return the rule on a heading; a parameter that ends in `=` has a default."""
    return Signature(
        function=function,
        parameters=tuple(
            Parameter(name=each.rstrip("="), has_default=each.endswith("=")) for each in parameters
        ),
        extra=extra,
    )


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
        assert snippet["says"] == [say(each, "en") for each in finding.evidence]


def test_snippets_cover_every_construct() -> None:
    """Each construct has a snippet that uses it and one that seems to."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for parameter in all_snippets():
        snippet = parameter.values[0]
        for kind in expanded(tuple(snippet.get("forbid", ()))):
            found[any(hit.endswith(f" {kind}") for hit in snippet["hits"])].add(kind)
    assert set(CONSTRUCTS) == found[True]
    assert set(CONSTRUCTS) == found[False]


def test_newer_syntax_is_shown_as_it_is_written() -> None:
    """Whatever a survey can call too new is shown as code, which needs no translation."""
    assert set(NEWER) == set(syntax._WRITTEN)


def place(line: int = 1, column: int = 1, module: str = "sample", lines: int = 1) -> Place:
    """Return a place of so many `lines`."""
    return Place(
        module=module, line=line, column=column, end_line=line + lines - 1, end_column=column + 1
    )


def function(
    name: str, *parameters: Param, calls: tuple[str, ...] = (), line: int = 1
) -> FunctionFacts:
    """Return the facts about a function of two lines."""
    return FunctionFacts(
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
    return Construct(
        kind=kind, place=place(line, module=where.rpartition(".")[0] or where), function=where
    )


def survey(**facts: Any) -> Survey:
    """Return a survey that found only these facts."""
    nothing: dict[str, Any] = {
        "constructs": (),
        "functions": (),
        "imports": (),
        "too_new": (),
        "repeated": (),
        "suspicious": (),
        "unparsed": {},
    }
    return Survey(**{**nothing, **facts})


def test_a_module_is_found_in_a_folder_and_by_another_case() -> None:
    """A file that counts as `Board` may be `board.py`, or lie in a folder."""
    demand = Forbidden(constructs=("for",), function="Board.f")
    for module in ("Board", "board", "src.Board"):
        found = judge_forbidden(
            demand,
            survey(functions=(function(f"{module}.f"),), constructs=(use("for", f"{module}.f"),)),
            ("Board.f",),
        )
        assert RuleVerdict.BROKEN is found.verdict


def test_the_module_that_is_called_exactly_so_counts() -> None:
    """Beside `Board.py` a `board.py` is just another file."""
    found = judge_forbidden(
        Forbidden(constructs=("for",), function="Board.f"),
        survey(
            functions=(function("Board.f"), function("board.f")),
            constructs=(use("for", "board.f"),),
        ),
        ("Board.f",),
    )
    assert RuleVerdict.PASSED is found.verdict


def test_hits_are_bounded() -> None:
    """A submission that breaks a rule without end is not pointed at without end."""
    lines = range(1, 3 * MOST_HITS)
    found = judge_forbidden(
        Forbidden(constructs=("for",)),
        survey(constructs=tuple(use("for", "sample", line) for line in reversed(lines))),
        (),
    )
    assert list(range(1, MOST_HITS + 1)) == [hit.place.line for hit in found.hits]


def test_sentences_about_helpers_are_bounded() -> None:
    """Of many helpers the nearest ones have a sentence."""
    names = [f"sample.h{number}" for number in range(30)]
    found = judge_forbidden(
        Forbidden(constructs=("for",), function="f"),
        survey(
            functions=(function("sample.f", calls=tuple(names)), *map(function, names)),
            constructs=tuple(use("for", name, line) for line, name in enumerate(names, start=1)),
        ),
        ("f",),
    )
    assert RuleVerdict.REVIEW is found.verdict
    assert 5 == len(found.evidence)
    assert 30 == len(found.hits)
    assert "`h0`, which `f` calls, uses `for`." == say(found.evidence[0], "en")


def test_names_of_a_submission_are_harmless() -> None:
    """What a submission calls things is cut short, and breaks out of no sentence."""
    name = "a`b\n\x1b[31m" + "x" * 5_000
    here = place()
    findings = [
        judge_imports(
            Imports(allowed=()), survey(imports=(ImportFacts(name=name, place=here),)), ()
        ),
        judge_signature(
            heading("f", "board"),
            survey(
                functions=(
                    function("sample.f", Param(name=name, kind="positional", has_default=False)),
                )
            ),
        ),
        judge_docstrings(Docstrings(functions=()), survey(functions=(function(f"sample.{name}"),))),
        judge_version(
            PythonVersion(major=3, minor=6),
            survey(too_new=(TooNew(what=name, since=(3, 8), place=here),)),
        ),
        judge_docstrings(Docstrings(functions=()), survey(unparsed={name: "SyntaxError"})),
    ]
    for finding in findings:
        texts = [say(each, "en") for each in finding.evidence]
        texts += [hit.what or "" for hit in finding.hits]
        for text in texts:
            assert len(text) < 400
            assert text.isprintable()
            assert 0 == text.count("`") % 2


def test_many_names_are_not_all_listed() -> None:
    """A sentence names some modules and says that there are more."""
    names = [f"m{number:02}" for number in range(40)]
    imports = tuple(ImportFacts(name=name, place=place(line)) for line, name in enumerate(names, 1))
    found = judge_imports(Imports(allowed=()), survey(imports=imports), ())
    said = say(found.evidence[0], "en")
    assert said.endswith("`m10`, `m11`, ….")
    assert 40 == len(found.hits)


STEP: Final = ProbeStep(code="f(n)", is_expression=True)
PROBE: Final = Probe(sizes=(1, 2), setup=(), call=STEP)


@pytest.mark.parametrize(
    ("demand", "said"),
    [
        (
            Recursion(function="Board.free_all_cells", required=True, probe=PROBE),
            "`free_all_cells` moet recursief zijn.",
        ),
        (
            Recursion(function="f", required=True, helper=False, probe=PROBE),
            "`f` moet zelf recursief zijn, zonder een hulpfunctie die de recursie overneemt.",
        ),
        (
            Recursion(function="Position.are_chained", required=False, probe=PROBE),
            "`are_chained` mag niet recursief zijn.",
        ),
        (
            Forbidden(constructs=("for",), function="Board.is_filled_row"),
            "Dit mag je in `is_filled_row` niet gebruiken: `for`.",
        ),
        (
            Forbidden(
                constructs=expanded(("for", "comprehension")), function="f", initialising=True
            ),
            (
                "Dit mag je in `f` niet gebruiken, behalve om een gegevensstructuur te "
                "initialiseren: `for`, `comprehension`."
            ),
        ),
        (Forbidden(constructs=CONSTRUCTS[:2]), "Dit mag je nergens gebruiken: `for`, `while`."),
        (
            Forbidden(constructs=("list comprehension",), initialising=True),
            (
                "Dit mag je nergens gebruiken, behalve om een gegevensstructuur te initialiseren: "
                "`list comprehension`."
            ),
        ),
        (Imports(allowed=()), "Je mag geen andere modules importeren dan die van jezelf."),
        (Imports(allowed=("math",)), "Buiten je eigen modules mag je alleen `math` importeren."),
        (
            Imports(allowed=("math", "random")),
            "Buiten je eigen modules mag je alleen deze importeren: `math`, `random`.",
        ),
        (
            Imports(allowed=(*STANDARD, *sys.stdlib_module_names)),
            "Buiten je eigen modules mag je alleen de standaardbibliotheek importeren.",
        ),
        (
            Imports(allowed=(*sys.stdlib_module_names, "numpy")),
            (
                "Buiten je eigen modules mag je alleen de standaardbibliotheek importeren, "
                "en ook: `numpy`."
            ),
        ),
        (
            heading("Board.make_board", "dimension=", "cells"),
            (
                "De hoofding `make_board(dimension=…, cells)` moet blijven; een parameter die je "
                "toevoegt, moet een verzuimwaarde hebben."
            ),
        ),
        (
            heading("Game.highest_score", "board", "blocks", extra=Extra.NONE),
            "De hoofding `highest_score(board, blocks)` moet blijven, zonder andere parameters.",
        ),
        (
            Memory(function="Board.make_board", probe=PROBE),
            "Wat `make_board` teruggeeft, moet bij elke grootte evenveel geheugen innemen.",
        ),
        (
            Time(function="Board.is_filled_at", probe=PROBE, growth=Growth.CONSTANT),
            "`is_filled_at` moet bij elke grootte ongeveer even snel zijn.",
        ),
        (
            Time(function="f", probe=PROBE, growth=Growth.LOGARITHMIC),
            (
                "De tijd die `f` nodig heeft, moet veel trager groeien dan de grootte: hoogstens "
                "logaritmisch."
            ),
        ),
        (
            Time(function="f", probe=PROBE, growth=Growth.LINEAR),
            "De tijd die `f` nodig heeft, mag niet sneller groeien dan de grootte.",
        ),
        (
            Encapsulation(
                module="Board",
                made_by=("Board.make_board",),
                known_to=("Board.make_board", "Board.is_filled_at"),
                parameter=0,
                probe=PROBE,
            ),
            (
                "Van alle functies mogen alleen deze weten hoe de gegevens van `Board` voorgesteld "
                "worden: `make_board`, `is_filled_at`."
            ),
        ),
        (PythonVersion(major=3, minor=6), "De code moet mogelijk zijn in Python 3.6."),
        (Docstrings(functions=()), "Elke functie moet een docstring hebben."),
        (Docstrings(functions=("Board.f",)), "`f` moet een docstring hebben."),
        (Docstrings(functions=("f", "g")), "Deze functies moeten een docstring hebben: `f`, `g`."),
    ],
)
def test_demands_are_said(demand: Demand, said: str) -> None:
    """Every kind of rule says what it asks, in each language."""
    assert said == say(demanded(demand), "nl")
    assert 3 == len({say(demanded(demand), language) for language in LANGUAGES})
