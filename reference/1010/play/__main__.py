"""Plays 1010! in a window, with the modules of whoever handed them in.

`python reference/1010/play FOLDER`: the window is that of GUI.py, and the modules run in the
sandbox of the grader, which is used as a library here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from conversation import Conversation
from game_modules import SandboxedModules
from game_sources import program_of, sources_in
from game_window import load_gui, open_window
from grader.cli.terminal import say, warn
from grader.cli.verbs import run
from grader.sandbox.sandbox import new_sandbox
from grader.values.foreign_text import one_line

REFERENCE: Final = Path(__file__).resolve().parents[1]
LARGEST_DIMENSION: Final = 40


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--dimension",
    type=click.IntRange(1, LARGEST_DIMENSION),
    default=10,
    show_default=True,
    help="Rows and columns of the board.",
)
@click.option("--seed", type=int, help="A number that gives the same blocks again.")
def command(folder: Path | None, dimension: int, seed: int | None) -> None:
    """Play 1010! in a window, with the modules in FOLDER or with the reference.

    FOLDER has Position.py, Block.py, Board.py and Game.py; missing ones come from the reference.
    They run in the sandbox.
    """
    gui = load_gui(REFERENCE)
    ours = sources_in(REFERENCE)
    program, borrowed = program_of(ours if folder is None else sources_in(folder), ours)
    if borrowed:
        say(f"not in {one_line(str(folder))}, so taken from the reference: {', '.join(borrowed)}")
    with new_sandbox() as sandbox, Conversation(sandbox, program) as conversation:
        if folder is not None and sandbox.isolation.level < 1:
            warn("nothing isolates a submission on this machine: play only with your own code here")
        modules = SandboxedModules(conversation, gui.Failure, seed)
        open_window(gui, modules, dimension).run()


if __name__ == "__main__":
    run(command, "play")
