"""Rules and advice in every report: what is said of them, in which order, and what stays out."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console
from test_reporting_hostility import OUR_TAGS, Reader
from test_reporting_records import HOSTILE_TEXTS, case, group, record

from grader.messages import Message, message
from grader.output import as_json, summary_of
from grader.record import MAX_SUMMED_HITS, AdviceItem, Record, RuleHit, RuleResult, TableRow
from grader.reporting.case_view import anchor
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.junit import junit_xml
from grader.reporting.rules_view import MAX_ADVICE, MAX_HITS
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record, rule_text
from grader.verdict import RuleVerdict, Status, Verdict
from grader.wording import LANGUAGES, phrase

FOR_LINE = "    for cell in board[row]:"


def said(text: str) -> Message:
    """Return a message that says `text`."""
    return message("report.how_file", file=text)


def hit(line: int = 41, column: int = 5, text: str = FOR_LINE, what: str | None = "for") -> RuleHit:
    """Return a place in `Board.py`."""
    return RuleHit(file="Board.py", line=line, column=column, text=text, what=what)


def rule(
    id: str = "loops/Board.is_filled_row",
    verdict: RuleVerdict = RuleVerdict.BROKEN,
    *,
    penalty: float = 0.0,
    costs: bool = True,
    hits: tuple[RuleHit, ...] = (),
    table: tuple[TableRow, ...] = (),
    spec_line: int | None = None,
) -> RuleResult:
    """Return a rule with a demand and evidence that name it."""
    return RuleResult(
        id=id,
        verdict=verdict,
        demand=said(f"demand of {id}"),
        evidence=(said(f"evidence for {id}"), said(f"detail of {id}")),
        penalty=penalty,
        costs=costs,
        function="Board.is_filled_row",
        hits=hits,
        table=table,
        spec_line=spec_line,
    )


def advice(number: int = 0, hits: tuple[RuleHit, ...] = (), count: int = 1) -> AdviceItem:
    """Return a piece of advice that names its number."""
    return AdviceItem(kind="unused", said=said(f"advice {number:02}"), hits=hits, count=count)


def ruled(*rules: RuleResult, language: str = "en", tips: tuple[AdviceItem, ...] = ()) -> Record:
    """Return the record of a submission that passes all four cases, and what rules cost it."""
    base = record(group("f", *(case(f"f/{n}") for n in range(4))), language=language)
    lost = sum(each.penalty for each in rules)
    return replace(base, rules=rules, advice=tips, score=max(0.0, base.score - lost))


def one_of_each() -> Record:
    """Return a record with a rule of each kind, in the order that asks least first."""
    return ruled(
        rule("kept", RuleVerdict.PASSED),
        rule("skipped", RuleVerdict.SKIPPED),
        rule("review", RuleVerdict.REVIEW),
        rule("remark", costs=False),
        rule("capped"),
        rule("dear", penalty=1.5),
    )


def shown(page: str) -> str:
    """Return the text of `page`, as one reads it."""
    body = page.partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def section(given: Record, anchor: str) -> str:
    """Return the markup of one section of the page about `given`."""
    page = student_page(given)
    match = re.search(rf'aria-labelledby="{anchor}">(.*?)</section>', page, re.DOTALL)
    assert match is not None
    return match[1]


def printed(given: Record, width: int = 80, encoding: str = "utf-8") -> str:
    """Return what is printed about `given` where there is no terminal."""
    data = io.BytesIO()
    text = io.TextIOWrapper(data, encoding=encoding)
    print_record(given, Console(file=text, width=width))
    text.flush()
    return data.getvalue().decode(encoding)


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
        "✗ not kept −1.5 points # File demand of dear File evidence for dear File detail of dear",
        "✗ not kept costs no points # File demand of remark",
        "? to be looked at # File demand of review",
        "✓ kept File demand of kept",
        "– not checked File demand of skipped",
    ):
        assert words in text


def test_review_costs_nothing_until_a_person_has_looked() -> None:
    """The student reads calmly who decides, on top and at the rule."""
    text = shown(student_page(ruled(rule(verdict=RuleVerdict.REVIEW))))
    assert "A person still has to look at 1 rule; until then it costs you nothing." in text
    assert "A person will look at it; until then it costs you nothing." in text
    assert "costs no points" not in text


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ((), "passes all 4 cases. Well done!"),
        ((rule(verdict=RuleVerdict.PASSED),), "passes all 4 cases. Well done!"),
        ((rule(penalty=3.0),), "passes all 4 cases. Rules cost you 3 points."),
        ((rule(penalty=1.0),), "passes all 4 cases. Rules cost you 1 point."),
        ((rule(penalty=0.5),), "passes all 4 cases. Rules cost you 0.5 points."),
        ((rule(costs=False),), "passes all 4 cases. It does not keep to 1 rule; that costs no"),
        ((rule(verdict=RuleVerdict.REVIEW),), "passes all 4 cases. A person still has to look"),
        ((rule(penalty=9.0),), "passes all 4 cases. Rules cost you 4 points."),
    ],
)
def test_the_result_tells_what_rules_did(rules: tuple[RuleResult, ...], sentence: str) -> None:
    """What is broken is never called well done, and no more is lost than there was."""
    assert sentence in shown(student_page(ruled(*rules)))


def test_cases_that_nobody_sees_are_told_apart_from_rules() -> None:
    """Points that are missing after penalties were lost in cases that the page does not show."""
    given = replace(ruled(rule(penalty=1.0)), score=2.0)
    assert "passes all 4 cases that are shown here. Rules cost you 1" in shown(student_page(given))


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_speak_the_language_of_the_record(language: str) -> None:
    """Words, costs and titles are those of the exercise, on the page and in the terminal."""
    given = replace(one_of_each(), language=language)
    text, line = shown(student_page(given)), " ".join(printed(given).split())
    for verdict in RuleVerdict:
        assert phrase(language, f"report.rule_{verdict}") in text
    for key in ("rules", "rule_free", "rule_review"):
        assert phrase(language, f"report.{key}") in text
        assert phrase(language, f"report.{key}") in line


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
    assert [href] * 3 == links  # the case twice: it is the one to fix first
    assert set(reader.tags) <= OUR_TAGS
    assert "See the exercise: spec.md, line 172." in shown(student_page(given))


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
    """Anything else leaves the plain sentence."""
    given = replace(ruled(rule(spec_line=172)), spec_url=url)
    markup = section(given, "rules")
    assert "See the exercise: spec.md, line 172." in markup
    assert ['class="permalink"'] == re.findall(r"<a (\S+)", markup)


# Hostile texts


def hostile(text: str) -> Record:
    """Return a record whose rules and advice have `text` wherever a submission could put it."""
    hits = tuple(
        RuleHit(file=text, line=1, column=column, text=text, what=text) for column in (1, 3, 10**9)
    )
    told = said(text)
    rules = tuple(
        replace(
            rule(verdict=verdict, costs=costs, penalty=1.0 if costs else 0.0, hits=hits * 40),
            demand=told,
            evidence=(told, told),
            table=(TableRow(function=text, knows=True, may_know=False, lines=(1,) * 10_000),) * 9,
        )
        for verdict in RuleVerdict
        for costs in (True, False)
    )
    tips = (AdviceItem(kind="E741", said=told, hits=hits, count=10**9),) * 50
    return ruled(*rules, tips=tips)


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_stays_text(name: str) -> None:
    """Whatever a submission is called or says, a page has our tags only, and stays small."""
    given = hostile(HOSTILE_TEXTS[name])
    index = index_page([IndexEntry.of(given, "x.html")], language="nl", interrupted=False)
    for page in (student_page(given), index):
        reader = Reader(page)
        assert set() == set(reader.tags) - OUR_TAGS
        assert [] == reader.open_tags
        assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "style"]
        assert len(page.encode("utf-8")) < 1_000_000


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_leaves_xml_json_and_terminals_whole(name: str) -> None:
    """A parser reads the file, and nothing that a terminal obeys is printed."""
    given = hostile(HOSTILE_TEXTS[name])
    ET.fromstring(junit_xml([given]))
    json.loads(as_json(summary_of(given)))
    assert not set(printed(given)) & {
        *map(chr, range(0x7F, 0xA0)),
        "\x1b",
        "\x07",
        "\x00",
        "\u202e",
    }


# The terminal


def test_terminal_shows_what_asks_for_something_and_counts_the_rest() -> None:
    """A rule in a few lines, with the place as editors write it."""
    given = ruled(
        rule("kept", RuleVerdict.PASSED),
        rule("skipped", RuleVerdict.SKIPPED),
        rule("dear", penalty=2.0, hits=tuple(hit(n) for n in range(1, 8)), spec_line=190),
    )
    assert (
        "✗ Rules  1 of 3 kept\n"
        "  ✗ not kept  −2 points\n"
        "    File demand of dear\n"
        "    File evidence for dear\n"
        "    File detail of dear\n"
        "    Board.py:1:5  for cell in board[row]:\n"
        "    Board.py:2:5  for cell in board[row]:\n"
        "    Board.py:3:5  for cell in board[row]:\n"
        "    Board.py:4:5  for cell in board[row]:\n"
        "    Board.py:5:5  for cell in board[row]:\n"
        "    and 2 more\n"
        "    See the exercise: spec.md, line 190.\n"
        "\n"
        "  – 1 rule not checked\n"
    ) in printed(given)


def test_terminal_tells_on_top_what_rules_cost() -> None:
    """The score is followed by why it is not higher."""
    score, cost = printed(ruled(rule(penalty=2.0))).splitlines()[1:3]
    assert score.startswith("2 of 4 points")
    assert "Rules cost you 2 points." == cost


def test_terminal_ends_the_result_with_five_pieces_of_advice() -> None:
    """Advice is the last block, before the foot that tells of isolation."""
    tips = tuple(advice(n, (hit(n + 1),), count=3) for n in range(8))
    text = printed(ruled(rule(), tips=tips))
    assert [f"advice {n:02}" for n in range(5)] == re.findall(r"advice \d\d", text)
    assert "    Board.py:1:5  for cell in board[row]:\n    and 2 more\n" in text
    assert "  And 3 more tips.\n\nLevel 2 of 3." in text
    assert text.index("✗ Rules") < text.index("Readability: tips")


@pytest.mark.parametrize("width", [10, 24, 40])
def test_narrow_terminals_hold_it(width: int) -> None:
    """No line is wider than the terminal."""
    given = replace(one_of_each(), advice=(advice(0, (hit(),)),))
    assert max(map(len, printed(given, width).splitlines())) <= width


def test_ascii_terminals_hold_it() -> None:
    """Signs have a stand-in where the terminal knows no others, the minus among them."""
    text = printed(one_of_each(), encoding="ascii")
    assert "x not kept  -1.5 points" in text
    assert "\\u" not in text


def test_terminal_without_rules_has_no_word_of_them() -> None:
    """Nothing is added for a suite without rules."""
    text = printed(ruled())
    assert "Rules" not in text
    assert "Readability" not in text


def test_one_rule_as_text() -> None:
    """The plain text of one rule is what the terminal shows of it."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)))
    text = rule_text(given.rules[0], given)
    assert text.startswith("  ✗ not kept  −2 points\n    File demand of dear\n")
    assert text.endswith("Board.py:41:5  for cell in board[row]:")


