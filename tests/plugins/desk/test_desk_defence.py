"""The oral defence at a desk: questions with ticks and notes, for staff alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import Asking, Renewed, asking, handed_in
from filed_runs import filed

from grader.plugins.desk.run_desk import RunDesk
from grader.store.store import Store

DEFENCE = "/s/yinyang/an/defence"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run with one student."""
    filed(tmp_path / "run", handed_in("an"))
    return tmp_path / "run"


def name_of_first(page: str) -> str:
    """Return under which name the answer to the first question is kept."""
    return page.split('name="question 1" value="', 1)[1].partition('"')[0]


def test_answers_are_ticked_and_noted(folder: Path) -> None:
    """Each has its own; the last word stands, and can be taken back."""
    with asking(folder) as browser:
        assert f'href="{DEFENCE}"' in browser.get("/s/yinyang/an").text
        page = browser.get(DEFENCE).text
        assert "f(2)" in page
        assert "aria-pressed" not in page
        question = name_of_first(page)
        assert question.startswith("f: ")
        form = {"question 1": question, "note 1": "Knows it."}
        assert 303 == browser.post(DEFENCE, form | {"tick": "1 good"}).status_code
        page = browser.get(DEFENCE).text
        assert "noted, for staff only" in page
        assert 1 == page.count('aria-pressed="true"')
        assert "Knows it.</textarea>" in page
        browser.post(DEFENCE, form | {"tick": "1 undo"})
        assert "Knows it." not in browser.get(DEFENCE).text


def test_any_button_saves_all_notes(folder: Path) -> None:
    """Of other questions, and of one that was added; what nobody has touched stays as it was."""
    with asking(folder) as browser:
        question = name_of_first(browser.get(DEFENCE).text)
        browser.post(DEFENCE, {"question 1": question, "note 1": "a", "tick": "1 poor"})
        added = {"question 0": "Why a set?", "note 0": "No idea."}
        browser.post(DEFENCE, {"question 1": question, "note 1": "a", **added, "tick": "0 good"})
        browser.post(DEFENCE, {"question 1": question, "note 1": "b", "tick": ""})
        noted = [(e.subject, e.verdict, e.because) for e in browser.desk.store.decisions]
        assert [
            (question, "BROKEN", "a"),
            ("Why a set?", "PASSED", "No idea."),
            (question, "BROKEN", "b"),
        ] == noted


def test_other_questions_are_kept_with_their_answers(folder: Path) -> None:
    """They stand below those of the sheet, in the list of who decided what, and nowhere else."""
    with asking(folder) as browser:
        form = {"question 0": "Why a set?", "note 0": "No idea.", "tick": "0 poor"}
        assert 303 == browser.post(DEFENCE, form).status_code
        page = browser.get("/s/yinyang/an").text
        assert "question &#39;Why a set?&#39;: poor (by prof" in page
        assert "no longer" not in page
        assert '<option value="No idea.">' not in page, "no comment for students"
        assert "Why a set?" in browser.get(DEFENCE).text
        assert () == browser.desk.row(("yinyang", "an")).by


@pytest.mark.parametrize(
    ("form", "why"),
    [
        (
            {"question 0": "Why?", "tick": "0 note", "note 0": ""},
            "both a verdict on the answer and a comment are missing",
        ),
        (
            {"question 0": "Why?", "tick": "0 kept", "note 0": "x"},
            "the verdict on an answer is good or poor",
        ),
        ({"question 0": "", "tick": "0 good", "note 0": "x"}, "the note has no question"),
        ({"question 0": "Why?", "tick": "0 good", "note 0": "x" * 2001}, "more than 2000"),
        ({"question 0": "W" * 301, "tick": "0 good"}, "the question has more than 300"),
        ({"question 0": "Why?", "tick": "0 undo"}, "there is no decision on the question Why?"),
        ({"question 0": "", "tick": ""}, "no answer or note is new"),
    ],
)
def test_what_is_no_answer_is_told(folder: Path, form: dict[str, str], why: str) -> None:
    """The words that were typed are still there."""
    with asking(folder) as browser:
        answer = browser.post(DEFENCE, form)
        assert 400 == answer.status_code
        assert why in answer.text
        assert f'value="{form["question 0"]}"' in answer.text
        assert [] == list(browser.desk.store.decisions)


def test_nobody_else_has_a_defence(folder: Path) -> None:
    """As nobody else was graded."""
    with asking(folder) as browser:
        assert 404 == browser.get("/s/yinyang/bo/defence").status_code
        assert 404 == browser.post("/s/yinyang/bo/defence", {"question 0": "x"}).status_code


def test_undo_takes_an_answer_back(folder: Path) -> None:
    """As anything else that was decided last."""
    with Store.writing(folder) as store:
        browser = Asking(RunDesk(store, "prof", Renewed()))
        hostile = "<img src=x>"
        browser.post(DEFENCE, {"question 0": hostile, "tick": "0 good"})
        assert "<img" not in browser.get(DEFENCE).text
        browser.post("/undo", {"back": DEFENCE})
        assert 'aria-pressed="true"' not in browser.get(DEFENCE).text
