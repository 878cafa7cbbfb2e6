"""Draws terminals: `scripts/pictures` writes them to `docs/pictures`.

There is one for each page on a platform, which has in it what the page says; a test holds that
against what the commands print. The one in the README has in it what `grader check` prints of a
wrong sample.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from documentation import BLOCKS, ROOT

PLATFORMS: Final = ROOT / "docs/how-to/platforms"
PICTURES: Final = ROOT / "docs/pictures"
CHECKED: Final = PICTURES / "check.svg"
SAMPLE: Final = ROOT / "samples/exercises/class"
_COLUMNS: Final = 96
_CHAR_PX: Final = 7.3
_LINE_PX: Final = 17
_EDGE_PX: Final = 16
_BLANK: Final = "\N{NO-BREAK SPACE}"
"""Of others a browser shows one of several."""
_COLOURS: Final = {"command": "#9fe3b4", "warning": "#f2cf82", "text": "#d8dde6"}


def pictures() -> Iterator[tuple[Path, str]]:
    """Yield where each picture lies, and what is in it."""
    for page in sorted(set(PLATFORMS.glob("*.md")) - {PLATFORMS / "README.md"}):
        yield PICTURES / f"{page.stem}.svg", drawn(list(_lines(page)))


def checked(folder: Path) -> list[tuple[str, str]]:
    """Return what `grader check` prints of a wrong class, in a `folder` that may be filled."""
    spec = folder / "reference/ratio"
    shutil.copytree(SAMPLE, spec)
    (folder / "testsuites").mkdir()
    shutil.copy(SAMPLE / "faulty/changes_itself.py", folder / "ratio.py")
    run = partial(subprocess.run, cwd=folder, capture_output=True, text=True, check=False)
    command = [sys.executable, "-c", "from grader.cli.verbs import main; main()"]
    run([*command, "derive", str(spec)])
    typed = ["check", "ratio.py"]
    state = {"XDG_STATE_HOME": str(folder), "COLUMNS": "80"}
    said = run([*command, *typed], env={**os.environ, **state}).stdout
    first = ("command", f"$ grader {' '.join(typed)}")
    return [("text", ""), first, *(("text", line) for line in said.splitlines())]


def _lines(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of the terminal, and what kind each is."""
    for block in BLOCKS:
        if block.page != page:
            continue
        if block.language == "sh":
            yield "text", ""
        for line in block.text.splitlines():
            if block.language == "sh":
                yield "command", f"$ {line}"
                continue
            kind = "warning" if re.match("warning:|look at this:", line) else "text"
            for start in range(0, max(1, len(line)), _COLUMNS):
                yield kind, line[start : start + _COLUMNS]


def drawn(lines: list[tuple[str, str]]) -> str:
    """Return the picture of a terminal with these `lines`, each with its kind."""
    width = round(_COLUMNS * _CHAR_PX) + 2 * _EDGE_PX
    height = len(lines[1:]) * _LINE_PX + 2 * _EDGE_PX
    rows = [
        f'<text x="{_EDGE_PX}" y="{_EDGE_PX + (at + 0.75) * _LINE_PX:g}" fill="{_COLOURS[kind]}">'
        f"{escape(text).replace(' ', _BLANK)}</text>"
        for at, (kind, text) in enumerate(lines[1:])
        if text
    ]
    opened = (
        '<svg xmlns="http://www.w3.org/2000/svg"'
        f' viewBox="0 0 {width} {height}" width="{width}" font-size="12"'
        ' font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace">'
    )
    ground = f'<rect width="{width}" height="{height}" rx="8" fill="#1d222b"/>'
    return "\n".join([opened, ground, *rows, "</svg>\n"])


if __name__ == "__main__":
    for path, text in pictures():
        path.write_text(text, encoding="utf-8")
    with TemporaryDirectory() as made:
        CHECKED.write_text(drawn(checked(Path(made))), encoding="utf-8")
