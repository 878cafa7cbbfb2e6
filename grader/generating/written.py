"""Sessions that a course writes down as text, for a generator to make scripts of.

A text has sessions with an empty line between them. The first line of each is its title. Behind
` # ` stands the group that a line counts for, and behind that, where it must be refused, why:

    Twice the same
    puzzle = Puzzle(3)
    puzzle.fill((0, 1))
    str(puzzle) # str
    puzzle.fill((0, 1)) # fill: it is taken
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.generating.scripts import Line, Script


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """What lines have in common in all sessions of an exercise."""

    spec_lines: Mapping[str, int]
    """The line of the spec that asks for it, by `group`, or by `group: why`, which wins."""
    refusal: str
    """What a group of refused lines is called after the group of those that are accepted."""
    actions: tuple[str, ...]
    """Groups of which an accepted line changes what later lines see."""
    observers: tuple[str, ...]
    """Expressions that every refused line has to leave unchanged."""

    def case(self, group: str, code: str) -> Line:
        """Return a line that counts for `group`."""
        action = group in self.actions
        return Line(code=code, group=group, action=action, spec_line=self.spec_lines[group])

    def refused(self, group: str, code: str, why: str) -> Line:
        """Return a line that is refused, which counts for the refusals of `group`."""
        line = self.spec_lines.get(f"{group}: {why}", self.spec_lines[group])
        return Line(code=code, refused=group + self.refusal, note=why, spec_line=line)

    def line(self, text: str) -> Line:
        """Return the line that is written down as `text`."""
        code, _, label = text.partition(" # ")
        group, _, why = label.partition(": ")
        if why:
            return self.refused(group, code, why)
        return self.case(group, code) if group else Line(code=code)

    def script(self, topic: str, lines: list[Line]) -> Script:
        """Return a session of `lines`."""
        return Script(topic=topic, lines=tuple(lines), observers=self.observers)

    def session(self, text: str) -> Script:
        """Return the session that is written down as `text`."""
        topic, *lines = text.strip().split("\n")
        return self.script(topic, [self.line(line) for line in lines])
