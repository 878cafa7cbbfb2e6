"""Positions, chains and moves of 1010!, as the generator of its hidden suite draws and weighs them.

A block is a tuple of dots; a board is its dimension and the set of its filled cells. What is made
here keeps to the assumptions of the functions that get it, and a value that does not is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import permutations
from typing import TypeAlias

from grader.plugins.authoring.generating import Draws

Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = tuple[Cell, ...]
Filled: TypeAlias = frozenset[Cell]

STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
SLANTS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
KINDS = ("list", "tuple", "set", "frozenset")


def literal(cells: Iterable[Cell], kind: str = "list") -> str:
    """Return the code of a collection of `cells` of this `kind`."""
    listed = ", ".join(map(str, cells))
    braces = f"{{{listed}}}" if listed else "set()"
    comma = "," if listed.count("(") == 1 else ""
    texts = (f"[{listed}]", f"({listed}{comma})", braces, f"frozenset({braces if listed else ''})")
    return dict(zip(KINDS, texts, strict=True))[kind]


def moved(cells: Iterable[Cell], by: Cell) -> Cells:
    """Return `cells`, all moved."""
    return tuple((column + by[0], row + by[1]) for column, row in cells)


def around(cells: Collection[Cell], steps: Sequence[Cell] = STEPS) -> list[Cell]:
    """Return the cells that are one of the `steps` away from one of `cells`, in order."""
    return sorted({each for cell in cells for each in moved(steps, cell)}.difference(cells))


def square(size: int) -> list[Cell]:
    """Return all cells of a board, column by column."""
    numbers = range(1, size + 1)
    return [(column, row) for column in numbers for row in numbers]


def row_of(size: int, row: int) -> list[Cell]:
    """Return the cells of a row."""
    return [(column, row) for column in range(1, size + 1)]


def column_of(size: int, column: int) -> list[Cell]:
    """Return the cells of a column."""
    return [(column, row) for row in range(1, size + 1)]


def is_chained(cells: Iterable[Cell]) -> bool:
    """Return whether `cells` are one group."""
    left = set(cells)
    group = {min(left)} if left else set()
    while more := left.intersection(around(group)) - group:
        group |= more
    return group == left


def chain(draws: Draws, count: int) -> Cells:
    """Return so many connected cells, which turn and branch in any way."""
    cells = [(0, 0)]
    while len(cells) < count:
        cells += draws.some(around(cells[-2:] if draws.chance(0.6) else cells), 1)
        cells = list(dict.fromkeys(cells))
    return tuple(draws.shuffled(cells))


def cuts(cells: Cells) -> list[Cell]:
    """Return those of `cells` without which the others fall apart."""
    return [one for one in cells if not is_chained({*cells} - {one})]


def bent(draws: Draws, count: int) -> Cells:
    """Return a chain with a cut whose mirror images and turns are all other shapes."""
    while True:
        cells = chain(draws, count)
        if cuts(cells) and len({corner(view) for view in views(cells)}) == len(views(cells)):
            return cells


def without_corners(draws: Draws, count: int) -> Cells:
    """Return a chain of five cells or more that has no cell in any corner of its box."""
    while True:
        cells = chain(draws, count)
        columns, rows = zip(*cells, strict=True)
        ends = ((min(columns), max(columns)), (min(rows), max(rows)))
        if not {(column, row) for column in ends[0] for row in ends[1]} & {*cells}:
            return cells


def views(cells: Cells) -> list[Cells]:
    """Return `cells` as they are, mirrored in two ways, and turned a quarter."""
    return [
        cells,
        tuple((-column, row) for column, row in cells),
        tuple((column, -row) for column, row in cells),
        tuple((row, -column) for column, row in cells),
    ]


def corner(cells: Cells) -> Filled:
    """Return `cells`, moved to where the lowest column and the lowest row are 0."""
    left, low = (min(each) for each in zip(*cells, strict=True))
    return frozenset(moved(cells, (-left, -low)))


@cache
def anchors(size: int, dots: Cells) -> tuple[Cell, ...]:
    """Return where the anchor may lie so that all dots come down on the board, in order."""
    columns, rows = zip(*dots, strict=True)
    return tuple(
        (column, row)
        for column in range(1 - min(columns), size - max(columns) + 1)
        for row in range(1 - min(rows), size - max(rows) + 1)
    )


def cleared(size: int, filled: Filled) -> tuple[int, Filled]:
    """Return how many lines are full, and what is filled without them."""
    numbers = range(1, size + 1)
    lines = [frozenset(line(size, number)) for number in numbers for line in (row_of, column_of)]
    full = [line for line in lines if line <= filled]
    return len(full), filled.difference(*full)


@cache
def moves(size: int, filled: Filled, dots: Cells) -> tuple[tuple[Cell, int, Filled], ...]:
    """Return where the block can be dropped, each with the score and the board after it."""
    found = []
    for anchor in anchors(size, dots):
        under = frozenset(moved(dots, anchor))
        if not under & filled:
            lines, after = cleared(size, filled | under)
            found.append((anchor, len(dots) + 5 * lines * (lines + 1), after))
    return tuple(found)


@cache
def best(
    size: int, filled: Filled, blocks: tuple[Cells, ...]
) -> tuple[int | None, int, frozenset[Filled]]:
    """Return the highest score, how many ways there are to it, and the boards they end with."""
    if not blocks:
        return 0, 1, frozenset({filled})
    top: int | None = None
    ways, ends = 0, frozenset[Filled]()
    for _, score, after in moves(size, filled, blocks[0]):
        rest, rest_ways, rest_ends = best(size, after, blocks[1:])
        if rest is None or (top is not None and score + rest < top):
            continue
        if score + rest != top:
            top, ways, ends = score + rest, 0, frozenset()
        ways, ends = ways + rest_ways, ends | rest_ends
    return top, ways, ends


def step_by_step(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> int | None:
    """Return the score of who takes the best move each time, the first of equals."""
    total = 0
    for dots in blocks:
        if not (found := moves(size, filled, dots)):
            return None
        _, score, filled = max(found, key=lambda move: move[1])
        total += score
    return total


def group_scores(size: int, filled: Filled, group: tuple[Cells, ...]) -> list[int | None]:
    """Return the best score of each order of the group, as `permutations` gives them."""
    return [best(size, filled, order)[0] for order in permutations(group)]


def greedy(
    size: int, filled: Filled, group: tuple[Cells, ...]
) -> tuple[int | None, frozenset[Filled]]:
    """Return the best score of a group in any order, and the boards that it may end with."""
    tried = [best(size, filled, order) for order in permutations(group)]
    top = max((score for score, _, _ in tried if score is not None), default=None)
    if top is None:
        return None, frozenset({filled})
    return top, frozenset().union(*(ends for score, _, ends in tried if score == top))


def played(
    size: int, filled: Filled, blocks: Sequence[Cells]
) -> frozenset[tuple[int | None, Filled]]:
    """Return all totals, each with its last board, of who plays each group as well as possible."""
    states: set[tuple[int | None, Filled]] = {(0, filled)}
    for first in range(0, len(blocks), 3):
        group = tuple(blocks[first : first + 3])
        following: set[tuple[int | None, Filled]] = set()
        for total, board in states:
            if total is None:
                following.add((total, board))
                continue
            score, ends = greedy(size, board, group)
            following |= {(None if score is None else total + score, end) for end in ends}
        states = following
    return frozenset(states)
