"""Which records count for whoever hands in the same, and by what they are known again."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from record_samples import case, group, record
from ruled_records import one_of_each

from grader.intake.submissions import HandIn
from grader.judging.rules import KINDS
from grader.messages import message
from grader.reporting.wording import format_message
from grader.run.worker import TRANSIENT_PROBLEMS, is_lasting
from grader.store import keys
from grader.store.keys import RecordKey, record_key, submission_sha256
from grader.suite.loading import parse_suite
from grader.suite.model import Suite
from grader.verdict import RuleVerdict, Status, Verdict

PATIENT: Final = (
    "limits: {cpu_s: 20, wall_s: 20, session_cpu_s: 20, session_wall_s: 20,"
    " submission_cpu_s: 60, submission_wall_s: 60}\n"
)
RIGHT: Final = "def double(x):\n    return 2 * x\n"
SUITE: Final = f"""\
exercise: sample
title: Sample
language: en
module: sample
defines: [double]
{PATIENT}groups: [{{id: g, points: 2}}]
sessions:
  - id: example
    steps:
      - {{do: double(2), returns: "4", group: g}}
"""
NEVER_LASTING: Final = ("MEMORY", "CRASHED", "TAMPERED", "FAULT")
MADE: Final = record(group("f", case(), case("f/2", Verdict.WRONG)), id="jan", student="jan")


def suite_of(text: str = SUITE) -> Suite:
    """Return the suite in `text`."""
    return parse_suite(text.encode(), "sample.yaml", KINDS)


def hand_in(student: str = "jan", text: str = RIGHT, name: str = "sample.py") -> HandIn:
    """Return a hand-in of one file."""
    return HandIn(student=student, files={name: text.encode()})


# By what a record is known


def key_on(suite: Suite, handed_in: HandIn) -> RecordKey:
    """Return the key of what was `handed_in`."""
    return record_key(suite, submission_sha256(handed_in))


def test_the_key_knows_no_student() -> None:
    """The same files have the same key, whoever handed them in."""
    assert key_on(suite_of(), hand_in()) == key_on(suite_of(), hand_in("an"))


@pytest.mark.parametrize(
    ("other", "suite"),
    [
        (hand_in(text=RIGHT + "\n"), SUITE),
        (hand_in(text=RIGHT.replace("\n", "\r\n")), SUITE),
        (hand_in(name="other.py"), SUITE),
        (hand_in(), SUITE.replace("points: 2", "points: 3")),
        (replace(hand_in(), remarks=(message("remark.same_name", name="Jan"),)), SUITE),
        (replace(hand_in(), refusals=(message("refused.many", most=3),)), SUITE),
        (replace(hand_in(), files={**hand_in().files, "x.txt": b"1"}), SUITE),
    ],
    ids=["byte", "ends", "name", "suite", "remarks", "refusals", "files"],
)
def test_all_that_was_read_is_in_the_key(other: HandIn, suite: str) -> None:
    """One byte, a name, a remark or another suite is enough for another key."""
    assert key_on(suite_of(), hand_in()).sha256 != key_on(suite_of(suite), other).sha256


@pytest.mark.parametrize("name", ["code_sha256", "_version"])
def test_another_environment_has_other_keys(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A record is not taken from another grader, nor where a package has another version."""
    suite = suite_of(SUITE + "imports: [standard, numpy]\n")
    found = []
    for value in ("1", "2", "2"):
        keys._hashed_environment.cache_clear()
        monkeypatch.setattr(keys, name, lambda *_, told=value: told)
        found.append(key_on(suite, hand_in()).sha256)
    keys._hashed_environment.cache_clear()
    assert 2 == len(set(found))


# What lasts


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts_that_last(verdict: Verdict) -> None:
    """What hangs on memory or on us is graded anew, also in a counterexample."""
    one = record(group("f", case(), case(verdict=verdict)))
    shown = record(replace(group("f", case()), counterexample=case(verdict=verdict)))
    assert (verdict.value not in NEVER_LASTING,) * 2 == (is_lasting(one), is_lasting(shown))


@pytest.mark.parametrize("key", sorted(TRANSIENT_PROBLEMS))
def test_remarks_about_trouble_do_not_last(key: str) -> None:
    """Each of them can be said, and none is remembered, whoever reads it."""
    assert format_message(message(key, file="f", names="n"), "en")
    assert not is_lasting(replace(MADE, remarks=(message(key),)))
    assert not is_lasting(replace(MADE, staff_remarks=(message(key),)))


def test_rules_that_do_not_last() -> None:
    """A doubt, a rule that a clock found broken and a slow probe are looked at again."""
    (rule, *_) = one_of_each().rules
    sure = replace(rule, verdict=RuleVerdict.PASSED, evidence=())
    assert is_lasting(replace(MADE, rules=(sure,)))
    for change in (
        {"verdict": RuleVerdict.REVIEW},
        {"evidence": (message("cost.above_linear"), message("cost.time_measured"))},
        {"evidence": (message("rule.slow"),)},
    ):
        assert not is_lasting(replace(MADE, rules=(replace(sure, **change),))), change


def test_a_fault_does_not_last() -> None:
    """What we failed on is graded again."""
    assert not is_lasting(replace(MADE, status=Status.FAULT))
