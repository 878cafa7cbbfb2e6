"""Counterexamples: which small session a student sees of a mistake that only hidden cases find."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import dedent

import pytest
from builders import HEAD, submission
from counterexample_samples import (
    HIDDEN,
    LARGE_ONLY,
    NONE,
    PUBLIC,
    RIGHT,
    SHOWN,
    SMALL_ONLY,
    failing,
    graded,
    shown,
)

from grader.judging.counterexamples import (
    MAX_DEATHS,
    MAX_GROUPS,
    Counterexample,
    CounterexampleResult,
    find_counterexamples,
)
from grader.judging.judge import grade
from grader.judging.record import GroupResult
from grader.judging.results import PASSED, Result
from grader.judging.rules import KINDS
from grader.reporting.results import summary_of
from grader.reporting.student_page import student_page
from grader.sandbox import budget
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merge_suites
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.verdict import Verdict, Visibility

# Which one is shown


def test_smallest_that_fails_is_shown(zygote: Zygote) -> None:
    """Of the siblings of a group, the first one that fails is told in full, and no other."""
    found = graded(zygote, SMALL_ONLY)
    assert {"twice": "s2"} == shown(found)
    example = found.groups[0].counterexample
    assert example is not None
    assert ("twice(10)", "20", "7") == (example.code, example.expected, example.got)
    assert (Verdict.WRONG, Visibility.PUBLIC) == (example.verdict, example.visibility)
    assert ["twice(10)"] == [step.code for step in example.transcript]


def test_sibling_says_nothing_of_the_clause_that_failed(zygote: Zygote) -> None:
    """The first one of the group that fails is shown, though another is of the same clause."""
    public = f"clauses: [{{id: large, reading: l}}, {{id: other, reading: o}}]\n{PUBLIC}"
    zero = 'twice(0), returns: "0", group: twice'
    hidden = HIDDEN.replace(", line: 9}", ", clause: other}").replace(
        zero, f"{zero}, clause: other"
    )
    hidden = hidden.replace(", line: 12}", ", clause: large}")
    only_large = RIGHT.replace("return 2 * n", "return 2 * n if n < 0 or n == 2 else 7")
    assert {"twice": "s1"} == shown(graded(zygote, only_large, hidden, public))
    also_zero = RIGHT.replace("return 2 * n", "return 2 * n if 0 != n < 10**6 else 7")
    assert {"twice": "s1"} == shown(graded(zygote, also_zero, hidden, public))


def test_counterexample_is_no_case(zygote: Zygote) -> None:
    """It costs nothing, and is in no list of cases; the results name it once."""
    found = graded(zygote, SMALL_ONLY)
    example = found.groups[0].counterexample
    assert example is not None
    assert (0.0, 0.0) == (example.points, example.max_points)
    assert example not in found.cases
    summary = summary_of(found)
    assert {"twice": "s2"} == summary["counterexamples"]
    assert "twice/s2-1" not in json.dumps(summary["cases"])
    assert [0.4, 1.0, 2.0] == [each.points for each in found.groups]


def test_right_submission_has_none(zygote: Zygote) -> None:
    """Who passes all hidden cases is shown nothing, and the results say nothing of it."""
    found = graded(zygote, RIGHT)
    assert {} == shown(found)
    assert {False} == {each.searched for each in found.groups}
    assert "counterexamples" not in summary_of(found)
    assert SHOWN not in student_page(found)


def test_mistake_that_no_sibling_shows_is_told(zygote: Zygote) -> None:
    """When all siblings of a group pass, the page says that none shows the mistake."""
    found = graded(zygote, LARGE_ONLY)
    assert {} == shown(found)
    assert [True, False, False] == [each.searched for each in found.groups]
    page = student_page(found)
    assert (1, 0) == (page.count(NONE), page.count(SHOWN))


def test_line_before_the_case_that_breaks_down_is_shown(zygote: Zygote) -> None:
    """Where a group is lost since what its cases build on fails, the example ends with that."""
    hidden = HIDDEN.replace("'zebra' + 'fish'", "'zebra' + half(3) * 'fish'").replace(
        "steps: [{do: board('x')", "steps: [{do: size = half(7)}, {do: board(size * 'x')"
    )
    only_some = RIGHT.replace("return n // 2", "return n // 2 if n not in (3, 7) else n // 0")
    found = graded(zygote, only_some, hidden)
    assert {"board": "s4"} == shown(found)
    example = found.groups[2].counterexample
    assert example is not None
    assert Verdict.SKIPPED is example.verdict
    assert "size = half(7)" == example.transcript[-1].code
    page = student_page(found)
    assert (True, False) == (SHOWN in page, NONE in page)
    assert "ZeroDivisionError" in page


def test_group_without_siblings_is_not_searched(zygote: Zygote) -> None:
    """Where there is nothing to try, nothing is said of having tried."""
    found = graded(zygote, SMALL_ONLY, HIDDEN[: HIDDEN.index("siblings:")])
    assert ({}, {False}) == (shown(found), {each.searched for each in found.groups})
    assert NONE not in student_page(found)


def test_group_with_a_public_failure_needs_none(zygote: Zygote) -> None:
    """Who sees a public case of the group fail has something to mend already."""
    source = RIGHT.replace("return 2 * n", "return 7")
    assert {} == shown(graded(zygote, source))


def test_failing_staff_case_is_not_given_away(zygote: Zygote) -> None:
    """Of staff cases students learn nothing, not even that there is something to be shown."""
    source = RIGHT.replace("return n // 2", "return n // 2 if n > 0 and n != 9 else 7")
    found = graded(zygote, source)
    assert Verdict.WRONG is next(c for c in found.cases if c.spec_line == 4712).verdict
    assert ({}, ()) == (shown(found), found.groups[1].clauses)


def test_depends_on_nothing_but_the_submission(zygote: Zygote) -> None:
    """The same submission is shown the same, and gets the same record."""
    assert graded(zygote, SMALL_ONLY) == graded(zygote, SMALL_ONLY)


def test_what_takes_two_sessions_to_be_seen_is_shown_with_both(zygote: Zygote) -> None:
    """Who keeps in one place what belongs to each object fails a sibling behind another one."""
    source = RIGHT.replace("return n // 2", "return 0 if kept[-1:] > [5] else n // 2")
    source = source.replace("return 2 * n", "kept.append(n); return 2 * n")
    found = graded(zygote, "\n    kept = []" + source)
    assert {"half": "s3+s5"} == shown(found)
    (half,) = (group for group in found.groups if group.id == "half")
    assert half.counterexample is not None
    lines = [line.code for line in half.counterexample.transcript]
    assert ["number = 11", "twice(number)", "half(9)"] == lines


@pytest.mark.parametrize("is_generated", [True, False])
def test_generated_sibling_is_tried_after_itself(zygote: Zygote, is_generated: bool) -> None:
    """Who gives a remembered answer that has changed since is found out by the same question.

    A sibling of an author may be about the first call of all: it is not asked twice.
    """
    made = f"generated: {{version: 2, seed: '1', reference: {'a' * 64}, content: {'b' * 64}}}\n"
    hidden = HIDDEN.replace("sample\n", f"sample\n{made if is_generated else ''}", 1)
    source = RIGHT.replace("return n // 2", "kept.append(n); return n // 2 if n == 4 else again(n)")
    source += (
        "    kept = []\n    def again(n): return n // 2 if kept.count(n) == 1 < n < 99 else 0\n"
    )
    found = graded(zygote, source, hidden)
    assert ({"half": "s5+s5"} if is_generated else {}) == shown(found)
    if is_generated:
        (half,) = (group for group in found.groups if group.id == "half")
        assert half.counterexample is not None
        assert ["half(9)", "half(9)"] == [line.code for line in half.counterexample.transcript]


def test_sibling_is_tried_after_those_most_like_it(zygote: Zygote) -> None:
    """One that does some of the same comes before others, behind which it fails as well."""
    like = "- {id: u, steps: [{do: half(9)}, {do: twice(77), returns: '154', group: twice}]}"
    source = RIGHT.replace("return n // 2", "return 0 if kept[-1:] > [9] else n // 2")
    source = source.replace("return 2 * n", "kept.append(n); return 2 * n")
    assert {"half": "u+s5"} == shown(graded(zygote, f"\n    kept = []{source}", HIDDEN + like))


def test_endless_sibling_is_shown_as_one(zygote: Zygote) -> None:
    """A mistake that takes for ever is shown too."""
    limits = "limits: {cpu_s: 0.2}\n"
    suite = parse_suite((HEAD + limits + PUBLIC).encode(), "sample.yaml", KINDS)
    suite = merge_suites(suite, parse_hidden_suite(HIDDEN.encode(), "sample.hidden.yaml", suite))
    source = RIGHT.replace("return 2 * n", "\n        while n > 9: pass\n        return 2 * n")
    found = grade(suite, submission(source), zygote)
    example = found.groups[0].counterexample
    assert example is not None
    assert ("s2", Verdict.TIMED_OUT) == (example.id, example.verdict)


# Bounds


class Siblings:
    """Siblings that are only pretended to run."""

    def __init__(
        self, *, died: bool = False, fails: bool = False, most: int = 100, well: bool = True
    ) -> None:
        """Let all of them die, or fail, or pass; after the first `most` none is tried.

        Together all go `well`, or none.
        """
        self.ran: list[str] = []
        self.joined: list[str] = []
        self._died, self._fails, self._most, self._well = died, fails, most, well

    def clean_sessions(self, siblings: tuple[Session, ...]) -> tuple[Session, ...]:
        """Note that `siblings` were tried together."""
        self.joined += [each.id for each in siblings]
        return siblings if self._well else ()

    def expect(self, siblings: Sequence[Session]) -> None:
        """Take no note: none of them runs."""

    def run_alone(self, session: Session) -> CounterexampleResult | None:
        """Note that `session` was tried."""
        if len(self.ran) >= self._most:
            return None
        self.ran.append(session.id)
        result = Result(verdict=Verdict.WRONG) if self._fails else PASSED
        results = {each.id: result for each in session.cases}
        return CounterexampleResult(results=results, died=self._died)


def suite_of(group_count: int, sibling_count: int) -> Suite:
    """Return a suite whose siblings have a case of each group."""
    ids = [f"g{number}" for number in range(group_count)]
    groups = ", ".join(f"{{id: {each}, points: 1}}" for each in ids)
    steps = ", ".join(f"{{do: f('{each}'), group: {each}}}" for each in ids)
    other = ", ".join(f"{{do: g('{each}'), group: {each}}}" for each in ids)
    public = parse_suite(
        f"{HEAD}groups: [{groups}]\nsessions: [{{id: s, steps: [{steps}]}}]\n".encode(),
        "x.yaml",
        KINDS,
    )
    siblings = "\n".join(
        f"- {{id: t{number}, steps: [{{do: x = {number}}}, {other}]}}"
        for number in range(sibling_count)
    )
    hidden = f"exercise: sample\nsessions: [{{id: h, steps: [{steps}]}}]\nsiblings:\n{siblings}\n"
    return merge_suites(public, parse_hidden_suite(hidden.encode(), "x.hidden.yaml", public))


def failed(suite: Suite) -> list[GroupResult]:
    """Return results of the groups of `suite`, of which later ones lost more."""
    return [
        replace(failing(), id=each.id, points=0.0, max_points=float(number))
        for number, each in enumerate(suite.groups)
    ]


def search(suite: Suite, siblings: Siblings) -> Mapping[str, Counterexample | None]:
    """Return what is found for the groups of `suite` when `siblings` run."""
    return find_counterexamples(suite, failed(suite), siblings)


def test_groups_that_lost_most_come_first() -> None:
    """Only so many groups get a counterexample, those that lost most points."""
    suite, siblings = suite_of(MAX_GROUPS + 2, 3), Siblings(fails=True)
    found = search(suite, siblings)
    assert [f"g{number}" for number in range(MAX_GROUPS + 1, 1, -1)] == list(found)
    assert {"t0"} == {each.session.id for each in found.values() if each is not None}


def test_sibling_runs_once() -> None:
    """One that has cases of several groups is not run for each of them.

    The first few run by themselves, and the others together.
    """
    siblings = Siblings()
    found = search(suite_of(3, 5), siblings)
    assert (["t0", "t1", "t2"], ["t3", "t4"]) == (siblings.ran[:3], siblings.joined)
    assert len(siblings.ran) == len({*siblings.ran})
    assert {"g2": None, "g1": None, "g0": None} == found


def test_search_ends_after_many_siblings(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is an end to it, and of a search that came to none nothing is said."""
    monkeypatch.setattr("grader.judging.counterexamples.MAX_SESSIONS", 10)
    siblings = Siblings(most=11, well=False)
    assert {} == search(suite_of(2, 20), siblings)
    assert 10 == len(siblings.ran)


