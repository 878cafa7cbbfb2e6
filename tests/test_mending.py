"""What a student should mend first: what costs most, hidden failures included."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from record_samples import case, group, line, record
from ruled_records import rule

from grader.judging.record import (
    CaseResult,
    FailedClause,
    GroupResult,
    LineStatus,
    Record,
    SourceLine,
    SourceText,
)
from grader.messages import message
from grader.reporting.brief import summarise_result
from grader.reporting.mending import FirstToMend, first_to_mend
from grader.reporting.student_page import student_page
from grader.reporting.visibility import visible_groups
from grader.verdict import Verdict, Visibility

LINE = SourceLine(file="f.py", line=3, function="f", text="return area(cell)")


def wrong(id: str, worth: float = 1.0, verdict: Verdict = Verdict.WRONG) -> CaseResult:
    """Return a public case that failed."""
    return replace(case(id, verdict, code=f"{id}()"), max_points=worth)


def hidden(id: str, worth: float = 1.0, verdict: Verdict = Verdict.WRONG) -> CaseResult:
    """Return a hidden case that failed."""
    return replace(wrong(id, worth, verdict), visibility=Visibility.HIDDEN)


def first(*groups: GroupResult) -> FirstToMend:
    """Return what to mend first where these groups failed."""
    given = record(*groups)
    found = first_to_mend(given, visible_groups(given))
    assert found is not None
    return found


def box(given: Record) -> str:
    """Return the text of the box on the page about `given`."""
    found = re.search(r'aria-labelledby="first">(.*?)</section>', student_page(given), re.DOTALL)
    assert found is not None
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", found[1])).split())


def test_what_costs_most_comes_first() -> None:
    """The order of the suite says nothing about what matters."""
    found = first(group("f", wrong("f/1")), group("g", wrong("g/1", 3.0)))
    assert ("g", "g/1()", 3.0) == (
        found.group.id,
        found.case and found.case.code,
        found.points_lost,
    )


def test_cost_of_an_exercise_of_one_point_is_in_the_singular() -> None:
    """Neither the page nor the summary speaks of 1 points."""
    right = replace(case("f/2"), points=0.5, max_points=0.5)
    given = record(group("f", wrong("f/1", 0.5), right))
    assert "Start here: this costs you 0.5 of 1 point." in box(given)
    assert "Begin with f: it costs you 0.5 of 1 point." in summarise_result(given)


def test_cost_is_told_by_part_where_the_row_of_its_own_part_has_another() -> None:
    """One cause may fail several parts, or be one of those for which a part loses points."""
    failures = (wrong(f"{name}/1", worth, Verdict.ERROR) for name, worth in (("f", 2), ("g", 3)))
    both = [replace(each, source=LINE) for each in failures]
    other = replace(wrong("g/2"), source=replace(LINE, line=9), verdict=Verdict.ERROR)
    alone = box(record(group("f", both[0]), group("h", wrong("h/1"))))
    assert "costs you 2 of the 3 points. f " in alone
    text = box(record(group("f", both[0]), group("g", both[1], other)))
    assert "costs you 5 of the 6 points. Points lost by part: g 3 (of 4 lost there); f 2. " in text


def test_one_cause_is_shown_in_the_part_that_loses_most_by_it() -> None:
    """The heading that the points stand below is that of the part which has most of them."""
    cases = (wrong(f"{name}/1", worth, Verdict.ERROR) for name, worth in (("f", 2), ("g", 3)))
    failures = [replace(each, source=replace(LINE, text="x[0]")) for each in cases]
    found = first(*(group(each.id[0], each) for each in failures))
    assert ("g", "g/1()", 5.0) == (
        found.group.id,
        found.case and found.case.code,
        found.points_lost,
    )


def test_what_costs_all_that_is_lost_costs_what_the_score_leaves() -> None:
    """Both are rounded, and not apart: 0.015 is shown as 0.01, and 19.985 would be as 19.98."""
    given = replace(record(group("f", wrong("f/1", 19.985))), max_score=20.0, score=0.015)
    found = first_to_mend(given, visible_groups(given))
    assert found is not None
    assert (0.01, 19.99) == (round(0.015, 2), round(found.points_lost, 2))


def test_what_was_not_tried_has_broken_no_line_of_the_exercise() -> None:
    """Such hidden cases fail by what came before them, and the page names no line for them."""
    clauses = (FailedClause(line=9, quote=None),)
    for verdict, shown in ((Verdict.WRONG, clauses), (Verdict.SKIPPED, ())):
        given = record(replace(group("f", hidden("f/1", verdict=verdict)), clauses=clauses))
        assert shown == visible_groups(given)[0].clauses


def test_the_clause_that_is_told_is_that_of_the_example() -> None:
    """Another one is not said in front of a session that does not show it."""
    clauses = (FailedClause(line=3, quote="a"), FailedClause(line=9, quote="b"))
    for line_of_it, found in ((3, clauses[:1]), (None, clauses[:1]), (9, ())):
        told = replace(
            group("f", hidden("f/1")),
            clauses=clauses,
            counterexample=replace(wrong("c1"), spec_line=line_of_it),
        )
        assert found == visible_groups(record(told))[0].clauses


def test_what_a_person_gave_all_points_is_not_shown() -> None:
    """However short its session is, it is no longer to be mended."""
    steps = (line("c = Cell()"), line("f(c)"))
    long = replace(wrong("f/1"), transcript=steps)
    made_good = replace(wrong("f/2"), transcript=steps[1:], points=1.0)
    found = first(group("f", long, made_good))
    assert "f/1" == (found.case and found.case.id)
    found = first(group("f", long, replace(made_good, points=0.0)))
    assert "f/2" == (found.case and found.case.id)


def test_of_equals_the_first_one_of_the_suite_comes_first() -> None:
    """What functions later in the suite build on stands before them."""
    assert "f" == first(group("f", wrong("f/1")), group("g", wrong("g/1"))).group.id


def test_hidden_failures_of_a_group_count() -> None:
    """A public failure is shown for all the hidden ones beside it."""
    found = first(group("f", wrong("f/1", 2.0)), group("g", wrong("g/1"), hidden("g/2", 2.0)))
    assert ("g/1()", 3.0) == (found.case and found.case.code, found.points_lost)


def test_failures_at_one_line_count_together() -> None:
    """An exception from the same line in many groups is one mistake."""
    raised = [
        replace(wrong(f"{name}/1", verdict=Verdict.ERROR), source=replace(LINE, text="x[0]"))
        for name in "gh"
    ]
    found = first(group("f", wrong("f/1", 1.5)), group("g", raised[0]), group("h", raised[1]))
    assert ("g", 2.0) == (found.group.id, found.points_lost)


def test_line_that_asks_a_function_that_fails_is_that_functions_doing() -> None:
    """Who uses a function that is wrong fails for its sake, and it is shown by its own case."""
    raised = replace(wrong("g/1", 5.0, Verdict.ERROR), source=LINE)
    found = first(group("g", raised), group("area", wrong("area/1")), group("h", wrong("h/1", 2.0)))
    assert ("area/1()", 6.0) == (found.case and found.case.code, found.points_lost)


def test_step_that_is_stopped_by_what_it_got_is_that_functions_doing() -> None:
    """An exception in the step itself comes from what a function gave that it names."""
    stopped = replace(wrong("g/1", 5.0, Verdict.ERROR), code="1 in p.area(2)")
    found = first(group("g", stopped), group("area", wrong("area/1")))
    assert ("area/1()", 6.0) == (found.case and found.case.code, found.points_lost)


def test_what_passes_with_our_helper_is_that_helpers_doing() -> None:
    """Who calls a wrong helper need not be looked at; its own case shows the mistake."""
    said = message("stand_ins.helpers", count=1, helpers="", last="area", cost="1/3")
    excused = replace(wrong("g/1", 5.0), explanation=(message("wrong.value"), said))
    found = first(group("g", excused), group("area", wrong("area/1")), group("h", wrong("h/1", 2)))
    assert ("area/1()", 6.0) == (found.case and found.case.code, found.points_lost)


def test_what_was_not_tried_counts_for_what_kept_it() -> None:
    """Steps that were skipped cost what the step before them costs."""
    skipped = replace(wrong("g/1", 4.0, Verdict.SKIPPED), cause="f/1()")
    found = first(group("f", wrong("f/1")), group("g", skipped), group("h", wrong("h/1", 3.0)))
    assert ("f", 5.0) == (found.group.id, found.points_lost)


def test_what_keeps_most_from_being_tried_comes_first() -> None:
    """A module that cannot be loaded costs all that needs it, though nothing of that ran."""
    said = (message("skipped.module", file="Game.py"),)
    idle = [
        replace(wrong(f"{name}/1", 4.0, Verdict.SKIPPED), explanation=said) for name in ("g", "h")
    ]
    found = first(group("f", wrong("f/1")), group("g", idle[0]), group("h", idle[1]))
    assert ("g/1()", 8.0) == (found.case and found.case.code, found.points_lost)


def test_hidden_failures_alone_have_a_box() -> None:
    """The lines of the exercise that they are about, and the example; of the cases nothing."""
    example = replace(wrong("c1"), code="small()", spec_line=9)
    told = replace(
        group("f", hidden("f/1")),
        clauses=(FailedClause(line=9, quote=None),),
        counterexample=example,
        searched=True,
    )
    text = box(record(told, group("g", wrong("g/1", 0.5))))
    assert "this costs you 1 of the 1.5 points" in text
    assert "line 9" in text
    assert "small()" in text
    assert "f/1()" not in text


def test_hidden_failures_without_an_example_lead_to_their_group() -> None:
    """There is nothing to show, and all the same it is said where to begin."""
    text = box(record(group("f", hidden("f/1"), title="The areas")))
    assert "The areas" in text
    assert "f/1()" not in text


def test_cases_of_staff_count_for_nothing() -> None:
    """A student hears nothing of them, not by what is shown first either."""
    staff = replace(hidden("g/1", 9.0), visibility=Visibility.STAFF)
    found = first(group("f", wrong("f/1")), group("g", wrong("g/2", 0.5), staff))
    assert ("f", 1.0) == (found.group.id, found.points_lost)


def not_tried(id: str, key: str, **told: str) -> CaseResult:
    """Return a public case that was not tried, for what is said by this key."""
    said = (message(key, **told),)
    return replace(wrong(id, verdict=Verdict.SKIPPED), explanation=said)


def test_the_root_comes_before_what_costs_more() -> None:
    """A file that cannot be loaded, then a name that is missing, then what fails in the open."""
    unloaded = replace(not_tried("a/1", "skipped.module", file="b.py"), cause="b.py")
    missing = replace(not_tried("b/1", "skipped.name_near", name="g", near="G"), cause="g")
    groups = [
        group("d", hidden("d/1", 8.0)),
        group("c", wrong("c/1", 4.0)),
        group("b", missing),
        group("a", unloaded),
    ]
    order = []
    while groups:
        order.append(first(*groups).group.id)
        groups = [each for each in groups if each.id != order[-1]]
    assert ["a", "b", "c", "d"] == order


def test_a_hidden_failure_is_told_with_the_one_in_the_open() -> None:
    """Where a group has both, whatever the one in the open fails for."""
    raised = replace(wrong("f/1", verdict=Verdict.ERROR), source=replace(LINE, text="x[0]"))
    found = first(group("f", raised, hidden("f/2", 8.0)), group("g", wrong("g/1", 4.0)))
    assert ("f/1", 9.0) == (found.case and found.case.id, found.points_lost)


def test_what_is_worth_nothing_is_never_first() -> None:
    """Who has all points reads that nothing has to be mended."""
    given = record(replace(group("f", wrong("f/1", 0.0)), max_points=0.0))
    assert first_to_mend(given, visible_groups(given)) is None


def test_of_losses_that_are_much_the_same_the_plainest_is_shown() -> None:
    """Two lines tell more than nine."""
    steps = tuple(line(f"x = {number}") for number in range(9))
    long, short = (
        replace(wrong(f"{name}/1", worth), transcript=steps[-count:])
        for name, worth, count in (("f", 1.0, 9), ("g", 0.95, 2))
    )
    assert "g" == first(group("f", long), group("g", short)).group.id
    costs_less = replace(short, max_points=0.5)
    assert "f" == first(group("f", long), group("g", costs_less)).group.id


def test_nothing_is_said_to_be_right_in_the_open_where_nothing_was_tried() -> None:
    """A public case that could not be tried has not gone well."""
    untried = not_tried("f/1", "skipped.name", name="f", near="")
    told = student_page(record(group("f", untried, hidden("f/2"))))
    assert "None of the public cases fails" not in told
    told = student_page(record(group("f", case("f/1", Verdict.PASSED), hidden("f/2"))))
    assert "None of the public cases fails" in told


SOURCE = SourceText(
    name="f.py",
    text="def fits(self):\n    return self.right()\ndef right(self):\n    pass\n",
)


def first_in(source: SourceText, *groups: GroupResult) -> FirstToMend:
    """Return what to mend first where these groups of a submission with this `source` failed."""
    given = replace(record(*groups), sources=(source,))
    found = first_to_mend(given, visible_groups(given))
    assert found is not None
    return found


def test_a_function_comes_before_those_that_call_it() -> None:
    """What it does wrong is what they do wrong, unless it costs little beside them."""
    called, calling = (replace(wrong(n), code=f"row.{n}()") for n in ("right", "fits"))
    groups = [group("fits", replace(calling, max_points=3.0)), group("right", called)]
    assert "right" == first_in(SOURCE, *groups).group.id
    groups[1] = group("right", replace(called, max_points=0.3))
    assert "fits" == first_in(SOURCE, *groups).group.id


def test_of_hidden_cases_the_example_tells_what_they_call() -> None:
    """The one with the fewest functions comes first, though its group costs less."""
    made = line("row = Row()")
    groups = [
        replace(
            group(name, hidden(f"{name}/1", worth)),
            counterexample=replace(
                wrong(f"{name}/c"), code=f"row.{name}()", transcript=(made, line(f"row.{name}()"))
            ),
        )
        for name, worth in (("fits", 3.0), ("right", 1.0))
    ]
    assert "right" == first_in(SOURCE, *groups).group.id


def test_both_who_need_each_other_come_by_what_they_cost() -> None:
    """Where a session of either calls the other one, neither is the root."""
    cases = [replace(wrong(n), code="row.fits(), row.right()") for n in ("right", "fits")]
    groups = [
        group(each.id, replace(each, max_points=w)) for each, w in zip(cases, (1, 3), strict=True)
    ]
    assert "fits" == first_in(SOURCE, *groups).group.id


def test_what_passes_with_our_helper_counts_where_the_helper_raises() -> None:
    """Both are one mistake, and it is shown where fewest functions are called."""
    said = message("stand_ins.helpers", count=1, helpers="", last="right", cost="1/3")
    excused = replace(wrong("fits", 5.0), code="row.fits()", explanation=(said,))
    raised = replace(
        wrong("right", verdict=Verdict.ERROR), code="row.right()", source=replace(LINE, text="x[0]")
    )
    found = first_in(SOURCE, group("fits", excused), group("right", raised))
    assert ("right", 6.0) == (found.group.id, found.points_lost)


def test_hidden_cases_that_an_earlier_step_kept_from_being_tried_are_its_doing() -> None:
    """What is shown of them is that step, under its own heading."""
    refused = line("row.right()", "Traceback (most recent call last):\nAssertionError: no: never")
    steps = (line("row = Row()"), replace(refused, state=LineStatus.CAUSE), line("row.fits()"))
    example = replace(wrong("c", verdict=Verdict.SKIPPED), code="row.fits()", transcript=steps)
    idle = hidden("fits/1", 3.0, Verdict.SKIPPED)
    groups = (
        replace(group("fits", idle), counterexample=replace(example, expected="True")),
        replace(group("right", hidden("right/1")), counterexample=example),
    )
    found = first_in(SOURCE, *groups)
    assert ("right", 4.0) == (found.group.id, found.points_lost)
    assert found.shown is not None
    assert ("row.right()", None, "AssertionError: no: never") == (
        found.shown.code,
        found.shown.expected,
        found.shown.got,
    )
    text = box(replace(record(*groups), sources=(SOURCE,)))
    assert "should not refuse anything here, but it raises AssertionError: no: never" in text


def test_rules_that_cost_more_than_what_comes_first_are_told_there() -> None:
    """Who mends only what is shown first is not to think that most is won by that."""
    groups = (group("f", wrong("f/1", 2.0)), group("g", replace(case("g/1"), points=5.0)))
    given = replace(record(*groups), rules=(rule(penalty=3.0, costs=True),))
    assert "Broken rules cost you more: 3 points." in box(given)
    cheap = replace(given, rules=(rule(penalty=1.0, costs=True),))
    assert "rules cost you more" not in box(cheap)


def test_hidden_cases_for_want_of_a_name_that_is_missed_in_the_open_count_with_it() -> None:
    """A group without public cases is lost by it like the others, and by other names it is not."""
    missed = replace(not_tried("f/1", "skipped.name", name="Row", near=""), cause="Row")
    for name, lost in (("Row", 4.0), ("Line", 3.0)):
        told = not_tried("g/1", "skipped.name", name=name, near="")
        unseen = replace(told, cause=name, visibility=Visibility.HIDDEN, max_points=3.0)
        assert lost == first(group("f", missed), group("g", unseen)).points_lost
