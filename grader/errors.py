"""Everything this package raises on purpose.

A student's mistake is never an exception: it is a verdict. Nearly all exceptions below are the
fault of an author, the host or the user::

    GraderError
    ├── UsageError          the command line contradicts itself, or names nothing real (exit 2)
    │   ├── UnknownExercise ... the exercise does not exist (grader.suite.exercises)
    │   └── FitError        ... a submission fits no exercise, or several (grader.suite.exercises)
    ├── SuiteError          a suite, a spec or its settings cannot be used             (exit 3)
    │   ├── InvalidSuite    ... listing each mistake with its line (grader.suite.loading)
    │   └── SpecError       ... with the line of the spec (grader.plugins.authoring.deriving)
    ├── HostError           this machine cannot do what grading needs                  (exit 4)
    │   └── ZygoteError     the zygote did not start, or stopped answering
    │       └── ExecutorKilled  another process has killed an executor
    ├── NothingToGrade      no submission was found where one was expected             (exit 5)
    ├── OutputError         a report or a record cannot be written                     (exit 6)
    ├── RecordError         a record of an earlier run cannot be read                  (exit 6)
    └── ProtocolError       an executor sent something the protocol does not allow

Only `ProtocolError` is the fault of a submission: the judge turns it into the verdict TAMPERED.
"""

from __future__ import annotations

from typing import ClassVar, Final

LABELS: Final = ("error:", "help:")
"""The words before an error message, and before the advice."""


class GraderError(Exception):
    """Base of all errors that this package raises on purpose.

    The command line exits with `exit_code`.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, help: str | None = None, labels: tuple[str, str] = LABELS
    ) -> None:
        """Store what failed as `message`, and what to do about it as `help`.

        `labels` are the words to print before `message` and before `help`, in their language.
        """
        super().__init__(message)
        self.message = message
        self.help = help
        self.labels = labels


class UsageError(GraderError):
    """The command line contradicts itself, or refers to something that does not exist."""

    exit_code = 2


class SuiteError(GraderError):
    """A suite, a spec or the settings of a derivation cannot be used."""

    exit_code = 3


class HostError(GraderError):
    """This machine cannot do what grading needs."""

    exit_code = 4


class ZygoteError(HostError):
    """The zygote did not start, or stopped answering."""


class ExecutorKilled(ZygoteError):
    """An executor was killed from outside, by the out-of-memory killer or an administrator."""


class NothingToGrade(GraderError):
    """No submission was found where one was expected."""

    exit_code = 5


class OutputError(GraderError):
    """A report or a record cannot be written."""

    exit_code = 6


class RecordError(GraderError):
    """A record of an earlier run cannot be read."""

    exit_code = 6


class ProtocolError(GraderError):
    """An executor sent something that the protocol does not allow."""

    exit_code = 6
