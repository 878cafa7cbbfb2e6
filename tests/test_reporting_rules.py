"""Rules and advice on the pages: what is said of them, in which order, and what stays out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, case, group, record
from ruled_records import advice, hit, hostile, one_of_each, printed, rule, ruled, section, shown

from grader.judging.record import Record, RuleHit, RuleResult, TableRow
from grader.reporting.case_view import anchor
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.results import as_json, summary_of
from grader.reporting.rules_view import MAX_ADVICE, MAX_HITS
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES, phrase
from grader.verdict import RuleVerdict, Status, Verdict

# The page of the student


def test_pages_without_rules_have_no_word_of_them() -> None:
    """A suite without rules and advice has neither section, nor a part that leads there."""
    page = student_page(ruled())
    assert 'id="rules"' not in page
    assert 'id="advice"' not in page
    assert "#rules" not in page


def test_what_asks_most_stands_first() -> None:
    """Penalties, then what could have cost, remarks, and reviews; the rest is folded."""
    markup = section(one_of_each(), "rules")
    demands = (f"demand of {name}" for name in ("dear", "capped", "remark", "review"))
    order = (*demands, "1 rule kept", "1 rule not checked")
    places = [markup.index(words) for words in order]
    assert sorted(places) == places
    assert 2 == markup.count("<details")
    assert " open" not in markup
    assert markup.index("<details") < markup.index("demand of kept")


def test_each_rule_has_its_sign_its_words_and_its_cost() -> None:
    """A glyph and a word, the demand, all of the evidence, and what it costs."""
    text = shown(student_page(one_of_each()))
    for words in (
        "✗ not kept −1.5 points File demand of dear File evidence for dear File detail of dear",
        "✗ not kept costs no points File demand of remark",
        "? to be looked at File demand of review",
        "1 rule kept File demand of kept",
        "1 rule not checked File demand of skipped",
    ):
        assert words in text


def test_many_rules_that_are_kept_are_counted() -> None:
    """Nobody reads the twentieth header that was left as it is."""
    kept = [rule(f"r{n}", verdict=RuleVerdict.PASSED) for n in range(20)]
    page = student_page(replace(record(group("f", case())), rules=tuple(kept)))
    listed = page.partition('<ul class="plain">')[2].partition("</ul>")[0]
    assert 13 == listed.count("<li>")
    assert "<li>8 more</li>" in listed


def test_review_costs_nothing_until_a_person_has_looked() -> None:
    """The student reads calmly who decides, on top and at the rule."""
    text = shown(student_page(ruled(rule(verdict=RuleVerdict.REVIEW))))
    assert "A person still has to look at 1 rule; until then it costs you nothing." in text
    assert "Until a person has decided, it costs you nothing." in text
    assert "costs no points" not in text


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ((), "passes all 4 cases. Well done!"),
        ((rule(verdict=RuleVerdict.PASSED),), "passes all 4 cases. Well done!"),
        ((rule(penalty=3.0),), "passes all 4 cases. Broken rules cost you 3 points."),
        ((rule(penalty=1.0),), "passes all 4 cases. Broken rules cost you 1 point."),
        ((rule(penalty=0.5),), "passes all 4 cases. Broken rules cost you 0.5 points."),
        ((rule(costs=False),), "passes all 4 cases. Your code breaks 1 rule; that costs no"),
        ((rule(verdict=RuleVerdict.REVIEW),), "passes all 4 cases. A person still has to look"),
        ((rule(penalty=9.0),), "passes all 4 cases. Broken rules cost you 4 points."),
    ],
)
def test_the_result_tells_what_rules_did(rules: tuple[RuleResult, ...], sentence: str) -> None:
    """What is broken is never called well done, and no more is lost than there was."""
    assert sentence in shown(student_page(ruled(*rules)))


def test_cases_that_nobody_sees_are_told_apart_from_rules() -> None:
    """Points that are missing after penalties were lost in cases that the page does not show."""
    given = replace(ruled(rule(penalty=1.0)), score=2.0)
    assert "passes all 4 cases that are shown here. Broken rules cost you 1" in shown(
        student_page(given)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_speak_the_language_of_the_record(language: str) -> None:
    """Words, costs and titles are those of the exercise, on the page and in the terminal."""
    given = replace(one_of_each(), language=language)
    text, line = shown(student_page(given)), " ".join(printed(given).split())
    for verdict in RuleVerdict:
        assert phrase(language, f"report.rule_{verdict}") in text
    for key in ("rules", "rule_free", "rule_review"):
        words = " ".join(phrase(language, f"report.{key}").split())
        assert words in text
        assert words in line


def test_places_have_file_line_column_and_the_code_with_a_mark() -> None:
    """The student sees where it stands, and what it is about."""
    markup = section(ruled(rule(hits=(hit(),))), "rules")
    assert "Board.py, line 41, column 5 – <code>for</code>" in markup
    assert "<code><mark>for</mark> cell in board[row]:</code>" in markup


@pytest.mark.parametrize(
    ("text", "column", "code"),
    [
        ("return [c for c in b]", 8, "return <mark>[</mark>c for c in b]"),
        ("    x = math.sqrt(2)", 9, "x = <mark>math.sqrt</mark>(2)"),
        ("\tél = 1", 2, "<mark>él</mark> = 1"),
        ("pass", 9, "pass"),
        ("pass", 0, "<mark>pass</mark>"),
        ("   ", 2, None),
        ("", 1, None),
        ("x" * 70 + " + f(1)", 74, "…" + "x" * 57 + " + <mark>f</mark>(1)"),
        ("f(" + "y" * 500, 1, "<mark>f</mark>(" + "y" * 118 + "…"),
    ],
)
def test_the_mark_is_at_the_column(text: str, column: int, code: str | None) -> None:
    """A name is marked whole, else a character; of a long line the part around it is shown."""
    markup = section(ruled(rule(hits=(hit(column=column, text=text),))), "rules")
    lines = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", markup)
    assert ([] if code is None else [code]) == lines


def test_places_are_few_and_the_others_counted() -> None:
    """The first five stand there, then how many more."""
    hits = tuple(hit(line) for line in range(1, 13))
    markup = section(ruled(rule(hits=hits)), "rules")
    assert MAX_HITS == markup.count("<mark>")
    assert "and 7 more" in markup


def test_representation_is_told_in_a_table() -> None:
    """Each function with what it knows and may know; who knows too much has a sign."""
    rows = (
        TableRow(function="Board.make_board", knows=True, may_know=True, lines=(12, 13)),
        TableRow(function="Board.print_board", knows=True, may_know=False, lines=tuple(range(40))),
        TableRow(function="Board.are_chainable", knows=False, may_know=False, lines=()),
    )
    markup = section(ruled(rule(table=rows)), "rules")
    assert "<caption>Who knows how the data is represented</caption>" in markup
    assert 4 == markup.count('<th scope="col">')
    assert '<th scope="row"><code>Board.make_board</code></th><td>yes</td><td>yes</td>' in markup
    assert 1 == markup.count('class="offends"')
    assert "no ✗ 0, 1, 2" in " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())
    assert "11, …</td>" in markup


def test_long_tables_end() -> None:
    """A module of a thousand functions does not fill the page."""
    rows = tuple(
        TableRow(function=f"f{n}", knows=False, may_know=False, lines=()) for n in range(1000)
    )
    markup = section(ruled(rule(table=rows)), "rules")
    assert 60 == markup.count('<th scope="row">')
    assert "and 940 more" in markup


def test_advice_is_said_to_cost_nothing_and_comes_after_the_rules() -> None:
    """Best first, with its places, and only so much of it."""
    tips = tuple(advice(n, (hit(),) * 3, count=9) for n in range(MAX_ADVICE + 3))
    given = ruled(rule(), tips=tips)
    markup, page = section(given, "advice"), student_page(given)
    assert "It costs no points." in markup
    told = [f"advice {n:02}" for n in range(MAX_ADVICE)]
    assert told == re.findall(r"advice \d\d", markup)
    assert "And 3 more tips." in markup
    assert MAX_ADVICE == markup.count("and 6 more")
    assert page.index('id="rules"') < page.index('id="advice"') < page.index('id="how"')


def test_headings_leave_out_no_level() -> None:
    """Who reads by headings finds each rule, below its section."""
    levels = [int(n) for n in re.findall(r"<h(\d)", student_page(one_of_each()))]
    assert all(after <= before + 1 for before, after in pairwise(levels))


# Links to the spec


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://a.example/spec.md#L{line}", "https://a.example/spec.md#L172"),
        ("http://a.example/?n={line}&m=1", "http://a.example/?n=172&m=1"),
        ("https://a.example/\"><script>'", "https://a.example/%22%3E%3Cscript%3E'"),
        ("https://a.example/{line}/{0.__class__}", "https://a.example/172/%7B0.__class__%7D"),
        ("https://a.example/\ud800é", "https://a.example/?%C3%A9"),
    ],
)
def test_rules_and_cases_link_to_the_spec(url: str, href: str) -> None:
    """Where the text of the exercise is online, each line of it that is named is a link."""
    failing = case("g/1", Verdict.WRONG, spec_line=172)
    base = record(group("g", failing))
    given = replace(base, rules=(rule(spec_line=172),), spec_url=url)
    reader = Reader(student_page(given))
    links = [value for value in reader.values("href") if value.startswith("http")]
    assert [href] * 2 == links
    assert set(reader.tags) <= OUR_TAGS
    assert 2 == shown(student_page(given)).count("See this in the exercise")


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "javascript:alert({line})",
        "data:text/html,x",
        "//a.example",
        "/etc/passwd",
        "https://",
        "https:///x",
        " https://a.example",
        "HTTPS",
        "https://a.example/" + "x" * 10_000,
    ],
)
def test_only_addresses_of_the_web_become_links(url: str | None) -> None:
    """Of anything else nothing is said: a number of a line helps nobody who reads a page."""
    given = replace(ruled(rule(spec_line=172)), spec_url=url)
    markup = section(given, "rules")
    assert "172" not in markup
    assert "<a " not in markup


# The overview


def overview(*records: Record) -> str:
    """Return the text of the overview of `records`."""
    entries = [IndexEntry.from_record(each, "x.html") for each in records]
    return shown(index_page(entries, language="en", interrupted=False))


def test_reviews_need_a_person() -> None:
    """The overview names the rules to judge, the first few of them."""
    reviews = [rule(f"recursion/{n}", RuleVerdict.REVIEW) for n in range(5)]
    assert "1 rule to judge: recursion/0" in overview(ruled(reviews[0]))
    assert "5 rules to judge: recursion/0, recursion/1, recursion/2, …" in overview(ruled(*reviews))
    assert IndexEntry.from_record(ruled(reviews[0]), "x.html").needs_person
    assert not IndexEntry.from_record(ruled(rule(penalty=1.0)), "x.html").needs_person


def test_penalties_stand_below_the_points() -> None:
    """Staff see which part of a low score is the work of rules; ours is no score at all."""
    given = ruled(rule(penalty=2.5))
    assert "1.5 −2.5 for rules" in overview(given)
    assert "for rules" not in overview(ruled())
    assert "for rules" not in overview(replace(given, status=Status.FAULT))


def test_rules_that_ask_for_something_are_told_in_full() -> None:
    """One can point to them, as to a case; what is kept has a line, and leads nowhere."""
    hit = RuleHit(file="f.py", line=1, column=1, text="def f():")
    given = ruled(rule(hits=(hit,)), rule("kept", RuleVerdict.PASSED, hits=(hit,)))
    markup = section(given, "rules")
    assert [anchor("rule loops/Board.is_filled_row")] == re.findall(r'<li .*id="([^"]+)"', markup)
    assert 1 == markup.count("def</mark> f():")


# Hostile texts


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_stays_text(name: str) -> None:
    """Whatever a submission is called or says, a page has our tags only, and stays small."""
    given = hostile(HOSTILE_TEXTS[name])
    index = index_page([IndexEntry.from_record(given, "x.html")], language="nl", interrupted=False)
    for page in (student_page(given), index):
        reader = Reader(page)
        assert set() == set(reader.tags) - OUR_TAGS
        assert [] == reader.open_tags
        assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "style"]
        assert len(page.encode("utf-8")) < 1_000_000


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_leaves_json_and_terminals_whole(name: str) -> None:
    """A parser reads the file, and nothing that a terminal obeys is printed."""
    given = hostile(HOSTILE_TEXTS[name])
    json.loads(as_json(summary_of(given)))
    assert not set(printed(given)) & {
        *map(chr, range(0x7F, 0xA0)),
        "\x1b",
        "\x07",
        "\x00",
        "\u202e",
    }
