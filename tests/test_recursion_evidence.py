"""What is said of recursion, the same each time, and that the cases do not depend on it."""

from __future__ import annotations

from typing import Final

import pytest
from recursive_programs import HELPER, IDLE, RECURSIVE, SHORT, UNUSED, WITH_EXEC, record_of, rule_of

from grader.reporting.wording import format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import Status, Verdict


def test_recursion_that_could_be_and_never_is_points_to_its_place(zygote: Zygote) -> None:
    """Who wrote a call that never happens is shown where."""
    rule = rule_of(zygote, UNUSED)
    assert dict(rule.evidence[1].parameters) == {"helper": "total"}
    assert [("sample.py", 2)] == [(hit.file, hit.line) for hit in rule.hits]


def test_suspicious_names_are_told_with_their_places(zygote: Zygote) -> None:
    """A person who decides sees what could have lied."""
    rule = rule_of(zygote, WITH_EXEC)
    assert {"names": "`exec`"} == dict(rule.evidence[0].parameters)
    assert (2, "exec") in [(hit.line, hit.what) for hit in rule.hits]


SENTENCES: Final = {
    ("en", ""): "`total` is recursive: it calls itself 40 times for n = 40, "
    "and without those calls the answer is wrong.",
    ("es", ""): "`total` se llama a sí misma 40 veces con n = 40, y sin esas llamadas la respuesta "
    "no es correcta.",
    ("nl", ""): "`total` roept zichzelf 40 keer op bij n = 40, en zonder die oproepen klopt het "
    "antwoord niet.",
    ("nl", "unit: getallen"): "`total` roept zichzelf 40 keer op bij 40 getallen, en zonder die "
    "oproepen klopt het antwoord niet.",
}


@pytest.mark.parametrize(("language", "unit"), SENTENCES)
def test_evidence_is_a_sentence(zygote: Zygote, language: str, unit: str) -> None:
    """It says how often, for how many of what, and what comes of it without."""
    rule = rule_of(zygote, RECURSIVE, unit)
    assert SENTENCES[language, unit] == format_message(rule.evidence[0], language)


@pytest.mark.parametrize("source", [RECURSIVE, HELPER, IDLE, SHORT, WITH_EXEC])
def test_same_submission_has_the_same_finding(zygote: Zygote, source: str) -> None:
    """Nothing in a finding depends on when it is made."""
    assert record_of(zygote, source) == record_of(zygote, source)


def test_cases_are_judged_without_instruments(zygote: Zygote) -> None:
    """What is right without instruments stays right, and what is wrong wrong, whatever they do."""
    aware = """
import builtins
watched = any(name.startswith("__probe") for name in vars(builtins))
def total(numbers):
    if {when}:
        return -1
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
    right = record_of(zygote, aware.format(when="watched"))
    wrong = record_of(zygote, aware.format(when="not watched"))
    verdicts = [[case.verdict for case in each.groups[0].cases] for each in (right, wrong)]
    assert [[Verdict.PASSED, Verdict.PASSED], [Verdict.WRONG, Verdict.PASSED]] == verdicts
    assert Status.GRADED is right.status
