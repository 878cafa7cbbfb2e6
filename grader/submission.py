"""One student's files for one exercise, as bytes and decoded text; read-only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One Python file of a submission, decoded."""

    name: str
    """Its path from the folder of the main file, for tracebacks and remarks."""
    text: str
    encoding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What one student handed in.

    `obstacle` is set when there is nothing to run: the reason, for the student.
    """

    student: str
    main: SourceFile | None
    """The file that is loaded as the exercise's single module."""
    modules: Mapping[str, SourceFile]
    """The other Python files, by the (dotted) name under which they can be imported."""
    data: Mapping[str, bytes]
    """Files that are not Python, by their path from the folder of the main file."""
    raw: Mapping[str, bytes]
    """All files as they were handed in, by name."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Of an exercise with several modules those that were handed in: the name that the suite has
    for each, and the name under which it can be imported."""
    remarks: tuple[Message, ...] = ()
    obstacle: Message | None = None

    def file_of(self, module: str, main: str | tuple[str, ...]) -> SourceFile | None:
        """Return the file of `module`, where `main` is what the exercise calls the main file."""
        return self.main if module == main else self.modules.get(module)
