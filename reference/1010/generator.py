"""Makes 1010! sessions: what can be done stands in `drawn.txt`, what it is done with is drawn.

A section of `drawn.txt` is a kind of session: a list of cases, each with the lines that set it up.
Each gets a scene of its own from `scenes.py`: a few positions, a block or a board. Behind `#` stand
the groups that a case is for; with several, there is a case for each of them. Sessions that chance
would seldom make stand in `directed.txt`, written out.

A block and a board are seen through `stippen(...)` and `cellen(...)` only, which stand for sorted
lists of their positions. A stub earns nothing here: a question is asked where the answer is yes and
where it is no, an action stands in the expression that looks at what it did.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from grader.authoring.generating import Draws, Generator, Script
from grader.authoring.generating.scripts import ScriptBuilder

HERE = Path(__file__).parent
SCENES = runpy.run_path(str(HERE / "scenes.py"))["SCENES"]
GROUPS_BY_SPEC_LINE = {
    33: "left right up down next translate_over get_adjacent_positions get_surrounding_positions "
    "is_proper_position is_proper_position_for_board",
    35: "get_horizontal_offsets_from_anchor get_vertical_offsets_from_anchor",
    41: "is_proper_block is_normalized",
    43: "add_dot remove_dot are_chained",
    61: "are_equivalent",
    78: "make_board is_filled_at is_filled_row is_filled_column fill_cell free_cell "
    "free_row free_column get_all_filled_rows get_all_filled_columns",
    82: "can_be_dropped_at get_droppable_positions",
    119: "drop_at",
    179: "are_chained_rec",
    235: "is_proper_board",
    238: "is_adjacent_to fill_all_cells are_chainable",
    239: "free_all_cells",
    240: "make_block get_all_dot_positions copy_board get_all_filled_positions",
    241: "normalize",
    242: "clear_full_rows_and_columns",
    244: "highest_score",
    245: "play_greedy",
}
NOTATION = ScriptBuilder(
    spec_lines={
        group: line for line, groups in GROUPS_BY_SPEC_LINE.items() for group in groups.split()
    },
    refusal="",
    actions=(),
    observers=(),
)
MODULES = ("Position", "Block", "Board", "Game")
LOOKS = (
    (r"\bstippen\((\w+)\)", r"sorted(Block.get_all_dot_positions(\1))"),
    (r"\bcellen\((\w+)\)", r"sorted(Board.get_all_filled_positions(\1))"),
)


def read(name: str) -> list[str]:
    """Return the sections of a file beside this one, with what `stippen` and `cellen` stand for."""
    text = (HERE / name).read_text("utf-8")
    for look, code in LOOKS:
        text = re.sub(look, code, text)
    return text.strip().split("\n\n")


DIRECTED, DRAWN = read("directed.txt"), read("drawn.txt")


def script(topic: str, lines: Iterable[str]) -> Script:
    """Return a session of `lines`, which uses the modules that they name."""
    lines = list(lines)
    uses = tuple(name for name in MODULES if any(f"{name}." in line for line in lines))
    return replace(NOTATION.script(topic, [*map(NOTATION.line, lines)]), uses=uses)


def filled_in(section: str, draws: Draws, way: int) -> Iterator[str]:
    """Yield the lines of a section, each case with a scene of its own."""
    topic, *lines = section.split("\n")
    while lines:
        count = next(number for number, line in enumerate(lines, start=1) if " # " in line)
        *case, groups = "\n".join(lines[:count]).rpartition(" # ")
        for group in groups.split():
            scene = SCENES[topic](draws, way)
            yield from "".join([*case, group]).format_map({**scene, "f": group}).split("\n")
        del lines[:count]


def session(draws: Draws, symmetry: int) -> Script:
    """Return a session of any kind."""
    section = draws.choice(DRAWN)
    return script(section.partition("\n")[0], filled_in(section, draws, symmetry))


def directed() -> Iterator[Script]:
    """Yield the sessions that chance would seldom make."""
    for section in DIRECTED:
        topic, *lines = section.split("\n")
        yield script(topic, lines)


GENERATOR = Generator(version=2, session=session, symmetries=8, directed=directed)
