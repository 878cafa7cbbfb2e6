"""What a person decides: what it does to what is told, and never to the record."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import pytest
from decisions import decision, on_case
from hypothesis import given
from hypothesis import strategies as st
from record_samples import HOSTILE_TEXTS, case, group, record
from ruled_records import one_of_each, printed, rule, ruled, section, shown

from grader.judging.deciding import (
    AppliedDecision,
    DecidedRecord,
    Decision,
    MergedDecisions,
    Subject,
    apply_decisions,
    for_reports,
    in_force,
    line_finding,
    merge_decisions,
)
from grader.judging.record import Record, SourceText, to_json
from grader.reporting import reported_record
from grader.reporting.brief import summarise_result
from grader.reporting.case_view import anchor
from grader.reporting.decisions_view import decision_line
from grader.reporting.results import entry_json, summary_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.store.runs import RunEntry
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

GIVEN = record(
    group("f", case("f/1"), case("f/2", Verdict.WRONG, code="f(2)", expected="1", got="2")),
    group(
        "g", case("g/1", Verdict.ERROR), case("g/h", Verdict.WRONG, visibility=Visibility.HIDDEN)
    ),
)


def stopped(given: Record) -> Record:
    """Return `given` as it is where nothing could be run."""
    groups = tuple(
        replace(
            each,
            points=0.0,
            cases=tuple(replace(c, verdict=Verdict.SKIPPED, points=0.0) for c in each.cases),
        )
        for each in given.groups
    )
    return replace(given, status=Status.UNGRADABLE, groups=groups, score=0.0)


def told(given: Record, *decisions: Decision) -> DecidedRecord:
    """Return `given` as it is told with `decisions`."""
    entry = RunEntry(exercise=given.exercise, student=given.student, stem="any")
    made = reported_record.as_reported(given, entry, decisions)
    assert isinstance(made, DecidedRecord)
    return made


def test_without_decisions_a_record_is_told_as_it_is() -> None:
    """Nothing is made over, also where all was taken back."""
    undone = on_case(GIVEN, "f/2", 0.0, is_undone=True)
    assert GIVEN is apply_decisions(GIVEN, ())
    assert GIVEN is apply_decisions(GIVEN, [on_case(GIVEN, "f/2", 1.0), undone])


def test_case_earns_what_was_decided() -> None:
    """The verdict stays, and group and score follow; the record is as it was."""
    before = to_json(GIVEN)
    made = told(GIVEN, on_case(GIVEN, "f/2", 0.5))
    assert (1.5, 1.0) == (made.score, made.original.score)
    assert [1.5, 0.0] == [each.points for each in made.groups]
    assert (Verdict.WRONG, 0.5) == (made.cases[1].verdict, made.cases[1].points)
    assert GIVEN is made.original
    assert before == to_json(GIVEN)


def test_total_is_all_there_is_to_it() -> None:
    """Whatever else is decided keeps its place and counts for nothing; a bonus is overruled."""
    total = decision(GIVEN, Subject.TOTAL, points=3.0)
    bonus = decision(GIVEN, Subject.BONUS, points=1.0)
    made = told(GIVEN, on_case(GIVEN, "f/2", 0.5), bonus, total)
    assert (3.0, 0.5) == (made.score, made.cases[1].points)
    assert [False, True, False] == [each.is_overruled for each in made.decisions]
    assert 0.5 == told(stopped(GIVEN), decision(stopped(GIVEN), Subject.TOTAL, points=0.5)).score


@pytest.mark.parametrize(("points", "score"), [(0.5, 2.0), (-0.25, 1.25), (9.0, 4.0), (-9.0, 0.0)])
def test_bonus_comes_on_top(points: float, score: float) -> None:
    """Of what was decided elsewhere, and between nothing and all points of the exercise."""
    bonus = decision(GIVEN, Subject.BONUS, points=points)
    assert score == told(GIVEN, on_case(GIVEN, "f/2", 0.5), bonus).score


def test_who_has_all_points_in_total_has_nothing_to_fix_first() -> None:
    """As with a group that has them; with less, it is said as before."""
    most, less = (decision(GIVEN, Subject.TOTAL, points=points) for points in (4.0, 3.0))
    assert 'id="first"' not in student_page(told(GIVEN, most))
    assert 'id="first"' in student_page(told(GIVEN, less))


def test_items_of_a_rubric_add_up() -> None:
    """Each counts for itself, beside a bonus without a name; a total overrules them all."""
    items = [decision(GIVEN, Subject.BONUS, name, points=0.5) for name in ("", "names", "style")]
    made = told(GIVEN, *items, decision(GIVEN, Subject.BONUS, "late", points=-0.25))
    assert 2.25 == made.score
    assert not any(each.is_gone or each.is_in_doubt for each in made.decisions[:1])
    whole = told(GIVEN, *items, decision(GIVEN, Subject.TOTAL, points=1.0))
    assert (1.0, 3) == (whole.score, sum(each.is_overruled for each in whole.decisions))


def test_comment_on_a_line_that_is_another_one_is_in_doubt() -> None:
    """Where it says something else now, or is gone, so that no student reads of it."""
    text = SourceText(name="f.py", text="def f(x):\n    return 2\n")
    other = SourceText(name="f.py", text="def f(x):\n    return 3\n")
    given = replace(GIVEN, sources=(text,))
    comment = decision(given, Subject.LINE, "f.py:2", because="Why 2?")
    comment = replace(comment, finding=line_finding(given, "f.py:2"))
    (sound,) = told(given, comment).decisions
    (doubted,) = told(replace(given, sources=(other,)), comment).decisions
    gone = told(replace(given, sources=()), comment)
    assert (False, False) == (sound.is_in_doubt, sound.is_gone)
    assert (True, False) == (doubted.is_in_doubt, doubted.is_gone)
    assert (True, True) == (gone.decisions[0].is_in_doubt, gone.decisions[0].is_gone)
    assert "decided when the line was `return 2`; now it is `return 3`" in decision_line(doubted)
    assert "Why 2?" not in student_page(gone)
    assert "From your teacher on f.py, line 2: “Why 2?” (prof, 2026-11-23)" in summarise_result(
        told(given, comment)
    )


@pytest.mark.parametrize("subject", ["f.py", "f.py:", "f.py:0", "f.py:2", "g.py:1", "f.py:٢", ":1"])
def test_what_is_no_line_has_no_finding(subject: str) -> None:
    """Lines count from 1, and an end of line begins none."""
    given = replace(GIVEN, sources=(SourceText(name="f.py", text="pass\n"),))
    assert line_finding(given, subject) is None


def test_no_report_has_an_answer_at_the_defence() -> None:
    """It stands for staff, and a record is told as if nobody had noted it."""
    answer = decision(GIVEN, Subject.QUESTION, "Why?", verdict=RuleVerdict.BROKEN, because="No.")
    assert GIVEN is apply_decisions(GIVEN, [answer])
    bonus = decision(GIVEN, Subject.BONUS, points=1.0)
    assert [bonus] == [each.decision for each in told(GIVEN, answer, bonus).decisions]
    assert ((answer, bonus), (bonus,)) == (in_force([answer, bonus]), for_reports([answer, bonus]))
    line = decision_line(AppliedDecision(decision=answer, finding=None))
    assert line.startswith("question 'Why?': poor (by ")
    assert line.endswith("): No.")


def test_of_two_copies_the_later_word_stands() -> None:
    """Decisions of a copy go behind ours, and ours behind these where they are later."""
    both = on_case(GIVEN, "f/2", 0.25, uid="both", at="2026-10-01T10:00:00+00:00")
    early, late = (
        on_case(GIVEN, "f/2", points, uid=f"{points}", at=f"2026-10-01T{hour}:00:00+00:00")
        for points, hour in ((0.5, 11), (1.0, 12))
    )
    other = decision(GIVEN, Subject.BONUS, points=1.0)
    assert MergedDecisions(added=(late, other), kept=(), contested=(late,)) == merge_decisions(
        [both, early], [both, late, other]
    )
    assert MergedDecisions(added=(early,), kept=(late,), contested=(late,)) == merge_decisions(
        [both, late], [both, early]
    )
    # What somebody else has decided earlier does not come back, nor does a copy change that.
    parted = [both, early, late], [both, late, early]
    assert MergedDecisions(added=(), kept=(), contested=()) == merge_decisions(*parted)
    known, later = [both, late], [both, early, replace(late, uid="again")]
    assert [replace(late, uid="again")] == [
        e for e in merge_decisions(known, later).added if e != early
    ]
    assert () == merge_decisions(known, later).kept
    assert (late,) == merge_decisions(
        [both, late], [both, early, late, replace(early, uid="x")]
    ).kept
    same = replace(late, uid="same", by="somebody else")
    assert MergedDecisions(added=(same,), kept=(), contested=()) == merge_decisions(
        [both, late], [both, same]
    )
    assert MergedDecisions(added=(), kept=(), contested=()) == merge_decisions([both, late], [both])


def test_copies_agree_on_decisions_made_within_one_second() -> None:
    """Each copy reports the same one of two decisions as in force, and keeps it in force."""
    mine, yours = (on_case(GIVEN, "f/2", points, uid=f"{points}") for points in (0.5, 1.0))
    here, there = merge_decisions([mine], [yours]), merge_decisions([yours], [mine])
    assert (yours,) == here.contested == there.contested
    assert [yours, yours] == [
        [own, *merge.added, *merge.kept][-1] for own, merge in ((mine, here), (yours, there))
    ]


def test_last_word_stands() -> None:
    """On the same thing a later decision takes the place of an earlier one."""
    first, second = on_case(GIVEN, "f/2", 1.0), on_case(GIVEN, "f/2", 0.25)
    assert (second,) == in_force([first, second])
    assert 1.25 == told(GIVEN, first, second).score


def test_group_as_a_whole_goes_before_its_cases() -> None:
    """What was decided on one of its cases counts for nothing then."""
    whole = decision(GIVEN, Subject.GROUP, "f", points=0.5)
    made = told(GIVEN, on_case(GIVEN, "f/2", 1.0), whole)
    assert (0.5, 0.5) == (made.score, made.groups[0].points)
    assert GIVEN.groups[0].cases == made.groups[0].cases
    assert 1 == section(made, "decided").count("I have talked with her.")
    line = decision_line(made.decisions[0])
    assert line.endswith(" -- overruled by a decision on the whole group")


def test_full_points_are_full_in_spite_of_rounding() -> None:
    """Shares of a group are rounded in a record, and yet add up to it."""
    third = [replace(case(f"f/{n}", Verdict.WRONG), max_points=0.3333) for n in range(3)]
    given = record(replace(group("f", *third), max_points=1.0))
    given = replace(given, max_score=1.0)
    made = told(given, *(on_case(given, each.id, 0.3333) for each in third))
    assert 1.0 == made.score


def test_review_is_decided_like_anything_else() -> None:
    """Broken costs what was said, kept gives back what was taken, and both are told."""
    given = one_of_each()
    breaks = decision(given, Subject.RULE, "review", verdict=RuleVerdict.BROKEN, penalty=1.0)
    keeps = decision(given, Subject.RULE, "dear", verdict=RuleVerdict.PASSED, penalty=0.0)
    assert given.score - 1.0 == told(given, breaks).score
    assert given.score + 1.5 == told(given, keeps).score
    made = told(given, breaks, keeps)
    verdicts = {each.id: each.verdict for each in made.rules}
    assert RuleVerdict.BROKEN is verdicts["review"]
    assert RuleVerdict.PASSED is verdicts["dear"]
    text = shown(student_page(made))
    assert "left this to a person. prof has decided on it: “I have talked with her.”" in text
    assert "not kept (points lost: 1.5). prof has decided" in text
    assert "Without these decisions, the result would be 2.5 of 4 points." in text
    assert "A person still has to look" not in text


def test_score_is_never_below_zero() -> None:
    """However dear a rule is made."""
    given = ruled(rule("r", RuleVerdict.REVIEW))
    costly = decision(given, Subject.RULE, "r", verdict=RuleVerdict.BROKEN, penalty=4.0)
    zero = decision(given, Subject.GROUP, "f", points=0.0)
    assert 0.0 == told(given, costly, zero).score


def test_case_that_is_worth_less_now_earns_no_more_than_that() -> None:
    """A decision on another suite never gives more than there is; and it is in doubt."""
    cheap = replace(case("f/2", Verdict.WRONG), max_points=0.5)
    now = record(group("f", case("f/1"), cheap))
    made = told(now, on_case(GIVEN, "f/2", 1.0))
    assert 0.5 == made.cases[1].points
    assert made.decisions[0].is_in_doubt


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (record(group("f", case("f/1"))), "-- its case no longer exists, so it has no effect"),
        (
            record(group("f", case("f/2"))),
            "-- decided when the case was WRONG (0 of 1); now it is PASSED (1 of 1)",
        ),
    ],
)
def test_decision_is_in_doubt_where_something_else_is_found(now: Record, said: str) -> None:
    """What is gone, or has another verdict, is told with what it was; both are carried along."""
    made = told(now, on_case(GIVEN, "f/2", 0.5))
    assert made.decisions[0].is_in_doubt
    assert decision_line(made.decisions[0]).endswith(said)
    assert not told(GIVEN, on_case(GIVEN, "f/2", 0.5)).decisions[0].is_in_doubt


def test_page_says_what_was_decided_by_whom_and_why() -> None:
    """At the top of the page, and where it is about; of a hidden case no more than that."""
    comment = decision(GIVEN, Subject.PAGE, because="Well done.\nSee me.")
    hidden = on_case(GIVEN, "g/h", 1.0, because="The text was unclear.")
    made = told(GIVEN, on_case(GIVEN, "f/2", 1.0), hidden, comment)
    text = section(made, "decided")
    for said in (
        "f(2)</a>: 0 → 1 of 1 point",
        "<p>I have talked with her. ",
        "prof, 2026-11-23",
        "A hidden case of g: 0 → 1 of 1 point",
        "The text was unclear.",
        "Without these decisions, the result would be 1 of 4 points.",
        "Well done.\nSee me.",
    ):
        assert said in text
    assert "g/h" not in student_page(made)
    page = shown(student_page(made))
    assert "prof has decided on the points: 1 instead of 0. “I have talked with her.”" in page
    assert "3 of 4 points" in page


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.SKIPPED, Verdict.WRONG])
@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
def test_link_to_a_case_arrives(verdict: Verdict, points: float) -> None:
    """Whatever became of it, and also where others with the same text share a line."""
    found = record(group("f", *(case(f"f/{number}", verdict) for number in range(3))))
    page = student_page(told(found, on_case(found, "f/1", points)))
    assert f'<a href="#{anchor("f/1")}">f(1)</a>' in page
    assert 1 == page.count(f'id="{anchor("f/1")}"')


def test_staff_cases_stay_unseen() -> None:
    """Students read nothing of what was decided on them."""
    secret = case("s/1", Verdict.WRONG, visibility=Visibility.STAFF, code="secret()")
    given = record(group("f", case("f/1")), group("s", secret))
    made = told(given, on_case(given, "s/1", 1.0, because="because of the secret"))
    assert "secret" not in student_page(made)
    assert "Decided by a person" not in student_page(made)


def test_terminal_and_sheet_tell_it() -> None:
    """Everything else that is made of a record tells it too."""
    made = told(GIVEN, on_case(GIVEN, "f/2", 1.0))
    assert "prof has decided on the points" in " ".join(printed(made).split())
    assert "2 of 4 points" in shown(defence_sheet(made))


def test_results_have_what_was_found_beside_it() -> None:
    """The score is the decided one; keys are added, and none is there without a decision."""
    given = one_of_each()
    plain = summary_of(given)
    rule_made = decision(given, Subject.RULE, "review", verdict=RuleVerdict.BROKEN, penalty=1.0)
    made = summary_of(told(given, on_case(given, "f/1", 0.5), rule_made))
    assert (plain["score"], plain["score"] - 1.5) == (made["found_score"], made["score"])
    assert 1.0 == made["cases"][1]["found_points"]
    (reviewed,) = [each for each in made["rules"] if each["id"] == "review"]
    assert ("BROKEN", "REVIEW", 0.0) == (
        *(reviewed["verdict"], reviewed["found_verdict"]),
        reviewed["found_penalty"],
    )
    assert ["f/1", "review"] == [each["subject"] for each in made["decisions"]]
    assert ["prof", "prof"] == [each["by"] for each in made["decisions"]]
    assert not {"found_score", "decisions"} & {*plain}
    assert made == json.loads(entry_json(told(given, on_case(given, "f/1", 0.5), rule_made)))


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_reasons_are_text_whatever_is_in_them(name: str) -> None:
    """A reason, a name and a comment may come from a table that anybody has filled in."""
    text = HOSTILE_TEXTS[name][:2_000]
    comment = decision(GIVEN, Subject.PAGE, because=text)
    made = told(GIVEN, on_case(GIVEN, "f/2", 1.0, because=text, by=text), comment)
    page = student_page(made)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "\x1b" not in printed(made) + page + decision_line(made.decisions[0])


@pytest.mark.parametrize(("language", "half"), [("en", "0.5"), ("nl", "0,5"), ("es", "0,5")])
def test_points_are_written_as_the_language_does(language: str, half: str) -> None:
    """On the page and in what is said of a case."""
    given = replace(GIVEN, language=language)
    page = shown(student_page(told(given, on_case(given, "f/2", 0.5))))
    assert page.count(half) >= 2


def test_what_is_made_good_is_not_to_be_mended_first() -> None:
    """Where a person has given all points nothing is lost."""
    given = record(group("f", case("f/1"), case("f/2", Verdict.WRONG)))
    assert 'id="first"' in student_page(given)
    assert 'id="first"' not in student_page(told(given, on_case(given, "f/2", 1.0)))
    assert 'id="first"' in student_page(told(given, on_case(given, "f/2", 0.5)))


def test_group_decided_as_a_whole_costs_what_it_still_loses() -> None:
    """With all its points it is no place to begin; with a part of them it counts for the rest."""
    given = record(
        group("f", case("f/1", Verdict.WRONG), case("f/2", Verdict.WRONG)),
        group("g", case("g/1", Verdict.WRONG)),
    )

    def brief(points: float) -> str:
        return summarise_result(told(given, decision(given, Subject.GROUP, "f", points=points)))

    assert "Begin with g: it costs you 1 of the 3 points." in brief(2.0)
    assert "Begin with g: " in brief(1.5)
    assert "Begin with f: it costs you 1.5 of the 3 points." in brief(0.5)


def test_what_cannot_be_run_has_its_decisions_on_the_page_and_in_brief() -> None:
    """Those are the students one decides on by hand; nothing leads to parts that are not there."""
    given = stopped(GIVEN)
    made = told(
        given,
        on_case(given, "f/2", 0.5, because="Right but for a name."),
        decision(given, Subject.GROUP, "g", points=1.0, because="By hand."),
        decision(given, Subject.PAGE, because="See me.\nSoon."),
    )
    text = section(made, "decided")
    for said in ("f(2): 0 → 0.5 of 1 point", "Right but for a name.", "By hand.", "See me."):
        assert said in text
    assert "href" not in text
    brief = summarise_result(made)
    assert brief.startswith("We could not run your submission.")
    assert "A person has decided. g: 0 → 1 of 2 points. “By hand.” (prof, 2026-11-23)" in brief
    assert brief.endswith("From your teacher: “See me.⏎Soon.” (prof, 2026-11-23)")


def test_in_brief_the_first_decisions_are_told_and_the_others_counted() -> None:
    """A cell of a gradebook has little room, and the page has them all."""
    given = record(group("f", *(case(f"f/{n}", Verdict.WRONG) for n in range(7))))
    brief = summarise_result(told(given, *(on_case(given, each.id, 1.0) for each in given.cases)))
    assert 5 == brief.count("I have talked with her.")
    assert brief.endswith("2 more decisions are on the page.")


SUBJECTS: Final = [
    (each.about, each.subject)
    for each in (
        *(on_case(GIVEN, each.id, 0.0) for each in GIVEN.cases),
        *(decision(GIVEN, Subject.GROUP, each.id) for each in GIVEN.groups),
        decision(GIVEN, Subject.PAGE),
        on_case(GIVEN, "gone/1", 0.0),
    )
]
DECISIONS: Final = st.lists(
    st.builds(
        lambda subject, points, is_undone: decision(
            GIVEN, *subject, points=points, is_undone=is_undone
        ),
        st.sampled_from(SUBJECTS),
        st.sampled_from([0.0, 0.25, 1.0, 2.0]),
        st.booleans(),
    )
)


@given(DECISIONS)
def test_whatever_is_decided_the_score_stays_within_its_bounds(made: list[Decision]) -> None:
    """From nothing to all there is; and only what stands at the end has a say in it."""
    score = apply_decisions(GIVEN, made).score
    assert 0 <= score <= GIVEN.max_score
    assert score == apply_decisions(GIVEN, in_force(made)).score
    undone = [replace(each, is_undone=True) for each in made]
    assert GIVEN is apply_decisions(GIVEN, [*made, *undone])
