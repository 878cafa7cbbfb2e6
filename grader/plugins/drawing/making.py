"""Decides what is drawn in one record: of public cases that failed, as long as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from grader.judging.pictures import AnyPicture
from grader.judging.results import Result
from grader.plugins.drawing.board_pictures import known_board, pictures
from grader.plugins.drawing.widget_pictures import widget_picture
from grader.suite.board import MAX_CELLS, MAX_PICTURES
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Visibility

_MAX_OF_CASE: Final = 2
"""Pictures of one case."""
_ANSWERS: Final = ("[", "(")
"""How a step begins that asks several questions; the answers together are no board."""


class PictureMaker:
    """Makes the pictures of one record."""

    def __init__(self, suite: Suite, taken: Iterable[AnyPicture] = ()) -> None:
        """Make pictures for `suite`, besides those `taken` already."""
        self._suite: Final = suite
        self._pictures = MAX_PICTURES
        self._cells = MAX_CELLS
        for picture in taken:
            self._takes(picture)

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return what can be drawn of a case with this `result`."""
        if session.visibility is not Visibility.PUBLIC or not self._pictures:
            return ()
        found = islice(self._found(session, case, result), _MAX_OF_CASE)
        return tuple(picture for picture in found if self._takes(picture))

    def _found(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        """Yield what a widget of the group shows, or else what boards there are; then the calls."""
        shown = [*self._of_widgets(case, result)]
        yield from shown or self._of_boards(session, case, result)
        if result.calls is not None:
            yield result.calls

    def _of_widgets(self, case: Case, result: Result) -> Iterator[AnyPicture]:
        values = result.values
        if values is None or values.expected is None:
            return
        for widget in self._suite.widgets.of_group(case.group):
            picture = widget_picture(widget, values.expected, values.got)
            if picture is not None:
                yield picture

    def _of_boards(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        values, board = result.values, self._suite.board
        if values is None or board is None:
            return
        if session.steps[case.step_index].code.startswith(_ANSWERS):
            board = board.changed(positions=False)
        known = known_board(session, case.step_index, board)
        yield from pictures(values.expected, values.got, board, known)

    def _takes(self, picture: AnyPicture) -> bool:
        if not self._pictures or picture.weight > self._cells:
            return False
        self._pictures -= 1
        self._cells -= picture.weight
        return True
