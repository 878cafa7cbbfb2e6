"""Where 1010! cannot be played, and which modules it is played with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conversation import Conversation, StepFailed
from game_modules import SandboxedModules
from game_sources import MODULES, program_of, sources_in
from window_players import PLAY, REFERENCE, environment_for, has_tkinter

from grader.errors import UsageError
from grader.sandbox.zygote import Zygote

# Where it cannot be played


def play(*command: str) -> subprocess.CompletedProcess[str]:
    """Run `command`, which starts the game, where there is no screen."""
    environment = environment_for(sys.executable)
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )


def test_python_without_tkinter_is_told_where_to_get_it() -> None:
    """Without tkinter there is a way out instead of a traceback."""
    started = f"import runpy; runpy.run_path({str(PLAY)!r}, run_name='__main__')"
    done = play("-c", f"import sys; sys.modules['tkinter'] = None; {started}")
    assert 4 == done.returncode
    assert "this Python has no tkinter" in done.stderr
    assert "apt install python3-tk" in done.stderr


@pytest.mark.skipif(not has_tkinter(sys.executable), reason="this Python has no tkinter")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a screen needs no DISPLAY")
def test_machine_without_a_screen_is_told() -> None:
    """Without a display there is a way out instead of a traceback."""
    done = play(str(PLAY))
    assert 4 == done.returncode
    assert "no window can be opened here" in done.stderr
    assert "ssh -X" in done.stderr


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
        name: program.sources[name][1] for name in ("Board", "Block")
    }


def test_folder_without_modules_is_refused(tmp_path: Path) -> None:
    """A folder with nothing to play with is told, and so is one that is not there."""
    (tmp_path / "notes.py").write_text("")
    with pytest.raises(UsageError, match="none of the modules lies in"):
        sources_in(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        sources_in(tmp_path / "nonesuch")
