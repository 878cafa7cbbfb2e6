"""Pages of a desk on the class: the rubric as a whole, and marks to take away."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import ORIGIN, Asking, asking, handed_in, unrunnable
from filed_runs import filed
from test_desk import said

RUBRIC = """\
yinyang:
  - {id: names, points: 0.5, text: Names say what they hold.}
  - {id: tests, points: 0.25, text: It has tests.}
"""
NAMES = {"exercise": "yinyang", "item": "names"}
SHEET = b"id,username,name,grade\n1,an,An,\n2,bo,Bo,\n"


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    """The file of a rubric."""
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC)
    return path


@pytest.fixture
def browser(tmp_path: Path, rubric: Path) -> Iterator[Asking]:
    """A browser at the desk of a run with three students."""
    filed(tmp_path / "run", handed_in("an"), handed_in("bo"), unrunnable("dee"))
    with asking(tmp_path / "run", rubric=rubric) as browser:
        yield browser


def changed(path: Path, text: str) -> None:
    """Write a file anew, at another time than it was."""
    path.write_text(text)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1_000_000))


def test_item_is_given_to_a_whole_exercise(browser: Asking) -> None:
    """To whoever lacks it; undone at once for all."""
    browser.post("/s/yinyang/an", {"do": "item", "item": "names"})
    assert "Give to 2 more" in browser.get("/rubric").text
    assert 303 == browser.post("/rubric", {**NAMES, "do": "give"}).status_code
    assert [1.5, 1.5, 0.5] == [browser.score(name) for name in ("an", "bo", "dee")]
    assert "stored for 2 students" in said(browser, "/rubric")
    assert "Give to 2 more" not in browser.get("/rubric").text
    browser.post("/undo", {"back": "/rubric"})
    assert [1.5, 1.0, 0.0] == [browser.score(name) for name in ("an", "bo", "dee")]
    browser.post("/rubric", {**NAMES, "do": "take"})
    assert 1.0 == browser.score("an")


def test_item_that_is_changed_is_given_anew(browser: Asking, rubric: Path) -> None:
    """To all who have it, when somebody says so; its file is read again by itself."""
    browser.post("/rubric", {**NAMES, "do": "give"})
    changed(rubric, RUBRIC.replace("0.5", "0.75").replace("  - {id: tests", "  - {id: more"))
    assert "3, all with earlier points or text" in said(browser, "/rubric")
    assert 1.5 == browser.score("an"), "nothing changes by itself"
    assert 303 == browser.post("/rubric", {**NAMES, "do": "renew"}).status_code
    assert [1.75, 0.75] == [browser.score(name) for name in ("an", "dee")]
    again = browser.post("/rubric", {**NAMES, "do": "renew"})
    assert (400, True) == (again.status_code, "changes nothing for any student" in again.text)


def test_item_that_left_the_rubric_can_be_taken_back(browser: Asking, rubric: Path) -> None:
    """It is listed as long as somebody has it."""
    browser.post("/rubric", {**NAMES, "do": "give"})
    changed(rubric, "yinyang: [{id: tests, points: 1, text: It has tests.}]")
    assert "no longer in the rubric" in browser.get("/rubric").text
    assert 400 == browser.post("/rubric", {**NAMES, "do": "give"}).status_code
    browser.post("/rubric", {**NAMES, "do": "take"})
    assert "names" not in said(browser, "/rubric")
    for form in (NAMES, {"item": "tests"}, {**NAMES, "item": "tests", "do": "x"}):
        assert 400 == browser.post("/rubric", form).status_code


def test_rubric_that_is_broken_meanwhile_is_used_as_it_was(browser: Asking, rubric: Path) -> None:
    """The pages say why, until it can be read again."""
    changed(rubric, "yinyang: [")
    assert "The rubric is used as it was before: " in browser.get("/rubric").text
    assert "Names say what they hold." in browser.get("/s/yinyang/an").text
    rubric.unlink()
    assert "cannot read" in said(browser, "/")
    changed_back = RUBRIC.replace("hold", "mean")
    rubric.write_text(changed_back)
    assert "Names say what they mean." in browser.get("/s/yinyang/an").text
    assert "as it was before" not in browser.get("/").text


def test_rubric_of_other_exercises_says_so(browser: Asking, rubric: Path) -> None:
    """A file that names an exercise wrongly would else look as if nothing had been read."""
    changed(rubric, RUBRIC.replace("yinyang", "ying"))
    assert "The rubric has no items for yinyang." in browser.get("/rubric").text
    assert "The run has no exercise called ying." in browser.get("/rubric").text


def test_marks_are_a_table(browser: Asking) -> None:
    """As `grader export` prints it, to be saved and never shown."""
    browser.post("/s/yinyang/an", {"total": "1.5", "because": "Together."})
    answer = browser.get("/marks")
    assert "attachment; filename*=UTF-8''marks.csv" == answer.headers["content-disposition"]
    rows = csv.DictReader(io.StringIO(answer.text))
    assert {"an": "1.5", "bo": "1", "dee": "0"} == {row["name"]: row["score"] for row in rows}


def sent(browser: Asking, sheet: bytes, name: str = "marks.csv", **form: str) -> str:
    """Send a gradebook to be filled; return what the page says."""
    fields = {"word": browser.lets_in.form_token, **form}
    files = {"gradebook": (name, sheet)}
    answer = browser.ask("POST", "/export", data=fields, files=files, headers={"origin": ORIGIN})
    return answer.text


def test_gradebook_comes_back_filled(browser: Asking, tmp_path: Path) -> None:
    """With what `grader export` says of it; nothing is left on the disk."""
    before = {*tmp_path.rglob("*")}
    assert 404 == browser.get("/filled/0").status_code
    told = sent(browser, SHEET, "Mark<b>s.csv", overwrite="yes")
    assert "2 marks filled" in told
    assert "grader-" not in told
    assert "<b>s" not in told
    answer = browser.get("".join(re.findall(r'href="(/filled/\w+)"', told)))
    assert b"id,username,name,grade\n1,an,An,1\n2,bo,Bo,1\n" == answer.content
    assert "Mark%3Cb%3Es.filled.csv" in answer.headers["content-disposition"]
    assert before == {*tmp_path.rglob("*")}


def test_what_cannot_be_filled_is_told(browser: Asking) -> None:
    """In the words of `grader export`, and what was typed is still there."""
    told = sent(browser, b"no,marks\n", **{"out-of": "20", "exercise": "yinyang\0"})
    assert "error: " in told
    assert 'value="20"' in told
    assert "there is no option" not in sent(browser, SHEET, exercise="--to=x")
    assert "choose the gradebook first" in sent(browser, b"")


@pytest.mark.parametrize("word", ["", "x"])
def test_gradebook_of_another_page_is_refused(browser: Asking, word: str) -> None:
    """Without the word of the desk, or as no form, or far too large."""
    files = {"gradebook": ("a.csv", SHEET)}
    headers = {"origin": ORIGIN}
    refused = browser.ask("POST", "/export", data={"word": word}, files=files, headers=headers)
    assert 403 == refused.status_code
    assert 403 == browser.ask("POST", "/export", content=b"x", headers=headers).status_code
    kind = {"content-type": "multipart/form-data; boundary=x"}
    torn = browser.ask("POST", "/export", content=b"--x\r\n\x00", headers=headers | kind)
    assert 403 == torn.status_code
    large = {"content-length": str(1 << 30)}
    assert 403 == browser.ask("POST", "/export", content=b"", headers=headers | large).status_code