def test_where_nearly_all_go_wrong_together_a_few_are_tried_alone() -> None:
    """The others are left for the groups to come, and of this group nothing is said."""
    siblings = Siblings(well=False)
    assert {} == search(suite_of(1, 40), siblings)
    assert {"t27", "t28", "t39"} & {*siblings.ran} == {"t28", "t39"}


def test_of_many_that_go_wrong_together_one_of_each_clause_comes_first() -> None:
    """Where only a few can be tried by themselves, each clause has its turn all the same."""
    suite = suite_of(1, 40)
    first, *others = suite.siblings[3:]
    steps = (*first.steps[:-1], first.steps[-1].with_changes(clause="another"))
    changed = (*suite.siblings[:3], first.with_changes(steps=steps), *others)
    siblings = Siblings(well=False)
    search(suite.with_changes(siblings=changed), siblings)
    assert {"t3", "t28", "t29", "t39"} & {*siblings.ran} == {"t3", "t29", "t39"}


def test_search_ends_after_a_few_deaths() -> None:
    """What does not survive takes long: a few of them are enough."""
    siblings = Siblings(died=True)
    assert {} == search(suite_of(2, 10), siblings)
    assert MAX_DEATHS == len(siblings.ran)


def test_search_ends_when_nothing_more_is_to_be_tried() -> None:
    """What is known by then is shown, and of the rest nothing is said."""
    assert {} == search(suite_of(2, 10), Siblings(most=3))
    found = search(suite_of(2, 10), Siblings(fails=True, most=1))
    assert ["g1", "g0"] == list(found)


