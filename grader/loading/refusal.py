"""What a check of one text of a suite says when it does not accept it."""

from __future__ import annotations


class Refusal(ValueError):
    """A text of a suite does not have the form that its key asks for.

    Checks raise it inside pydantic, which collects them all and adds the path of the text.
    """

    def __init__(
        self, problem: str, advice: str | None = None, *, offset: int = 0, width: int | None = None
    ) -> None:
        """Keep the problem, the way out, and which characters of the text are at fault.

        Without `width` the text as a whole is.
        """
        super().__init__(problem)
        self.problem = problem
        self.advice = advice
        self.offset = offset
        self.width = width
