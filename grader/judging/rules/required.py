"""Constructs, names and operators that a function, or the code as a whole, must use.

A function uses what its code, or the code of a function that it reaches through calls, uses:
dividing work is up to the student. If only unreachable code uses a word, a person decides.
"""

from __future__ import annotations

from grader.judging.results import Ruling, broken, passed, review, skipped
from grader.judging.rules.rule import Evidence, definitions, in_code, label, not_found, unreadable
from grader.judging.rules.using import (
    helpers_of,
    hits_of,
    position,
    running,
    uses_by_function,
    words_of,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct
from grader.suite.vocabulary import expanded_constructs


def required_sentence(words: tuple[str, ...], function: str | None) -> Message:
    """Say that `function`, or the code somewhere, must use each of `words`."""
    if function is None:
        return message("demand.somewhere", words=in_code(words, None))
    return message("demand.with", function=label(function), words=in_code(words, None))


def required(evidence: Evidence, words: tuple[str, ...], function: str | None) -> Ruling:
    """Judge whether `function`, or the code somewhere, uses each of `words`."""
    survey = evidence.survey
    uses = [
        use
        for use in sorted(survey.constructs, key=position)
        if use.kind in expanded_constructs(words)
    ]
    runs = running(evidence)
    if function is not None:
        roots = [facts.name for facts in definitions(survey, evidence.dotted(function))]
        if not roots:
            return not_found(survey, evidence.dotted(function))
        by_function = uses_by_function(survey, uses)
        uses = [
            use for name in (*roots, *helpers_of(survey, roots, ())) for use in by_function[name]
        ]
        # `helpers_of` has settled which code the function reaches.
        runs = _is_reachable
    unused = _unused(words, [use for use in uses if runs(use)])
    if not unused:
        return _passed_ruling(words, function)
    if survey.unparsed and function is None:
        return skipped(unreadable(survey))
    unreachable = [use for use in uses if use.kind in expanded_constructs(unused)]
    if not _unused(unused, unreachable):
        return review(
            message("syntax.idle", words=words_of(unreachable)), hits=hits_of(unreachable)
        )
    return broken(_missing_message(unused, function))


def _is_reachable(use: Construct) -> bool:
    return use.doubt != "dead"


def _unused(words: tuple[str, ...], uses: list[Construct]) -> tuple[str, ...]:
    """Return the `words` without a use."""
    used = {use.kind for use in uses}
    return tuple(word for word in words if used.isdisjoint(expanded_constructs((word,))))


def _passed_ruling(words: tuple[str, ...], function: str | None) -> Ruling:
    if function is None:
        return passed(message("syntax.used_somewhere", words=in_code(words, None)))
    return passed(message("syntax.used", function=label(function), words=in_code(words, None)))


def _missing_message(words: tuple[str, ...], function: str | None) -> Message:
    if function is None:
        return message("syntax.lacking_somewhere", words=in_code(words, None))
    return message("syntax.lacking", function=label(function), words=in_code(words, None))
