"""Boards of a suite: how they are written, on what positions are drawn, and room in a record."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from builders import by_id, graded, suite
from drawings import PLANE, chosen, differing, marks, value

from grader.plugins.drawing.making import known_board, pictures
from grader.sandbox.zygote import Zygote
from grader.suite.board import MAX_CELLS, MAX_PICTURES, MAX_SIDE, Drawing, Look, Picture


def test_board_of_a_suite() -> None:
    """Each key of `board` has its meaning."""
    board = suite(
        """
        board:
          cells: {empty: "-", number: A=1 2, wall: "##"}
          numbers: digit
          positions: true
          origin: bottom-left
          base: 1
          order: column-row
        groups: [{id: g, points: 1}]
        sessions: [{id: s, steps: [{do: "1", returns: "1", group: g}]}]
        """
    ).board
    looks = {
        "-": Look(Drawing.EMPTY),
        "##": Look(Drawing.WALL),
        "A": Look(Drawing.NUMBER, "1"),
        "2": Look(Drawing.NUMBER, "2"),
    }
    assert board is not None
    assert looks == board.looks
    assert (Drawing.DIGIT, True, PLANE) == (board.numbers, board.positions, board.layout)


HEAD = """\
exercise: sample
title: Sample
language: en
module: sample
defines: []
board:
  cells: {white: w, white_given: W, black: b, empty: "-"}
  positions: true
