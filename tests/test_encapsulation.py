"""Who looks into data whose representation only some functions may know."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import dedent, indent
from types import ModuleType
from typing import Any, Final, cast

import pytest
from board_sources import BOARDS, binding, expression, runner

from grader.demands import Encapsulation, Probe
from grader.executor.sealing import MAX_TOUCHES, Seal, Sealed
from grader.observation import Observation, Returned
from grader.probing.prober import Prober, Sighting
from grader.rules.encapsulation import judge_encapsulation
from grader.rules.finding import RuleFinding
from grader.sandbox.zygote import Zygote
from grader.values import Atom
from grader.verdict import RuleVerdict

REST = """
def copy_board(board):
    return make_board(dimension(board), get_all_filled_positions(board))

def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)

def is_filled_row(board, row):
    for column in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True
"""
KNOWN = (
    "Board.make_board",
    "Board.copy_board",
    "Board.dimension",
    "Board.is_filled_at",
    "Board.fill_cell",
    "Board.free_cell",
    "Board.get_all_filled_positions",
)
PROBE = Probe(
    sizes=(4,),
    setup=(
        binding("board", "Board.make_board(n, [(1, 1)])"),
        binding("other", "Board.copy_board(board)"),
    ),
    call=expression("Board.fill_all_cells(board, [(c, 2) for c in range(1, n + 1)])"),
    observe=(
        expression("Board.is_filled_row(board, 2)"),
        expression("Board.is_filled_row(other, 2)"),
        expression("Board.free_cell(board, (1, 1))"),
        expression("board"),
        expression("sorted(Board.get_all_filled_positions(board))"),
    ),
    modules=("Board",),
)
DEMAND = Encapsulation(module="Board", made_by=KNOWN[:2], known_to=KNOWN, parameter=0, probe=PROBE)
SET = BOARDS["set in a tuple"].source + REST


def looking(*calls: str, modules: tuple[str, ...] = ("Board",)) -> Encapsulation:
    """Return the demand whose probe makes these `calls` besides."""
    observe = (*PROBE.observe, *map(expression, calls))
    return replace(DEMAND, probe=replace(PROBE, observe=observe, modules=modules))


def judged(
    zygote: Zygote, sources: str | Mapping[str, str], demand: Encapsulation = DEMAND
) -> RuleFinding:
    """Return the finding about a submission, given by its modules or by the text of `Board`."""
    modules = {"Board": sources} if isinstance(sources, str) else sources
    program = runner(zygote, modules)
    survey = program.survey(set(modules))
    assert survey is not None
    return judge_encapsulation(demand, survey, Prober(program))


def line_of(text: str, source: str) -> int:
    """Return the number of the first line of `source` that has `text` in it."""
    return 1 + source[: source.index(text)].count("\n")


def keys(finding: RuleFinding) -> list[str]:
    """Return the keys of what `finding` says."""
    return [each.key for each in finding.evidence]


def lines(finding: RuleFinding) -> list[int]:
    """Return the lines that `finding` points to."""
    return [hit.place.line for hit in finding.hits]


def knowing(finding: RuleFinding) -> dict[str, tuple[int, ...]]:
    """Return the functions that look in and may not, with the lines where they do."""
    return {row.function: row.lines for row in finding.table if row.knows and not row.may_know}


@pytest.mark.parametrize("name", BOARDS)
def test_board_that_keeps_to_itself(zygote: Zygote, name: str) -> None:
    """Whatever the representation, who asks the functions for it is not accused."""
    finding = judged(zygote, BOARDS[name].source + REST)
    assert RuleVerdict.PASSED == finding.verdict
    assert {} == knowing(finding)


@pytest.mark.parametrize(
    "statement",
    [
        "return board[0]",
        "return board[1].copy()",
        "size, filled = board",
        "return len(board)",
        "return list(board)",
        "return [part for part in board if part]",
        "return sorted(map(str, board))",
        "return (1, 1) in board",
        "return board + (1,)",
        "return () + board",
        "return board < (0, set())",
        "return board.index(4)",
        "return isinstance(board, tuple)",
        "return (lambda: board[0])()",
    ],
)
def test_function_that_looks(zygote: Zygote, statement: str) -> None:
    """Each way to look into the data is seen when it happens, in its line."""
    source = f"{SET}\ndef is_large(board):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.is_large(board) and None"))
    at = source.count("\n")
    assert RuleVerdict.BROKEN == finding.verdict
    assert ["encapsulation.broken"] == keys(finding)
    assert {at} == set(lines(finding))
    assert {"is_large": (at,)} == knowing(finding)


@pytest.mark.parametrize("statement", ["return not board", "return 1 if board else 2"])
def test_asking_whether_there_is_data(zygote: Zygote, statement: str) -> None:
    """Whoever asks for the truth of the data may ask whether there is any: a person decides."""
    source = f"{SET}\ndef is_large(board):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.is_large(board) and None"))
    assert RuleVerdict.REVIEW == finding.verdict
    assert [source.count("\n")] == lines(finding)


def test_function_that_changes_the_data(zygote: Zygote) -> None:
    """Who changes the data itself is seen too, and the change is there."""
    source = BOARDS["frozenset in a list"].source + REST
    source += "\ndef clear(board):\n    board[1] = frozenset()\n"
    finding = judged(zygote, source, looking("Board.clear(board)", "Board.is_filled_row(board, 2)"))
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"clear": (source.count("\n"),)} == knowing(finding)


def test_attributes_of_instances(zygote: Zygote) -> None:
    """Setting and deleting attributes of an instance is looking into it."""
    source = BOARDS["instance of a class"].source + REST
    source += "\ndef spoil(board):\n    board.extra = 1\n    del board.extra\n"
    finding = judged(zygote, source, looking("Board.spoil(board)"))
    at = source.count("\n")
    assert {"spoil": (at - 1, at)} == knowing(finding)


@pytest.mark.parametrize(
    "statement",
    [
        "return board == board",
        "return board is board and board is not None",
        "return board != copy_board(board)",
        "return fill_cell(board, (3, 3))",
        "print(board, str(board), f'{board}')",
        "return is_filled_at(copy.deepcopy(board), (1, 2))",
        "return [fill_cell(each, (3, 3)) for each in [board]]",
        "return [is_filled_at(each, (3, 3)) for each in {1: board}.values()]",
        "return list(map(is_filled_at, [board], [(1, 1)]))",
        "return is_filled_at(position=(1, 1), board=board)",
    ],
)
def test_function_that_works_for_any_data(zygote: Zygote, statement: str) -> None:
    """What does not depend on the representation is no look into it."""
    source = f"import copy\n{SET}\ndef is_fine(board):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.is_fine(board)"))
    assert RuleVerdict.PASSED == finding.verdict


def test_other_modules(zygote: Zygote) -> None:
    """Other modules that look are found, and functions they imported by name still know."""
    game = """
    from Board import is_filled_at, make_board as new_board

    def play(board):
        return is_filled_at(board, (1, 2)) and new_board(3)[0]
    """
    demand = looking("Game.play(board)", "Game.play(board)", modules=("Board", "Game"))
    finding = judged(zygote, {"Board": SET, "Game": game}, demand)
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"Game.play": (5,)} == knowing(finding)
    assert ["Game"] == [hit.place.module for hit in finding.hits]


def test_modules_with_built_in_looks(zygote: Zygote) -> None:
    """A board that is a plain number is sealed too, and a number that is equal is not."""
    source = """
    def make_board(dimension, positions=()):
        board = 1 << dimension * dimension
        for position in positions:
            board = fill_cell(board, position)
        return board
    def copy_board(board):
        return board
    def dimension(board):
        return int((board.bit_length() - 1) ** 0.5)
    def _bit(board, position):
        return 1 << (position[1] - 1) * dimension(board) + position[0] - 1
    def is_filled_at(board, position):
        return board & _bit(board, position) > 0
    def fill_cell(board, position):
        return board | _bit(board, position)
    def has_space(board):
        return dimension(board) > 2
    def is_full(board):
        return board + 1 & board == 0
    """
    known = (*KNOWN[:5],)
    probe = Probe(
        sizes=(4,),
        setup=(binding("board", "Board.fill_cell(Board.make_board(n), (1, 1))"),),
        call=expression("Board.has_space(board)"),
        modules=("Board",),
    )
    demand = replace(DEMAND, probe=probe, made_by=(*KNOWN[:2], KNOWN[4]), known_to=known)
    finding = judged(zygote, source, demand)
    assert RuleVerdict.REVIEW == finding.verdict
    assert {"is_full": (line_of("board + 1 & board", source),)} == knowing(finding)
    call = expression("Board.is_full(board)")
    finding = judged(zygote, source, replace(demand, probe=replace(probe, call=call)))
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"is_full": (line_of("board + 1 & board", source),)} == knowing(finding)


def test_source_that_looks_where_nothing_ran(zygote: Zygote) -> None:
    """What only the source says is for a person to decide, with the place."""
    source = f"{SET}\ndef never_called(board):\n    return board[0]\n"
    finding = judged(zygote, source)
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["encapsulation.suspected", "encapsulation.only_source"] == keys(finding)
    assert [source.count("\n")] == lines(finding)


def test_parameter_of_another_name(zygote: Zygote) -> None:
    """The source of a function that is given something else says nothing."""
    source = f"{SET}\ndef shifted(position):\n    return position[0] + 1, position[1]\n"
    assert RuleVerdict.PASSED == judged(zygote, source).verdict


def test_answer_that_is_the_data(zygote: Zygote) -> None:
    """A function may hand out the data as an answer: who looks into that is not accused."""
    source = """
    _size = []
    def make_board(dimension, positions=()):
        _size[:] = [dimension]
        return set(positions)
    def copy_board(board):
        return set(board)
    def dimension(board):
        return _size[0]
    def is_filled_at(board, position):
        return position in board
    def fill_cell(board, position):
        board.add(position)
    def free_cell(board, position):
        board.discard(position)
    def get_all_filled_positions(board):
        return board
    def fill_all_cells(board, positions):
        for position in positions:
            fill_cell(board, position)
    def is_filled_row(board, row):
        return dimension(board) == len([p for p in get_all_filled_positions(board) if p[1] == row])
    """
    finding = judged(zygote, source)
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["encapsulation.suspected"] == keys(finding)
    assert {"is_filled_row": (line_of("== len(", source),)} == knowing(finding)


def test_helper_of_those_who_know(zygote: Zygote) -> None:
    """A helper that only such functions call may know, unless others call it or it is asked for."""
    helped = SET.replace("return position in board[1]", "return position in _filled(board)")
    helped += "\ndef _filled(board):\n    return board[1]\n"
    finding = judged(zygote, helped)
    assert RuleVerdict.PASSED == finding.verdict
    assert ["_filled"] == [
        row.function for row in finding.table if row.may_know and row.function[0] == "_"
    ]
    (function,) = (row.function for row in finding.table if row.function[0] == "_")
    program = runner(zygote, {"Board": helped})
    survey = program.survey({"Board"})
    assert survey is not None
    asked = judge_encapsulation(DEMAND, survey, Prober(program), [f"Board.{function}"])
    assert RuleVerdict.REVIEW == asked.verdict
    misused = f"{helped}\ndef count(board):\n    return len(_filled(board))\n"
    finding = judged(zygote, misused, looking("Board.count(board)"))
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"_filled": (helped.count("\n"),)} == knowing(finding)


@pytest.mark.parametrize(
    "statement",
    ["return type(value) is tuple", "return tuple.__len__(value)", "return tuple.count(value, 4)"],
)
def test_stand_in_that_is_found_out(zygote: Zygote, statement: str) -> None:
    """Where the stand-in changes what happens, a person decides."""
    source = f"{SET}\ndef is_proper(value):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.is_proper(board)"))
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["encapsulation.unclear"] == keys(finding)


def test_maker_that_is_a_class(zygote: Zygote) -> None:
    """Data that cannot be sealed is looked at by a person."""
    source = SET.replace("def make_board", "def _make_board")
    source += "\nclass make_board(tuple):\n"
    source += indent(
        dedent(
            """
            def __new__(cls, *args):
                return super().__new__(cls, _make_board(*args))
            """
        ),
        "    ",
    )
    finding = judged(zygote, source)
    assert RuleVerdict.REVIEW == finding.verdict


@pytest.mark.parametrize(
    ("statement", "key"),
    [
        ("raise KeyError('oops')", "encapsulation.raised"),
        ("import os; os._exit(0)", "encapsulation.not_run"),
    ],
)
def test_steps_that_do_not_work(zygote: Zygote, statement: str, key: str) -> None:
    """Where the steps of the probe fail anyway there is nothing to judge; the table stays."""
    source = f"{SET}\ndef make_board(*args):\n    {statement}\n"
    finding = judged(zygote, source)
    assert RuleVerdict.SKIPPED == finding.verdict
    assert [key] == keys(finding)
    assert "is_filled_at" in {row.function for row in finding.table}


def test_source_counts_where_the_steps_do_not_work(zygote: Zygote) -> None:
    """What the source says is for a person, also where nothing could be run."""
    broken_maker = "def make_board(*args):\n    raise KeyError\n"
    source = f"{SET}\n{broken_maker}\n\ndef corner(board):\n    return board[0]\n"
    finding = judged(zygote, source)
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["suspected", "only_source", "raised"] == [k.partition(".")[2] for k in keys(finding)]
    assert [line_of("def corner", source) + 1] == lines(finding)


def test_step_that_raises_both_times(zygote: Zygote) -> None:
    """A step that raises as it does without the seal changes nothing."""
    source = f"{SET}\ndef refuse(board):\n    raise ValueError(board)\n"
    finding = judged(zygote, source, looking("Board.refuse(board)"))
    assert RuleVerdict.PASSED == finding.verdict


@pytest.mark.parametrize(
    "statement",
    ["print(type(value).__name__)", "raise ValueError(type(value).__name__)"],
)
def test_stand_in_that_is_told_of(zygote: Zygote, statement: str) -> None:
    """What is printed, and the message of an exception, can show the stand-in too."""
    source = f"{SET}\ndef tell(value):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.tell(board)"))
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["encapsulation.unclear"] == keys(finding)


@pytest.mark.parametrize("statement", ["print(object())", "raise ValueError(object())"])
def test_addresses_change_from_run_to_run(zygote: Zygote, statement: str) -> None:
    """Where an object lies in memory is no difference."""
    source = f"{SET}\ndef tell(board):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.tell(board)"))
    assert RuleVerdict.PASSED == finding.verdict


def test_reference(zygote: Zygote, root: Any) -> None:
    """The reference of the practicum passes, and the table tells which functions know."""
    names = ("Position", "Block", "Board", "Game")
    folder = root / "reference" / "1010"
    sources = {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in names}
    demand = looking(
        "Board.free_all_cells(board, [(1, 1)])",
        "Board.are_chainable(board, [(1, 2), (3, 2)])",
        "Board.clear_full_rows_and_columns(board)",
        "Game.highest_score(board, ())",
        modules=names,
    )
    known = (*KNOWN, "Board.is_proper_board")
    finding = judged(zygote, sources, replace(demand, known_to=known))
    assert RuleVerdict.PASSED == finding.verdict
    may_know = {row.function for row in finding.table if row.may_know}
    assert {name.partition(".")[2] for name in known} - {"make_board"} == may_know
    assert may_know - {"copy_board"} == {row.function for row in finding.table if row.knows}
    assert {"are_chainable", "Game.highest_score"} <= {row.function for row in finding.table}


class ForgingProber:
    """A prober on a submission that forges what its instruments report."""

    def __init__(self, evidence: object) -> None:
        self._evidence = evidence

    def look(self, *_args: object, **_named: object) -> Sighting:
        """Return a look at a probe that went well, with the forged evidence."""
        seen = Observation(outcome=Returned(value=Atom(None), identity=None))
        evidence = cast("Mapping[str, Any]", {"seal": self._evidence})
        return Sighting(reached=True, call=seen, observed=(), evidence=evidence)


MADE: Final[dict[str, object]] = {"missing": [], "made": 1}


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (None, RuleVerdict.REVIEW),
        ({"touches": "all", "missing": []}, RuleVerdict.REVIEW),
        ({"touches": [], "missing": []}, RuleVerdict.REVIEW),
        ({"touches": [], "missing": [], "made": "1"}, RuleVerdict.REVIEW),
        ({"touches": [], "missing": [], "made": 0}, RuleVerdict.SKIPPED),
        ({"touches": [], "missing": [], "made": 1, "more": 1}, RuleVerdict.PASSED),
        ({"touches": [None, [], ["a", 1], ["a", 0, "in", True, 1]], **MADE}, "PASSED"),
        ({"touches": [["Board.f", 10**4000, "in", True, 1]], **MADE}, "PASSED"),
        ({"touches": [["B" * 10**6, 1, "in", True, 1]], **MADE}, "PASSED"),
        ({"touches": [["Board.f`\n", 1, "in", True, 1]] * 999, **MADE}, "BROKEN"),
    ],
)
def test_forged_evidence(zygote: Zygote, evidence: object, verdict: str) -> None:
    """Evidence of another shape shows nothing, and names in it are harmless."""
    survey = runner(zygote, {"Board": SET}).survey({"Board"})
    assert survey is not None
    finding = judge_encapsulation(DEMAND, survey, cast("Prober", ForgingProber(evidence)))
    assert verdict == finding.verdict
    for said in finding.evidence:
        assert all("\n" not in str(value) for _, value in said.parameters)


def armed(source: str, made_by: tuple[str, ...] = ("make",)) -> tuple[Seal, dict[str, Any]]:
    """Return a seal on the module `m` with this `source`, and the names in that module."""
    module = ModuleType("m")
    exec(dedent(source), module.__dict__)
    names = [f"m.{name}" for name in made_by]
    seal = Seal({"made_by": names, "known_to": names})
    seal.arm({"m": module})
    return seal, module.__dict__


@pytest.mark.parametrize(
    ("data", "do"),
    [
        (7, lambda x: (x + 1, 1 + x, x - 1, 1 - x, x * 2, x // 2, 20 // x, x % 4, 20 % x)),
        (7, lambda x: (x**2, 2**x, divmod(x, 3), divmod(20, x), x / 2, 14 / x)),
        (7, lambda x: (x << 1, 1 << x, x >> 1, 999 >> x, x & 5, 5 & x, x | 8, x ^ 1, 1 ^ x)),
        (7, lambda x: (-x, +x, abs(x), ~x, int(x), float(x), round(x), operator.index(x))),
        (7, lambda x: (x < 8, x <= 7, x > 8, x >= 7, x == 7, x != 7, 7 == x, bool(x))),
        (7, lambda x: (list(range(x)), [0] * x, "abcdefgh"[x], hash(x), repr(x), f"{x:3}")),
        ([3, 1, 2], lambda x: (sorted(x), list(reversed(x)), x.index(1), x[1:], 3 in x, len(x))),
        ({"a": 1}, lambda x: (dict(x), {**x}, list(x.items()), x | {"b": 2}, {"b": 2} | x)),
        ({1, 2}, lambda x: (x | {3}, {3} - x, x <= {1, 2, 3}, x & x, set(x))),
        ((1, {2: 3}), lambda x: (x[1][2], x * 2, [*x], copy.copy(x) == x)),
    ],
)
def test_stand_ins_do_what_the_data_does(data: Any, do: Callable[[Any], Any]) -> None:
    """Each operation on a stand-in gives what it gives on the data."""
    _, names = armed("def make(data): return data")
    sealed = names["make"](copy.deepcopy(data))
    assert Sealed is type(sealed)
    assert do(data) == do(sealed)


def test_stand_ins_change_as_the_data_does() -> None:
    """Changes in place go to the data, and the stand-in stays what the name stands for."""
    _, names = armed("data = [3, 1]\ndef make(): return data")
    sealed = same = names["make"]()
    sealed += [2]
    sealed[0] = 5
    del sealed[1]
    sealed.append(9)
    assert sealed is same
    assert [5, 2, 9] == names["data"]
    with pytest.raises(TypeError):
        hash(sealed)
    with pytest.raises(AttributeError):
        _ = sealed.missing
    with pytest.raises(TypeError, match="not callable"):
        sealed()


def test_copies_of_stand_ins_are_sealed() -> None:
    """A copy, deep or not, is data too, and its own."""
    _, names = armed("def make(): return [[1]]")
    sealed = names["make"]()
    for twin in (copy.copy(sealed), copy.deepcopy(sealed)):
        assert Sealed is type(twin)
        assert twin == sealed
        assert twin is not sealed


def test_same_data_has_the_same_stand_in() -> None:
    """`is` says of stand-ins what it says of the data."""
    _, names = armed("kept = []\ndef make(new): return [] if new else kept")
    make = names["make"]
    assert make(new=False) is make(new=False)
    assert make(new=True) is not make(new=True)


def test_touches_name_function_and_line() -> None:
    """A touch is that of the innermost code of the submission; what others do is not noted."""
    source = """
    def make(): return [1, 2]
    def outer(data):
        def inner():
            return data[0]
        return inner() + max(data) + inner()
    """
    seal, names = armed(source)
    data = names["make"]()
    assert 2 == len(data)
    assert 4 == names["outer"](data)
    assert {
        "touches": [
            ["m.outer.<locals>.inner", 5, "index", True, 2],
            ["m.outer", 6, "iterate", True, 1],
        ],
        "missing": [],
        "made": 1,
    } == seal.evidence()


def test_touches_are_bounded() -> None:
    """A submission that looks in from ever more places does not fill the report."""
    body = "    data[0]\n" * (MAX_TOUCHES + 50)
    seal, names = armed(f"def make(): return [1]\ndef look(data):\n{body}")
    names["look"](names["make"]())
    assert MAX_TOUCHES == len(cast("list[object]", seal.evidence()["touches"]))


def test_makers_that_are_missing() -> None:
    """A maker that is no function, or is not there, is told of."""
    seal, _ = armed("class make: pass", made_by=("make", "other"))
    assert ["m.make", "m.other"] == seal.evidence()["missing"]


def test_functions_that_make_nothing_yet_prove_nothing(zygote: Zygote) -> None:
    """A skeleton keeps no representation to itself: there is none."""
    source = "\n".join(f"def {name.partition('.')[2]}(*given): pass" for name in DEMAND.known_to)
    finding = judged(zygote, {"Board": source})
    assert RuleVerdict.SKIPPED is finding.verdict
    assert ["encapsulation.nothing"] == [said.key for said in finding.evidence]
