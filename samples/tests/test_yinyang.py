"""Tests as a course has them: they know nothing of the grader, but for the points."""

import pytest
import yinyang
from yinyang import YinYang, bevat_vierkant, buren, verbonden


@pytest.fixture
def puzzle():
    return YinYang(4, {(0, 0), (1, 2)}, {(3, 3)})


@pytest.mark.points(2)
@pytest.mark.parametrize("position", [(0, 0), (2, 5)])
def test_neighbours(position):
    r, c = position
    assert buren(position) == {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}


def test_square():
    square = {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert bevat_vierkant(square)
    square.remove((1, 1))
    assert not bevat_vierkant(square)


def test_argument_is_left_alone():
    positions = {(0, 0), (0, 1), (5, 5)}
    assert verbonden((0, 0), positions) == {(0, 0), (0, 1)}
    assert positions == {(0, 0), (0, 1), (5, 5)}


def test_picture(puzzle):
    assert isinstance(puzzle, yinyang.YinYang)
    assert str(puzzle).splitlines()[0] == "W---"


def test_refused():
    with pytest.raises(AssertionError):
        YinYang(2, {(0, 0)}, {(0, 0)})
