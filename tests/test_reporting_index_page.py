"""The overview of a run."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from read_pages import Reader
from record_samples import case, group, record

from grader.messages import message
from grader.reporting.class_view import BARS, distribution
from grader.reporting.index_entry import IndexEntry, ItemScore
from grader.reporting.index_page import index_page
from grader.reporting.wording import LANGUAGES, Locale, phrase
from grader.verdict import Status, Verdict, Visibility


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
        groups=(
            ItemScore("maak_wit", 2, 2),
            ItemScore("maak_zwart", 1, 3),
            ItemScore("maak_leeg", 0, 4),
        ),
    )
    return replace(base, **changes)  # type: ignore[arg-type]  # the fields of an entry


def page_of(*entries: IndexEntry, language: str = "en", interrupted: bool = False) -> str:
    """Return the overview of `entries`."""
    return index_page(entries, language=language, interrupted=interrupted)


def shown(page: str) -> str:
    """Return the text of `page`, as one reads it."""
    body = page.partition("<body>")[2].partition("<template")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def heat_table(page: str) -> str:
    """Return the table of students."""
    start = page.index('<table role="table" class="heat">')
    return page[start : page.index("</table>", start)]


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
    summed_up = IndexEntry.from_record(given, "yinyang/x.html")
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
    assert "this system does not allow namespaces" in page
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
    summed_up = IndexEntry.from_record(given, "yinyang/x.html")
    assert (ItemScore("the group", 1, 5),) == summed_up.groups
    assert (2, 1, 1) == (summed_up.failing, summed_up.faults, summed_up.tampered)
    assert ("Bestand x.py",) == summed_up.remarks
    assert "yinyang/x.html" == summed_up.href


def test_row_tells_everything_about_a_submission() -> None:
    """Name with link, points, status, groups, failing cases and remarks are in the row."""
    page = page_of(entry(remarks=("Mind `this`.",)))
    table = heat_table(page)
    row = table[table.index("<tbody") : table.index("</tbody>")]
    assert '<th scope="row" data-value="Elise"><a href="yinyang/elise.html">Elise</a>' in row
    assert '<td class="number" data-value="12.5">12.5</td>' in row
    assert "graded" in row
    assert '<td data-value="1">✓</td>' in row
    assert '<td data-value=".33">1/3</td>' in row
    assert '<td data-value="0">✗</td>' in row
    assert '<td class="number" data-value="3">3</td>' in row
    assert "Mind <code>this</code>." in row


def test_heads_of_the_table_are_heads() -> None:
    """Each column and each row has a head with its scope."""
    page = heat_table(page_of(entry(), entry("Bob")))
    assert 8 == page.count('<th scope="col"')
    assert 2 == page.count('<th scope="row"')


def test_rows_and_columns_make_stairs() -> None:
    """The best come first, equals by name; what has no points that mean anything comes last."""
    table = heat_table(
        page_of(
            entry("zoe", 5.0),
            entry("Uma", 0.0, status=Status.UNGRADABLE),
            entry("bert", 12.0),
            entry("Adam", 5.0),
        )
    )
    assert table.index("bert") < table.index("Adam") < table.index("zoe") < table.index("Uma")


def test_columns_are_the_easiest_first() -> None:
    """The group that the class does best on comes first, whatever the order of the suite."""
    groups = (ItemScore("hard", 1, 4), ItemScore("easy", 4, 4), ItemScore("half", 1, 2))
    table = heat_table(page_of(entry(groups=groups)))
    assert table.index("easy") < table.index("half") < table.index("hard")


def test_every_head_but_that_of_remarks_can_be_sorted_by() -> None:
    """A script finds what to sort by in the heads, and the value in each cell below."""
    table = heat_table(page_of(entry()))
    assert 7 == table.count('data-sort="')
    assert 7 == table.count('data-value="')


def test_cell_of_some_is_neither_that_of_none_nor_that_of_all() -> None:
    """Rounding does not sort or colour a cell like one that it is not."""
    page = page_of(entry(groups=(ItemScore("a", 1, 1000), ItemScore("b", 999, 1000))))
    assert '<td data-value=".01">1/1000</td>' in page
    assert '<td data-value=".99">999/1000</td>' in page


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
    assert "Submissions 1 Graded 1 Mean 7 / 20 Median 7 / 20 " in text
    assert 1 == text.count("Standard deviation"), "a single score has none"
    figures = "Submissions 3 Graded 2 Mean 15 / 20 Median 15 / 20 Standard deviation 7.07"
    assert figures in text
    assert 'href="#exercise-2"' in page


def card(page: str, anchor: str) -> str:
    """Return the markup of the card that is called `anchor`."""
    return "<body>" + page.partition(f'aria-labelledby="{anchor}">')[2].partition("</section>")[0]


def test_what_needs_a_person_is_told_with_why() -> None:
    """Faults, disturbed grading and what is not known of have a card, which is linked on top."""
    page = page_of(
        entry("Fay", status=Status.FAULT),
        entry("Uma", status=Status.UNGRADABLE, remarks=("Empty file.",)),
        entry("Tim", tampered=2),
        entry("Flo", faults=1),
        entry("Gus"),
    )
    first = shown(card(page, "waiting"))
    assert 'href="#waiting">4 submissions need a person first' in card(page, "to-do")
    for words in (
        "4 submissions need a person first",
        "! our mistake",
        "! cannot be run Empty file.",
        "! disturbed the grading in 2 cases",
        "! our mistake in 1 case",
    ):
        assert words in first
    assert "Gus" not in first


def test_figures_come_before_cards() -> None:
    """On top stands what to do first, then the class, and below it who is concerned."""
    odd = entry("Ann", odd_files=("odd",), printed=("x",), staff_remarks=("look",))
    page = page_of(entry("Tim", tampered=2), odd)
    marks = ('id="to-do"', 'class="figures"', "<table", 'id="waiting"', 'id="odd"')
    places = [page.index(mark) for mark in marks]
    assert sorted(places) == places
    assert 4 == card(page, "to-do").count("<li>")


def test_what_cannot_be_run_is_grouped_by_reason() -> None:
    """One line for each reason, with all it is true of; what a person must judge stands apart."""
    stopped = [
        entry(name, status=Status.UNGRADABLE, stopped=f"ungradable.{key}", remarks=("for her",))
        for name, key in (("Al", "empty"), ("Bo", "syntax"), ("Cy", "too_much"))
    ]
    others = [
        entry("Di", status=Status.UNGRADABLE, stopped="loading.input"),
        entry("Ed", status=Status.UNGRADABLE, stopped="ungradable.of_tomorrow"),
        entry("Fi", status=Status.UNGRADABLE, stopped="ungradable.empty", evidence=("odd",)),
    ]
    page = page_of(*stopped, *others)
    text = shown(card(page, "stopped"))
    assert text.startswith("5 submissions cannot be run ")
    assert "Not valid Python 2 Bo , Cy An empty file 1 Al" in text
    assert "Stops while it is loaded 1 Di" in text
    assert "Cannot be run 1 Ed" in text
    assert "for her" not in text
    assert "Fi" not in text
    waiting = shown(card(page, "waiting"))
    assert waiting.startswith("1 submission needs a person first ")
    assert waiting.endswith("Fi Yin-Yang ! cannot be run odd")
    to_do = card(page, "to-do")
    assert 'href="#waiting">1 submission' in to_do
    assert 'href="#stopped">5 submissions' in to_do


def test_what_cannot_be_run_is_told_by_line() -> None:
    """Those that stop at the same line stand together behind it, most of them first."""
    records = [
        record(
            status=Status.UNGRADABLE,
            student=name,
            remarks=(message("ungradable.syntax", file="g.py", line=line, message="m", text="t"),),
        )
        for name, line in (("Al", 3), ("Bo", 28), ("Cy", 28))
    ]
    page = page_of(*(IndexEntry.from_record(each, "x.html") for each in records))
    text = shown(card(page, "stopped"))
    assert "Not valid Python 3 line 28 of g.py: Bo , Cy line 3 of g.py: Al" in text


def test_the_command_that_fills_the_gradebook_stands_beside_the_marks() -> None:
    """Of a run with several exercises it names the one that the table is of."""
    alone = shown(page_of(entry()))
    assert "grader export RUN --into gradebook.csv" in alone
    both = shown(page_of(entry(), entry(exercise="akari", exercise_title="Akari")))
    for name in ("akari", "yinyang"):
        assert f"grader export RUN --exercise {name} --into gradebook.csv" in both


def test_what_to_do_first_names_the_exercise_and_the_answer() -> None:
    """Of several exercises the one is named in which most gave the same answer, and that answer."""
    wrong = case("f/1", Verdict.WRONG, code="f(2)", expected="4", got="5")
    records = [
        record(group("f", wrong), id=name, student=name, exercise=exercise, title=exercise.title())
        for exercise, names in (("akari", "ab"), ("yinyang", "cde"))
        for name in names
    ]
    page = page_of(*(IndexEntry.from_record(each, f"{each.id}.html") for each in records))
    to_do = shown(card(page, "to-do"))
    assert "Yinyang: 3 students give the same wrong answer: f(2) \N{RIGHTWARDS ARROW} 5" in to_do
    assert "Akari: " not in to_do


def test_who_cannot_be_run_is_named_with_the_exercise() -> None:
    """Where a class has several: two hand-ins of one name are not one."""
    entries = (
        entry(
            "Bo",
            exercise=name,
            exercise_title=name.title(),
            status=Status.UNGRADABLE,
            stopped="ungradable.syntax",
        )
        for name in ("akari", "yinyang")
    )
    text = shown(card(page_of(*entries), "stopped"))
    assert "Not valid Python 1 Akari Bo Not valid Python 1 Yinyang Bo" in text


def test_hardest_group_is_a_headline() -> None:
    """Of a class of five it is told; of four there are no figures, and one group is not harder."""
    groups = (ItemScore("easy", 3, 3), ItemScore("hard <b>", 1, 4))
    found = page_of(*(entry(name, groups=groups) for name in "abcde"))
    assert "Hardest: hard <b>, of which 25 % is right on average." in shown(found)
    assert "Hardest" not in page_of(*(entry(name, groups=groups) for name in "abcd"))
    assert "Hardest" not in page_of(*(entry(name, groups=groups[:1]) for name in "abcde"))


def test_what_was_not_run_is_not_wrong() -> None:
    """The groups of an ungradable submission are blank, and it has no failing cases."""
    page = page_of(entry(status=Status.UNGRADABLE, groups=(ItemScore("f", 0, 3),), failing=0))
    assert '<td data-value="">–</td>' in page
    assert '<td data-value="0">' not in page


def test_nothing_failed_is_said_where_all_was_tried() -> None:
    """Of a module that cannot be loaded no case failed: that is no zero."""
    for ran, value, shown_as in ((True, "0", "0"), (False, "", "–")):
        page = page_of(entry(failing=0, groups=(ItemScore("f", 0, 3, ran=ran),)))
        assert f'<td class="number" data-value="{value}">{shown_as}</td>' in page


def test_groups_that_never_ran_are_blank() -> None:
    """A group whose cases were all skipped is not shown as wrong."""
    skipped = group("g", case("g/1", Verdict.SKIPPED), case("g/2", Verdict.FAULT))
    summed_up = IndexEntry.from_record(
        record(group("f", case("f/1", Verdict.WRONG)), skipped), "x.html"
    )
    assert [True, False] == [tally.ran for tally in summed_up.groups]
    page = page_of(summed_up)
    assert 1 == page.count('<td data-value="">–<')
    assert 1 == page.count('<td data-value="0">✗<')


def test_fault_has_no_points() -> None:
    """There is no zero for what we failed to grade."""
    page = page_of(entry(status=Status.FAULT, score=0.0))
    assert '<td class="number" data-value="">–</td>' in page
    assert "Mean" not in shown(page)


def test_groups_that_others_have_leave_a_blank() -> None:
    """Rows stay aligned when a submission has not the groups of the others."""
    page = page_of(
        entry("A", groups=(ItemScore("f", 1, 1),)), entry("B", groups=(ItemScore("g", 1, 1),))
    )
    rows = page[page.index("<tbody") :].split("</tr>")[:2]
    assert [2, 2] == [row.count("<td data-value") for row in rows]


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
    assert 400 == heat_table(page).count('<th scope="row"')
    assert len(page.encode()) < 400_000
    assert 'class="scroll long"' in page


def test_a_large_course_is_no_large_page() -> None:
    """A thousand students by forty groups stay below two megabytes."""
    groups = tuple(ItemScore(f"function_number_{n}", n % 5, 4) for n in range(40))
    page = page_of(*(entry(f"student {n}", n % 21, groups=groups) for n in range(1_000)))
    assert len(page.encode()) < 2_000_000


def test_long_tables_only_scroll_in_themselves() -> None:
    """A short table is shown whole."""
    assert 'class="scroll long"' not in page_of(entry())


# The class


def test_odd_files_are_listed_beside_what_needs_a_person() -> None:
    """Remarks that say that files are not what they should be are told once, with who it is."""
    odd = message("remark.file_name", file="main(2).py", module="f.py")
    given = record(group("f", case("f/1")), remarks=(odd, message("remark.prints")))
    summed_up = IndexEntry.from_record(given, "x.html")
    assert ("main(2).py was graded; the file should be named f.py.",) == summed_up.odd_files
    first = shown(card(page_of(summed_up, entry("Gus")), "odd"))
    assert "Odd files: 1 submission" in first
    assert "student-017 Yin-Yang main(2).py was graded" in first
    assert "Gus" not in first
    assert "need" not in first, "it was graded all the same"


def test_odd_files_of_many_are_cut_short() -> None:
    """The list stays short; the table has them all."""
    page = page_of(*(entry(f"S{n}", odd_files=("odd",)) for n in range(50)))
    assert 40 == card(page, "odd").count("<p>odd</p>")
    assert "10 more" in shown(page)


def test_who_ran_out_of_time_is_told_without_seconds() -> None:
    """Students are named with how many cases ran out of time; who did not is not."""
    late = case("f/1", Verdict.TIMED_OUT)
    summed_up = IndexEntry.from_record(record(group("f", late, case("f/2"))), "x.html")
    assert 1 == summed_up.timed_out
    page = page_of(summed_up, entry("Gus"))
    end = shown("<body>" + page[page.index('id="exercise-1-late"') :])
    assert "student-017 1 case" in end
    assert "Gus" not in end
    assert "exercise-1-late" not in page_of(entry("Gus"))


def test_sessions_are_items_too() -> None:
    """A session is summed up over its cases, whatever their groups; who has no case is left out."""
    given = record(
        group("f", case("f/1"), case("f/2", Verdict.WRONG)),
        group("g", case("g/1", Verdict.WRONG), case("g/2", Verdict.SKIPPED)),
    )
    sessions = {"f/1": "one", "f/2": "two", "g/1": "one", "g/2": "three"}
    tallies = IndexEntry.from_record(given, "x.html", sessions=sessions).sessions
    expected = (ItemScore("one", 1, 2), ItemScore("two", 0, 1), ItemScore("three", 0, 1, ran=False))
    assert expected == tallies
    assert [0.5, 0.0, None] == [tally.share for tally in tallies]


def class_of(count: int, **changes: object) -> str:
    """Return the page of `count` students, the first ones better than the last."""
    return page_of(
        *(
            entry(
                f"student {n:02}",
                count - n,
                groups=(
                    ItemScore("good", 2 * (2 * n < count), 2),
                    ItemScore("like it", 2 * (2 * n < count), 2),
                    ItemScore("all", 1, 1),
                    ItemScore("upside down", 4 * (2 * n >= count), 4),
                    ItemScore("fine", 3 - 3 * n // count, 3),
                    ItemScore("fair", 5 - 5 * n // count, 5),
                ),
                **changes,
            )
            for n in range(count)
        )
    )


def test_items_are_told_with_what_is_the_matter() -> None:
    """Suspect, dead and double items are listed and lead to the table, which has every item."""
    page = class_of(40)
    text = shown(page)
    assert "Based on n = 40 graded submissions." in text
    assert "depend on chance" not in text
    assert re.search(r"Suspect .*upside down : discrimination -0\.\d+; the best quarter of", text)
    assert re.search(r"These do not tell students apart .*\ball : everybody got it right", text)
    assert "good = like it" in text
    links = re.findall(r'<a href="#(exercise-1-items-1-\d)">(.*?)</a>', page)
    assert {"good", "like it", "all", "upside down"} <= {title for _, title in links}
    for place, title in links:
        assert f'<tr id="{place}"><th scope="row">{title}</th>' in page
    table = text[text.index("All figures (6)") :]
    assert "all 40 of 40 100 % easy cannot be calculated" in table
    assert re.search(r"good 20 of 40 50 % medium 0\.\d+ good", table)


def test_figures_over_few_come_with_a_warning() -> None:
    """Below twenty submissions it is said that they are few."""
    text = shown(class_of(19))
    assert "There are only 19 submissions. With fewer than 20" in text
    assert "Suspect" in text


def test_of_very_few_there_are_counts_only() -> None:
    """Below five submissions there are no figures and no lists."""
    text = shown(class_of(4))
    assert "There are only 4 submissions. With fewer than 5, only counts are shown." in text
    assert "good 2 of 4 like it 2 of 4" in text
    assert not {"Suspect", "%", "easy", "hard"} & set(text.split())


def test_what_we_failed_on_tells_nothing_of_the_class() -> None:
    """Submissions with a mistake of ours, or that could not be run, are not in the figures."""
    assert "Item analysis" not in shown(class_of(40, faults=1))
    assert "Item analysis" not in shown(class_of(40, status=Status.UNGRADABLE))


def test_same_wrong_answer_is_told_with_one_example() -> None:
    """Size, case, what was expected and what came, the smallest session, and a page to go on to."""
    wrong = case("f/1", Verdict.WRONG, code="f(<1>)", expected="1", got="<b>", transcript=())
    given = record(group("f", wrong))
    page = page_of(
        *(IndexEntry.from_record(replace(given, student=s), f"{s}.html") for s in ("Al", "Bo"))
    )
    text = shown("<body>" + page[page.index('id="exercise-1-same"') :])
    assert "2 students ✗ wrong f(<1>) → <b> Expected 1 Their answer <b>" in text
    assert "<b>" not in page
    assert 'from <a href="Al.html">Al</a>' in page


def test_wrong_answers_to_the_same_code_are_told_apart() -> None:
    """By the answer, where it is short: what is folded away tells nothing."""
    answers = {"Al": "1", "Bo": "1", "Cy": "7" * 41, "Di": "7" * 41, "Ed": "3", "Fa": "3"}
    page = page_of(
        *(
            IndexEntry.from_record(
                record(group("f", case("f/1", Verdict.WRONG, got=got)), student=student), "x.html"
            )
            for student, got in answers.items()
        )
    )
    heads = [
        shown(f"<body>{each}")
        for each in re.findall("<summary><span class=.size.*?</summary>", page)
    ]
    assert ["f(1) → 1", "f(1)", "f(1) → 3"] == [each.partition("wrong ")[2] for each in heads]


def test_nothing_is_an_answer_too() -> None:
    """Where an exception was due and none came, the page says so."""
    given = record(group("f", case("f/1", Verdict.WRONG, expected="ValueError")))
    page = page_of(*(IndexEntry.from_record(replace(given, student=s), "x.html") for s in "ab"))
    assert "Expected ValueError Their answer nothing" in shown(page)


def test_class_without_a_shared_mistake_is_told_so() -> None:
    """One who is alone with a mistake makes no cluster."""
    given = record(group("f", case("f/1", Verdict.WRONG, got="2")))
    assert "No two students are known to fail a case in the same way." in shown(
        page_of(IndexEntry.from_record(given, "x.html"), entry("Bo"))
    )


def test_clusters_beyond_twenty_are_counted() -> None:
    """The largest are shown; of the others it is told how many there are."""
    entries = [
        IndexEntry.from_record(
            record(group("f", case(f"f/{n}", Verdict.WRONG, got="2")), student=f"{s}{n}"), "x.html"
        )
        for n in range(22)
        for s in "ab"
    ]
    page = page_of(*entries)
    assert 20 == page.count('<span class="size">2 students</span>')
    assert "2 more wrong answers were given by several students." in shown(page)


def test_distribution_counts_every_score_once() -> None:
    """Bars have their lower ends, the last one has both, and nothing falls outside."""
    spread = distribution([0.0, 1.9, 2.0, 19.0, 20.0, 25.0, -1.0], 20.0, Locale.for_language("en"))
    assert [3, 1, 0, 0, 0, 0, 0, 0, 0, 3] == [bar.scores for bar in spread.bars]
    assert spread.in_words.startswith("0–2: 3; 2–4: 1")


def test_distribution_of_nothing_to_earn() -> None:
    """An exercise without points has a distribution as well."""
    assert BARS == len(distribution([0.0], 0.0, Locale.for_language("en")).bars)


def test_names_break_behind_underscores() -> None:
    """In a narrow column a name goes on where its next part begins."""
    assert ">van_<wbr>der_<wbr>Aa</a>" in heat_table(page_of(entry("van_der_Aa")))
