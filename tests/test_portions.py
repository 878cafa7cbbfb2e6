"""Pages about very much that failed: they open, and still tell what matters first."""

from __future__ import annotations

from dataclasses import replace

from record_samples import case, group, line, record, yinyang_record

from grader.judging.pictures import LineMark, LinePicture
from grader.judging.record import CaseResult, GroupResult, LineStatus, Record
from grader.reporting.case_view import anchor
from grader.reporting.mending import first_to_mend
from grader.reporting.portions import PublicCasesView, fit_cases
from grader.reporting.student_page import student_page
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale
from grader.verdict import Verdict, Visibility

MANY = 5_000
PAGE_BYTES = 200_000


def wrong(id: str, text: str = "x" * 300) -> CaseResult:
    """Return a failing case that has `text` wherever it can."""
    steps = (line(output=text), line(output=text, state=LineStatus.FAILED))
    return case(id, Verdict.WRONG, code=id, expected="1", got=text, transcript=steps)


def drawn(id: str, text: str = "1") -> CaseResult:
    """Return a failing case with a drawing that takes much room."""
    mark = LineMark(1.0, 2.0, text="x" * 40, differs=True)
    found = LinePicture(low=0, high=9, expected=(mark,) * 200, got=(mark,) * 200, is_telling=True)
    return replace(wrong(id, text), pictures=(found,))


def told(given: Record) -> set[str]:
    """Return the ids of the cases that a page about `given` tells in full."""
    parts = parts_of(given)
    return {each.id for each in given.cases if anchor(each.id) in parts.full}


def parts_of(given: Record) -> PublicCasesView:
    """Return what a page about `given` has room for."""
    groups = visible_groups(given)
    return fit_cases(groups, given, Locale.of("en"), {}, first_to_mend(given, groups))


def hidden(id: str, count: int) -> GroupResult:
    """Return a group of which `count` hidden cases failed, with a large example."""
    cases = (case(f"{id}/{n}", Verdict.WRONG, visibility=Visibility.HIDDEN) for n in range(count))
    return replace(group(id, *cases), counterexample=drawn(f"{id}-example"), searched=True)


def test_an_ordinary_page_tells_every_failure() -> None:
    """Only what passed, or was not tried, has a line."""
    given = yinyang_record()
    failed = {each.id for each in given.cases if each.transcript}
    assert failed == told(given)
    assert "left-out" not in student_page(given).partition("</style>")[2]


def test_five_thousand_failures_make_a_page_that_opens() -> None:
    """The first ones in full, more of them with a line, and how many there are beyond."""
    page = student_page(record(group("f", *(wrong(f"f/{n}") for n in range(MANY)))))
    assert len(page.encode()) < PAGE_BYTES
    full, brief = page.count('class="case full"'), page.count('class="case brief"')
    assert full > 1
    assert brief > 15
    assert f"And {MANY - full - brief} more cases, which do not fit here." in page
    assert f'id="{anchor("f/0")}"' in page
    assert f"passes 0 of the {MANY} cases" in page


def test_markup_in_the_output_makes_no_larger_page() -> None:
    """What counts is what stands on the page, and there each sign takes five characters."""
    texts = ("<&>\"'" * 2_000, "\u0000" * 5_000, "\U0001f600" * 5_000, "ab\n" * 3_000)
    for text in texts:
        page = student_page(record(group("f", *(wrong(f"f/{n}", text) for n in range(300)))))
        assert len(page.encode()) < PAGE_BYTES


def test_each_group_has_its_first_failure_in_full() -> None:
    """A group in which everything fails takes nothing from the others."""
    long = group("long", *(wrong(f"long/{n}") for n in range(500)))
    others = [group(f"g{n}", case(f"g{n}/0"), wrong(f"g{n}/1")) for n in range(3)]
    given = record(long, *others)
    assert {"long/0", *(f"g{n}/1" for n in range(3))} <= told(given)


def test_what_to_mend_first_is_told_however_large_it_is() -> None:
    """Others have some room all the same."""
    steps = tuple(line(f"f({n})", "<&>" * 100) for n in range(60))
    large = replace(wrong("f/0"), transcript=steps, max_points=2.0)
    given = record(group("e", wrong("e/0")), group("f", large))
    assert {"f/0", "e/0"} <= told(given)


def test_few_are_laid_out_in_vain() -> None:
    """However many cases have no room, a page is soon made."""
    text = "<" * 3_000
    cases = [wrong(f"f/{n}", text) for n in range(60)]
    given = record(group("f", *cases, wrong("f/60", "1")))
    assert "f/60" not in told(given)
    assert "f/60" in told(record(group("f", *cases[:10], wrong("f/60", "1"))))


def test_cases_that_were_not_tried_fill_no_page() -> None:
    """Neither they nor their reasons, also when each has a reason of its own."""
    text = "<" * 4_000
    cases = [
        case(f"f/{n}", Verdict.SKIPPED, code=text, cause=f"{n}{text}", transcript=(line(text),))
        for n in range(MANY)
    ]
    assert len(student_page(record(group("f", *cases))).encode()) < PAGE_BYTES


def test_hidden_cases_are_counted() -> None:
    """However many there are, they take a sentence."""
    hidden = (case(f"f/{n}", visibility=Visibility.HIDDEN) for n in range(MANY))
    page = student_page(record(group("f", *hidden)))
    assert f"Hidden cases: {MANY} of {MANY} demands are met." in page