"""
SESSION = """
    groups: [{id: g, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: p = P()}
      - {do: print(p), stdout: "w-\\n-W", group: g}
      - {do: p.area(), returns: "{(0, 0)}", group: g}
      - {do: p.move()}
      - {do: p.area(), returns: "{(1, 0)}", group: g}
      - {do: q = P()}
      - {do: q.area(), returns: "{(1, 0)}", group: g}
      - {do: p = P()}
      - {do: p.area(), returns: "{(1, 0)}", group: g}
    """


@pytest.mark.parametrize(("step", "expected"), [(2, "w--W"), (4, "---W"), (6, None), (8, None)])
def test_board_below_positions(step: int, expected: str | None) -> None:
    """Positions are drawn on the board that was shown last, or on what must be left of it."""
    given = suite(SESSION, HEAD)
    assert given.board is not None
    known = known_board(given.sessions[0], step, given.board)
    shown = None
    if known is not None:
        shown = "".join(cell.mark or "-" for _, cell in sorted(known.items(), key=lambda at: at[0]))
    assert expected == shown


def test_stones_stay_below_positions() -> None:
    """A position takes nothing away from the board below it."""
    given = suite(SESSION, HEAD)
    assert given.board is not None
    known = known_board(given.sessions[0], 2, given.board)
    (picture,) = pictures(value("{(0, 0)}"), value("{(0, 1)}"), given.board, known)
    assert ["w-", "-W"] == marks(picture)
    assert [".x", ".."] == chosen(picture)


CASES = """
    groups: [{id: g, points: 4}]
    sessions:
    - id: open
      steps:
      - {do: p = P(), group: g}
      - {do: print(p), stdout: "w-\\n-b", group: g}
      - {do: str(p), returns: "'w-\\\\n-b'", group: g}
      - {do: p.area(), returns: "{(0, 0)}", group: g}
      - {do: p.area(), returns: "{(0, 1)}", group: g}
    - id: closed
      visibility: hidden
      steps:
      - {do: p = P()}
      - {do: print(p), stdout: "w-\\n-b", group: g}
    """
WRONG = """
    class P:
        def __str__(self):
            return "w-\\n--"

        def area(self):
            return {(0, 1)}
    """


def test_public_cases_that_failed(zygote: Zygote) -> None:
    """A record holds pictures of what a public case expected and got, and of nothing else."""
    body = dedent(HEAD).partition("board:")[1:]
    record = graded(zygote, "\n" + "".join(body) + dedent(CASES), WRONG)
    found = {name: len(case.pictures) for name, case in by_id(record).items()}
    assert {"g/1": 0, "g/2": 1, "g/3": 1, "g/4": 1, "g/5": 0, "g/6": 0} == found


def test_a_refused_step_that_changed_the_board(zygote: Zygote) -> None:
    """What an observer saw before and after is a board too."""
    record = graded(
        zygote,
        """
        board: {cells: {white: w, empty: "-"}}
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          observers: [str(p)]
          steps:
          - {do: p = P()}
          - {do: p.move(), raises: ValueError, group: g}
        """,
        """
        class P:
            board = "--\\n--"

            def move(self):
                self.board = "w-\\n--"
                raise ValueError

            def __str__(self):
                return self.board
        """,
    )
    (picture,) = by_id(record)["g/1"].pictures
    assert isinstance(picture, Picture)
    assert ["(0, 0)"] == differing(picture)


def test_room_in_a_record(zygote: Zygote) -> None:
    """A record holds so many pictures at most, whatever fails."""
    steps = "".join(
        f"""\
      - {{do: "f({number})", returns: "{{({number}, {number})}}", group: g}}
"""
        for number in range(40)
    )
    record = graded(
        zygote,
        f"""
    board: {{positions: true}}
    groups: [{{id: g, points: 1}}]
    sessions:
    - id: s
      steps:
{steps}""",
        "def f(number): return {(0, number)}",
    )
    found = [picture for case in record.cases for picture in case.pictures]
    assert 0 < len(found) <= MAX_PICTURES
    assert MAX_CELLS >= sum(picture.weight for picture in found)


def test_page_on_suites_has_the_limits(root: Path) -> None:
    """The limits of pictures stand in the reference as they are in the code."""
    page = " ".join((root / "docs/reference/suite.md").read_text("utf-8").split())
    assert f"A board of more than {MAX_SIDE} rows or columns is not drawn" in page
    assert f"at most {MAX_PICTURES} of these comparisons" in page
    assert f"at most {MAX_CELLS:,} cells" in page


SIZED = """
    groups: [{id: g, points: 3}]
    sessions:
    - id: s
      steps:
      - {do: p = M.made(3)}
      - {do: q = M.copied(p)}
      - {do: q.area(), returns: "{(0, 0)}", group: g}
      - {do: r = M.made()}
      - {do: r.area(), returns: "{(0, 0)}", group: g}
      - {do: "[p.corner(), q.corner()]", returns: "[(0, 0), (1, 1)]", group: g}
      - {do: "s = M.made(rows=2, columns=4)"}
      - {do: s.area(), returns: "{(0, 0)}", group: g}
      - {do: "t = M.made(3, [5])"}
      - {do: t.area(), returns: "{(0, 0)}", group: g}
      - {do: "u = M.made(400)"}
      - {do: u.area(), returns: "{(0, 0)}", group: g}
      - {do: "v = M.made(True, 2)"}
      - {do: v.area(), returns: "{(0, 0)}", group: g}
    """


@pytest.mark.parametrize(
    ("step", "last"),
    [(2, (2, 2)), (4, None), (7, (1, 3)), (9, (2, 2)), (11, None), (13, None)],
)
def test_board_of_the_size_that_it_was_made_with(step: int, last: tuple[int, int] | None) -> None:
    """Numbers in the session say how large the board is, also of a copy: one, or two."""
    head = HEAD.replace("  positions", "  made_by: M.made\n  positions")
    given = suite(SIZED, head)
    assert given.board is not None
    known = known_board(given.sessions[0], step, given.board)
    assert last == (None if known is None else max(known))
    (picture,) = pictures(value("{(0, 0)}"), value("{(0, 1)}"), given.board, known)
    assert (last is not None) is picture.sized
    (outside,) = pictures(value("{(0, 0)}"), value("{(0, 7)}"), given.board, known)
    assert not outside.sized


def test_answers_to_several_questions_are_no_board(zygote: Zygote) -> None:
    """A list that the step makes of answers is not drawn as a set of positions."""
    source = """
        class P:
            def area(self): return {(0, 1)}
            def corner(self): return (0, 1)
        class M:
            made = lambda *sizes, **named: P()
            copied = lambda p: p
        """
    body = dedent(HEAD).partition("board:")[1:]
    record = graded(zygote, "\n" + "".join(body) + dedent(SIZED), source)
    assert [1, 1, 0] == [len(case.pictures) for case in record.cases][:3]
