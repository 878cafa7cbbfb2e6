"""The student's own code on the student's page, and the remarks in it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from builders import graded
from coded_records import broken, coded, commented
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, record
from ruled_records import hostile, rule, said

from grader.judging.record import Advice, Record, RuleHit, SourceLine, SourceText
from grader.judging.source_texts import MAX_SOURCE_CHARS, MAX_SOURCES_CHARS
from grader.reporting.case_view import anchor
from grader.reporting.code_view import MAX_LINES, MAX_REMARKS
from grader.reporting.pseudonyms import Pseudonyms
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES, phrase
from grader.sandbox.zygote import Zygote
from grader.verdict import RuleVerdict, Status, Verdict, Visibility


def code_of(given: Record) -> str:
    """Return the markup of the section with the code."""
    match = re.search(r'aria-labelledby="code">(.*?)</section>', student_page(given), re.DOTALL)
    assert match is not None
    return match[1]


def numbers(given: Record) -> list[int]:
    """Return the numbers of the lines on the page; the style counts those of a whole file."""
    code = code_of(given)
    if 'class="lines whole"' in code:
        return [*range(1, len(re.findall(r"<b\b", code)) + 1)]
    return [int(number) for number in re.findall(r"<b[^>]*><i>(\d+)</i>", code)]


def remarks(given: Record) -> list[str]:
    """Return the remarks on the page, as one reads them."""
    found = re.findall(r"<li>(.*?)</li>", code_of(given), re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", each)).split()) for each in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_stands_below_the_groups_and_the_rules(language: str) -> None:
    """It is numbered, and its heading is in the language of the record."""
    given = replace(coded(broken()), rules=(rule(),), language=language)
    page = student_page(given)
    places = [page.index(f'<h2 id="{each}"') for each in ("groups", "rules", "code")]
    assert sorted(places) == places
    assert phrase(language, "report.code") in code_of(given)
    assert [1, 2] == numbers(given)


def test_record_without_code_has_no_such_section() -> None:
    """There is no heading with nothing below it."""
    assert 'id="code"' not in student_page(record(group("f", case())))


def test_line_and_case_lead_to_each_other() -> None:
    """Below the line stands the case; the name of the file at the case leads to the line."""
    page = student_page(coded(broken()))
    assert f'<a href="#{anchor("f/1")}"><code translate="no">call(&#39;f/1&#39;)</code></a>' in page
    assert '<b id="line-1-2" class="marked bad">' in page
    assert 1 == page.count('<a href="#line-1-2">In your file f.py, line 2, in f</a>')


def near(file: str, text: str, line: int) -> list[tuple[str, str, bool]]:
    """Return the lines shown at a failure on `line` of a file: number, text, whether it is it."""
    at = SourceLine(file=file, line=line, function="f", text="    raised here")
    failed = case("f/1", Verdict.ERROR, source=at)
    sources = (SourceText(name=file, text=text),)
    found = re.search(
        r'<pre class="code around".*?</pre>',
        student_page(replace(record(group("f", failed)), sources=sources)),
        re.DOTALL,
    )
    assert found is not None
    lines = re.findall(r'<b( class="it")?>(?:<i>(\d*)</i>)?(.*?)\n</b>', found[0], re.DOTALL)
    return [(number, unescape(said), bool(marked)) for marked, number, said in lines]


def test_lines_around_a_failure_are_shown() -> None:
    """There are two on either side, less far in, with their numbers, and the one is marked."""
    text = "".join(f"    {'  ' * (number % 2)}<line> {number}\n" for number in range(1, 10))
    shown = [(str(n), f"{'  ' * (n % 2)}<line> {n}", n == 5) for n in range(3, 8)]
    assert shown == near("f.py", text, 5)
    assert ["1", "2", "3"] == [number for number, _, _ in near("f.py", text, 1)]


def test_line_that_is_not_in_the_code_stands_alone() -> None:
    """That of a cell has no number but the one in words, and one of no file has no neighbours."""
    alone = [("", "raised here", True)]
    assert alone == near("f.py", "x = 1\n", 9)
    assert alone == near("f.ipynb", "# cell 1\nx = 1\ny = 2\n", 2)


def test_a_mark_is_a_glyph_and_words() -> None:
    """Nothing is said by colour alone."""
    given = coded(broken())
    assert '<span class="glyph bad" aria-hidden="true">✗</span>    return' in code_of(given)
    assert phrase("en", "report.verdict_ERROR") in remarks(given)[0]


def test_links_arrive_and_ids_are_unique() -> None:
    """Each link to a place in the page has exactly one place to go to."""
    reader = Reader(student_page(commented()))
    ids = reader.values("id")
    assert 4 == len(remarks(commented()))
    assert len(set(ids)) == len(ids)
    assert {href[1:] for href in reader.values("href") if href.startswith("#")} <= set(ids)


def test_rules_and_advice_stand_at_their_lines() -> None:
    """Those that ask for something; a rule that is kept has nothing to remark."""
    hit = RuleHit(file="f.py", line=1, column=1, text="def f():")
    kept = rule("loops/kept", RuleVerdict.PASSED, hits=(hit,))
    given = replace(
        coded(),
        rules=(kept, rule(hits=(hit, hit))),
        advice=(Advice(kind="unused", said=said("shorter"), hits=(hit,), count=1),),
    )
    page = student_page(given)
    assert 2 == len(remarks(given))
    assert "demand of loops/Board.is_filled_row" in remarks(given)[0]
    assert "shorter" in remarks(given)[1]
    assert '<a href="#advice-1">' in code_of(given)
    assert 3 == page.count('<a href="#line-1-1">')


def test_code_of_a_page_with_nothing_to_mend_is_what_something_points_to() -> None:
    """Four lines around it included; with nothing that points into the code there is none."""
    lines = "x = 1\n" * 30
    given = coded(case(), text=lines)
    assert 'id="code"' not in student_page(given)
    hit = RuleHit(file="f.py", line=10, column=1, text="x = 1")
    advice = Advice(kind="unused", said=said("shorter"), hits=(hit,), count=1)
    assert [*range(6, 15)] == numbers(replace(given, advice=(advice,)))
    assert [*range(1, 31)] == numbers(coded(case(), case("f/2", Verdict.WRONG), text=lines))


def test_code_of_who_lost_points_is_there_wherever_they_went() -> None:
    """Also to hidden cases, and where it cannot be run."""
    hidden = case("f/2", Verdict.WRONG, visibility=Visibility.HIDDEN)
    assert [1, 2] == numbers(coded(case(), hidden))
    assert [1, 2] == numbers(replace(coded(case()), status=Status.UNGRADABLE))


@pytest.mark.parametrize("visibility", [Visibility.HIDDEN, Visibility.STAFF])
def test_cases_that_students_do_not_see_leave_no_mark(visibility: Visibility) -> None:
    """Where a hidden case broke down would tell what it tries."""
    given = coded(case(), broken("f/2", visibility=visibility))
    assert [] == remarks(given)
    assert "marked" not in code_of(given)


def test_file_is_open_when_it_has_something_to_say() -> None:
    """Of several, one without remarks is folded, and one in which every line has one."""

    def is_open(given: Record) -> bool:
        several = replace(given, sources=(*given.sources, SourceText(name="g.py", text="")))
        return '<details class="listing" open>' in code_of(several)

    many = [broken(f"f/{number}", number) for number in range(1, 31)]
    assert is_open(coded(broken()))
    assert not is_open(coded(case(verdict=Verdict.WRONG)))
    assert not is_open(coded(*many, text="x\n" * 30))


def test_place_outside_of_the_code_is_ignored() -> None:
    """A program can say that it broke anywhere."""
    given = coded(
        *(broken(f"f/{line}", line) for line in (-1, 0, 3, 10**9)), broken("x", 1, "g.py")
    )
    assert [] == remarks(given)
    assert '<a href="#line' not in student_page(given)


def test_line_has_a_few_remarks() -> None:
    """The others are counted, and what they say in common is said once."""
    given = coded(*(broken(f"f/{number}") for number in range(MAX_REMARKS + 3)))
    (alike,) = remarks(given)
    assert MAX_REMARKS == alike.count("call('f/")
    assert 1 == alike.count("unexpected exception")
    assert '<li class="aside">and 3 more</li>' in code_of(given)


def test_long_file_is_shown_to_a_point_and_around_remarks() -> None:
    """What is left out is said where it is left out."""
    given = coded(broken(line=MAX_LINES + 100), text="x\n" * (MAX_LINES + 200), left_out=50)
    around = range(MAX_LINES + 96, MAX_LINES + 105)
    assert [*range(1, MAX_LINES + 1), *around] == numbers(given)
    assert "95 lines are left out here." in code_of(given)
    assert "146 lines are left out here." in code_of(given)


def test_lines_with_remarks_come_first_when_room_is_short() -> None:
    """A file of long lines still shows the one that matters."""
    given = coded(broken(line=MAX_LINES - 100), text=("<" * 300 + "\n") * MAX_LINES)
    assert MAX_LINES - 100 in numbers(given)
    assert len(numbers(given)) < 200


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_code_stays_text_and_small(name: str) -> None:
    """Whatever the code is, it adds no tags, and the page opens, with all else as bad as can be."""
    text = HOSTILE_TEXTS[name]
    source = SourceText(name=text, text=f"{text}\n" * 3, left_out=10**9)
    for given in (hostile_record(text), hostile(text)):
        page = student_page(replace(given, sources=(source,) * 9))
        reader = Reader(page)
        assert set() == set(reader.tags) - OUR_TAGS
        assert [] == reader.open_tags
        assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "style"]
        assert len(page.encode("utf-8")) < 1_000_000


def test_five_thousand_failures_in_much_code_give_a_page_that_opens() -> None:
    """Every line of the code breaks, and says much."""
    cases = [
        replace(broken(f"f/{line}", line), expected="<" * 4_000, got=">" * 4_000, code="&" * 200)
        for line in range(1, 5_001)
    ]
    assert len(student_page(coded(*cases, text="'&'\n" * 5_000)).encode()) < 1_000_000


def test_name_in_the_code_is_hidden_with_the_others() -> None:
    """A pseudonym takes its place, and lines keep their numbers."""
    source = SourceText(name="elise_de_smet.py", text="# Elise\n# De Smet\nx = 1\n")
    given = replace(record(id="Elise De Smet", student="Elise De Smet"), sources=(source,))
    hidden = Pseudonyms({"Elise De Smet": "student-1"}).hide(given)
    assert (SourceText(name="student-1.py", text="# student-1\n\nx = 1\n"),) == hidden.sources


GRADED = """\
groups: [{id: f, points: 1}]
sessions:
  - id: s
    steps:
      - {do: f(1), returns: "1", group: f}
"""


def test_record_holds_the_code_and_not_more_than_there_is_room_for(zygote: Zygote) -> None:
    """The main file comes first; what is cut off is counted in lines."""
    line = "# " + "x" * 97 + "\n"
    extra = {f"m{number}": line * 1_000 for number in range(9)}
    main, *others = graded(zygote, GRADED, "def f(x):\n    return x\n", **extra).sources
    assert ("def f(x):\n    return x\n", 0) == (main.text, main.left_out)
    assert (MAX_SOURCE_CHARS, 400) == (len(others[0].text), others[0].left_out)
    assert 9_000 == sum(len(each.text.splitlines()) + each.left_out for each in others)
    assert sum(len(each.text) for each in others) <= MAX_SOURCES_CHARS