# results.json


def test_results_hold_rules_and_advice() -> None:
    """The verdict, the evidence in words, the penalty, and the places."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)), tips=(advice(7, (hit(3),), count=4),))
    entry = summary_of(given)
    assert [
        {
            "id": "dear",
            "verdict": "BROKEN",
            "evidence": "File evidence for dear File detail of dear",
            "penalty": 2.0,
            "costs": True,
            "function": "Board.is_filled_row",
            "group": None,
            "hits": [["Board.py", 41, 5, "for"]],
        }
    ] == entry["rules"]
    assert [
        {
            "kind": "unused",
            "text": "File advice 07",
            "count": 4,
            "places": [["Board.py", 3, 5, "for"]],
        }
    ] == entry["advice"]


def test_results_without_rules_are_as_before() -> None:
    """No rules are an empty list, and without advice there is no word of it."""
    entry = summary_of(ruled())
    assert [] == entry["rules"]
    assert "advice" not in entry


def test_results_hold_so_many_places() -> None:
    """A file full of loops does not fill the summary."""
    entry = json.loads(as_json(summary_of(ruled(rule(hits=(hit(),) * 1000)))))
    assert MAX_SUMMED_HITS == len(entry["rules"][0]["hits"])


def test_results_page_has_every_key_of_rules_and_advice(root: Path) -> None:
    """Every key has its row in the reference."""
    page = (root / "docs/reference/results.md").read_text(encoding="utf-8")
    entry = json.loads(as_json(summary_of(ruled(rule(), tips=(advice(),)))))
    for key in (*entry["rules"][0], *entry["advice"][0]):
        assert f"| `{key}` |" in page


def test_verdicts_page_has_every_verdict_of_a_rule(root: Path) -> None:
    """Every verdict has its row, with the word that students read."""
    page = (root / "docs/reference/verdicts.md").read_text(encoding="utf-8")
    for verdict in RuleVerdict:
        assert f"| `{verdict}` | {phrase('en', f'report.rule_{verdict}')} |" in page
    assert f"“{phrase('en', 'report.rule_review')}”" in page


# JUnit XML


def rule_cases(given: Record) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield class, name and outcome of each testcase of a rule."""
    for each in ET.fromstring(junit_xml([given])).iter("testcase"):
        tags = [child.tag for child in each if child.tag != "properties"]
        if (each.get("classname") or "").endswith(".rules"):
            yield each.get("classname"), each.get("name"), tags[0] if tags else "passed"


