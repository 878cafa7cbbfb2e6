"""A rubric: a YAML file with items for each exercise, which add or subtract points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Final

import yaml
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from grader.errors import UsageError
from grader.suite.reading import yaml_problem
from grader.values.foreign_text import escape_controls, one_line

_MAX_BYTES: Final = 200_000
_SHAPE_HELP: Final = (
    "it needs a list of items for each exercise, each with an id, points and a text"
)
_PROBLEMS: Final = {
    "missing": "it is missing",
    "unexpected_keyword_argument": "this key does not exist",
    "string_pattern_mismatch": "write 1 to 60 letters, digits, full stops, hyphens or underscores",
    "tuple_type": "it is not a list of items",
    "dict_type": "it is not a mapping from exercises to items",
}
"""What is wrong, by pydantic's type of error. For other types, pydantic's message is shown."""


@dataclass(frozen=True, slots=True, kw_only=True, config={"extra": "forbid"})
class RubricItem:
    """Something that adds or subtracts points."""

    id: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,60}$")]
    points: Annotated[float, Field(ge=-999_999, le=999_999)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
    """The reason for the points, which the student reads."""


Rubric = Mapping[str, tuple[RubricItem, ...]]
"""Items by exercise."""


class RubricFile:
    """A rubric file that can change while it is in use."""

    def __init__(self, path: Path) -> None:
        """Read the file at `path`. Raises `UsageError` if it is not a valid rubric."""
        self._path: Final = path
        # Determined before reading, so that a change during reading is noticed later.
        self._read_state = self._state()
        self._rubric = read_rubric(path)
        self.problem = ""
        """Why the file cannot be used now, or ""; meanwhile its last valid content is used."""

    def current(self) -> Rubric:
        """Return the rubric, read again if its file has changed.

        If the file is no longer valid, record why in `problem` and return its last valid content.
        """
        if (state := self._state()) != self._read_state:
            self._read_state, self.problem = state, ""
            try:
                self._rubric = read_rubric(self._path)
            except UsageError as error:
                self.problem = error.message
        return self._rubric

    def _state(self) -> tuple[int, int] | None:
        """Return the modification time and size of the file, which reveal a change.

        Return None if the file does not exist or cannot be examined. The size of anything that is
        not a regular file is -1.
        """
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size if S_ISREG(status.st_mode) else -1


def read_rubric(path: Path) -> Rubric:
    """Return the rubric in the file at `path`. Raises `UsageError` if it is not a valid rubric."""
    shown_path = one_line(str(path))
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block the desk
            raise UsageError(f"cannot read {shown_path}: it is not a file", help="give a YAML file")
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {shown_path}: {error.strerror}", help="check the path and its permissions"
        ) from error
    if len(data) > _MAX_BYTES:
        raise UsageError(
            f"{shown_path} is larger than {_MAX_BYTES:,} bytes",
            help="check that it is a rubric, or remove items",
        )
    try:
        document = yaml.load(data, Loader=yaml.SafeLoader)
    # Lists can be nested too deeply; a date such as 2026-02-31 raises `ValueError`.
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(
            f"{shown_path} is not valid YAML: {yaml_problem(error)}", help=_SHAPE_HELP
        ) from error
    try:
        rubric = TypeAdapter(dict[str, tuple[RubricItem, ...]]).validate_python(document)
    except ValidationError as error:
        first_error, *_ = error.errors()
        problem = _PROBLEMS.get(first_error["type"], first_error["msg"])
        raise UsageError(
            f"{shown_path} is not a valid rubric: {_location(first_error['loc'])}:"
            f" {one_line(problem, 200)}",
            help=_SHAPE_HELP,
        ) from error
    for exercise, items in rubric.items():
        id_counts = Counter(item.id for item in items)
        if duplicates := [item_id for item_id, count in id_counts.items() if count > 1]:
            raise UsageError(
                f"{shown_path}: several items in {one_line(exercise)} have the same id:"
                f" {duplicates[0]}",
                help="give each item an id of its own",
            )
    return {exercise: tuple(map(_normalized, items)) for exercise, items in rubric.items()}


def _location(parts: tuple[int | str, ...]) -> str:
    """Return the location of an error, such as `points of item 2 of yinyang`."""
    names = [f"item {part + 1}" if isinstance(part, int) else one_line(part) for part in parts]
    return " of ".join(reversed(names)) or "the whole file"


def _normalized(item: RubricItem) -> RubricItem:
    """Return `item` with its points and text as a decision stores them.

    Otherwise, a decision that gave this item would always seem to differ from it.
    """
    return replace(item, points=float(f"{item.points:f}"), text=escape_controls(item.text))
