"""Rules on constructs, names and operators that a function, or the code as a whole, must use.

A use counts if it is in the function or in another one that the function reaches through calls, as
students are free to divide the work. If only code that cannot run uses a word, a person decides.
"""

from __future__ import annotations

from grader.judging.results import (
    Ruling,
    broken_ruling,
    passed_ruling,
    review_ruling,
    skipped_ruling,
)
from grader.judging.rules.construct_uses import (
    hits_for_uses,
    kinds_in_code,
    may_run_predicate,
    reachable_helpers,
    source_position,
    uses_by_function,
)
from grader.judging.rules.rule import (
    Evidence,
    definitions,
    format_as_code,
    not_found_ruling,
    unqualified_name,
    unreadable_message,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct
from grader.suite.vocabulary import expand_constructs


def required_sentence(words: tuple[str, ...], function: str | None) -> Message:
    """Return the demand that `function`, or any code if it is None, must use each of `words`."""
    if function is None:
        return message("demand.somewhere", words=format_as_code(words, None))
    return message(
        "demand.with", function=unqualified_name(function), words=format_as_code(words, None)
    )


def judge_required(evidence: Evidence, words: tuple[str, ...], function: str | None) -> Ruling:
    """Return the ruling on whether `function`, or any code if it is None, uses each of `words`.

    The ruling is REVIEW if only code that cannot run uses them. It is SKIPPED if `function` was not
    found, or if it is None and words are missing but some module could not be parsed.
    """
    survey = evidence.survey
    uses = [
        use
        for use in sorted(survey.constructs, key=source_position)
        if use.kind in expand_constructs(words)
    ]
    may_run = may_run_predicate(evidence)
    if function is not None:
        roots = [facts.name for facts in definitions(survey, evidence.dotted(function))]
        if not roots:
            return not_found_ruling(survey, evidence.dotted(function))
        by_function = uses_by_function(survey, uses)
        uses = [
            use
            for name in (*roots, *reachable_helpers(survey, roots, ()))
            for use in by_function[name]
        ]
        # `reachable_helpers` has already selected the functions that can run.
        may_run = _is_not_dead
    unused = _unused(words, [use for use in uses if may_run(use)])
    if not unused:
        return _used_ruling(words, function)
    if survey.unparsed and function is None:
        return skipped_ruling(unreadable_message(survey))
    unreachable = [use for use in uses if use.kind in expand_constructs(unused)]
    if not _unused(unused, unreachable):
        return review_ruling(
            message("syntax.idle", words=kinds_in_code(unreachable)),
            hits=hits_for_uses(unreachable),
        )
    return broken_ruling(_missing_message(unused, function))


def _is_not_dead(use: Construct) -> bool:
    return use.doubt != "dead"


def _unused(words: tuple[str, ...], uses: list[Construct]) -> tuple[str, ...]:
    """Return those of `words` that are not used."""
    used = {use.kind for use in uses}
    return tuple(word for word in words if used.isdisjoint(expand_constructs((word,))))


def _used_ruling(words: tuple[str, ...], function: str | None) -> Ruling:
    """Return the PASSED ruling: `function`, or any code if it is None, uses all `words`."""
    if function is None:
        return passed_ruling(message("syntax.used_somewhere", words=format_as_code(words, None)))
    return passed_ruling(
        message(
            "syntax.used", function=unqualified_name(function), words=format_as_code(words, None)
        )
    )


def _missing_message(words: tuple[str, ...], function: str | None) -> Message:
    """Return a message about `words` that `function`, or all code if it is None, does not use."""
    if function is None:
        return message("syntax.lacking_somewhere", words=format_as_code(words, None))
    return message(
        "syntax.lacking", function=unqualified_name(function), words=format_as_code(words, None)
    )
