"""The format of a suite: which ones are read, and what is said of one that is not."""

from __future__ import annotations

import pytest

from grader.judging.rules import KINDS
from grader.suite.formats import FORMAT
from grader.suite.loading import InvalidSuite, parse_hidden_suite, parse_suite

SUITE = """\
exercise: box
title: Box
language: en
module: box
defines: [Box]
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: Box(), group: g}]}]
"""
HIDDEN = f"""\
exercise: box
generated: {{version: 1, seed: a, reference: {"0" * 64}, content: {"1" * 64}}}
sessions: [{{id: h, steps: [{{do: Box(2), group: g}}]}}]
"""


def refusal(text: str, *, hidden: bool = False) -> tuple[str, ...]:
    """Return what is said of the suite that `text` holds: messages, each with its help."""
    with pytest.raises(InvalidSuite) as caught:
        parse_hidden(text) if hidden else parse_suite(text.encode(), "b.yaml", KINDS)
    return tuple(f"{each.line}: {each.message}; {each.help}" for each in caught.value.diagnostics)


def parse_hidden(text: str) -> object:
    """Return the hidden suite that `text` holds, beside a public one that is in order."""
    public = parse_suite(SUITE.encode(), "b.yaml", KINDS)
    return parse_hidden_suite(text.encode(), "b.hidden.yaml", public)


def test_without_a_number_a_suite_is_read_as_it_is() -> None:
    """Who writes by hand need not know of formats; the number of today is no mistake either."""
    assert 1 == parse_suite(SUITE.encode(), "b.yaml", KINDS).format
    numbered = f"format: {FORMAT}\n{SUITE}"
    assert FORMAT == parse_suite(numbered.encode(), "b.yaml", KINDS).format


def test_the_number_asks_nothing() -> None:
    """A suite that says its format asks what it asked: what was graded is not graded again."""
    asks = {parse_suite(f"{line}{SUITE}".encode(), "b", ()).asks for line in ("", "format: 2\n")}
    assert 1 == len(asks)


def test_a_newer_format_is_refused_in_one_sentence() -> None:
    """What else such a suite says is not complained of: this grader cannot know it."""
    newer = SUITE.replace("title: Box", "called: Box\nnobody: knows")
    assert (
        (
            "1: a newer grader wrote this: it has format 7, and this one reads up to 2;"
            " install the newer grader, or run derive and generate again with this one"
        ),
    ) == refusal(f"format: 7\n{newer}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed: a", "seed: a, drawn: 40", "there is no key 'drawn' any more"),
        (f", content: {'1' * 64}", "", "'content' is required now"),
        ("sessions:", "feedback: verdict\nsessions:", "'feedback' cannot be 'verdict' any more"),
    ],
)
def test_an_earlier_hidden_suite_is_refused_with_the_way_out(old: str, new: str, said: str) -> None:
    """There may be hundreds of such places, and none is for the author to mend."""
    text = HIDDEN.replace(old, new).replace("group: g}", "group: g, tiling: {rows: 2}}")
    (told,) = refusal(text, hidden=True)
    assert told.split(": ", 1)[1] == (
        f"an earlier grader wrote this: {said}; run: grader upgrade b.hidden.yaml"
    )


def test_an_earlier_suite_is_refused_with_the_way_out() -> None:
    """A limit that is gone is named, and the verb that takes it out."""
    assert (
        (
            "1: an earlier grader wrote this: there is no key 'timeouts' any more;"
            " run: grader upgrade b.yaml"
        ),
    ) == refusal(f"limits: {{timeouts: 8}}\n{SUITE}")


def test_mistakes_of_today_are_mistakes() -> None:
    """A key that is gone is an unknown one where the suite says that it is of today."""
    text = f"format: {FORMAT}\nlimits: {{timeouts: 8}}\n{SUITE}"
    (told,) = refusal(text)
    assert told.startswith("2: unknown key 'timeouts'")


@pytest.mark.parametrize("written", ["0", "two", "'2'"])
def test_a_format_is_a_number(written: str) -> None:
    """Anything else is complained of where it stands."""
    (told,) = refusal(f"format: {written}\n{SUITE}")
    assert told.startswith("1: 'format' must be ")
