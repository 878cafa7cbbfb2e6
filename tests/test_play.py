"""1010! in a window: real clicks and keys on a virtual screen, real executors behind it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from grader.errors import UsageError
from grader.playing.conversation import LIMITS, Conversation, StepFailed
from grader.playing.modules import SandboxedModules, plain_value
from grader.playing.sources import MODULES, program_of, sources_in
from grader.program import Program
from grader.sandbox.zygote import Zygote
from grader.values import Atom, Collection, Opaque, Sequence
from grader.values import Mapping as Pairs

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "reference/1010"
PATIENCE_S: Final = 60.0
"""Long enough for a busy machine; a test that gets what it waits for does not take it."""
SCREEN_TOOLS: Final = ("Xvfb", "xdotool", "xwininfo")
PLAY: Final = "from grader.cli import main; main()"
CENTRES: Final = """\
import json, sys
from grader.playing.window import load_gui
from pathlib import Path
layout = load_gui(Path(sys.argv[1])).Layout(*map(int, sys.argv[2:]))
cells = [(column, row) for column in range(1, layout.dimension + 1)
         for row in range(1, layout.dimension + 1)]
print(json.dumps([[cell, layout.centre(cell)] for cell in cells]))
"""
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
Position: TypeAlias = tuple[int, int]


def has_tkinter(python: str) -> bool:
    """Return whether that interpreter can make windows."""
    tried = subprocess.run([python, "-c", "import tkinter"], check=False, capture_output=True)
    return tried.returncode == 0


@pytest.fixture(scope="module")
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter that has tkinter and the project."""
    if has_tkinter(sys.executable):
        return sys.executable
    if not has_tkinter("/usr/bin/python3"):
        pytest.skip("no Python with tkinter; on Debian and Ubuntu: apt install python3-tk")
    return str(request.getfixturevalue("installed"))


def environment_for(python: str) -> dict[str, str]:
    """Return the environment in which that interpreter finds the project."""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)} if python == sys.executable else {}
    return {**os.environ, **path}


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
def grader_play(python: str, screen: str, *arguments: str) -> Iterator[Player]:
    """Run `grader play`, and yield somebody who plays."""
    command = ("-c", PLAY, "play", "--reference", str(REFERENCE), "--seed", "1", *arguments)
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


# The window, with an executor behind it


def test_clicks_drop_blocks(python: str, screen: str) -> None:
    """A click drops the block and counts its dots; where it does not fit, it says so."""
    with grader_play(python, screen) as player:
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
    with grader_play(python, screen, "--dimension", "12") as player:
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
    with grader_play(python, screen, "--dimension", "5") as player:
        cells = iter(player.centres(5).values())
        while "game over" not in player.title:
            player.click(next(cells))
        assert "There is no place left for this block." in player.title
        assert player.score > 0
        player.types("n")
        assert "score 0" in player.sees("Click on the cell")


def test_keys_are_enough(python: str, screen: str) -> None:
    """The arrow keys choose a cell and Enter drops the block there."""
    with grader_play(python, screen) as player:
        player.types("Up", "Right", "Up", "Return")
        player.sees("point")
        assert player.score > 0
        player.types("Return")
        player.sees("cannot be dropped there")


def test_same_seed_gives_the_same_game(python: str, screen: str) -> None:
    """What is played with a seed can be played again."""
    scores = []
    for _ in range(2):
        with grader_play(python, screen) as player:
            cells = player.centres(10)
            scores.append([player.scores_after(cells[cell]) for cell in QUARTERS])
    assert scores[0] == scores[1]
    assert sorted(set(scores[0])) == scores[0]


def test_interrupt_closes_the_window(python: str, screen: str) -> None:
    """Ctrl-C in the terminal ends the game, also when nobody touches the window."""
    with grader_play(python, screen) as player:
        player.process.send_signal(signal.SIGINT)
        _, said = player.process.communicate(timeout=PATIENCE_S)
    assert (130, "interrupted") == (player.process.returncode, said.strip())


# Modules of others


