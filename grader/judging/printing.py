"""Holds printed text against what was expected of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.judging.results import PASSED, Result, kept
from grader.messages import Message
from grader.sandbox.sessions import SessionRun
from grader.suite.expectations import Exits, Prints
from grader.suite.session import Session
from grader.values.differences import comparable, text_differences
from grader.values.foreign_text import shown_text
from grader.values.leniency import text_as
from grader.values.tree import Atom
from grader.verdict import Verdict


def printed_as(expectation: Prints, text: str) -> bool:
    """Return whether `text` is what `expectation` wants to be printed."""
    return _wanted(expectation) == _as_wanted(expectation, text)


def printed_unasked(session: Session, run: SessionRun) -> Iterator[str]:
    """Yield what was printed where no output was asked for, or in between what was asked."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        match session.steps[item.step_index].expectation:
            case Prints() as asked:
                is_unasked = len(observation.printed) > 1
                is_unasked = is_unasked and not printed_as(asked, observation.stdout)
            case Exits():
                is_unasked = False
            case _:
                is_unasked = bool(observation.stdout.strip())
        if is_unasked:
            yield observation.stdout


def match_text(
    expectation: Prints, forms: Sequence[str], remarks: Iterable[Message] = ()
) -> Result:
    """Return what printed text is worth, any of whose `forms` will do; the first is shown.

    Where it is wrong, `remarks` come before what differs.
    """
    if any(printed_as(expectation, text) for text in forms):
        return PASSED
    wanted, given = _wanted(expectation), _as_wanted(expectation, forms[0])
    return Result(
        verdict=Verdict.WRONG,
        explanation=(*remarks, *text_differences(wanted, given)),
        expected=shown_text(wanted),
        got=shown_text(_joined(forms[0])),
        values=kept(Atom(wanted), Atom(given)),
    )


def _joined(text: str) -> str:
    return "\n".join(comparable(text))


def _wanted(expectation: Prints) -> str:
    return _joined(expectation.text)


def _as_wanted(expectation: Prints, text: str) -> str:
    return text_as(_wanted(expectation), _joined(text), expectation.leniency)
