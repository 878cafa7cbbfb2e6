"""The page on gradebooks is true: its commands print what it says, from download to worksheet."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, SUITE, WRONG, grader, write
from documentation import ROOT, text_of
from test_docs_examples import GRADEBOOKS
from test_round_trip import DOWNLOADS, INFO
from worksheets import WORKSHEETS

PAGE: Final = text_of(ROOT / "docs/how-to/gradebooks.md")
SECTIONS: Final = {
    section.split("\n")[0]: section for section in PAGE.split("\n## ") if "```text" in section
}
FIRST: Final = "grader grade downloads/moodle.zip --exercise akari --out akari"
"""What the first section, which shows no platform, takes for granted."""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with downloads and gradebooks of all platforms, for the same two students.

    What they hand in, and the suite, are as small as can be.
    """
    monkeypatch.chdir(tmp_path)
    write("testsuites/akari.yaml", SUITE.format(name="akari", defines="double", call="double(2)"))
    Path("downloads").mkdir()
    for name, paths in DOWNLOADS.items():
        with zipfile.ZipFile(f"downloads/{name}.zip", "w") as download:
            for path, source in zip(paths, (RIGHT, WRONG), strict=True):
                download.writestr(path, source)
            if name == "dodona":
                download.writestr("info.csv", INFO)
    for file, given in GRADEBOOKS.items():
        Path(file).write_bytes(WORKSHEETS[given].before)


def blocks(section: str, language: str) -> list[str]:
    """Return the lines of the blocks of `section` in a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return [line for block in found for line in block.splitlines()]


def test_page_has_all_platforms() -> None:
    """The page is found and cut up."""
    assert 8 == len(SECTIONS)


@pytest.mark.docs
@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("title", SECTIONS)
def test_commands_print_what_the_page_says(title: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Line by line, in their order."""
    commands = blocks(SECTIONS[title], "sh")
    said: list[str] = []
    for command in commands if commands[0].startswith("grader grade") else [FIRST, *commands]:
        done = grader(capfd, *command.split()[1:])
        assert 0 == done.code, done.err
        said += done.err.splitlines() + done.out.splitlines()
    left = iter(said)
    assert [line for line in blocks(SECTIONS[title], "text") if line not in left] == [], said
