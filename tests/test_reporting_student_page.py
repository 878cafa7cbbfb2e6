"""The page that a student reads."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
from read_pages import Reader
from record_samples import (
    case,
    group,
    line,
    one_case_per_verdict,
    record,
    yinyang_record,
)

from grader.judging.record import (
    HiddenTally,
    LineStatus,
    Record,
    SourceLine,
    SourceText,
    TranscriptLine,
)
from grader.messages import message
from grader.reporting.case_view import anchor, case_view
from grader.reporting.portions import MAX_PLAIN_LINE_BYTES
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES, Locale, Tone, phrase, score_text, tone_of
from grader.verdict import Status, Verdict, Visibility


def shown(given: Record) -> str:
    """Return the text of the page about `given`, as one reads it."""
    body = student_page(given).partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def section(given: Record, anchor: str) -> str:
    """Return the markup of one section of the page about `given`."""
    match = re.search(
        rf'aria-labelledby="{anchor}">(.*?)</section>', student_page(given), re.DOTALL
    )
    assert match is not None
    return match[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_speaks_the_language_of_the_record(language: str) -> None:
    """The `lang` attribute and the words are those of the record."""
    given = one_case_per_verdict(language)
    assert f'<html lang="{language}">' in student_page(given)
    for verdict in Verdict:
        is_idle = tone_of(verdict) is Tone.IDLE  # such are in a row that says so
        key = "report.page_idle" if is_idle else f"report.verdict_{verdict.value}"
        assert phrase(language, key) in shown(given)


def test_a_page_has_the_languages_that_its_exercise_offers() -> None:
    """Each waits whole, with the same marks; a page of one language has no such thing."""
    given = yinyang_record()
    page = student_page(replace(given, also_in=("en", "fr")))
    before, *others = page.split('<template class="other" lang="')
    assert ["en", "fr"] == [each[:2] for each in others]
    for language, body in zip(("nl", "en", "fr"), (before, *others), strict=True):
        for part in (Locale(language)("first"), score_text(given, Locale(language))):
            assert part in unescape(body)
    assert '<template class="other"' not in student_page(given)


def test_unknown_language_falls_back_and_says_so() -> None:
    """A language without a catalog gives an English page that is marked as English."""
    assert '<html lang="en">' in student_page(one_case_per_verdict("tlh"))


def test_order_of_the_page() -> None:
    """Result, remarks, what to fix first, the groups, how it was graded."""
    page = student_page(yinyang_record())
    anchors = ("result", "remarks", "first", "groups", "how")
    places = [page.index(f'<h2 id="{anchor}"') for anchor in anchors]
    assert sorted(places) == places


def test_headings_are_in_order() -> None:
    """No level of heading is skipped on the way down."""
    levels = [int(tag[1]) for tag in Reader(student_page(yinyang_record())).tags if tag in HEADINGS]
    assert 1 == levels[0]
    assert 1 == levels.count(1)
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def test_ids_are_unique_and_links_within_the_page_arrive() -> None:
    """Each link to a place in the page has exactly one place to go to."""
    reader = Reader(student_page(yinyang_record()))
    ids = reader.values("id")
    assert len(set(ids)) == len(ids)
    assert {href[1:] for href in reader.values("href") if href.startswith("#")} <= set(ids)


def test_page_is_the_same_each_time() -> None:
    """The same record gives the same page, byte for byte."""
    assert student_page(yinyang_record()) == student_page(yinyang_record())


def test_result_is_told_in_a_sentence_and_a_bar() -> None:
    """Points of all there are, cases of all there are, and a bar of that length."""
    given = record(group("f", case("f/1"), case("f/2", Verdict.WRONG)), language="nl")
    assert "1 van de 2 punten" in shown(given)
    assert "Je code slaagt voor 1 van de 2 testgevallen." in shown(given)
    assert '<rect width="50.0" height="1"/>' in student_page(given)


def test_fractions_of_points_have_the_decimal_sign_of_the_language() -> None:
    """Two decimals at most, with a comma in Dutch and Spanish."""
    given = replace(record(group("f", case())), score=1 / 3, max_score=2.5)
    assert "0.33 of 2.5 points" in shown(given)
    assert "0,33 de 2,5 puntos" in shown(replace(given, language="es"))


@pytest.mark.parametrize(
    ("score", "width"), [(0.0, "0.0"), (5.0, "50.0"), (12.0, "100.0"), (-3.0, "0.0")]
)
def test_bar_stays_within_its_bounds(score: float, width: str) -> None:
    """Bonus points and penalties do not draw outside of the bar."""
    given = replace(record(group("f", case())), score=score, max_score=10.0)
    assert f'<rect width="{width}"' in student_page(given)


def test_exercise_without_points_has_an_empty_bar() -> None:
    """Nothing to earn is no division by zero."""
    assert '<rect width="0.0"' in student_page(record())


def test_everything_right_is_praised() -> None:
    """All cases passed, and all points earned."""
    assert "passes all 2 cases. Well done!" in shown(record(group("f", case("a"), case("b"))))
    assert "What to fix first" not in shown(record(group("f", case())))


def test_points_lost_elsewhere_are_not_denied() -> None:
    """All visible cases passed, but not all points earned: no praise for everything."""
    given = replace(record(group("f", case("a"), case("b"))), score=1.0)
    assert "passes all 2 cases that are shown here" in shown(given)


def test_first_to_fix_is_the_first_real_failure() -> None:
    """Neither what there was no time for nor a fault of ours is for the student to fix."""
    idle = (Verdict.NOT_RUN, Verdict.FAULT)
    cases = [case(f"f/{each}", each, code=f"{each.value}()") for each in idle]
    given = record(group("f", *cases, case("f/x", Verdict.TIMED_OUT, code="slow()")))
    assert "slow()" in section(given, "first")
    assert 'aria-labelledby="first"' not in student_page(record(group("f", *cases)))


def test_first_to_fix_is_explained_with_its_session() -> None:
    """The card on top has both sides and the session; a long one is a link away."""
    card = section(yinyang_record(), "first")
    assert phrase("nl", "report.meaning_WRONG") in card
    assert "<mark>" in card
    assert 'class="session"' in card
    assert "onward" not in card
    long = case(verdict=Verdict.WRONG, transcript=(line(),) * 40)
    card = section(record(group("f", long)), "first")
    assert 'class="session"' not in card
    assert re.search(r'class="onward" href="#c[0-9a-f]{10}"', card)


def test_failing_groups_have_a_row_and_passed_ones_share_one() -> None:
    """Nothing is open below what is to be mended first, and only what fails is linked on top."""
    good = [group(f"good{n}", case(f"good{n}/1"), title=f"good {n}") for n in range(3)]
    bad = group("bad", case("bad/1", Verdict.ERROR), title="bad")
    page = student_page(record(*good, bad))
    assert not re.search(r"<details[^>]* open", page)
    assert "3 parts passed" in page
    chips = page.partition('<ul class="parts">')[2].partition("</ul>")[0]
    assert ["bad"] == re.findall(r'class="name">([^<]*)', chips)
    assert page.index("<h3>bad</h3>") < page.index("3 parts passed") < page.index("<h3>good 0</h3>")


def test_a_single_passed_group_is_named() -> None:
    """A count of one would say less than the row itself."""
    page = shown(record(group("good", case("a")), group("bad", case("b", Verdict.ERROR))))
    assert "part passed" not in page


def test_what_to_fix_first_is_told_once() -> None:
    """On top, where links to the case arrive; in its part stands a line that leads there."""
    page = student_page(record(group("f", case("f/1", Verdict.WRONG, expected="seven", got="8"))))
    assert 1 == page.count("seven")
    assert f'<section class="first full" id="{anchor("f/1")}"' in page
    below = page.partition('<h2 id="groups">')[2]
    assert f'<a href="#{anchor("f/1")}">See above: fix this first</a>' in below


def test_a_long_session_is_told_in_its_part() -> None:
    """What is on top is then an excerpt, which leads to the whole."""
    steps = [*[line("x = 1")] * 40, line("f(1)", state=LineStatus.FAILED)]
    page = student_page(record(group("f", case("f/1", Verdict.WRONG, transcript=tuple(steps)))))
    assert f'<li class="case full" id="{anchor("f/1")}"' in page
    assert "See above" not in page


def test_a_part_that_passed_has_its_hidden_cases_in_its_heading() -> None:
    """A part of hidden cases alone has a sentence, as there is nothing else to unfold."""
    tally = HiddenTally(met=2, demands=2)
    both, alone = replace(group("f", case()), hidden=tally), replace(group("g"), hidden=tally)
    text = shown(record(both, alone, group("h", case("h/1", Verdict.WRONG))))
    assert "f 1 of 1 passed, hidden 2 of 2" in text
    assert "g hidden 2 of 2 0 of 0 points Hidden cases: 2 of 2 demands are met." in text


def test_score_is_told_by_what_it_is_made_of() -> None:
    """The largest loss first; of one loss the score says enough."""
    small = group("f", case("f/1"), case("f/2", Verdict.WRONG))
    large = group("g", *(case(f"g/{number}", Verdict.WRONG) for number in range(3)))
    assert "5 − 3 (g) − 1 (f) = 1" in shown(record(small, large))
    assert "−" not in section(record(small, group("h", case("h/1"))), "result")


def test_parts_beyond_the_largest_are_the_rest() -> None:
    """So many are named; what nobody may see has no name."""
    unseen = group("secret", case("s/1", Verdict.WRONG, visibility=Visibility.STAFF))
    parts = [group(f"g{number}", case(f"g{number}/1", Verdict.WRONG)) for number in range(6)]
    text = shown(record(*parts, unseen))
    assert "7 − 1 (g0) − 1 (g1) − 1 (g2) − 1 (g3) − 1 (g4) − 2 (the rest) = 0" in text
    assert "secret" not in text


def test_what_is_worth_nothing_is_not_lacking() -> None:
    """Who has all points is told so, and how much more there is; then nothing is to be fixed."""
    optional = replace(group("g", case("g/1", Verdict.SKIPPED)), max_points=0.0)
    text = shown(record(group("f", case("f/1")), optional))
    assert "Everything that counts is right; 1 optional case is not." in text
    assert "What to fix first" not in text
    assert "Your code passes 1 of the 3 cases" in shown(
        record(group("f", case("f/1"), case("f/2", Verdict.WRONG)), optional)
    )


def test_passed_cases_of_a_failing_group_share_a_line() -> None:
    """They stand behind a count, below what failed, and say nothing of points."""
    given = record(group("f", case("f/1"), case("f/2"), case("f/3", Verdict.WRONG)))
    text = section(given, "groups")
    assert text.index(anchor("f/3")) < text.index("2 cases passed")
    assert text.index("2 cases passed") < text.index(">f(1) <i>× 2</i>")
    assert 1 == shown(given).count("0 of 1 point")
    assert "1 of 1 point" not in shown(given)


def test_cases_with_the_same_text_are_one_line_and_counted() -> None:
    """The line says how many they are, also to what counts and filters cases on the page."""
    passed = [case(f"f/{number}", code="print(x)") for number in range(3)]
    untried = [case(f"g/{number}", Verdict.SKIPPED, code="g()") for number in range(2)]
    page = student_page(record(group("f", *passed, case("f/9", code="f(2)")), group("g", *untried)))
    assert 1 == page.count(' data-met="3">print(x) <i>× 3</i>')
    assert 1 == page.count(' data-unmet="2">g() <i>× 2</i>')
    assert 1 == page.count(">f(2)</li>")


def test_what_passed_takes_little_room_however_much_it_is() -> None:
    """The first of each part stand there, the others are counted."""
    parts = [
        group(f"p{part}", *(case(f"p{part}/{n}", code=f"call({part}, {n:040})") for n in range(40)))
        for part in range(20)
    ]
    page = student_page(record(*parts))
    assert all(f">call({part}, {0:040})</li>" in page for part in range(20))
    assert 2 * MAX_PLAIN_LINE_BYTES > len("".join(re.findall("<li id=[^>]*>call.*", page)))
    counts = map(int, re.findall(r'data-met="(\d+)"', page))
    assert 800 == page.count(">call(") + sum(counts)


def test_failing_case_is_shown_in_full() -> None:
    """Code, explanation, both sides, transcript, source line and spec line are all there."""
    failing = case(
        "f/1",
        Verdict.ERROR,
        code="f(2)",
        explanation=(
            message("report.how_file", file="one"),
            message("report.how_file", file="two"),
        ),
        expected="1",
        got="ValueError: no",
        transcript=(
            line("x = 1\ny = 2", ""),
            line("f(2)", "Traceback\n", LineStatus.FAILED),
            line("f(3)", "", LineStatus.NOT_REACHED, "the note"),
        ),
        source=SourceLine(file="f.py", line=12, function="f", text="    raise ValueError('no')"),
        spec_line=7,
    )
    text = shown(replace(record(group("f", failing)), spec_url="https://a.example/spec"))
    assert "f(2) File one File two Expected 1 Your code gave ValueError: no" in text
    assert ">>> x = 1 >>> y = 2 this step fails: >>> f(2) Traceback" in text
    assert "not run: >>> f(3) # the note" in text
    assert "In your file f.py, line 12, in f raise ValueError('no')" in text
    assert "See this in the exercise" in text


def test_places_are_named_as_well_as_they_are_known() -> None:
    """Code outside of functions has no function, and a spec that is nowhere online no place."""
    source = SourceLine(file="f.py", line=3, function="<module>", text="x")
    failing = case("f/1", Verdict.ERROR, source=source, spec_line=7)
    text = shown(record(group("f", failing), spec=None))
    assert "In your file f.py, line 3 x" in text
    assert "line 7" not in text


def test_code_in_sentences_is_set_as_code() -> None:
    """What stands between backticks is code; the backticks are gone."""
    given = record(group("f", case()), remarks=(message("report.how_file", file="`<a>` or `b`"),))
    assert "<code>&lt;a&gt;</code> or <code>b</code>" in student_page(given)


def test_boards_keep_their_lines_and_values_wrap() -> None:
    """Several lines scroll in a box of their own; a single one is wrapped."""
    board = case("f/1", Verdict.WRONG, expected="ab\ncd", got="ab\ncx")
    value = case("f/2", Verdict.WRONG, expected="[1]", got="[2]")
    assert 'class="keeps">ab\nc<mark>d</mark>\n</pre>' in student_page(record(group("f", board)))
    assert '<pre translate="no">[<mark>1</mark>]\n</pre>' in student_page(record(group("f", value)))


def test_boxes_that_scroll_can_be_reached_by_keyboard() -> None:
    """A box with long lines takes the focus and has a name."""
    wide = case("f/1", Verdict.WRONG, expected="x" * 90 + "\ny", got="z\n\n")
    page = student_page(record(group("f", wide)))
    assert 'class="keeps" tabindex="0" role="group" aria-label="Expected"' in page
    assert 'class="keeps">' in page


def test_printing_nothing_is_said_in_words() -> None:
    """An empty side is not an empty box."""
    assert "nothing at all" in shown(record(group("f", case("a", Verdict.WRONG, got=""))))


def test_cause_of_skipped_cases_is_told_once_in_a_group() -> None:
    """Three cases that wait for one step name it once."""
    cases = [case(f"f/{n}", Verdict.SKIPPED, code=f"f({n})", cause="broken()") for n in range(3)]
    page = section(record(group("f", *cases)), "groups")
    assert 1 == page.count("broken()")
    assert 3 == page.partition('data-each="idle"')[2].count(">f(")
    assert "Not tried 3" in page


def test_cause_that_the_sentence_names_is_not_repeated() -> None:
    """The record's own sentence about the cause is enough."""
    told = (message("report.how_file", file="`broken()`"),)
    skipped = case("f/1", Verdict.SKIPPED, cause="broken()", explanation=told)
    assert 1 == section(record(group("f", skipped)), "groups").count("broken()")


