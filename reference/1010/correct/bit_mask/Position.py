"""Positions, with annotations and arithmetic instead of cases."""

from collections.abc import Collection

Cell = tuple[int, int]


def is_proper_position(position: object) -> bool:
    """Tell whether the value is a pair of integers."""
    if not isinstance(position, tuple) or len(position) != 2:
        return False
    for coordinate in position:
        if not isinstance(coordinate, int) or isinstance(coordinate, bool):
            return False
    return True


def is_proper_position_for_board(dimension: object, position: object) -> bool:
    """Tell whether the value is a pair of integers between 1 and the dimension."""
    if not isinstance(dimension, int) or not is_proper_position(position):
        return False
    return min(position) >= 1 and max(position) <= dimension


def left(dimension: int, position: Cell) -> Cell | None:
    """Give the cell to the left."""
    return step(dimension, position, (-1, 0))


def right(dimension: int, position: Cell) -> Cell | None:
    """Give the cell to the right."""
    return step(dimension, position, (1, 0))


def up(dimension: int, position: Cell) -> Cell | None:
    """Give the cell above."""
    return step(dimension, position, (0, 1))


def down(dimension: int, position: Cell) -> Cell | None:
    """Give the cell below."""
    return step(dimension, position, (0, -1))


def step(dimension: int, position: Cell, direction: Cell) -> Cell | None:
    """Give the cell one step further, if there is one."""
    cell = translate_over(position, *direction)
    return cell if is_proper_position_for_board(dimension, cell) else None


def next(dimension: int, position: Cell) -> Cell | None:
    """Give the following cell: number them from 0, row by row, and add one."""
    number = position[0] + (position[1] - 1) * dimension
    if number == dimension * dimension:
        return None
    return (number % dimension + 1, number // dimension + 1)


def translate_over(position: Cell, delta_x: int, delta_y: int) -> Cell:
    """Give the position at that distance."""
    column, row = position
    return column + delta_x, row + delta_y


def get_adjacent_positions(position: Cell, dimension: int | None = None) -> set[Cell]:
    """Give the surrounding positions in the same column or the same row."""
    adjacent = set()
    for column, row in get_surrounding_positions(position, dimension):
        if column == position[0] or row == position[1]:
            adjacent.add((column, row))
    return adjacent


def is_adjacent_to(position: Cell, other_positions: Collection[Cell]) -> bool:
    """Tell whether a neighbour is among the others."""
    return len(get_adjacent_positions(position).intersection(other_positions)) > 0


def get_surrounding_positions(position: Cell, dimension: int | None = None) -> set[Cell]:
    """Give all positions of the square of 3 by 3 around the position, without its centre."""
    square = set()
    for delta_x in (-1, 0, 1):
        for delta_y in (-1, 0, 1):
            square.add(translate_over(position, delta_x, delta_y))
    square.remove(position)
    if dimension is None:
        return square
    on_board = set()
    for cell in square:
        if is_proper_position_for_board(dimension, cell):
            on_board.add(cell)
    return on_board


def are_chained(positions: Collection[Cell]) -> bool:
    """Tell whether the positions are one group: melt groups together until one is left."""
    groups: list[set[Cell]] = []
    for position in positions:
        melted = {position}
        apart = []
        for group in groups:
            if position in group or is_adjacent_to(position, group):
                melted |= group
            else:
                apart.append(group)
        groups = [*apart, melted]
    return len(groups) <= 1


def are_chained_rec(positions: Collection[Cell], boundary: frozenset[Cell] = frozenset()) -> bool:
    """Tell whether the positions are one group: take away neighbours of what was taken away.

    The boundary holds all neighbours of the positions that were taken away already.
    """
    left_over = frozenset(positions)
    if not left_over:
        return True
    reachable = left_over & boundary if boundary else left_over
    if not reachable:
        return False
    taken = min(reachable)
    return are_chained_rec(left_over - {taken}, boundary | get_adjacent_positions(taken))