def test_rules_that_cost_are_testcases() -> None:
    """Broken fails, what nobody can tell is skipped, and a remark is no testcase."""
    assert [
        ("yinyang.rules", "kept", "passed"),
        ("yinyang.rules", "skipped", "skipped"),
        ("yinyang.rules", "review", "skipped"),
        ("yinyang.rules", "capped", "failure"),
        ("yinyang.rules", "dear", "failure"),
    ] == list(rule_cases(one_of_each()))


def test_failure_of_a_rule_says_why_and_where() -> None:
    """The message is the first evidence; the rest stands below it, and the penalty beside it."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)))
    root = ET.fromstring(junit_xml([given]))
    failure = root.find("*/testcase/failure")
    assert failure is not None
    assert ("BROKEN", "File evidence for dear") == (failure.get("type"), failure.get("message"))
    assert (failure.text or "").endswith("detail of dear\nBoard.py:41:5: for cell in board[row]:")
    assert root.find("*/testcase/properties/property[@name='penalty'][@value='2']") is not None
    assert ("5", "1") == (root.get("tests"), root.get("failures"))


def test_remarks_go_to_the_output_of_the_suite() -> None:
    """A rule that costs nothing never fails; what it found is there to be read."""
    given = ruled(rule("remark", costs=False), rule("good", RuleVerdict.PASSED, costs=False))
    root = ET.fromstring(junit_xml([given]))
    output = root.findtext("testsuite/system-out") or ""
    assert "evidence for remark" in output
    assert "good" not in output
    assert "0" == root.get("failures")


def test_a_group_called_rules_does_not_hide_a_rule() -> None:
    """Names stay apart when a case and a rule have the same."""
    base = record(group("rules", case("same")))
    names = [name for _, name, _ in rule_cases(replace(base, rules=(rule("same"),)))]
    assert ["same", "same [2]"] == names


# The overview


def overview(*records: Record) -> str:
    """Return the text of the overview of `records`."""
    entries = [IndexEntry.of(each, "x.html") for each in records]
    return shown(index_page(entries, language="en", interrupted=False))


def test_reviews_need_a_person() -> None:
    """The overview names the rules to judge, the first few of them."""
    reviews = [rule(f"recursion/{n}", RuleVerdict.REVIEW) for n in range(5)]
    assert "1 rule to judge: recursion/0" in overview(ruled(reviews[0]))
    assert "5 rules to judge: recursion/0, recursion/1, recursion/2, …" in overview(ruled(*reviews))
    assert IndexEntry.of(ruled(reviews[0]), "x.html").needs_person
    assert not IndexEntry.of(ruled(rule(penalty=1.0)), "x.html").needs_person


def test_penalties_stand_below_the_points() -> None:
    """Staff see which part of a low score is the work of rules; ours is no score at all."""
    given = ruled(rule(penalty=2.5))
    assert "1.5 −2.5 for rules" in overview(given)
    assert "for rules" not in overview(ruled())
    assert "for rules" not in overview(replace(given, status=Status.FAULT))


def test_rules_that_ask_for_something_have_a_link_of_their_own() -> None:
    """One can point to them, as to a case; what is kept leads nowhere in the code."""
    hit = RuleHit(file="f.py", line=1, column=1, text="def f():")
    given = ruled(rule(hits=(hit,)), rule("kept", RuleVerdict.PASSED, hits=(hit,)))
    markup = section(given, "rules")
    assert [f"#{anchor('rule loops/Board.is_filled_row')}"] == re.findall(
        r'<a class="permalink" href="([^"]+)"', markup
    )
    assert 1 == markup.count("def</mark> f():")
