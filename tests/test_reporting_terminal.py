"""What `grader check` prints."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper

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

from grader.judging.record import LineStatus, Record
from grader.messages import message
from grader.reporting.terminal import case_text, print_record
from grader.reporting.wording import LANGUAGES, phrase
from grader.verdict import Status, Verdict, Visibility


def printed(given: Record, width: int = 80) -> str:
    """Return what is printed about `given` where there is no terminal."""
    text = StringIO()
    print_record(given, Console(file=text, width=width))
    return text.getvalue()


def test_isolation_stands_last() -> None:
    """Level and gaps end what is printed: they belong to the result, and are not the news."""
    given = record(group("f", case()))
    *_, level, gap = printed(given, width=200).splitlines()
    assert level.startswith("Level 2 of 3.")
    assert gap.startswith("• Submissions run as the user who runs the grader")


def test_result_stands_first_then_remarks_then_groups() -> None:
    """The first lines tell the result."""
    given = record(
        group("f", case("f/1"), title="the group"), remarks=(message("report.how_no_files"),)
    )
    assert [
        "Yin-Yang  student-017",
        "1 of 1 point  " + "█" * 26,
        "• none",
        "",
        "✓ the group  1/1  1 of 1 point",
    ] == printed(given).splitlines()[:5]


def test_first_failure_of_a_group_is_shown_in_full_and_others_on_a_line() -> None:
    """One failure to work on, the others counted out."""
    failing = [
        case(
            f"f/{n}",
            Verdict.WRONG,
            code=f"f({n})",
            expected="ab\ncd",
            got="ab\ncx",
            transcript=(line("x = 1", ""), line(f"f({n})", "cx", LineStatus.FAILED)),
        )
        for n in range(3)
    ]
    text = printed(record(group("f", case("f/ok", code="f(9)"), *failing)))
    assert (
        "  ✗ wrong\n"
        "    f(0)\n"
        "\n"
        "    This step does not give what is expected.\n"
        "\n"
        "    Expected      Your code gave\n"
        "    ab            ab\n"
        "  ≠ cd            cx\n"
        "\n"
        "    The session, step by step\n"
        "      >>> x = 1\n"
        "    ✗ >>> f(0)\n"
        "      cx\n"
        "\n"
        "  ✗ wrong  f(1)\n"
        "  ✗ wrong  f(2)\n"
    ) in text
    assert "f(9)" not in text


def test_what_is_said_of_a_case_that_passed_stands_with_its_group() -> None:
    """A blank line before it would separate it from the cases above, and join it to the next."""
    passed = case("f/ok", code="f(9)", explanation=(message("report.how_no_files"),))
    failing = case("f/0", Verdict.WRONG, code="f(0)", expected="ab", got="cd")
    text = printed(record(group("f", passed, failing), group("g", case("g/1"), title="next")))
    assert "    ab            cd\n\n  ✓ passed  f(9)\n    none\n\n✓ next  1/1" in text


@pytest.mark.parametrize("width", [80, 40, 20, 1])
def test_nothing_is_wider_than_the_console(width: int) -> None:
    """Lines are wrapped or cut, at any width."""
    lines = printed(yinyang_record(), width).splitlines()
    # Below some width there is no room beside what a line begins with.
    assert max(map(len, lines)) <= max(width, 14)


def test_boards_are_next_to_each_other_where_they_fit() -> None:
    """Also on a narrow screen, as long as both sides fit."""
    assert "  ≠ w-----        ------\n" in printed(yinyang_record(), 40)
    assert "  ≠ w-----\n" in printed(yinyang_record(), 20)


@pytest.mark.parametrize(
    ("expected", "got", "rows"),
    [
        ("a\nb\nc", "a", ["    a             a", "  ≠ b", "  ≠ c"]),
        ("a", "a\nb", ["    a             a", "  ≠               b"]),
    ],
)
def test_a_side_that_is_shorter_ends_where_it_ends(
    expected: str, got: str, rows: list[str]
) -> None:
    """Text that lacks lines stands beside text that has them."""
    failed = case("f/1", Verdict.WRONG, expected=expected, got=got)
    shown = case_text(failed, record(group("f", failed))).splitlines()
    start = shown.index(rows[0])
    assert rows == shown[start : start + len(rows)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_those_of_the_record(language: str) -> None:
    """The language is that of the record."""
    text = printed(one_case_per_verdict(language))
    for verdict in set(Verdict) - {Verdict.PASSED}:
        assert phrase(language, f"report.verdict_{verdict.value}") in text


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_commands_nothing(name: str) -> None:
    """No escape sequence reaches the terminal but rich's own colours."""
    text = StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system="standard")
    print_record(hostile_record(HOSTILE_TEXTS[name]), console)
    plain = text.getvalue()
    for code in ("0", "1", "2", "3", "4", "31", "32", "33"):
        plain = plain.replace(f"\x1b[{code}m", "")
    for code in ("1;4", "2;3", "4;31", "4;32", "1;31", "1;33", "3;2"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert not [each for each in set(plain) if not each.isprintable() and each != "\n"]
    assert len(plain) < 400_000


COMMANDS = "::error::a\n   ::add-mask::b\n##[error]c ##vso[task.complete]d\n" + "::e " * 60


@pytest.mark.parametrize("width", [80, 40, 7])
def test_hostile_text_says_nothing_to_a_ci_system(width: int) -> None:
    """No line is a command, wherever the text stands and however it is wrapped."""
    given = replace(hostile_record(COMMANDS), title="::notice::t", student="::s")
    lines = printed(given, width).splitlines()
    assert [] == [each for each in lines if each.lstrip().startswith("::")]
    assert [] == [each for each in lines if re.search(r"##\w*\[", each)]
    assert "\\::" in printed(given, width)


def test_command_of_several_pieces_is_broken_up() -> None:
    """What differs is a piece of its own; together the pieces are no command either."""
    wrong = case("f/1", Verdict.WRONG, expected="##(error]", got="##[error]")
    text = case_text(wrong, record(group("f", wrong)))
    assert "##(error]      #\\#[error]" in text


def test_board_of_colons_keeps_its_columns() -> None:
    """The mark takes the place of a blank, so that what is printed stays aligned."""
    wrong = case("f/1", Verdict.WRONG, expected="::.\n...", got="::.\n::.")
    assert (
        "    Expected      Your code gave\n   \\::.           ::.\n  ≠ ...           ::."
    ) in case_text(wrong, record(group("f", wrong)))


def test_markup_is_not_interpreted() -> None:
    """Square brackets, emoji codes and links of a student are plain text."""
    text = printed(record(student="[bold]x[/bold] [link=http://x]y[/] :smile:"))
    assert "[bold]x[/bold] [link=http://x]y[/] :smile:" in text


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR takes the colours away, on a terminal too."""
    monkeypatch.setenv("NO_COLOR", "1")
    text = StringIO()
    print_record(yinyang_record(), Console(file=text, width=80, force_terminal=True))
    assert not [code for code in ("31m", "32m", "33m") if code in text.getvalue()]


def test_without_a_terminal_there_are_no_escapes() -> None:
    """A pipe gets plain text."""
    assert "\x1b" not in printed(yinyang_record())


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_old_consoles_get_what_they_can_write(encoding: str) -> None:
    """Signs that an encoding has not are put in ASCII, and nothing fails."""
    data = BytesIO()
    file = TextIOWrapper(data, encoding=encoding, errors="strict", newline="\n")
    given = replace(yinyang_record(), student="Zoë 李")
    print_record(given, Console(file=file, width=40))
    file.flush()
    text = data.getvalue().decode(encoding)
    assert "\\u674e" in text
    assert "x maak_wit  4/5" in text


def test_skipped_cases_name_their_cause_once() -> None:
    """The cause stands above the cases that it kept from being tried."""
    cases = [case(f"f/{n}", Verdict.SKIPPED, code=f"f({n})", cause="broken()") for n in range(3)]
    text = printed(record(group("f", *cases)))
    assert 1 == text.count("broken()")
    assert 3 == text.count("– not tried  f(")


def test_of_hidden_cases_a_count_is_printed() -> None:
    """Nothing else of them is printed."""
    hidden = case("f/h", Verdict.CRASHED, code="secret()", visibility=Visibility.HIDDEN)
    text = printed(record(group("f", case("f/1"), hidden)))
    assert "  Hidden cases: 0 of 1 demand is met.\n" in text
    assert "s3cr3t" not in printed(secretive_record("s3cr3t"))


def test_ungradable_submission_has_its_reason_first() -> None:
    """Why it cannot be run stands above everything else, and the groups are one line each."""
    given = record(
        group("f", case("f/1", Verdict.NOT_RUN)),
        status=Status.UNGRADABLE,
        remarks=(message("report.how_file", file="the reason"),),
    )
    assert [
        "Yin-Yang  student-017",
        "We could not run your submission",
        "That is why no case could be tried.",
        "This is what we found:",
        "• File the reason",
        "0 of 1 point  " + "░" * 26,
        "",
        "– f  0/1  0 of 1 point",
    ] == printed(given).splitlines()[:8]


def test_fault_of_a_submission_gives_no_points_yet() -> None:
    """What we failed to grade has no score and no bar."""
    text = printed(record(group("f", case("f/1", Verdict.FAULT)), status=Status.FAULT))
    assert "No points yet\n" in text
    assert "░" not in text


def test_one_side_alone_is_shown_alone() -> None:
    """Nothing stands beside what was got when nothing was expected, and nothing is in words."""
    only = case("f/1", Verdict.WRONG, got="")
    lines = case_text(only, record(group("f", only))).splitlines()
    assert ["    Your code gave", "    nothing at all"] == lines[-2:]


def test_text_of_one_case() -> None:
    """A single case can be had as plain text, with its cause."""
    skipped = case("f/1", Verdict.SKIPPED, code="f(1)", cause="broken()")
    text = case_text(skipped, record(group("f", skipped)))
    assert text.startswith("  – not tried\n    f(1)\n")
    assert text.endswith("    This step failed first:\n      broken()")


@pytest.mark.parametrize("visibility", [Visibility.HIDDEN, Visibility.STAFF])
def test_text_of_a_case_that_is_not_public(visibility: Visibility) -> None:
    """Only the verdict of such a case is told."""
    secret = case("f/1", Verdict.WRONG, code="secret()", visibility=visibility)
    assert "✗ wrong" == case_text(secret, record(group("f", secret)))
