"""What a plan tells, to people and to programs, before anything is graded."""

from __future__ import annotations

from named_sources import source
from planned_sources import ANN, BLACKBOARD, MOODLE, enrolled, planned

from grader.messages import message
from grader.reporting.plan_text import WIDTH, lines_before_grading, plan_fields, plan_lines


def test_a_small_class_is_listed_in_80_columns() -> None:
    """With what there is to look at."""
    given = source(
        *(MOODLE.format(name=f"Student {'van ' * 10}{n}", id=n) for n in range(3)),
        *(f"Zed_9_assignsubmission_file/{'x' * 50}{n}.docx" for n in range(3)),
        *(f"Student 1_1_assignfeedback_comments/{n}.html" for n in range(40)),
        empty=("Nobody_7_assignsubmission_file",),
    )
    lines = list(plan_lines(planned(given, roster=enrolled(ANN)), "yinyang"))
    assert all(len(line) <= WIDTH for line in lines)
    text = "\n".join(lines)
    assert "yinyang:" == lines[0]
    for told in ("no .py file: the other files are", "nothing", "Ann Maes", "and 25 more"):
        assert told in text.replace("\n  ", " "), told


def test_of_a_large_class_only_what_is_odd_is_listed() -> None:
    """Unless everybody is asked for."""
    given = source(
        *(MOODLE.format(name=f"S{n:03}", id=n) for n in range(400)),
        empty=("Z_999_assignsubmission_file",),
    )
    plan = planned(given)
    lines = list(plan_lines(plan, None))
    assert len(lines) < 10
    assert "and 400 students with one attempt and Python; --all lists them" in lines
    assert len(list(plan_lines(plan, None, everybody=True))) > 400


def test_what_was_refused_is_told_whole() -> None:
    """Before grading too: of two files of one name one is lost, and nobody should be by chance."""
    path = f"{'x' * 120}.py"
    refusals = tuple(("Zoë.py", message("refused.twice", file=f"{n}{path}")) for n in range(7))
    plan = planned(source("Zoë.py", "an.py", name="in", refusals=refusals))
    told = " ".join(lines_before_grading(plan))
    assert "refused from hand-ins (7): Zoë: " in told
    assert f"4{path}" in told
    assert "and 2 more" in told
    lines = "".join(line.strip() for line in plan_lines(plan, None))
    assert f"1{path}" in lines
    assert "and 5 more, which --all lists" in " ".join(plan_lines(plan, None))
    assert f"6{path}" in "".join(plan_lines(plan, None, everybody=True))


def test_who_handed_in_nothing_that_was_taken_reads_why() -> None:
    """The plan has the reason below the name."""
    refusal = message("refused.link", file="bob.py")
    plan = planned(source("ann.py", name="in", refusals=(("bob.py", refusal),)))
    assert any(line.startswith("  ") and "bob.py" in line for line in plan_lines(plan, None))


def test_before_grading_a_plain_folder_without_surprises_says_nothing() -> None:
    """As it always did."""
    assert [] == list(lines_before_grading(planned(source("ann.py", "bob.py", name="in"))))


def test_before_grading_several_attempts_are_told_of_plain_folders_too() -> None:
    """One of them is graded, and the others are not."""
    plan = planned(
        source("Ann Maes/Version 1/yinyang.py", "Ann Maes/Version 2/yinyang.py", "Bo/y.py")
    )
    told = "with several attempts, of which one is graded: 1 student"
    assert [told] == list(lines_before_grading(plan))


def test_before_grading_a_download_tells_what_it_was_taken_for() -> None:
    """So that a teacher sees it go wrong."""
    assert [
        "toledo.zip: 2 of 2 names follow the naming scheme of Blackboard (en)",
        "1 student found",
        "with several attempts, of which one is graded: 1 student",
    ] == list(lines_before_grading(planned(BLACKBOARD)))


def test_programs_are_told_everything() -> None:
    """All attempts, and which of them is graded."""
    fields = plan_fields(planned(BLACKBOARD), "yinyang")
    (student,) = fields["students"]
    assert ("ann", 1) == (student["user"], student["graded"])
    assert ["2025-10-06T10:00:00", "2025-10-07T21:15:02"] == [
        attempt["submitted"] for attempt in student["attempts"]
    ]
    assert fields["missing"] is None
