"""A tiny exercise with all that belongs to it, made of what the documentation shows.

Its public suite is the example on the page about suites, and its generator the one of the how-to,
so these are proven wherever this exercise is generated, audited or graded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.exercise import Exercise, create_evaluator, find_exercise
from grader.plugins.authoring.generating.evaluator import Evaluator
from grader.sandbox.sandbox import Sandbox

_DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
_SPEC: Final = """\
# Counter

`Counter(limit)` counts up to `limit`, and starts from 0.

## add

`add(amount)` adds `amount` to the property `value`, and returns the counter itself. If the value
would be more than the limit, it must raise a `ValueError` with the message `too much`.

## Text

`str(counter)` must have a `#` for each that was counted, and a `-` for each that is left.
"""
COUNTER: Final = '''\
"""Counts up to a limit."""


class Counter:
    """A counter."""

    def __init__(self, limit):
        self.limit = limit
        self.value = 0

    def add(self, amount):
        """Count so many more."""
        if self.value + amount > self.limit:
            raise ValueError("too much")
        self.value += amount
        return self

    def __str__(self):
        return "#" * self.value + "-" * (self.limit - self.value)
'''
COPIED: Final = """\
class Counter:
    def __init__(self, limit):
        self.value = 0

    def add(self, amount):
        if self.value:
            raise ValueError("too much")
        self.value = amount
        return self

    def __str__(self):
        return "##-"
"""
"""What somebody hands in who knows the public answers and nothing else."""
_OTHER: Final = """\
class Counter:
    def __init__(self, limit):
        self.marks = ["-"] * limit

    @property
    def value(self):
        return self.marks.count("#")

    def add(self, amount):
        start = self.value
        if start + amount > len(self.marks):
            raise ValueError("too much")
        self.marks[start : start + amount] = ["#"] * amount
        return self

    def __str__(self):
        return "".join(self.marks)
"""
FORGETS: Final = COUNTER.replace("        self.value += amount\n", "").replace(
    "        if self.value + amount", "        self.value += amount\n        if self.value"
)
"""Counts before it refuses."""
_PANEL: Final = """\
of: list_of_marks
solutions:
  refuses_the_last:
    why: It cannot be filled. The spec refuses what would be more than the limit.
    edits:
      - in: Counter
        find: "if start + amount > len(self.marks):"
        replace: "if start + amount >= len(self.marks):"
"""
_SHARED: Final = COUNTER.replace("        self.value = 0\n", "        Counter.value = 0\n").replace(
    "self.value += amount", "Counter.value += amount"
)


def fenced(page: str, language: str) -> list[str]:
    """Return the blocks in `language` of a `page` of the documentation."""
    text = (_DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


PUBLIC: Final = next(
    block for block in fenced("reference/suite.md", "yaml") if "\nexercise: counter\n" in block
)
(GENERATOR,) = fenced("how-to/hidden-suites.md", "python")
(STRICT,) = fenced("how-to/hidden-suites.md", "py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """Where the parts of the tiny exercise lie."""

    folder: Path

    @property
    def public(self) -> Path:
        """Its public suite."""
        return self.folder / "testsuites/counter.yaml"

    @property
    def hidden(self) -> Path:
        """Where its hidden suite lies once it is there."""
        return self.folder / "testsuites/counter.hidden.yaml"

    @property
    def reference(self) -> Path:
        """The folder of its reference."""
        return self.folder / "reference/counter"

    @property
    def words(self) -> tuple[str, ...]:
        """What a command line calls it."""
        return str(self.public), "--reference", str(self.reference)

    def found(self) -> Exercise:
        """Return it as the command line finds it."""
        return find_exercise(str(self.public), None, self.reference)

    def write(self, path: str, text: str) -> None:
        """Write a file of the folder of its reference."""
        target = self.reference / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def small_exercise(folder: Path, generator: str | None = GENERATOR) -> Small:
    """Write the tiny exercise into `folder`."""
    small = Small(folder=folder)
    small.public.parent.mkdir(parents=True)
    spec = "spec: ../reference/counter/spec.md\n"
    small.public.write_text(PUBLIC.replace("module:", f"{spec}module:", 1), encoding="utf-8")
    small.write("spec.md", _SPEC)
    small.write("counter.py", COUNTER)
    small.write("correct/list_of_marks.py", _OTHER)
    small.write("faulty/refuses_when_full.py", COUNTER.replace(" > self.", " >= self."))
    small.write("faulty/counts_before_it_refuses.py", FORGETS)
    small.write("faulty/unseen/one_value_for_all/counter.py", _SHARED)
    small.write("panel/list_of_marks.edits.yaml", _PANEL)
    small.write("guessers/copied.py", COPIED)
    if generator is not None:
        small.write("generator.py", generator)
    return small


def evaluator(
    small: Small, sandbox: Sandbox, programs: Sequence[WrongProgram] | None = None
) -> Evaluator:
    """Return what makes sessions of the tiny exercise, and tries them on `programs` or on all."""
    exercise = small.found()
    wrong = exercise.wrong_programs() if programs is None else programs
    return create_evaluator(
        exercise,
        lambda suite: MutantRunner(suite, [sandbox], exercise.sources),
        wrong,
        lambda: None,
    )
