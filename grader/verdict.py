"""The closed lists of words for results."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Verdict(StrEnum):
    """The verdict on one case. "Not run" is never "wrong", and our own failure is neither."""

    PASSED = "PASSED"
    """All expectations were met."""
    WRONG = "WRONG"
    """The step ended, but not with the expected result."""
    ERROR = "ERROR"
    """The step raised an unexpected exception."""
    TIMED_OUT = "TIMED_OUT"
    """The step used up its time."""
    MEMORY = "MEMORY"
    """The step used up its memory."""
    OUTPUT = "OUTPUT"
    """The step printed more than its limit."""
    CRASHED = "CRASHED"
    """The interpreter itself crashed, for instance by a stack overflow in C."""
    EXITED = "EXITED"
    """The submission ended its own process, with `exit()` or `os._exit()`."""
    FORBIDDEN = "FORBIDDEN"
    """The submission tried something that the sandbox does not allow."""
    TAMPERED = "TAMPERED"
    """The executor's reply broke the protocol: the submission wrote to our channel."""
    SKIPPED = "SKIPPED"
    """A step or file that the case depends on failed first; the case names it."""
    NOT_RUN = "NOT_RUN"
    """The submission's budget was spent before this case."""
    FAULT = "FAULT"
    """Our own failure; it costs nobody points."""


@unique
class RuleVerdict(StrEnum):
    """The verdict on one rule."""

    PASSED = "PASSED"
    """The submission follows it."""
    BROKEN = "BROKEN"
    """The submission does not follow it; the evidence shows where."""
    REVIEW = "REVIEW"
    """The evidence is not clear: a person decides. It costs nothing until then."""
    SKIPPED = "SKIPPED"
    """Nothing can be judged: the function is missing, or cannot be run."""


@unique
class Status(StrEnum):
    """The status of one submission."""

    GRADED = "graded"
    UNGRADABLE = "ungradable"
    """Nothing in the submission can be run; its remarks explain why."""
    FAULT = "fault"
    """We failed; the submission has to be graded again."""


@unique
class Visibility(StrEnum):
    """How much of a case its student is allowed to see."""

    PUBLIC = "public"
    """Shown in full to the student."""
    HIDDEN = "hidden"
    """The student sees the verdict only."""
    STAFF = "staff"
    """The student sees nothing of it."""