def test_of_hidden_cases_the_page_tells_a_count() -> None:
    """How many of their demands are met is told, and not how the others failed."""
    hidden = [
        case("f/h1", visibility=Visibility.HIDDEN),
        case("f/h2", Verdict.CRASHED, visibility=Visibility.HIDDEN),
    ]
    text = shown(record(group("f", case("f/1"), *hidden)))
    assert "Hidden cases: 1 of 2 demands are met." in text
    assert "crashed" not in text
    assert "None of the public cases fails" in text


def test_staff_cases_count_nowhere() -> None:
    """Neither in numbers nor as a group is a staff case to be seen."""
    staff = case("f/s", Verdict.WRONG, visibility=Visibility.STAFF)
    text = shown(record(group("f", case("f/1"), staff), group("g", staff, title="only staff")))
    assert "1 of 1 passed" in text
    assert "only staff" not in text


def test_fault_of_a_case_is_ours() -> None:
    """A fault is said to be ours and to cost nothing."""
    text = shown(record(group("f", case("f/1", Verdict.FAULT))))
    assert "Something went wrong on our side here. It costs you no points" in text


def test_ungradable_submission_has_its_reason_on_top() -> None:
    """The reason stands before the points, and no group is open."""
    given = record(
        group("f", case("f/1", Verdict.NOT_RUN)),
        status=Status.UNGRADABLE,
        remarks=(message("report.how_file", file="the reason"),),
    )
    text, page = shown(given), student_page(given)
    assert text.index("We could not run your submission") < text.index("the reason")
    assert text.index("the reason") < text.index("0 of 1 point")
    assert 1 == text.count("the reason")
    assert "What to fix first" not in text
    assert "open>" not in page


def test_fault_of_a_submission_gives_no_points_yet() -> None:
    """When we failed, there is no zero to be frightened by."""
    given = record(group("f", case("f/1", Verdict.FAULT)), status=Status.FAULT)
    assert "No points yet" in shown(given)
    assert '<svg class="bar"' not in student_page(given)


def test_conditions_are_told() -> None:
    """Hashes, isolation with its meaning, limits, versions and files are at the end."""
    how = section(record(group("f", case())), "how")
    for part in (
        "a7" * 32,
        "4f" * 32,
        "3.11.7",
        "utf-8",
        "Level 2 of 3.",
        "<dt>Not enforced</dt>",
        "Submissions run as the user who runs the grader",
        "MiB of memory",
    ):
        assert part in how


@pytest.mark.parametrize("level", [-1, 0, 1, 2, 3, 4])
def test_unknown_isolation_is_described_as_none(level: int) -> None:
    """Nothing looks safer than it is."""
    how = section(record(isolation=level), "how")
    assert ("without any isolation" in how) == (level not in {1, 2, 3})


def test_submission_without_files_says_so() -> None:
    """No file is a fact too."""
    assert "Files none" in shown(record(files=()))


def test_long_transcripts_keep_their_ends() -> None:
    """The first steps and the last ones are shown, with the number of those between."""
    steps = tuple(line(f"step({n})", "") for n in range(500))
    text = shown(record(group("f", case("f/1", Verdict.WRONG, transcript=steps))))
    assert ">>> step(0)" in text
    assert "… 420 steps are not shown …" in text
    assert ">>> step(499)" in text
    assert ">>> step(200)" not in text


