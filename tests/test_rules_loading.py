"""Rules of a suite as the program knows them: every key and every default, derived ones too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
import yaml
from suites_with_rules import GOOD, HEAD, loaded

from grader.constructs import COMPREHENSIONS
from grader.demands import (
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
    Rule,
    Signature,
    Time,
)
from grader.deriving.document import suite_document
from grader.deriving.settings import load_settings
from grader.importable import STANDARD
from grader.loading import InvalidSuite, parse_suite
from grader.loading.document import read_document
from grader.loading.source import Source
from grader.suite_text import as_yaml

FILL: Final = "Board.fill_cell"
MAKE: Final = "Board.make_board"


def ids(rules: object) -> list[str]:
    """Return what these rules are called."""
    return [rule.id for rule in loaded(rules).rules]


def step(code: str, *binds: str) -> ProbeStep:
    """Return the step of a probe that binds names, or an expression."""
    return ProbeStep(code=code, is_expression=not binds, binds=binds)


EXPECTED: Final = (
    Rule(
        id="recursion/Board.free_all_cells",
        demand=Recursion(
            function="Board.free_all_cells",
            required=True,
            probe=Probe(
                sizes=(5, 20, 80),
                setup=(
                    step("positions = tuple((k, 1) for k in range(1, n + 1))", "positions"),
                    step("board = Board.make_board(90, positions)", "board"),
                ),
                call=step("Board.free_all_cells(board, positions)"),
                observe=(step("Board.get_all_filled_positions(board)"),),
                also=(step("Board.free_all_cells(board, ())"),),
                modules=("Board",),
            ),
            helper=False,
            loop=True,
            depth=Growth.LINEAR,
            calls=Growth.LINEAR,
            unit="posities",
        ),
        cap=0.0,
        group="free_all_cells",
        line=172,
    ),
    Rule(
        id="recursion/Position.are_chained",
        demand=Recursion(
            function="Position.are_chained",
            required=False,
            probe=Probe(
                sizes=(9,),
                setup=(step("board = Board.make_board(n)", "board"),),
                call=step("Position.are_chained(Board.get_all_filled_positions(board))"),
                modules=("Position", "Board"),
            ),
        ),
    ),
    *(
        Rule(
            id=f"loops/{name}",
            demand=Forbidden(constructs=("for", *COMPREHENSIONS), function=name),
            points=0.5,
            group=group,
        )
        for name, group in ((FILL, "fill_cell"), ("Board.is_filled_at", None))
    ),
    Rule(id="constructs/1", demand=Forbidden(constructs=("class", "lambda", "map"))),
    Rule(
        id=f"constructs/{MAKE}",
        demand=Forbidden(constructs=COMPREHENSIONS, function=MAKE, initialising=True),
        group="make_board",
    ),
    Rule(id="constructs/walls", demand=Forbidden(constructs=("match",)), points=1.0),
    Rule(id="constructs/2", demand=Forbidden(constructs=("while",))),
    Rule(
        id="imports",
        demand=Imports(
            allowed=(*dict.fromkeys([*STANDARD, *sorted(sys.stdlib_module_names)]), "numpy")
        ),
    ),
    Rule(
        id="signature/Position.left",
        demand=Signature(
            function="Position.left",
            parameters=(
                Parameter(name="dimension", has_default=False),
                Parameter(name="position", has_default=False),
            ),
            extra=Extra.NONE,
        ),
    ),
    Rule(
        id=f"signature/{MAKE}",
        demand=Signature(
            function=MAKE,
            parameters=(
                Parameter(name="dimension", has_default=True),
                Parameter(name="positions_to_fill", has_default=True),
            ),
            extra=Extra.NONE,
        ),
        group="make_board",
    ),
    Rule(
        id=f"cost/{MAKE}/memory",
        demand=Memory(
            function=MAKE,
            probe=Probe(
                sizes=(8, 64, 512), setup=(), call=step("Board.make_board(n)"), modules=("Board",)
            ),
        ),
        group="make_board",
    ),
    Rule(
        id="cost/Board.is_filled_at/time",
        demand=Time(
            function="Board.is_filled_at",
            probe=Probe(
                sizes=(16, 2048),
                setup=(
                    step("position = (1, n)", "position"),
                    step("board = Board.make_board(n, {position})", "board"),
                ),
                call=step("Board.is_filled_at(board, position)"),
                modules=("Board",),
            ),
            growth=Growth.CONSTANT,
            counted=("position",),
        ),
    ),
    Rule(
        id="encapsulation/Board",
        demand=Encapsulation(
            module="Board",
            made_by=(MAKE,),
            known_to=(MAKE, FILL),
            parameter=1,
            probe=Probe(
                sizes=(1,),
                setup=(
                    step("board = Board.make_board(4)", "board"),
                    step("Board.fill_cell(board, (1, 1))"),
                ),
                call=step("None"),
                modules=("Board",),
            ),
        ),
    ),
    Rule(id="python", demand=PythonVersion(major=3, minor=6)),
    Rule(id="docstrings", demand=Docstrings(functions=(MAKE, FILL))),
    Rule(id="docstrings/all", demand=Docstrings(functions=())),
)


# What becomes of rules


def test_every_key_arrives() -> None:
    """Rules that use every key become the rules that they describe, in the order of the kinds."""
    suite = parse_suite(GOOD.encode(), "s.yaml")

    for expected, rule in zip(EXPECTED, suite.rules, strict=True):
        assert expected == rule
    assert suite.advice
    assert "https://course.example/1010#line-{line}" == suite.spec_url


def test_suite_without_rules() -> None:
    """A suite that says nothing of rules has none, gives no advice, and links nowhere."""
    suite = parse_suite(HEAD.encode(), "s.yaml")

    assert ((), False, None) == (suite.rules, suite.advice, suite.spec_url)


def test_defaults_of_recursion() -> None:
    """Recursion is required, may be in a helper, and has to go deeper for larger sizes."""
    (rule,) = loaded({"recursion": [{"function": "f", "sizes": [2, 9], "call": "f(n)"}]}).rules
    probe = Probe(sizes=(2, 9), setup=(), call=step("f(n)"))

    assert Recursion(function="f", required=True, probe=probe) == rule.demand


@pytest.mark.parametrize(
    ("word", "required", "strict"),
    [("required", True, True), ("expected", True, False), ("forbidden", False, True)],
)
def test_how_strictly_recursion_is_demanded(word: str, required: bool, strict: bool) -> None:
    """Recursion can be required, forbidden, or expected: then a person judges who does without."""
    entry = {"function": "f", "sizes": [2, 9], "call": "f(n)", "demand": word}
    (rule,) = loaded({"recursion": [entry]}).rules
    assert isinstance(rule.demand, Recursion)
    assert (required, strict) == (rule.demand.required, rule.demand.strict)


def test_single_module_names_itself() -> None:
    """In an exercise of a single module the steps know what it defines, and import nothing else."""
    entry = {"made_by": ["f"], "setup": ["x = f()", "h(x)"]}
    (rule,) = loaded({"encapsulation": [entry]}).rules

    assert "encapsulation/x" == rule.id
    assert isinstance(rule.demand, Encapsulation)
    assert ("x", ()) == (rule.demand.module, rule.demand.probe.modules)


def test_methods_are_functions() -> None:
    """A method of a class that a submission defines can have rules, and the group of its name."""
    head = HEAD.replace("id: g,", "id: fill,").replace("group: g}", "group: fill}")
    (rule,) = loaded(
        {"loops": [{"functions": ["Puzzle.fill"], "forbid": ["for"]}]}, head=head
    ).rules

    assert ("loops/Puzzle.fill", "fill") == (rule.id, rule.group)


def test_given_code_may_be_imported(tmp_path: Path) -> None:
    """Modules that are given with the exercise are always among those that are allowed."""
    (tmp_path / "ours.py").touch()
    given = "given: {src.helper: ours.py, ours: ours.py}\n"
    text = f"{HEAD}{given}rules: {{imports: [{{allow: [ours]}}]}}"
    (rule,) = parse_suite(text.encode(), str(tmp_path / "s.yaml")).rules

    assert Imports(allowed=("ours", "src")) == rule.demand


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"loops": [{"id": "a", "functions": ["f"], "forbid": ["for"]}]}, ["loops/a"]),
        (
            {"loops": [{"id": "a", "functions": ["f", "h"], "forbid": ["for"]}]},
            ["loops/a/f", "loops/a/h"],
        ),
        (
            {"constructs": [{"forbid": ["with"]}, {"forbid": ["try"]}]},
            ["constructs/1", "constructs/2"],
        ),
        ({"imports": [{"allow": []}, {"id": "b", "allow": ["math"]}]}, ["imports", "imports/b"]),
        ({"docstrings": [{}], "python": [{"version": "3.8"}]}, ["python", "docstrings"]),
        (
            {"signature": [{"headings": ["f()"]}], "docstrings": [{"id": "f", "functions": ["f"]}]},
            ["signature/f", "docstrings/f"],
        ),
    ],
)
def test_ids(rules: object, expected: list[str]) -> None:
    """Rules are called after their kind, and after their name or what they are about."""
    assert expected == ids(rules)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ({}, (None, None, "f")),
        ({"points": 2}, (2.0, None, "f")),
        ({"cap": 1.5}, (None, 1.5, "f")),
        ({"cap": 0, "group": "g"}, (None, 0.0, "g")),
        ({"points": 0.25, "group": "g"}, (0.25, None, "g")),
    ],
)
def test_costs(costs: dict[str, object], expected: tuple[object, ...]) -> None:
    """The group that pays is the one that is named, or the one called like the function."""
    (rule,) = loaded({"loops": [{"functions": ["f"], "forbid": ["for"], **costs}]}).rules

    assert expected == (rule.points, rule.cap, rule.group)


def test_points_of_the_whole() -> None:
    """A rule without a group can cost as many points as there are."""
    (rule,) = loaded({"constructs": [{"forbid": ["class"], "points": 3}]}).rules

    assert (3.0, None) == (rule.points, rule.group)


# Derived suites


def test_rules_go_through_a_derivation(tmp_path: Path) -> None:
    """Rules, advice and the address of the spec go from the settings into the suite as they are."""
    data = yaml.safe_load(GOOD)
    kept = {key: data[key] for key in ("rules", "advice", "spec_url")}
    path = tmp_path / "exercise.yaml"
    small = {"exercise": "x", "title": "X", "language": "nl", "module": "x", "defines": ["f"]}
    path.write_text(yaml.safe_dump({**small, **kept}, sort_keys=False), encoding="utf-8")

    text = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    derived = read_document(Source.of("x.yaml", text)).data

    assert isinstance(derived, dict)
    assert kept == {key: derived[key] for key in kept}
    assert "    sizes: [5, 20, 80]\n" in text.replace("      ", "    ")
    path.write_text(yaml.safe_dump({**small, **{k: derived[k] for k in kept}}), encoding="utf-8")
    again = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    assert yaml.safe_load(text) == yaml.safe_load(again)


def test_settings_without_rules_say_nothing_of_them(tmp_path: Path) -> None:
    """A derived suite has no keys about rules that its settings do not have."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n", encoding="utf-8"
    )

    document = suite_document(load_settings(path), "spec.md", [])

    assert not {"rules", "advice", "spec_url"} & document.keys()


def test_mistakes_in_the_rules_of_settings(tmp_path: Path) -> None:
    """What is wrong with a rule is told where it stands in the settings."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n"
        "rules:\n  loops:\n    - {functions: [f], forbit: [for]}\n",
        encoding="utf-8",
    )

    with pytest.raises(InvalidSuite) as caught:
        load_settings(path)

    assert [
        (8, "a rule on loops needs the key 'forbid'"),
        (8, "unknown key 'forbit' (did you mean 'forbid'?)"),
    ] == [(one.line, one.message) for one in caught.value.diagnostics]