def test_search_ends_after_too_many_replies(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission that has sent more than it may is not tried on siblings."""
    monkeypatch.setattr(budget, "MAX_SUBMISSION_REPLY_BYTES", 1)
    found = graded(zygote, SMALL_ONLY)
    assert ({}, {False}) == (shown(found), {each.searched for each in found.groups})


def test_sleeping_submission_costs_no_time(zygote: Zygote) -> None:
    """Siblings that sleep within the suite's limits show what they come to, as others do."""
    sleepy = """
        if n == 2: return 4
        if 0 <= n < 20: __import__('time').sleep(1.5)
        return 7"""
    source = RIGHT.replace("return 2 * n", sleepy)
    found = graded(zygote, source)
    assert ({"twice": "s1"}, True) == (shown(found), found.groups[0].searched)


def test_sibling_that_dies_early_ends_the_search(zygote: Zygote) -> None:
    """A submission that never comes to the case is shown that, and is not tried on all siblings."""
    sibling = "- {{id: t{0}, steps: [{{do: x = twice({0})}}, {{do: board(x), group: board}}]}}\n"
    more = "".join(sibling.format(number) for number in range(20, 60))
    source = dedent(RIGHT).replace(
        "return 2 * n", "\n    if 19 < n < 99: __import__('os')._exit(1)\n    return 2 * n"
    )
    source = source.replace("ww\\n-w", "w-\\n-w")
    (row,) = (row for row in HIDDEN.splitlines() if "id: s4" in row)
    hidden = HIDDEN.replace(f"{row}\n", more)
    found = graded(zygote, source, hidden)
    assert Verdict.WRONG is next(c for c in found.cases if c.group == "board").verdict
    assert ({"board": "t20"}, True) == (shown(found), found.groups[2].searched)