def test_a_session_of_one_step_is_not_told_twice() -> None:
    """What it would show stands above it already: the step, and what came of it."""

    def shows_session(*steps: TranscriptLine, got: str = "2") -> bool:
        failing = case("f/1", Verdict.WRONG, code="f(1)", expected="1", got=got, transcript=steps)
        return 'class="session"' in student_page(record(group("f", failing)))

    failed = line("f(1)", "2\n", LineStatus.FAILED)
    assert not shows_session(failed)
    refused = line("f(1)", "Traceback (most recent call last):\nE: no\n", LineStatus.FAILED)
    assert not shows_session(refused, got="E: no")
    assert shows_session(line("x = 1", ""), failed)
    assert shows_session(line("f(1)", "printed\n2\n", LineStatus.FAILED))
    assert shows_session(line("f(1)", "2\n", LineStatus.FAILED, "a note"))


def test_code_and_conditions_are_folded_at_the_foot() -> None:
    """Each is a row with its heading; the only file is not folded once more."""
    given = replace(
        record(group("f", case(verdict=Verdict.WRONG))),
        sources=(SourceText(name="f.py", text="x = 1\n"),),
    )
    foot = student_page(given).partition('<section class="own-code foot"')[2]
    assert '<details class="group">\n<summary><h2 id="code">' in foot
    assert '<details class="group">\n<summary><h2 id="how">' in foot
    assert '<details class="listing" open>' in foot


