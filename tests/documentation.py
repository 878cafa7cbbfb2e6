"""The pages of the documentation, as tests read them: their text and their fenced blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast

import click

from grader.cli.verbs import program

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda path: path.as_posix()
)
REFERENCE: Final = ROOT / "docs/reference"
_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    file: str
    """The file that it is an example of, when the page says so."""
    text: str

    def __str__(self) -> str:
        return f"{named(self.page)}:{self.line}"


def named(page: Path) -> str:
    """Return the name of `page` as a reader knows it."""
    return page.relative_to(ROOT).as_posix()


@cache
def text_of(page: Path) -> str:
    """Return the text of `page`."""
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    """Return the text of `page` without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def blocks() -> Iterator[Block]:
    """Yield the fenced blocks of all pages."""
    for page in PAGES:
        for found in _FENCE.finditer(text_of(page)):
            language, _, file = found["info"].partition(" ")
            indent = len(found["indent"])
            lines = [line[indent:] for line in found["body"].splitlines()]
            number = text_of(page).count("\n", 0, found.start()) + 1
            yield Block(page, number, language, file, "\n".join(lines) + "\n")


BLOCKS: Final = tuple(blocks())
SUITES: Final = tuple(block for block in BLOCKS if block.language == "yaml" and not block.file)


@cache
def verb(name: str) -> click.Command:
    """Return the command behind `grader NAME`."""
    group = cast(click.Group, program)
    command = group.get_command(click.Context(group), name)
    assert command is not None, f"no such verb: {name}"
    return command
