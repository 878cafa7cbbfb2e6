"""Recursion that rules demand, forbid or expect of small programs, and what they find."""

from __future__ import annotations

from typing import Final

import pytest
from recursive_programs import (
    ALWAYS_TRUE,
    BODY,
    CARRYING,
    COUNTING,
    COUNTING_AND_WORKING,
    DELEGATING,
    DYING,
    ENDLESS,
    HANDING_DOWN,
    HANDING_DOWN_TEXT,
    HELPER,
    IDLE,
    IN_THIRDS,
    ITERATIVE,
    LOOP_WITH_EXEC,
    MUTUAL,
    PRINTING,
    RAISING,
    RECURSIVE,
    SHORT,
    SLOW,
    SUM_AT_THE_BOTTOM,
    TWO_WAYS,
    UNUSED,
    WITH_CLASS,
    WITH_EXEC,
    keys,
    record_of,
    rule_of,
)

from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import RuleVerdict

FORBIDDEN: Final = {
    "iterative": (ITERATIVE, RuleVerdict.PASSED, ["recursion.iterative"]),
    "by itself": (
        RECURSIVE,
        RuleVerdict.BROKEN,
        ["recursion.own", "recursion.depth"],
    ),
    "by a helper": (
        HELPER,
        RuleVerdict.BROKEN,
        ["recursion.helper", "recursion.depth"],
    ),
    "two functions": (
        MUTUAL,
        RuleVerdict.BROKEN,
        ["recursion.own", "recursion.way", "recursion.depth"],
    ),
    "idle": (IDLE, RuleVerdict.REVIEW, ["recursion.idle"]),
    "never": (UNUSED, RuleVerdict.PASSED, ["recursion.iterative"]),
    "hides": (LOOP_WITH_EXEC, RuleVerdict.REVIEW, ["recursion.suspicious", "recursion.iterative"]),
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_recursion_that_is_forbidden(zygote: Zygote, kind: str) -> None:
    """Recursion that does work breaks the rule, wherever it is; idle recursion is for a person."""
    source, verdict, evidence = FORBIDDEN[kind]
    rule = rule_of(zygote, source, "demand: forbidden")
    assert (verdict, evidence) == (rule.verdict, keys(rule))
    assert (1.0 if verdict is RuleVerdict.BROKEN else 0.0) == rule.penalty


def test_helper_of_a_function_that_must_not_recur_may_be_for_a_person(zygote: Zygote) -> None:
    """Where helpers do not count, only the function itself breaks the rule."""
    helper = rule_of(zygote, HELPER, "demand: forbidden", "helper: false")
    assert (RuleVerdict.REVIEW, "recursion.decide") == (helper.verdict, keys(helper)[-1])
    itself = rule_of(zygote, RECURSIVE, "demand: forbidden", "helper: false")
    assert RuleVerdict.BROKEN is itself.verdict


def test_function_that_must_not_recur_and_uses_one_that_does(zygote: Zygote) -> None:
    """Whether who may not be recursive may use a recursive function is for a person."""
    rule = rule_of(zygote, DELEGATING, "demand: forbidden")
    assert (RuleVerdict.REVIEW, "recursion.helper") == (rule.verdict, keys(rule)[0])
    assert "recursion.decide" == keys(rule)[-1]


REQUIRED: Final = {
    "by itself": (RECURSIVE, RuleVerdict.PASSED, ["recursion.own", "recursion.depth"]),
    "by a helper": (HELPER, RuleVerdict.PASSED, ["recursion.helper", "recursion.depth"]),
    "two functions": (
        MUTUAL,
        RuleVerdict.PASSED,
        ["recursion.own", "recursion.way", "recursion.depth"],
    ),
    "in two ways": (
        TWO_WAYS,
        RuleVerdict.PASSED,
        ["recursion.helper", "recursion.depth"],
    ),
    "prints only": (
        PRINTING,
        RuleVerdict.REVIEW,
        ["recursion.beforehand", "recursion.helper", "recursion.depth"],
    ),
    "handed down": (
        HANDING_DOWN,
        RuleVerdict.REVIEW,
        ["recursion.beforehand", "recursion.own", "recursion.depth"],
    ),
    "handed down, as text": (
        HANDING_DOWN_TEXT,
        RuleVerdict.REVIEW,
        ["recursion.ignores_input", "recursion.own", "recursion.depth"],
    ),
    "a loop in C at the bottom": (
        SUM_AT_THE_BOTTOM,
        RuleVerdict.REVIEW,
        ["recursion.loop", "recursion.own", "recursion.depth"],
    ),
    "loops over a third each": (
        IN_THIRDS,
        RuleVerdict.REVIEW,
        ["recursion.few", "recursion.own", "recursion.depth"],
    ),
    "always the same": (
        ALWAYS_TRUE,
        RuleVerdict.REVIEW,
        ["recursion.constant", "recursion.helper", "recursion.depth"],
    ),
    "a count that nobody needs": (COUNTING, RuleVerdict.BROKEN, ["recursion.decoration"]),
    "such a count beside the work": (
        COUNTING_AND_WORKING,
        RuleVerdict.REVIEW,
        ["recursion.decoration", "recursion.decide"],
    ),
    "iterative": (ITERATIVE, RuleVerdict.BROKEN, ["recursion.none"]),
    "decoration": (IDLE, RuleVerdict.BROKEN, ["recursion.decoration"]),
    "another function": (DELEGATING, RuleVerdict.REVIEW, ["recursion.delegated"]),
    "carrying its result": (
        CARRYING,
        RuleVerdict.PASSED,
        ["recursion.own", "recursion.depth"],
    ),
    "unused": (UNUSED, RuleVerdict.REVIEW, ["recursion.none", "recursion.unused"]),
    "endless": (ENDLESS, RuleVerdict.SKIPPED, ["recursion.endless"]),
    "raising": (RAISING, RuleVerdict.PASSED, ["recursion.own", "recursion.depth"]),
    "fails for more": (
        SHORT,
        RuleVerdict.REVIEW,
        ["recursion.own", "recursion.depth", "recursion.raised"],
    ),
    "dying": (DYING, RuleVerdict.SKIPPED, ["recursion.died"]),
    "slow": (SLOW, RuleVerdict.SKIPPED, ["recursion.died"]),
    "hides": (
        WITH_EXEC,
        RuleVerdict.REVIEW,
        ["recursion.suspicious", "recursion.own", "recursion.depth"],
    ),
    "hides a loop": (
        LOOP_WITH_EXEC,
        RuleVerdict.REVIEW,
        ["recursion.suspicious", "recursion.none"],
    ),
}


@pytest.mark.parametrize("kind", REQUIRED)
def test_recursion_that_is_required(zygote: Zygote, kind: str) -> None:
    """What is seen decides; what cannot be seen is skipped, what is doubtful is for a person."""
    source, verdict, evidence = REQUIRED[kind]
    rule = rule_of(zygote, source)
    assert (verdict, evidence) == (rule.verdict, keys(rule))
    assert (1.0 if verdict is RuleVerdict.BROKEN else 0.0) == rule.penalty


@pytest.mark.parametrize("kind", REQUIRED)
def test_recursion_that_is_expected_is_never_broken(zygote: Zygote, kind: str) -> None:
    """Where a person decides, what would break the rule is for review, with the same evidence."""
    source, verdict, evidence = REQUIRED[kind]
    rule = rule_of(zygote, source, "demand: expected")
    lenient = RuleVerdict.REVIEW if verdict is RuleVerdict.BROKEN else verdict
    assert (lenient, evidence, 0.0) == (rule.verdict, keys(rule), rule.penalty)


@pytest.mark.parametrize("call", ["total(list(range(n)))", "total(Numbers(range(n)))"])
def test_decoration_is_found_behind_a_constructor(zygote: Zygote, call: str) -> None:
    """Whatever else the call of the probe calls first, the function in question has its name."""
    body = BODY.replace("total(list(range(n)))", call).replace("[total,", "[Numbers, total,")
    (rule,) = record_of(zygote, WITH_CLASS, body=body).rules
    assert RuleVerdict.BROKEN == rule.verdict
    assert ["recursion.decoration"] == keys(rule)


WITHOUT_HELPER: Final = {
    "by itself": (RECURSIVE, RuleVerdict.PASSED, "recursion.own"),
    "two functions": (MUTUAL, RuleVerdict.PASSED, "recursion.own"),
    "by a helper": (HELPER, RuleVerdict.BROKEN, "recursion.in_helper"),
    "by a nested function": (
        """
def total(numbers):
    def go(k):
        return numbers[k] + go(k + 1) if k < len(numbers) else 0
    return go(0)
def largest(numbers):
    return max(numbers)
""",
        RuleVerdict.BROKEN,
        "recursion.in_helper",
    ),
    "decoration in a helper": (
        """
def total(numbers):
    down(len(numbers))
    return sum(numbers)
def down(n):
    return n and down(n - 1)
def largest(numbers):
    return max(numbers)
""",
        RuleVerdict.BROKEN,
        "recursion.none",
    ),
    "iterative": (ITERATIVE, RuleVerdict.BROKEN, "recursion.none"),
}


@pytest.mark.parametrize("kind", WITHOUT_HELPER)
def test_recursion_in_a_helper_where_none_may_be(zygote: Zygote, kind: str) -> None:
    """The function has to call itself, by way of others if need be."""
    source, verdict, first = WITHOUT_HELPER[kind]
    rule = rule_of(zygote, source, "helper: false")
    assert (verdict, first) == (rule.verdict, keys(rule)[0])


@pytest.mark.parametrize("setup", ["numbers = missing", "numbers = total(3)", "numbers = 1 // 0"])
def test_set_up_that_fails_says_nothing_about_recursion(zygote: Zygote, setup: str) -> None:
    """A call that was never reached is no evidence, and costs nothing."""
    body = BODY.replace(
        "call: total(list(range(n)))", f"setup: ['{setup}']\n    call: total(numbers[:n])"
    )
    if "missing" in setup:
        body = body.replace("defines: [total, largest]", "defines: [total, largest, missing]")
    (rule,) = record_of(zygote, RECURSIVE, body=body).rules
    assert (RuleVerdict.SKIPPED, 0.0) == (rule.verdict, rule.penalty)
    assert ["recursion.raised"] == keys(rule)


@pytest.mark.parametrize("kind", REQUIRED)
def test_every_piece_of_evidence_can_be_said(zygote: Zygote, kind: str) -> None:
    """All languages have words for it."""
    for each in rule_of(zygote, REQUIRED[kind][0]).evidence:
        for language in LANGUAGES:
            assert "{" not in format_message(each, language)
