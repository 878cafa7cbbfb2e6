"""1010! in a window: real clicks and keys on a virtual screen, real executors behind it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from game_sources import MODULES
from window_players import (
    PATIENCE_S,
    PLAY,
    REFERENCE,
    folder_with,
    game,
    has_tkinter,
    playing,
)

pytestmark = pytest.mark.commands(one_in=None)  # unless this interpreter has tkinter
SCREEN_TOOLS: Final = ("Xvfb", "xdotool", "xwininfo")
DROPS_AND_DIVIDES: Final = """\
import Board

def game_move(board, block, position):
    Board.drop_at(board, block, position)
    return 1 / 0
"""
LOOPS: Final = """\
def game_move(board, block, position):
    while True:
        pass
"""
QUARTERS: Final = ((1, 1), (6, 1), (1, 6), (6, 6))
"""Cells from which there is room for any block, up and to the right."""


@pytest.fixture(scope="module")
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter that has tkinter and the project."""
    if has_tkinter(sys.executable):
        return sys.executable
    if not has_tkinter("/usr/bin/python3"):
        pytest.skip("no Python with tkinter; on Debian and Ubuntu: apt install python3-tk")
    return str(request.getfixturevalue("installed"))


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A virtual screen; its name, as in `DISPLAY`."""
    missing = [tool for tool in SCREEN_TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    read_fd, write_fd = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_fd), "-screen", "0", "1200x1000x24", "-nolisten", "tcp"],
        pass_fds=[write_fd],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_fd)
    try:
        with os.fdopen(read_fd) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


# The window, with an executor behind it


def test_clicks_drop_blocks(python: str, screen: str) -> None:
    """A click drops the block and counts its dots; where it does not fit, it says so."""
    with game(python, screen) as player:
        cell = player.centres(10)[5, 5]
        player.click(cell)
        player.sees("point")
        assert 1 <= (score := player.score) <= 9
        player.click(cell)
        player.sees("The block cannot be dropped there.")
        assert score == player.score
        assert (0, "") == player.stops()


def test_cells_are_where_they_are_shown_at_any_size(python: str, screen: str) -> None:
    """After a change of size, a click still means the cell below it."""
    with game(python, screen, "--dimension", "12") as player:
        for size in ((1100, 600), (320, 900)):
            player.resizes(*size)
            player.types("n")
            player.sees("score 0 - Click")
            cell = player.centres(12)[6, 6]
            player.click(cell)
            player.sees("point")
            player.click(cell)
            player.sees("cannot be dropped there")


def test_game_ends_and_starts_anew(python: str, screen: str) -> None:
    """Without a place for the next block the game is over, until a new one is started."""
    with game(python, screen, "--dimension", "5") as player:
        cells = iter(player.centres(5).values())
        while "game over" not in player.title:
            player.click(next(cells))
        assert "There is no place left for this block." in player.title
        assert player.score > 0
        player.types("n")
        assert "score 0" in player.sees("Click on the cell")


def test_keys_are_enough(python: str, screen: str) -> None:
    """The arrow keys choose a cell and Enter drops the block there."""
    with game(python, screen) as player:
        player.types("Up", "Right", "Up", "Return")
        player.sees("point")
        assert player.score > 0
        player.types("Return")
        player.sees("cannot be dropped there")


def test_same_seed_gives_the_same_game(python: str, screen: str) -> None:
    """What is played with a seed can be played again."""
    scores = []
    for _ in range(2):
        with game(python, screen) as player:
            cells = player.centres(10)
            scores.append([player.scores_after(cells[cell]) for cell in QUARTERS])
    assert scores[0] == scores[1]
    assert sorted(set(scores[0])) == scores[0]


def test_interrupt_closes_the_window(python: str, screen: str) -> None:
    """Ctrl-C in the terminal ends the game, also when nobody touches the window."""
    with game(python, screen) as player:
        player.process.send_signal(signal.SIGINT)
        _, said = player.process.communicate(timeout=PATIENCE_S)
    assert (130, "interrupted") == (player.process.returncode, said.strip())


# Modules of others


def test_exception_is_shown_and_the_game_goes_on(python: str, screen: str, tmp_path: Path) -> None:
    """The window names the function, the exception and the line; the next click is taken."""
    folder = folder_with(tmp_path, Game=DROPS_AND_DIVIDES)
    with game(python, screen, str(folder)) as player:
        cells = player.centres(10)
        player.click(cells[2, 2])
        player.sees("Game.game_move raised ZeroDivisionError: division by zero (Game.py, line 5)")
        player.click(cells[2, 2])
        player.sees("The block cannot be dropped there.")
        code, said = player.stops()
    assert 0 == code
    assert "taken from the reference: Position, Block, Board" in said


def test_endless_loop_ends_the_game_only(python: str, screen: str, tmp_path: Path) -> None:
    """A function that does not end is stopped, and a new game can be started."""
    folder = folder_with(tmp_path, Game=LOOPS)
    with game(python, screen, str(folder)) as player:
        player.click(player.centres(10)[2, 2])
        player.sees("game over - Game.game_move did not end in time. Press N for a new game.")
        player.click_new_game()
        player.sees("score 0 - Click on the cell")
        assert 0 == player.stops()[0]


def test_modules_do_not_run_beside_the_window(python: str, screen: str, tmp_path: Path) -> None:
    """The process of a submission has neither the window nor our command line in it."""
    spy = (
        "import sys\nimport Board\n\n"
        "def game_move(board, block, position):\n"
        "    Board.drop_at(board, block, position)\n"
        "    return 7777 if {'tkinter', 'grader.cli.verbs'} & set(sys.modules) else 3\n"
    )
    with game(python, screen, str(folder_with(tmp_path, Game=spy))) as player:
        player.click(player.centres(10)[2, 2])
        player.sees("score 3 - 3 points.")


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("Game", "def game_move(", "Importing Game raised SyntaxError"),
        ("Board", "import Board\n1 / 0\n", "Importing Board raised ZeroDivisionError"),
        ("Block", "import os\nos._exit(3)\n", "Importing Block ended the program."),
        ("Board", "def make_board(dimension): pass\ndef dimension(board): pass\n", "None for a"),
        ("Board", "def make_board(dimension): return 0\n", "has no attribute 'dimension'"),
    ],
)
def test_what_cannot_start_is_told(
    python: str, screen: str, tmp_path: Path, module: str, source: str, said: str
) -> None:
    """Modules that cannot even start a game give a window that says why."""
    folder = folder_with(tmp_path, **{module: source})
    command = (str(PLAY), str(folder))
    with playing(python, screen, *command) as player:
        assert "game over" in player.sees(said)
        assert 0 == player.stops()[0]


# The window as students have it


def test_gui_plays_with_the_modules_beside_it(python: str, screen: str, tmp_path: Path) -> None:
    """The file that is given plays by itself, and survives an exception of a module."""
    for name in (*MODULES, "GUI"):
        shutil.copy(REFERENCE / f"{name}.py", tmp_path)
    with playing(python, screen, "GUI.py", "--seed", "1", cwd=tmp_path) as player:
        player.sees("Click on the cell")
        player.click(player.centres(10)[5, 5])
        player.sees("point")
        assert player.score > 0
        assert (0, "") == player.stops()
    (tmp_path / "Game.py").write_text(DROPS_AND_DIVIDES)
    with playing(python, screen, "GUI.py", cwd=tmp_path) as player:
        player.sees("Click on the cell")
        player.click(player.centres(10)[2, 2])
        player.sees("Game.game_move raised ZeroDivisionError: division by zero (see the terminal)")
        code, said = player.stops()
    assert 0 == code
    assert "line 5, in game_move" in said


def test_gui_says_what_a_bare_skeleton_lacks(python: str, screen: str, tmp_path: Path) -> None:
    """On the first day the window opens, and names the first function that is to be written."""
    skeleton = pytest.importorskip("grader.plugins.authoring.skeleton").skeleton_files(REFERENCE)
    for name, text in skeleton.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with playing(python, screen, "GUI.py", cwd=tmp_path) as player:
        player.sees("Board.dimension returned None for a board of dimension 10.")
