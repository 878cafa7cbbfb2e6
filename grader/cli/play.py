"""`grader play`: plays 1010! in a window, with the modules of whoever handed them in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from grader.cli.references import reference_folder, reference_option
from grader.cli.talk import say, warn
from grader.display import one_line
from grader.playing.conversation import Conversation
from grader.playing.modules import SandboxedModules
from grader.playing.sources import program_of, sources_in
from grader.playing.window import load_gui, open_window
from grader.sandbox.nursery import new_nursery

EXERCISE: Final = "1010"
LARGEST_DIMENSION: Final = 40


@click.command("play")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--dimension",
    type=click.IntRange(1, LARGEST_DIMENSION),
    default=10,
    show_default=True,
    help="Rows and columns of the board.",
)
@click.option("--seed", type=int, help="A number that gives the same blocks again.")
@reference_option
def command(folder: Path | None, dimension: int, seed: int | None, reference: Path | None) -> None:
    """Play 1010! in a window, with the modules in FOLDER or with the reference.

    FOLDER has Position.py, Block.py, Board.py and Game.py; missing ones come from the reference.
    They run in the sandbox.
    """
    own_folder = reference_folder(EXERCISE, reference)
    gui = load_gui(own_folder)
    ours = sources_in(own_folder)
    program, borrowed = program_of(ours if folder is None else sources_in(folder), ours)
    if borrowed:
        say(f"not in {one_line(str(folder))}, so taken from the reference: {', '.join(borrowed)}")
    with new_nursery() as nursery, Conversation(nursery, program) as conversation:
        if folder is not None and nursery.isolation.level < 1:
            warn("nothing isolates a submission on this machine: play only with your own code here")
        modules = SandboxedModules(conversation, gui.Failure, seed)
        open_window(gui, modules, dimension).run()
