"""The closed lists of words in which results are told."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Verdict(StrEnum):
    """What became of one case. "Not run" is never "wrong", and our own trouble is neither."""

    PASSED = "PASSED"
    """Everything that was expected was observed."""
    WRONG = "WRONG"
    """The step ended, but not with what was expected."""
    ERROR = "ERROR"
    """The step raised an exception that nobody expected."""
    TIMED_OUT = "TIMED_OUT"
    """The step used up its time."""
    MEMORY = "MEMORY"
    """The step used up its memory."""
    OUTPUT = "OUTPUT"
    """The step printed more than its limit."""
    CRASHED = "CRASHED"
    """The interpreter itself went down, for instance by a stack overflow in C."""
    EXITED = "EXITED"
    """The submission ended its own process, with `exit()` or `os._exit()`."""
    FORBIDDEN = "FORBIDDEN"
    """The submission tried something that the sandbox does not allow."""
    TAMPERED = "TAMPERED"
    """The executor's reply broke the protocol; somebody wrote on our channel."""
    SKIPPED = "SKIPPED"
    """Something that this case needs failed first; the case names it."""
    NOT_RUN = "NOT_RUN"
    """The submission's budget was spent before this case."""
    FAULT = "FAULT"
    """Our own failure; it costs nobody points."""


@unique
class RuleVerdict(StrEnum):
    """What became of one rule."""

    PASSED = "PASSED"
    """The submission keeps to it."""
    BROKEN = "BROKEN"
    """It does not; the evidence says where."""
    REVIEW = "REVIEW"
    """The evidence is not clear: a person decides. It costs nothing until then."""
    SKIPPED = "SKIPPED"
    """There is nothing to judge: the function is missing, or cannot be run."""


@unique
class Status(StrEnum):
    """What became of one submission."""

    GRADED = "graded"
    UNGRADABLE = "ungradable"
    """Nothing in it can be run; the reason stands in its remarks."""
    FAULT = "fault"
    """We failed; the submission has to be graded again."""


@unique
class Visibility(StrEnum):
    """Who may see what of a case."""

    PUBLIC = "public"
    """Shown in full to the student."""
    HIDDEN = "hidden"
    """The student sees the verdict only."""
    STAFF = "staff"
    """The student sees nothing of it."""
