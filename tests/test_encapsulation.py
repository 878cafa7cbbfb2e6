"""Who looks into data whose representation only some functions may know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from board_demands import (
    DATA,
    DEMAND,
    KNOWN,
    REST,
    SET,
    Asked,
    judged,
    keys,
    knowing,
    line_of,
    lines,
    looking,
)
from board_sources import BOARDS, binding, expression, runner
from rule_evidence import by_probe

from grader.judging.probing import Probe, ProbeRunner
from grader.judging.rules.encapsulation import judge_representation
from grader.sandbox.survey import request_survey
from grader.sandbox.zygote import Zygote
from grader.verdict import RuleVerdict


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
    data = replace(DATA, made_by=(*KNOWN[:2], KNOWN[4]), known_to=known)
    finding = judged(zygote, source, Asked(data, probe))
    assert RuleVerdict.REVIEW == finding.verdict
    assert {"is_full": (line_of("board + 1 & board", source),)} == knowing(finding)
    call = expression("Board.is_full(board)")
    finding = judged(zygote, source, Asked(data, replace(probe, call=call)))
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"is_full": (line_of("board + 1 & board", source),)} == knowing(finding)


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
    survey = request_survey(program, {"Board"})
    assert survey is not None
    asked = judge_representation(
        *DEMAND, by_probe(ProbeRunner(program), survey, [f"Board.{function}"])
    )
    assert RuleVerdict.REVIEW == asked.verdict
    misused = f"{helped}\ndef count(board):\n    return len(_filled(board))\n"
    finding = judged(zygote, misused, looking("Board.count(board)"))
    assert RuleVerdict.BROKEN == finding.verdict
    assert {"_filled": (helped.count("\n"),)} == knowing(finding)


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
    finding = judged(zygote, sources, Asked(replace(DATA, known_to=known), demand.probe))
    assert RuleVerdict.PASSED == finding.verdict
    may_know = {row.function for row in finding.table if row.may_know}
    assert {name.partition(".")[2] for name in known} - {"make_board"} == may_know
    assert may_know - {"copy_board"} == {row.function for row in finding.table if row.knows}
    assert {"are_chainable", "Game.highest_score"} <= {row.function for row in finding.table}
