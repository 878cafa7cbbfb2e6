"""The overview of a run."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from test_reporting_hostility import Reader
from test_reporting_records import case, group, record

from grader.messages import message
from grader.reporting.distribution import BARS, distribution
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.voice import Voice
from grader.verdict import Status, Verdict, Visibility
from grader.wording import LANGUAGES, phrase


def entry(student: str = "Elise", score: float = 12.5, **changes: object) -> IndexEntry:
    """Return the entry of a graded submission."""
    base = IndexEntry(
        id="student-017",
        student=student,
        exercise="yinyang",
        exercise_title="Yin-Yang",
        status=Status.GRADED,
        score=score,
        max_score=20.0,
        remarks=(),
        href="yinyang/elise.html",
        failing=3,
        groups=(("maak_wit", 2, 2), ("maak_zwart", 1, 3), ("maak_leeg", 0, 4)),
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # the fields of an entry


def page_of(*entries: IndexEntry, language: str = "en", interrupted: bool = False) -> str:
    """Return the overview of `entries`."""
    return index_page(entries, language=language, interrupted=interrupted)


def shown(page: str) -> str:
    """Return the text of `page`, as one reads it."""
    body = page.partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_evidence_is_for_staff() -> None:
    """The overview tells what is behind tampering, each fact once, of a traceback its last line."""
    given = record(
        group(
            "f",
            case("f/1", Verdict.TAMPERED, staff_evidence="surplus bytes"),
            case("f/2", Verdict.TAMPERED, staff_evidence="surplus bytes"),
            case("f/3", Verdict.FAULT, staff_evidence="Traceback\n  line\nKeyError: 'x'\n"),
            case("f/4", Verdict.TIMED_OUT, staff_evidence="CPU limit of the step"),
        )
    )
    summed_up = IndexEntry.of(given, "yinyang/x.html")
    assert ("surplus bytes", "KeyError: 'x'") == summed_up.evidence
    assert "surplus bytes KeyError: 'x'" in shown(page_of(summed_up))


def test_weakest_isolation_is_told() -> None:
    """Staff see the lowest level of the run, and each thing that was not enforced there."""
    layers = (("seccomp", True), ("landlock_abi", 0), ("namespaces", False))
    page = shown(
        page_of(
            entry("A", isolation=3, layers=(("seccomp", True),)),
            entry("B", isolation=1, layers=layers),
        )
    )
    assert "Level 1 of 3." in page
    assert "this system has no Landlock" in page
    assert "this system gives no namespaces" in page
    assert "Everything that this grader can enforce is enforced" not in page


def test_full_isolation_is_told() -> None:
    """Where nothing is missing the page says that too."""
    page = shown(page_of(entry(isolation=3, layers=(("seccomp", True),))))
    assert "Everything that this grader can enforce is enforced" in page


def test_entry_sums_up_a_record() -> None:
    """An entry counts what ran and failed, what was our fault, and all cases of each group."""
    given = record(
        group(
            "f",
            case("f/1"),
            case("f/2", Verdict.ERROR, visibility=Visibility.STAFF),
            case("f/3", Verdict.SKIPPED),
            case("f/4", Verdict.FAULT),
            case("f/5", Verdict.TAMPERED, visibility=Visibility.HIDDEN),
            title="the group",
        ),
        remarks=(message("report.how_file", file="x.py"),),
        language="nl",
    )
    summed_up = IndexEntry.of(given, "yinyang/x.html")
    assert (("the group", 1, 5),) == summed_up.groups
    assert (2, 1, 1) == (summed_up.failing, summed_up.faults, summed_up.tampered)
    assert ("Bestand x.py",) == summed_up.remarks
    assert "yinyang/x.html" == summed_up.href


def test_row_tells_everything_about_a_submission() -> None:
    """Name with link, points, status, groups, failing cases and remarks are in the row."""
    page = page_of(entry(remarks=("Mind `this`.",)))
    row = page[page.index("<tbody>") : page.index("</tbody>")]
    assert '<th scope="row"><a href="yinyang/elise.html">Elise</a>' in row
    assert '<td class="number">12.5</td>' in row
    assert "graded" in row
    assert '<td class="cell good">✓</td>' in row
    assert '<td class="cell part">1/3</td>' in row
    assert '<td class="cell bad">✗</td>' in row
    assert '<td class="number">3</td>' in row
    assert "Mind <code>this</code>." in row


def test_heads_of_the_table_are_heads() -> None:
    """Each column and each row has a head with its scope."""
    page = page_of(entry(), entry("Bob"))
    assert 8 == page.count('<th scope="col"')
    assert 2 == page.count('<th scope="row"')


def test_rows_are_in_the_order_of_names() -> None:
    """Students are found by name, whatever the order of grading and whatever the case."""
    text = shown(page_of(entry("zoe"), entry("Adam"), entry("bert")))
    assert text.index("Adam") < text.index("bert") < text.index("zoe")


def test_each_exercise_has_its_section_and_figures() -> None:
    """Count, mean and median are those of the exercise, of graded submissions only."""
    akari = {"exercise": "akari", "exercise_title": "Akari"}
    page = page_of(
        entry(score=10.0),
        entry(score=20.0),
        entry(score=0.0, status=Status.UNGRADABLE),
        entry(score=7.0, **akari),
    )
    text = shown(page)
    assert "Akari Submissions 1 Graded 1 Mean 7 / 20 Median 7 / 20" in text
    assert "Yin-Yang Submissions 3 Graded 2 Mean 15 / 20 Median 15 / 20" in text
    assert 'href="#exercise-2"' in page


def test_what_needs_a_person_comes_first() -> None:
    """Faults, ungradable submissions and disturbed grading stand above the tables, with why."""
    page = page_of(
        entry("Fay", status=Status.FAULT),
        entry("Uma", status=Status.UNGRADABLE, remarks=("Empty file.",)),
        entry("Tim", tampered=2),
        entry("Flo", faults=1),
        entry("Gus"),
    )
    first = shown(page[: page.index("<table>")])
    for words in (
        "4 submissions need a person first",
        "! our mistake",
        "! cannot be run Empty file.",
        "! disturbed the grading in 2 cases",
        "! our mistake in 1 case",
    ):
        assert words in first
    assert "Gus" not in first


def test_what_was_not_run_is_not_wrong() -> None:
    """The groups of an ungradable submission are blank, and it has no failing cases."""
    page = page_of(entry(status=Status.UNGRADABLE, groups=(("f", 0, 3),), failing=0))
    assert '<td class="cell idle">–</td>' in page
    assert '<td class="cell bad">' not in page


def test_groups_that_never_ran_are_blank() -> None:
    """A group whose cases were all skipped is not shown as wrong."""
    skipped = group("g", case("g/1", Verdict.SKIPPED), case("g/2", Verdict.FAULT))
    summed_up = IndexEntry.of(record(group("f", case("f/1", Verdict.WRONG)), skipped), "x.html")
    assert frozenset({"g"}) == summed_up.not_run
    page = page_of(summed_up)
    assert 1 == page.count('class="cell idle">–<')
    assert 1 == page.count('class="cell bad">✗<')


def test_fault_has_no_points() -> None:
    """There is no zero for what we failed to grade."""
    page = page_of(entry(status=Status.FAULT, score=0.0))
    assert '<td class="number">–</td>' in page
    assert "Mean" not in shown(page)


def test_groups_that_others_have_leave_a_blank() -> None:
    """Rows stay aligned when a submission has not the groups of the others."""
    page = page_of(entry("A", groups=(("f", 1, 1),)), entry("B", groups=(("g", 1, 1),)))
    rows = page[page.index("<tbody>") :].split("</tr>")[:2]
    assert [2, 2] == [row.count('class="cell') for row in rows]


def test_interrupted_run_says_so() -> None:
    """An unfinished overview cannot be taken for a finished one."""
    words = "The run was interrupted"
    assert words in shown(page_of(entry(), interrupted=True))
    assert words not in shown(page_of(entry()))


def test_empty_run_has_a_page() -> None:
    """No submissions is no error."""
    assert "There are no submissions in this run." in shown(page_of())


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_speaks_the_language_asked_for(language: str) -> None:
    """The `lang` attribute and the words are those that were asked for."""
    page = page_of(entry(), language=language)
    assert f'<html lang="{language}">' in page
    assert phrase(language, "report.index_title") in shown(page)


def test_many_remarks_are_cut_short() -> None:
    """The row has the first three, and how many more there are."""
    text = shown(page_of(entry(remarks=tuple(f"remark {n}" for n in range(9)))))
    assert "remark 2 … (+6)" in text
    assert "remark 3" not in text


@pytest.mark.parametrize(
    ("href", "safe"),
    [
        ("yinyang/elise-2.html", "yinyang/elise-2.html"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("//evil.example/x", "evil.example/x"),
        ("\\\\evil\\x", "evil%5Cx"),
        ('"><script>', "%22%3E%3Cscript%3E"),
        ("a\ud800b", "a%3Fb"),
    ],
)
def test_links_are_relative_whatever_they_were(href: str, safe: str) -> None:
    """No scheme, no host and no markup gets into a link."""
    assert safe in Reader(page_of(entry(href=href))).values("href")


def test_four_hundred_rows_are_fine() -> None:
    """A whole course fits in one page, which is small enough to open anywhere."""
    page = page_of(*(entry(f"student {n}", score=n % 21) for n in range(400)))
    assert 400 == page.count('<th scope="row">')
    assert len(page.encode()) < 400_000
    assert 'class="scroll long"' in page


def test_long_tables_only_scroll_in_themselves() -> None:
    """A short table is shown whole."""
    assert 'class="scroll long"' not in page_of(entry())


def test_distribution_counts_every_score_once() -> None:
    """Bars have their lower ends, the last one has both, and nothing falls outside."""
    spread = distribution([0.0, 1.9, 2.0, 19.0, 20.0, 25.0, -1.0], 20.0, Voice.of("en"))
    assert [3, 1, 0, 0, 0, 0, 0, 0, 0, 3] == [bar.count for bar in spread.bars]
    assert spread.in_words.startswith("0–2: 3; 2–4: 1")


def test_distribution_of_nothing_to_earn() -> None:
    """An exercise without points has a distribution as well."""
    assert BARS == len(distribution([0.0], 0.0, Voice.of("en")).bars)
