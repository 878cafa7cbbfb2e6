"""Style and script that pages share: where a page looks for them, and nothing else allowed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from filed_runs import PATTERNS, begun, filed, named, run_of, take

from grader.reporting.output import write_page
from grader.reporting.rendering import shared_looks, write_shared_files
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES
from grader.store.store import Store

JAN = named("jan")
NONCE = re.compile(r"nonce-([A-Za-z0-9+/=]+)'")


def between(text: str, start: str, end: str) -> str:
    """Return what stands in `text` between two others."""
    return text.partition(start)[2].partition(end)[0]


def test_a_page_finds_what_it_shares(tmp_path: Path) -> None:
    """The files hold, byte for byte, what a page by itself has in it."""
    filed(tmp_path, JAN)
    (page,) = tmp_path.glob("*/jan.html")
    shared, alone = page.read_text(encoding="utf-8"), student_page(JAN)
    style, script = re.findall(r'(?:href|src)="(\.\./page-[^"]+)"', shared)
    assert between(alone, "<style>", "</style>") == (page.parent / style).read_text("utf-8")
    words, _, rest = (page.parent / script).read_text("utf-8").partition('\n"use strict"')
    assert between(alone, '<script>"use strict"', "</script>") == rest
    assert words.count('<template id=\\"tools\\">') == len(LANGUAGES)
    assert "<template" not in shared
    assert "<style>" not in shared
    assert len(shared) < len(alone) - 25_000
    assert between(alone, "<main>", "</main>") == between(shared, "<main>", "</main>")


def test_words_of_a_course_are_not_those_that_pages_share() -> None:
    """Where sentences are a course's own, a page has its controls in it."""
    page = student_page(replace(JAN, wording=(("report.page_find", "Look for"),)), shares=True)
    assert "Look for <input" in between(page, '<template id="tools">', "</template>")


def test_a_page_allows_its_own_looks_alone() -> None:
    """By a nonce that is the same for the same page, and another one where any word differs."""
    pages = [student_page(each, shares=True) for each in (JAN, JAN, replace(JAN, student="Jan"))]
    first, again, other = ({*NONCE.findall(page)} for page in pages)
    assert 1 == len(first)
    assert first == again
    assert not first & other
    assert 3 == len(re.findall(r"(?<=nonce=)\"|script-src 'nonce-", pages[0]))
    assert "unsafe" not in pages[0]


def test_who_knows_the_nonce_of_a_page_has_another_page() -> None:
    """Text that tells it changes what is said, and with that the nonce."""
    (nonce,) = {*NONCE.findall(student_page(named("jan", text="x"), shares=True))}
    page = student_page(named("jan", text=f"<script nonce='{nonce}'>"), shares=True)
    assert nonce in page
    assert nonce not in NONCE.findall(page)


def test_what_is_shared_is_written_once(tmp_path: Path) -> None:
    """What is there stays as it is, and what was taken away comes back."""
    write_shared_files(tmp_path)
    before = {path: path.stat().st_ino for path in tmp_path.iterdir()}
    assert {Path(each).name for each in shared_looks()} == {path.name for path in before}
    next(iter(before)).unlink()
    write_shared_files(tmp_path)
    kept = [path for path in tmp_path.iterdir() if path.stat().st_ino == before[path]]
    assert len(before) == len([*tmp_path.iterdir()])
    assert len(kept) >= len(before) - 1


def test_a_page_by_itself_needs_no_other_file(tmp_path: Path) -> None:
    """It leaves nothing beside it."""
    entry = run_of(JAN).entries[0]
    write_page(tmp_path, entry, student_page(JAN), None, shares=False)
    assert [entry.page] == [
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    ]


@pytest.mark.parametrize("alone", [True, False])
def test_pages_are_written_anew_where_their_form_changes(tmp_path: Path, *, alone: bool) -> None:
    """A run that goes on in the same form keeps them."""
    with begun(tmp_path, JAN) as store:
        take(tmp_path, store, 0, JAN)
        with store.files.writing(1, [store.run.entries[0].page]):
            pass
    run = run_of(JAN)
    with Store.writing(tmp_path) as store:
        store.begin(replace(run, settings=replace(run.settings, self_contained=alone)), PATTERNS)
        assert [None if alone else 1] == [*store.files.all().values()]
