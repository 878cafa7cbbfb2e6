"""What `grader check` prints unless all is asked for: one screen."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    line,
    one_case_per_verdict,
    record,
    secretive_record,
    yinyang_record,
)
from rich.console import Console

from grader.judging.record import LineStatus, Record, SourceText
from grader.messages import message
from grader.reporting.screen import SCREEN_LINES, print_screen
from grader.reporting.wording import LANGUAGES
from grader.verdict import Status, Verdict, Visibility

ROOT: Final = Path(__file__).parents[1]


def printed(given: Record, *, only_first: bool = False, every_case: bool = False) -> str:
    """Return what is printed about `given` where there is no terminal."""
    text = StringIO()
    console = Console(file=text, width=80)
    print_screen(given, console, only_first=only_first, every_case=every_case)
    return text.getvalue()


def failing(identity: str = "f/1", steps: int = 0) -> Record:
    """Return a record with a failure after `steps` steps that do not matter."""
    transcript = (
        line("p = Puzzle()", ""),
        *(line(f"p.do({n})", "") for n in range(steps)),
        line("p.solved()", "None", LineStatus.FAILED),
    )
    return record(
        group(
            "f",
            case(
                identity,
                Verdict.WRONG,
                code="p.solved()",
                expected="False",
                got="None",
                transcript=transcript,
            ),
        )
    )


def test_first_failure_then_a_line_for_each_group_then_what_is_next() -> None:
    """All of it stands on one screen, in this order."""
    assert (
        "What to fix first: f\n"
        "    >>> p = Puzzle()\n"
        "  ✗ >>> p.solved()\n"
        "    This step does not give what is expected.\n"
        "    Expected      Your code gave\n"
        "    False         None\n"
        "\n"
        "✗ f  0/1\n"
        "Next: fix this and check again. `--all` shows everything.\n"
    ) in printed(failing())


def test_long_session_is_cut_to_what_the_failing_step_needs() -> None:
    """What makes the object stays, however far back; what stands there can be pasted as it is."""
    assert (
        "    >>> p = Puzzle()\n"
        "    >>> p.do(18)\n"
        "    >>> p.do(19)\n"
        "  ✗ >>> p.solved()\n"
        "    (18 steps are left out here: `--all` shows whole sessions)\n"
    ) in printed(failing(steps=20))


def test_long_steps_are_whole_where_there_is_room() -> None:
    """Where there is none they are cut, and it is said where they are whole."""
    for length, is_cut in ((200, False), (2000, True)):
        code = f"p = Puzzle({list(range(length // 4))})"
        steps = (line(code), line("p.solved()", "None", LineStatus.FAILED))
        told = case("f/1", Verdict.WRONG, code="p.solved()", transcript=steps)
        text = printed(record(group("f", told)))
        assert is_cut is ("(long lines are cut here: `--all` shows whole sessions)" in text)
        assert is_cut is not (code.replace(" ", "") in "".join(text.split()))


def test_parts_that_wait_for_the_same_have_one_row() -> None:
    """What is missing is told once, and a hint is never cut, however narrow the screen is."""
    missing = message("skipped.name", name="Cell")
    near = message("skipped.name_near", name="neighbours", near="neighbors")
    waiting = [
        group(f"part{n}", case(f"{n}/1", Verdict.SKIPPED, explanation=(missing,))) for n in range(9)
    ]
    text = printed(record(*waiting, group("g", case("g/1", Verdict.SKIPPED, explanation=(near,)))))
    assert (
        "– 9 parts  Not tried, because your file does not define `Cell`.\n"
        "  part0, part1, part2, part3, part4, part5, part6, part7, part8\n"
        "– g  0/1  Not tried, because your file does not define `neighbours`. Did you\n"
        "  call it `neighbors`?\n"
    ) in text


def test_cause_is_told_in_full() -> None:
    """As many lines as it takes, and below it the parts that fail for it do not tell it again."""
    said = tuple(message("error.exception", type="E", message="long " * 12 + n) for n in "abc")
    told = [case(f"{name}/1", Verdict.ERROR, explanation=said) for name in "fg"]
    text = printed(record(*(group(each.id[0], each) for each in told)))
    assert 1 == text.count("long a\n") == text.count("long c\n")
    assert "✗ f  0/1\n✗ g  0/1\n" in text


def test_row_has_the_first_and_the_last_sentence() -> None:
    """The first says what is wrong and the last where, so of many those are kept."""
    said = [message("error.exception", type="E", message=f"{n} " + "x" * 60) for n in range(9)]
    other = case("g/1", Verdict.ERROR, explanation=tuple(said))
    row = printed(record(group("f", case("f/1", Verdict.WRONG)), group("g", other)))
    shown = row[row.index("✗ g") :]
    assert [True, False, True] == [f"E: {n} x" in " ".join(shown.split()) for n in (0, 4, 8)]


def test_score_is_told_by_what_it_is_made_of() -> None:
    """Where more than one part loses points, the largest loss first."""
    two = record(group("f", case("f/1", Verdict.WRONG)), group("g", case("g/1", Verdict.WRONG)))
    assert "\n2 − 1 (f) − 1 (g) = 0\n" in printed(two)
    assert "−" not in printed(failing())


def test_what_is_worth_nothing_is_not_lacking() -> None:
    """Who has all points has nothing to mend; what is optional is counted in a line."""
    optional = replace(group("g", case("g/1", Verdict.SKIPPED)), max_points=0.0)
    text = printed(record(group("f", case("f/1")), optional))
    assert "– 1 optional case is not right; that costs no points\nThese were only" in text
    assert "✗" not in text
    assert "– g" not in text


def test_what_was_typed_into_a_program_is_shown() -> None:
    """Who reads it can type the same; a long dialogue is cut, and nothing of it is told twice."""
    for count, said in ((3, "    Throw: 2\n"), (30, "    Throw: 8\n    … (+22)\n")):
        typed = "".join(f"Throw: {number}\n" for number in range(count)) + "last"
        step = line("$ python dice.py", typed, LineStatus.FAILED)
        told = case("f/1", Verdict.WRONG, code=step.code, expected="5", transcript=(step,))
        text = printed(record(group("f", told)))
        assert "  ✗ $ python dice.py\n    Throw: 0\n" in text
        assert said in text
        assert text.count("last") <= 1


def test_place_in_a_long_line_is_in_sight() -> None:
    """However long a line is that is no Python, the mark stands below what is meant."""
    code = f"if {' and '.join(['here'] * 30)})"
    said = message(
        "ungradable.syntax", file="m.py", line=1, column=len(code), message="no", text=""
    )
    given = record(group("f", case("f/1", Verdict.NOT_RUN)), remarks=(said,))
    given = replace(given, status=Status.UNGRADABLE, sources=(SourceText(name="m.py", text=code),))
    shown, mark = printed(given).splitlines()[1:3]
    assert ("here)", "^") == (shown[-5:], mark.strip(" |"))
    assert shown.index(")") == mark.index("^")


def test_shortest_session_of_the_group_is_shown() -> None:
    """Of failures of one kind the one with the fewest steps is shown."""
    long, short = failing("f/long", steps=9), failing("f/short")
    text = printed(record(group("f", *long.cases, *short.cases)))
    assert "p.do" not in text


def test_large_board_is_shown_where_it_differs() -> None:
    """The row that differs is on the screen, and how many rows are not is said."""
    rows = [f"row {n:02}" for n in range(40)]
    wrong = [*rows[:30], "other!", *rows[31:]]
    told = case("f/1", Verdict.WRONG, expected="\n".join(rows), got="\n".join(wrong))
    text = printed(record(group("f", told)))
    assert "row 30      other!" in " ".join(text.split("≠")[1:]).replace("  " * 4, "      ")
    assert "(+" in text


def test_syntax_error_is_its_lines_and_nothing_else() -> None:
    """The lines around stand there with a mark below the one that is meant."""
    code = "def a():\n    pass\ndef b()\n    pass\n"
    said = message("ungradable.syntax", file="m.py", line=3, message="expected ':'", text="def b()")
    given = record(group("f", case("f/1", Verdict.NOT_RUN)), remarks=(said,))
    given = replace(given, status=Status.UNGRADABLE, sources=(SourceText(name="m.py", text=code),))
    assert (
        "m.py, line 3: this is not valid Python\n"
        "  1 | def a():\n"
        "  2 |     pass\n"
        "  3 | def b()\n"
        "    | ^^^^^^^\n"
        "  4 |     pass\n"
        "  5 |\n"
        "  expected ':'\n"
    ) == printed(given)


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("x = (1", 5, "    ^"),
        ("\tx = )", 6, "        ^"),
        ("def b()", 8, "       ^"),
        ("é = '漢' )", 9, "         ^"),
        ("x = )", 99, "^^^^^"),
        ("x = )", 0, "^^^^^"),
    ],
)
def test_mark_stands_below_the_column(line: str, column: int, marked: str) -> None:
    """Tabs and wide characters take what they take; a column that is none is no place."""
    said = message("ungradable.syntax", file="m.py", line=1, column=column, message="no", text=line)
    given = record(group("f", case("f/1", Verdict.NOT_RUN)))
    given = replace(
        given,
        remarks=(said,),
        status=Status.UNGRADABLE,
        sources=(SourceText(name="m.py", text=line),),
    )
    assert f"    | {marked}\n" in printed(given)


def test_remarks_are_whole_where_nothing_has_to_be_mended() -> None:
    """Which of two files was taken has to be read; beside a failure each has a line."""
    named = message("remark.file_name", file="b.py", module="a.py")
    taken = message("remark.other_files", file="b.py", files="a.py")
    right = printed(record(group("f", case("f/1")), remarks=(named, taken)))
    assert "was not used: a.py. Hand\n  in one version only." in right
    wrong = printed(replace(failing(), remarks=(named, taken)))
    assert "\n• b.py was graded; the file should be named a.py.\n• b.py was graded. " in wrong


def test_hidden_cases_are_one_sentence() -> None:
    """Of all groups together a count is told, and nothing else."""
    hidden = case("f/h", Verdict.CRASHED, code="secret()", visibility=Visibility.HIDDEN)
    text = printed(record(group("f", hidden), group("g", hidden)))
    assert 1 == text.count("Hidden cases: 0 of 2 demands are met.")
    assert "secret()" not in text
    assert "s3cr3t" not in printed(secretive_record("s3cr3t"))


def test_only_the_first_failure_can_be_asked_for() -> None:
    """Then no group has a line."""
    assert "✗ f  0/1" not in printed(failing(), only_first=True)


def test_every_case_can_have_a_line() -> None:
    """Then those that passed have one too."""
    given = record(group("f", case("f/1", code="f(1)"), case("f/2", code="f(2)")))
    assert "✓ passed  f(1)\n  ✓ passed  f(2)\n" in printed(given, every_case=True)


def test_right_one_is_told_that_these_are_the_examples() -> None:
    """A teacher may grade with more than what can be seen."""
    assert printed(record(group("f", case()))).endswith(
        "These were only the examples. Your teacher may grade with other cases.\n"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_screen_is_in_each_language(language: str) -> None:
    """What is next is said in the language of the record, on one screen."""
    text = printed(one_case_per_verdict(language))
    assert "--all" in text.splitlines()[-1]
    assert text.count("\n") <= SCREEN_LINES


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_fills_no_more_than_a_screen(name: str) -> None:
    """Nothing of a submission pushes the rest off the screen, nor commands the terminal."""
    text = printed(hostile_record(HOSTILE_TEXTS[name]))
    assert text.count("\n") <= SCREEN_LINES
    assert not [each for each in set(text) if not each.isprintable() and each != "\n"]


def test_yinyang_fits() -> None:
    """A record with every kind of failure fits."""
    assert printed(yinyang_record()).count("\n") <= SCREEN_LINES
