"""Somebody who plays 1010! in a window: starts it, looks, clicks and types."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "reference/1010"
PATIENCE_S: Final = 60.0
"""Long enough for a busy machine; a test that gets what it waits for does not take it."""
PLAY: Final = REFERENCE / "play"
CENTRES: Final = """\
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1] + "/play")
from game_window import load_gui
layout = load_gui(Path(sys.argv[1])).Layout(*map(int, sys.argv[2:]))
cells = [(column, row) for column in range(1, layout.dimension + 1)
         for row in range(1, layout.dimension + 1)]
print(json.dumps([[cell, layout.centre(cell)] for cell in cells]))
"""
Position: TypeAlias = tuple[int, int]


def has_tkinter(python: str) -> bool:
    """Return whether that interpreter can make windows."""
    tried = subprocess.run([python, "-c", "import tkinter"], check=False, capture_output=True)
    return tried.returncode == 0


def environment_for(python: str) -> dict[str, str]:
    """Return the environment in which that interpreter finds the project."""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)} if python == sys.executable else {}
    return {**os.environ, **path}


class Player:
    """Somebody who looks at the title of a window, clicks in it and types."""

    def __init__(self, python: str, process: subprocess.Popen[str], screen: str) -> None:
        """Play in the window that `process` opens on `screen`."""
        self._python: Final = python
        self.process: Final = process
        self._environment: Final = {**os.environ, "DISPLAY": screen}
        self._window = self._awaited(lambda: self._tool("xdotool", "search", "--name", "1010!"))

    def _tool(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def _awaited(self, look: Callable[[], str]) -> str:
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            if found := look():
                return found
            assert self.process.poll() is None, "the window was closed"
            time.sleep(0.05)
        raise AssertionError(f"waited in vain; the title is {self.title!r}")

    @property
    def title(self) -> str:
        """The title of the window: the score, and the message."""
        return self._tool("xdotool", "getwindowname", self._window)

    @property
    def score(self) -> int:
        """The score in the title."""
        found = re.search(r"score (-?\d+)", self.title)
        assert found is not None
        return int(found[1])

    def sees(self, words: str) -> str:
        """Wait until the title has `words`; return the title."""
        return self._awaited(lambda: title if words in (title := self.title) else "")

    def _geometry(self) -> tuple[int, int, int, int]:
        """Return width, height, and place on the screen of the canvas, the largest part."""
        tree = self._tool("xwininfo", "-id", self._window, "-tree")
        parts = re.findall(r"(\d+)x(\d+)\+-?\d+\+-?\d+ +\+(-?\d+)\+(-?\d+)", tree)
        assert parts, tree
        sizes = [tuple(map(int, part)) for part in parts]
        width, height, x, y = max(sizes[1:], key=lambda size: size[0] * size[1])
        return width, height, x, y

    def centres(self, dimension: int) -> Mapping[Position, tuple[int, int]]:
        """Return where on the screen the middle of each cell is."""
        width, height, left, top = self._geometry()
        sizes = map(str, (width, height, dimension))
        done = subprocess.run(
            [self._python, "-c", CENTRES, str(REFERENCE), *sizes],
            capture_output=True,
            text=True,
            check=True,
            env=environment_for(self._python),
        )
        return {
            (column, row): (left + round(x), top + round(y))
            for (column, row), (x, y) in json.loads(done.stdout)
        }

    def click(self, point: tuple[int, int]) -> None:
        """Click on that point of the screen."""
        x, y = map(str, point)
        self._tool("xdotool", "mousemove", x, y, "click", "1")

    def scores_after(self, point: tuple[int, int]) -> int:
        """Click there; return the score once it has changed."""
        before = self.score
        self.click(point)
        self._awaited(lambda: "changed" if self.score != before else "")
        return self.score

    def click_new_game(self) -> None:
        """Click on the button, at the top on the right."""
        geometry = self._tool("xdotool", "getwindowgeometry", "--shell", self._window)
        facts = dict(line.split("=") for line in geometry.splitlines())
        self.click((int(facts["X"]) + int(facts["WIDTH"]) - 50, int(facts["Y"]) + 25))

    def types(self, *keys: str) -> None:
        """Press `keys`, one after the other; without a window manager they go to the pointer."""
        self._tool("xdotool", "mousemove", "1", "1", "key", *keys)

    def resizes(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._tool("xdotool", "windowsize", "--sync", self._window, str(width), str(height))

    def stops(self) -> tuple[int, str]:
        """Close the window; return the exit code and what was said on standard error."""
        self.types("ctrl+q")
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said


@contextmanager
def playing(python: str, screen: str, *command: str, cwd: Path | None = None) -> Iterator[Player]:
    """Run `command` with `python`, and yield somebody who plays in its window."""
    environment = {**environment_for(python), "DISPLAY": screen, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [python, *command], env=environment, cwd=cwd, stderr=subprocess.PIPE, text=True
    )
    try:
        yield Player(python, process, screen)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def game(python: str, screen: str, *arguments: str) -> Iterator[Player]:
    """Run the game, and yield somebody who plays."""
    command = (str(PLAY), "--seed", "1", *arguments)
    with playing(python, screen, *command) as player:
        player.sees("Click on the cell")
        yield player


def folder_with(tmp_path: Path, **modules: str) -> Path:
    """Return a folder with those modules, by name."""
    folder = tmp_path / "hand_in"
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder
