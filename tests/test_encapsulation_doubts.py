"""Doubts whether a function looks into the data: a person decides, or nobody is accused."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent
from typing import Any, Final, cast

import pytest
from board_demands import DEMAND, SET, judged, keys, knowing, line_of, lines, looking
from board_sources import runner
from rule_evidence import by_probe

from grader.judging.probing import ProbeObservation, ProbeRunner
from grader.judging.rules.encapsulation import judge_representation
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.survey import request_survey
from grader.sandbox.zygote import Zygote
from grader.values.tree import Atom
from grader.verdict import RuleVerdict


@pytest.mark.parametrize("statement", ["return not board", "return 1 if board else 2"])
def test_asking_whether_there_is_data(zygote: Zygote, statement: str) -> None:
    """Whoever asks for the truth of the data may ask whether there is any: a person decides."""
    source = f"{SET}\ndef is_large(board):\n    {statement}\n"
    finding = judged(zygote, source, looking("Board.is_large(board) and None"))
    assert RuleVerdict.REVIEW == finding.verdict
    assert [source.count("\n")] == lines(finding)


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


class ForgingProber:
    """A prober on a submission that forges what its instruments report."""

    def __init__(self, evidence: object) -> None:
        self._evidence = evidence

    def session(self, *_args: object, **_named: object) -> ForgingProber:
        """Return what can be observed, as sessions of probes are."""
        return self

    def observe(self) -> ProbeObservation:
        """Return what a probe shows that went well, with the forged evidence."""
        seen = Observation(outcome=Returned(value=Atom(None), identity=None))
        evidence = cast("Mapping[str, Any]", {"seal": self._evidence})
        return ProbeObservation(reached=True, call=seen, observed=(), evidence=evidence)


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
    survey = request_survey(runner(zygote, {"Board": SET}), {"Board"})
    assert survey is not None
    finding = judge_representation(
        *DEMAND, by_probe(cast("ProbeRunner", ForgingProber(evidence)), survey)
    )
    assert verdict == finding.verdict
    for said in finding.evidence:
        assert all("\n" not in str(value) for _, value in said.parameters)


def test_functions_that_make_nothing_yet_prove_nothing(zygote: Zygote) -> None:
    """A skeleton keeps no representation to itself: there is none."""
    source = "\n".join(
        f"def {name.partition('.')[2]}(*given): pass" for name in DEMAND.data.known_to
    )
    finding = judged(zygote, {"Board": source})
    assert RuleVerdict.SKIPPED is finding.verdict
    assert ["encapsulation.nothing"] == [said.key for said in finding.evidence]
