"""A demand that only some functions know how a board is kept, and findings about submissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from board_sources import BOARDS, binding, expression, runner
from rule_evidence import by_probe

from grader.judging.probing import Probe, ProbeRunner
from grader.judging.results import Ruling
from grader.judging.rules.encapsulation import Representation, judge_representation
from grader.sandbox.survey import request_survey
from grader.sandbox.zygote import Zygote

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


class Asked(NamedTuple):
    """What a rule on encapsulation asks, and the probe that shows it."""

    data: Representation
    probe: Probe


DATA = Representation(module="Board", made_by=KNOWN[:2], known_to=KNOWN, parameter=0)
DEMAND = Asked(DATA, PROBE)
SET = BOARDS["set in a tuple"].source + REST


def looking(*calls: str, modules: tuple[str, ...] = ("Board",)) -> Asked:
    """Return the demand whose probe makes these `calls` besides."""
    observe = (*PROBE.observe, *map(expression, calls))
    return Asked(DATA, replace(PROBE, observe=observe, modules=modules))


def judged(zygote: Zygote, sources: str | Mapping[str, str], demand: Asked = DEMAND) -> Ruling:
    """Return the finding about a submission, given by its modules or by the text of `Board`."""
    modules = {"Board": sources} if isinstance(sources, str) else sources
    program = runner(zygote, modules)
    survey = request_survey(program, set(modules))
    assert survey is not None
    return judge_representation(*demand, by_probe(ProbeRunner(program), survey))


def line_of(text: str, source: str) -> int:
    """Return the number of the first line of `source` that has `text` in it."""
    return 1 + source[: source.index(text)].count("\n")


def keys(finding: Ruling) -> list[str]:
    """Return the keys of what `finding` says."""
    return [each.key for each in finding.evidence]


def lines(finding: Ruling) -> list[int]:
    """Return the lines that `finding` points to."""
    return [hit.place.line for hit in finding.hits]


def knowing(finding: Ruling) -> dict[str, tuple[int, ...]]:
    """Return the functions that look in and may not, with the lines where they do."""
    return {row.function: row.lines for row in finding.table if row.knows and not row.may_know}