def test_exception_is_shown_and_the_game_goes_on(python: str, screen: str, tmp_path: Path) -> None:
    """The window names the function, the exception and the line; the next click is taken."""
    folder = folder_with(tmp_path, Game=DROPS_AND_DIVIDES)
    with grader_play(python, screen, str(folder)) as player:
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
    with grader_play(python, screen, str(folder)) as player:
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
        "    return 7777 if {'tkinter', 'grader.cli'} & set(sys.modules) else 3\n"
    )
    with grader_play(python, screen, str(folder_with(tmp_path, Game=spy))) as player:
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
    command = ("-c", PLAY, "play", str(folder), "--reference", str(REFERENCE))
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
    skeleton = pytest.importorskip("grader.skeleton").skeleton_files(REFERENCE)
    for name, text in skeleton.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with playing(python, screen, "GUI.py", cwd=tmp_path) as player:
        player.sees("Board.dimension returned None for a board of dimension 10.")


# Where it cannot be played


def play(*arguments: str, program: str = PLAY) -> subprocess.CompletedProcess[str]:
    """Run `grader play` where there is no screen."""
    environment = environment_for(sys.executable)
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [sys.executable, "-c", program, "play", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_python_without_tkinter_is_told_where_to_get_it() -> None:
    """Without tkinter there is a way out instead of a traceback."""
    done = play(program=f"import sys; sys.modules['tkinter'] = None; {PLAY}")
    assert 4 == done.returncode
    assert "this Python has no tkinter" in done.stderr
    assert "apt install python3-tk" in done.stderr


@pytest.mark.skipif(not has_tkinter(sys.executable), reason="this Python has no tkinter")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a screen needs no DISPLAY")
def test_machine_without_a_screen_is_told() -> None:
    """Without a display there is a way out instead of a traceback."""
    done = play()
    assert 4 == done.returncode
    assert "no window can be opened here" in done.stderr
    assert "ssh -X" in done.stderr


@pytest.mark.skipif(not has_tkinter(sys.executable), reason="this Python has no tkinter")
def test_reference_without_a_window_is_refused(tmp_path: Path) -> None:
    """A folder that is no reference of 1010! is named."""
    done = play("--reference", str(tmp_path))
    assert 2 == done.returncode
    assert f"no GUI.py in {tmp_path}" in done.stderr


# The modules that are played with


def test_modules_are_found_in_nested_folders(tmp_path: Path) -> None:
    """A hand-in may lie in folders, and bring modules of its own; the least deep one counts."""
    for name in ("work/Board.py", "work/helpers.py", "work/old/Board.py", "elsewhere/other.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    assert {
        "Board": ("Board.py", "# work/Board.py\n"),
        "helpers": ("helpers.py", "# work/helpers.py\n"),
    } == sources_in(tmp_path)


def test_modules_in_small_letters_are_played_with(zygote: Zygote, tmp_path: Path) -> None:
    """Who hands in `board.py`, and imports it by that name, can play."""
    for name in MODULES:
        text = (REFERENCE / f"{name}.py").read_text(encoding="utf-8")
        for module in MODULES:
            text = text.replace(f"import {module}\n", f"import {module.lower()} as {module}\n")
        (tmp_path / f"{name.lower()}.py").write_text(text, encoding="utf-8")
    program, borrowed = program_of(sources_in(tmp_path), {})
    assert [] == borrowed
    with Conversation(zygote, program) as conversation:
        modules = SandboxedModules(conversation, StepFailed, 1)
        modules.new_board(4)
        modules.new_block()
        assert 4 == modules.dimension()
        assert modules.droppable_positions()


def test_missing_modules_are_borrowed() -> None:
    """What a student does not have comes from the reference, and what there is does not."""
    reference = {name: (f"{name}.py", "# ours\n") for name in MODULES}
    program, borrowed = program_of({"Board": ("Board.py", "# own\n")}, reference)
    assert ["Position", "Block", "Game"] == borrowed
    assert {"Board": "# own\n", "Block": "# ours\n"} == {
        name: program.modules[name]["source"] for name in ("Board", "Block")
    }


def test_folder_without_modules_is_refused(tmp_path: Path) -> None:
    """A folder with nothing to play with is told, and so is one that is not there."""
    (tmp_path / "notes.py").write_text("")
    with pytest.raises(UsageError, match="none of the modules lies in"):
        sources_in(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        sources_in(tmp_path / "nonesuch")


# A session that is kept open


PROGRAM: Final = """\
import os
import sys

calls = []

def count():
    calls.append(1)
    return len(calls)

def fail():
    raise ValueError("no\\u202eway")

def leave():
    os._exit(3)

def shout():
    print("x" * 300_000)

def spin():
    while True:
        pass

def add_an_observation():
    frame = sys._getframe()
    while "observations" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["observations"].append({})

def forge():
    for fd in range(64):
        try:
            os.write(fd, b"x" * 100)
        except OSError:
            pass
"""


@pytest.fixture
def conversation(zygote: Zygote) -> Iterator[Conversation]:
    """A conversation with `PROGRAM`, which has been imported."""
    program = Program.of("program", {"program": ("program.py", PROGRAM)}, {})
    with Conversation(zygote, program) as started:
        started.start()
        started.run("Importing program", "import program", "program")
        yield started


def count(conversation: Conversation) -> object:
    """Return how many times it has been asked for this."""
    return plain_value(conversation.value("count", "program.count()"))


def test_steps_share_one_session(conversation: Conversation) -> None:
    """What a step leaves behind, the next one finds; after a start there is nothing of it."""
    assert [1, 2] == [count(conversation), count(conversation)]
    conversation.start()
    with pytest.raises(StepFailed, match="NameError"):
        count(conversation)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("program.fail()", r"It raised ValueError: no\\u202eway (program.py, line 11)"),
        ("program.shout()", "It printed too much."),
    ],
)
def test_session_goes_on_after_an_exception(
    conversation: Conversation, code: str, said: str
) -> None:
    """An exception, shown safely, costs its step only."""
    with pytest.raises(StepFailed) as failed:
        conversation.value("It", code)
    assert (said.replace("\\\\", "\\"), True) == (failed.value.text, failed.value.can_go_on)
    assert 1 == count(conversation)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("program.leave()", "It ended the program."),
        ("program.add_an_observation()", "It sent what no honest program sends."),
        ("program.forge()", "It sent what no honest program sends."),
        ("program.spin()", "It did not end in time."),
    ],
)
def test_session_ends_with_its_executor(conversation: Conversation, code: str, said: str) -> None:
    """Whoever ends, breaks or holds up the executor cannot be asked again, but started anew."""
    with pytest.raises(StepFailed) as failed:
        conversation.value("It", code)
    assert (said, False) == (failed.value.text, failed.value.can_go_on)
    with pytest.raises(StepFailed, match="cannot be asked any more"):
        count(conversation)
    conversation.start()
    conversation.run("Importing program", "import program", "program")
    assert 1 == count(conversation)


def test_program_that_does_not_fit_is_told(zygote: Zygote) -> None:
    """A program that takes more memory than there is does not start."""
    files = {"large.bin": bytes(LIMITS.memory_bytes // 2)}  # there for a moment twice, as text
    program = Program.of("program", {"program": ("program.py", PROGRAM)}, files)
    with (
        Conversation(zygote, program) as conversation,
        pytest.raises(StepFailed, match="The program used up its memory") as failed,
    ):
        conversation.start()
    assert not failed.value.can_go_on


def test_values_become_plain() -> None:
    """Numbers, text, tuples and lists come through, and a set comes as a list."""
    cell = Sequence("tuple", (Atom(1), Atom(2)))
    assert None is plain_value(Atom(None))
    assert [(1, 2), "a"] == plain_value(Sequence("list", (cell, Atom("a"))))
    assert [(1, 2)] == plain_value(Collection("set", (cell,)))


def test_objects_are_shown_only() -> None:
    """Of an object of a submission the window knows the name of its class, of a dict its text."""
    assert "Board" in repr(plain_value(Opaque("Board")))
    assert "{1: 2}" == repr(plain_value(Pairs(((Atom(1), Atom(2)),))))
