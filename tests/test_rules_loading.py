"""Rules of a suite as the program knows them: every key and every default, derived ones too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
from rule_evidence import by_source, rule_on, survey
from suites_with_rules import GOOD, HEAD, loaded

from grader.judging.probing import Probe, ProbeStep
from grader.judging.rules import KINDS
from grader.judging.rules.constructs import Constructs, Loops
from grader.judging.rules.cost import Cost
from grader.judging.rules.encapsulation import Encapsulation
from grader.judging.rules.probes import probe_for_setup
from grader.judging.rules.recursion import Recursion
from grader.judging.rules.rule import JudgedRule
from grader.judging.rules.signature import Signature
from grader.judging.rules.source import Docstrings, Imports, Python
from grader.suite.loading import parse_suite

_R = TypeVar("_R", bound=JudgedRule)

FILL: Final = "Board.fill_cell"
MAKE: Final = "Board.make_board"


def ids(rules: object) -> list[str]:
    """Return what these rules are called."""
    return [rule.id for rule in loaded(rules).rules]


def step(code: str, *binds: str) -> ProbeStep:
    """Return the step of a probe that binds names, or an expression."""
    return ProbeStep(code=code, is_expression=not binds, binds=binds)


def expected(kind: type[_R], rule_id: str, group: str | None = None, **keys: Any) -> _R:
    """Return the rule of this kind that is called so, has that group and says these things."""
    return rule_on(kind, **keys).with_changes(id=rule_id, group=group)


FREE: Final = expected(
    Recursion,
    "recursion/Board.free_all_cells",
    "free_all_cells",
    function="Board.free_all_cells",
    sizes=[5, 20, 80],
    setup=[
        "positions = tuple((k, 1) for k in range(1, n + 1))",
        "board = Board.make_board(90, positions)",
    ],
    call="Board.free_all_cells(board, positions)",
    observe=["Board.get_all_filled_positions(board)"],
    also=["Board.free_all_cells(board, ())"],
    helper=False,
    loop=True,
    depth="linear",
    calls="linear",
    unit="posities",
    cap=0.0,
    line=172,
)
CHAINED: Final = expected(
    Recursion,
    "recursion/Position.are_chained",
    function="Position.are_chained",
    demand="forbidden",
    sizes=[9],
    setup=["board = Board.make_board(n)"],
    call="Position.are_chained(Board.get_all_filled_positions(board))",
)
SEALED: Final = expected(
    Encapsulation,
    "encapsulation/Board",
    module="Board",
    made_by=[MAKE],
    known_to=[MAKE, FILL],
    parameter=1,
    setup=["board = Board.make_board(4)", "Board.fill_cell(board, (1, 1))"],
)
EXPECTED: Final = (
    FREE,
    CHAINED,
    *(
        expected(
            Loops,
            f"loops/{name}",
            group,
            functions=[name],
            forbid=["for", "comprehension"],
            points=0.5,
        )
        for name, group in ((FILL, "fill_cell"), ("Board.is_filled_at", None))
    ),
    expected(Constructs, "constructs/1", forbid=["class", "lambda", "map"]),
    expected(
        Constructs,
        f"constructs/{MAKE}",
        "make_board",
        functions=[MAKE],
        forbid=["comprehension"],
        initialising=True,
    ),
    expected(Constructs, "constructs/walls", forbid=["match"], points=1.0),
    expected(Constructs, "constructs/2", forbid=["while"]),
    expected(Imports, "imports", allow=["standard", "numpy"]),
    expected(
        Signature,
        "signature/Position.left",
        headings=["Position.left(dimension, position)"],
        extra="none",
    ),
    expected(
        Signature,
        f"signature/{MAKE}",
        "make_board",
        headings=[f"{MAKE}(dimension=10, positions_to_fill=frozenset())"],
        extra="none",
    ),
    expected(
        Cost,
        f"cost/{MAKE}/memory",
        "make_board",
        function=MAKE,
        sizes=[8, 64, 512],
        call="Board.make_board(n)",
        memory="constant",
    ),
    expected(
        Cost,
        "cost/Board.is_filled_at/time",
        function="Board.is_filled_at",
        sizes=[16, 2048],
        setup=["position = (1, n)", "board = Board.make_board(n, {position})"],
        call="Board.is_filled_at(board, position)",
        time="constant",
        counted=["position"],
    ),
    SEALED,
    expected(Python, "python", version="3.6"),
    expected(Docstrings, "docstrings", functions=[MAKE, FILL]),
    expected(Docstrings, "docstrings/all"),
)
EVIDENCE: Final = replace(by_source(survey()), modules=("Position", "Block", "Board"))


# What becomes of rules


def test_every_key_arrives() -> None:
    """Rules that use every key become the rules that they describe, in the order of the kinds."""
    suite = parse_suite(GOOD.encode(), "s.yaml", KINDS)

    for expected, rule in zip(EXPECTED, suite.rules, strict=True):
        assert expected == rule
    assert suite.advice
    assert "https://course.example/1010#line-{line}" == suite.spec_url


def test_steps_become_a_probe() -> None:
    """A probe has the steps of its rule, with what they bind, and the modules that they read."""
    assert FREE.probe(EVIDENCE, FREE.observe, FREE.also) == Probe(
        sizes=(5, 20, 80),
        setup=(
            step("positions = tuple((k, 1) for k in range(1, n + 1))", "positions"),
            step("board = Board.make_board(90, positions)", "board"),
        ),
        call=step("Board.free_all_cells(board, positions)"),
        observe=(step("Board.get_all_filled_positions(board)"),),
        also=(step("Board.free_all_cells(board, ())"),),
        modules=("Board",),
    )
    assert ("Position", "Board") == CHAINED.probe(EVIDENCE).modules
    assert probe_for_setup(EVIDENCE, SEALED.setup) == Probe(
        sizes=(1,),
        setup=(
            step("board = Board.make_board(4)", "board"),
            step("Board.fill_cell(board, (1, 1))"),
        ),
        call=step("None"),
        modules=("Board",),
    )


def test_suite_without_rules() -> None:
    """A suite that says nothing of rules has none, gives no advice, and links nowhere."""
    suite = parse_suite(HEAD.encode(), "s.yaml", KINDS)

    assert ((), False, None) == (suite.rules, suite.advice, suite.spec_url)


def test_defaults_of_recursion() -> None:
    """Recursion is required, may be in a helper, and has to go deeper for larger sizes."""
    (rule,) = loaded({"recursion": [{"function": "f", "sizes": [2, 9], "call": "f(n)"}]}).rules

    assert isinstance(rule, Recursion)
    assert ("required", True, False) == (rule.demand, rule.helper, rule.loop)
    assert ("logarithmic", "constant", None) == (rule.depth, rule.calls, rule.unit)


def test_single_module_names_itself() -> None:
    """In an exercise of a single module the steps know what it defines; it is imported."""
    entry = {"made_by": ["f"], "setup": ["x = f()", "h(x)"]}
    (rule,) = loaded({"encapsulation": [entry]}).rules

    assert "encapsulation/x" == rule.id
    assert isinstance(rule, Encapsulation)
    evidence = replace(EVIDENCE, modules=("x",), binds="names")
    assert ("x", ("x",)) == (rule.module, probe_for_setup(evidence, rule.setup).modules)


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
    (rule,) = parse_suite(text.encode(), str(tmp_path / "s.yaml"), KINDS).rules

    assert isinstance(rule, Imports)
    assert "`ours`, `src`" == dict(rule.sentence().parameters)["modules"]


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
