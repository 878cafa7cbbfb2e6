"""What reports tell of counterexamples: how much, to whom, and in how little room."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from counterexample_samples import (
    HIDDEN,
    NONE,
    RIGHT,
    SHOWN,
    SMALL_ONLY,
    example,
    failing,
    graded,
    shown,
    told,
)
from record_samples import HOSTILE_TEXTS, record

from grader.judging.record import FailedClause, SourceLine
from grader.reporting.case_view import anchor
from grader.reporting.portions import MAX_EXAMPLE_BYTES
from grader.reporting.student_page import student_page
from grader.sandbox.zygote import Zygote
from grader.verdict import Visibility

# How much is told


def test_verdict_level_tells_nothing_more(zygote: Zygote) -> None:
    """At the level `verdict` there is neither a line of the spec nor a session."""
    found = graded(zygote, SMALL_ONLY, f"feedback: count\n{HIDDEN}")
    assert ({}, {()}) == (shown(found), {each.clauses for each in found.groups})
    page = student_page(found)
    assert not any(said in page for said in (SHOWN, NONE, "#L12", "line 12"))


def test_clause_level_tells_lines_of_the_spec(zygote: Zygote) -> None:
    """At the level `clause` the page leads to the first line that failed cases are about."""
    found = graded(zygote, SMALL_ONLY, f"feedback: clause\n{HIDDEN}")
    lines = tuple(FailedClause(line=line, quote=None) for line in (9, 12))
    assert ({}, lines) == (shown(found), found.groups[0].clauses)
    page = student_page(found)
    assert "See the exercise for what fails here" in page
    assert '<a href="https://course.example/sample#L9">line 9</a>.' in page
    assert "#L12" not in page
    assert SHOWN not in page


def test_words_of_the_spec_are_told_with_their_line() -> None:
    """Where a clause quotes the exercise, the page has its words, as text."""
    quoted = replace(failing(), clauses=(FailedClause(line=9, quote="twice <b>as</b> much"),))
    page = student_page(record(quoted))
    assert "twice &lt;b&gt;as&lt;/b&gt; much" in page
    assert "<b>as</b>" not in page


def test_counterexample_level_tells_both(zygote: Zygote) -> None:
    """At the level `counterexample`, which is the default, there are a session and its line."""
    page = student_page(graded(zygote, SMALL_ONLY))
    assert (True, False) == ("#L12" in page, "#L9" in page)
    assert (1, 0) == (page.count(SHOWN), page.count(NONE))


LUCKY: Final = RIGHT.replace("2 * n", "7").replace("n // 2", "n // 2 if n < 9 else 8")
SECRETS: Final = ("zebra", "1234567", "2345678", "2469134", "617283", "4712")


def test_nothing_of_scored_sessions_is_told(zygote: Zygote) -> None:
    """Neither what a hidden session asks nor what it expects stands in what students read."""
    for text in (SMALL_ONLY, LUCKY):
        found = graded(zygote, text)
        assert not [secret for secret in SECRETS if secret in student_page(found)]


def test_page_offers_the_session_to_run(zygote: Zygote) -> None:
    """It has an address of its own, and can be copied as a program."""
    page = student_page(graded(zygote, SMALL_ONLY))
    (_, _, rest) = page.partition('<section class="first full" id="')
    (head, _, _) = rest.partition(">")
    assert "print(twice(10))" in head or "twice(10)" in head
    assert anchor("counterexample twice") == rest.partition('"')[0]


@pytest.mark.parametrize("language", ["nl", "es"])
def test_page_speaks_the_language_of_the_exercise(language: str) -> None:
    """What is said of a counterexample is said in three languages."""
    page = student_page(told(language))
    assert not any(said in page for said in (SHOWN, NONE))


# Room on a page


def test_counterexamples_have_little_room() -> None:
    """What would make a page large is left out, and then nothing wrong is said of it."""
    large = example("\n".join(f"{number} wrong" for number in range(2_000)))
    groups = [replace(failing(large), id=f"f{number}") for number in range(40)]
    page = student_page(record(*groups))
    assert 0 < page.count(SHOWN) < 40
    assert 0 == page.count(NONE)
    assert len(student_page(record(*groups[:1]))) + MAX_EXAMPLE_BYTES + 100_000 > len(page)


@pytest.mark.parametrize("name", ["script", "attribute", "template", "ansi", "long line"])
def test_hostile_text_stays_text(name: str) -> None:
    """What a submission gives in a counterexample is escaped and capped like everywhere else."""
    text = HOSTILE_TEXTS[name]
    mean = example(text)
    mean = replace(
        mean,
        staff_evidence="s3cr3t",
        source=SourceLine(file=text, line=1, function=text, text=text),
    )
    given = record(failing(mean, 9))
    page = student_page(given)
    assert len(page) < 200_000
    assert not any(bad in page for bad in ("s3cr3t", "<script>alert", "<img", "\x1b"))


def test_counterexample_of_staff_is_not_shown() -> None:
    """Whatever a record holds, what is not public does not come through the door."""
    page = student_page(record(failing(replace(example(), visibility=Visibility.STAFF))))
    assert SHOWN not in page


def test_one_line_is_told() -> None:
    """A group leads to one line of the spec: all of them would tell which hidden cases failed."""
    page = student_page(record(failing(None, 4, 7)))
    assert "line 4" in page
    assert "line 7" not in page
