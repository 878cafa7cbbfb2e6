"""What reports remember from one submission to the next: bounded, and never of a student."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import _lru_cache_wrapper

import pytest
from record_samples import case, group, line, record

import grader.reporting
from grader.judging.record import CaseResult, SourceLine
from grader.messages import message
from grader.reporting.student_page import student_page
from grader.verdict import Verdict

LIMITED_BY_US = {
    *(
        "_adapter",
        "_environment",
        "_hash",
        "_shared_files",
        "_words",
        "catalog",
        "template_environment",
    ),
    *("sign", "tone_of"),
}
"""These are asked for no more than there are catalogs, words, verdicts, templates and plug-ins."""
SAID = message("report.how_file", file="of one student")
PLAIN = case()


def remembering() -> Iterator[tuple[str, _lru_cache_wrapper[object]]]:
    """Yield the functions of the reports that remember what they gave, with their names."""
    package = grader.reporting
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for name, each in vars(importlib.import_module(found.name)).items():
            if isinstance(each, _lru_cache_wrapper):
                yield name, each


def test_what_is_remembered_is_bounded() -> None:
    """A class of any size leaves no more than so much behind."""
    found = dict(remembering())
    assert len(found) > len(LIMITED_BY_US)
    boundless = {name for name, each in found.items() if each.cache_parameters()["maxsize"] is None}
    assert boundless <= LIMITED_BY_US


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (PLAIN, replace(PLAIN, points=0.25), "0.25 of 1 point"),
        (PLAIN, replace(PLAIN, code="g(1)"), ">g(1)</li>"),
        (PLAIN, replace(PLAIN, verdict=Verdict.SKIPPED), 'data-each="idle"'),
        (replace(PLAIN, explanation=(SAID,)), PLAIN, ">f(1)</li>"),
        (PLAIN, replace(PLAIN, explanation=(SAID,)), "of one student"),
    ],
)
def test_cases_that_differ_have_lines_that_differ(
    one: CaseResult, other: CaseResult, shown: str
) -> None:
    """A case that is like one before in all but one thing has that thing on its page."""
    before, after = (student_page(record(group("f", each))) for each in (one, other))
    assert before != after
    assert shown in after
    assert before == student_page(record(group("f", one)))


def test_each_language_has_its_own_lines() -> None:
    """The same case of the same suite is told in the language of the record."""
    english, dutch = (
        student_page(record(group("f", PLAIN), language=language)) for language in ("en", "nl")
    )
    assert "1 of 1 point" in english
    assert "1 of 1 point" not in dutch


def test_each_spec_has_its_own_address() -> None:
    """The same case leads to the text of the exercise of its own record."""
    failing = case(verdict=Verdict.WRONG, expected="1", got="2", spec_line=7)

    def page(address: str) -> str:
        return student_page(replace(record(group("f", failing)), spec_url=address))

    assert "https://one.example/7" in page("https://one.example/{line}")
    assert "https://one.example/7" not in page("https://other.example/{line}")


def pages_of(text: str) -> None:
    """Make pages of cases that have `text` in what a submission has a hand in."""
    for hand in (
        {"explanation": (message("report.how_file", file=text),)},
        {"got": text},
        {"transcript": (line("f(1)", text),)},
        {"source": SourceLine(file="f.py", line=1, function="f", text=text)},
        {"staff_evidence": text},
    ):
        passed: CaseResult = replace(PLAIN, **hand)
        student_page(record(group("f", passed, replace(passed, id="f/2", verdict=Verdict.WRONG))))


def test_no_text_of_a_student_is_remembered() -> None:
    """The pages of one more student leave nothing behind."""
    pages_of("one")
    before = {name: each.cache_info().currsize for name, each in remembering()}
    pages_of("another")
    assert before == {name: each.cache_info().currsize for name, each in remembering()}
