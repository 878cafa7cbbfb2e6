"""The pages on platforms are true: their commands print what they say, and lose nobody."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import grader
from documentation import BLOCKS, ROOT
from named_sources import found, source
from platform_desk import DOWNLOADS, GRADEBOOKS, TABLES, lay_out
from platform_pictures import CHECKED, PLATFORMS, checked, drawn, pictures
from worksheets import WORKSHEETS

from grader.intake.tables import decode_text, delimiter_of
from grader.seams import PLATFORMS as OURS

PAGES = {
    page.stem: said[1]
    for page in sorted(PLATFORMS.glob("*.md"))
    if (said := re.search(r"^grader plan (\w+)\.zip", page.read_text("utf-8"), re.MULTILINE))
}
"""The download that each page is about, as its first command has it."""
OF_ANOTHER = {"github"}
"""Platforms of which the page on another one tells."""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with downloads and gradebooks of all platforms, for the same two students."""
    monkeypatch.chdir(tmp_path)
    lay_out()
    return tmp_path


def rows_of(data: bytes) -> list[list[str]]:
    """Return the cells of a gradebook, as a spreadsheet reads them."""
    text = decode_text(data).text
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)))


def cell(rows: Sequence[Sequence[str]], row: int, column: int) -> str:
    """Return what is in a cell, "" where its row ends before."""
    return rows[row][column] if column < len(rows[row]) else ""


def test_each_platform_has_a_page() -> None:
    """With the commands, and in the table of contents."""
    names = {page.stem for page in PLATFORMS.glob("*.md")}
    contents = (PLATFORMS / "README.md").read_text("utf-8")
    assert {"README", *PAGES} == names
    assert names - {"README"} == set(re.findall(r"\]\(([\w-]+)\.md\)", contents))
    assert set(GRADEBOOKS) == set(PAGES.values())
    layouts = {
        found(source(*names, texts=TABLES.get(key, {}))).layout for key, names in DOWNLOADS.items()
    }
    assert {*OURS.table, "plain"} == layouts | OF_ANOTHER


@pytest.mark.docs
@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_says(
    name: str, capfd: pytest.CaptureFixture[str], desk: Path
) -> None:
    """Line by line; and of the gradebook only marks and feedback have changed, of who handed in."""
    said = [block for block in BLOCKS if block.page == PLATFORMS / f"{name}.md"]
    commands = [block.text.split() for block in said if block.language == "sh"]
    assert ["plan", "grade", "export"] == [command[1] for command in commands]
    for command, text in zip(commands, said[1::2], strict=True):
        done = grader(capfd, *command[1:])
        assert 0 == done.code, done.err
        assert text.text.splitlines() == [
            line.rstrip() for line in (done.err + done.out).splitlines()
        ]
    file, given = GRADEBOOKS[PAGES[name]]
    before, after = (
        rows_of((desk / each).read_bytes()) for each in (file, file.replace(".", ".filled."))
    )
    changed = {
        (row, column): cell(after, row, column)
        for row in range(len(after))
        for column in range(len(after[row]))
        if cell(after, row, column) != cell(before, row, column)
    }
    assert len(before) == len(after)
    assert WORKSHEETS[given].changed.keys() == changed.keys()
    marks = {text for text in changed.values() if text.isdecimal()}
    assert {"0", "20"} == marks


@pytest.mark.docs
def test_pages_and_mails_are_as_the_page_says(
    capfd: pytest.CaptureFixture[str], desk: Path
) -> None:
    """The page on gradebooks, whose first commands take a run for granted."""
    page = ROOT / "docs/how-to/gradebooks.md"
    said = [block.text.splitlines() for block in BLOCKS if block.page == page]
    asked = ("moodle.zip", "--exercise", "akari", "--roster", "worksheet.csv", "--out", "akari")
    grader(capfd, "grade", *asked)
    for commands, lines in zip(said[::2], said[1::2], strict=True):
        printed = [
            line
            for command in commands
            for line in grader(capfd, *command.split()[1:]).err.splitlines()
        ]
        left = iter(printed)
        shown = [line.replace("/home/ann", str(desk)) for line in lines]
        assert [line for line in shown if line not in left] == [], printed


def test_pictures_show_what_the_pages_say() -> None:
    """`scripts/pictures` draws them anew."""
    for path, text in pictures():
        assert text == path.read_text(encoding="utf-8"), path.name


@pytest.mark.docs
def test_picture_in_the_readme_is_what_check_prints(tmp_path: Path) -> None:
    """Else it would show a grader of some time ago: `scripts/pictures` draws it anew."""
    assert drawn(checked(tmp_path)) == CHECKED.read_text(encoding="utf-8")
