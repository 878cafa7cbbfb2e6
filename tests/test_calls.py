"""Which functions of a submission a session calls."""

from __future__ import annotations

from grader.judging.record import SourceText
from grader.reporting.call_order import CallGraph

CELLS = '''
from math import floor


class Grid:
    """Made like Grid(3); see also solved."""

    def __init__(self, size):
        self.size = checked(size)  # not area

    def area(self):
        def inner(cell):
            return self.row(cell)

        return inner(0)

    def row(self, cell):
        return "solved", cell

    def __str__(self):
        return self.row(0)

    def solved(self):
        return self.area()


def checked(size):
    return size
'''
CALLS = CallGraph([SourceText(name="cells.py", text=CELLS)])


def test_a_class_calls_what_makes_its_objects() -> None:
    """Its other methods are not called for that, nor what its comments and strings name."""
    assert {"Grid", "checked"} == CALLS.called_by("grid = Grid(3)")


def test_what_is_called_by_what_is_called_counts() -> None:
    """A function inside another one is part of it, and what is shown is made by a method."""
    assert {"solved", "area", "row"} == CALLS.called_by("grid.solved() == 'Grid'")
    assert {"__str__", "row"} == CALLS.called_by("print(grid)")


def test_classes_and_names_of_others_are_no_functions_of_the_submission() -> None:
    """What only a file as a whole uses is not counted."""
    assert {"area", "row", "__str__", "solved", "checked"} == CALLS.functions


def test_text_that_is_all_quotes_takes_no_time() -> None:
    """Each is looked at a few times at most, however many do not end."""
    hostile = '"\\' * 100_000 + "'\\" * 100_000 + '"""' + "'''"
    assert frozenset() == CallGraph([SourceText(name="f.py", text=hostile)]).functions