PROMPTS = {
    "one line": ("f(1)", ">>> f(1)"),
    "two statements": ("x = f()\ny", ">>> x = f()\n>>> y"),
    "an open bracket": ("x = (1,\n2)", ">>> x = (1,\n... 2)"),
    "a block in between": (
        "x\nwith open('a') as b:\n    b\ny",
        ">>> x\n>>> with open('a') as b:\n...     b\n... \n>>> y",
    ),
    "a decorator": ("@d\ndef f():\n    pass", ">>> @d\n... def f():\n...     pass"),
    "a comment": ("# why\nx", ">>> # why\n>>> x"),
    "no Python": ("(1\n2", ">>> (1\n... 2"),
}


@pytest.mark.parametrize("kind", PROMPTS)
def test_session_can_be_typed_at_a_prompt(kind: str) -> None:
    """Each statement has a first prompt, and a block ends with an empty line."""
    code, typed = PROMPTS[kind]
    given = case(verdict=Verdict.WRONG, transcript=(line(), line(code, state=LineStatus.FAILED)))
    steps = case_view(given, record(), Locale.for_language("en")).transcript
    assert typed == "\n".join(prompt + text for prompt, text in steps[-1].prompts)


def test_names_of_cases_are_shown() -> None:
    """What its author calls a case says what it is about; a number says nothing."""
    named = case("f/a tuple, no list", Verdict.WRONG, expected="1", got="2")
    numbered = case("f/17", Verdict.WRONG, expected="1", got="2")
    skipped = case("f/<b>late</b>", Verdict.SKIPPED)
    page = student_page(record(group("f", named, numbered, skipped)))
    assert 1 == page.count("a tuple, no list")  # in the box on top
    assert "&lt;b&gt;late&lt;/b&gt;" in page
    assert '"title">17' not in page


def shown_attributes(given: Record) -> str:
    """Return the page with its markup, in which titles of drawings are attributes."""
    return unescape(student_page(given))


def test_where_very_much_fails_the_first_parts_have_rows() -> None:
    """The others are one row, and no list of all of them stands above what to mend first."""
    groups = [group(f"g{n}", case(f"g{n}/1", Verdict.WRONG)) for n in range(11)]
    page = student_page(record(*groups))
    head, _, folded = section(record(*groups), "groups").partition("3 more")
    assert [8, 3] == [part.count('<details class="group" id="') for part in (head, folded)]
    assert 'class="parts"' not in page
    assert 'class="parts"' in student_page(record(*groups[:8]))
