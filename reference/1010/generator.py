"""Makes 1010! scenes: for each clause of the documentation of each function some of its own.

What is asked stands here, with the words of the text that settle it. The scenes themselves stand in
`scenes_1010`, where `cells.py` has what they are steered by. Each function is a group of the public
suite, with the points of the course.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

from scenes_1010.blocks import BlockScenes
from scenes_1010.boards import BoardScenes
from scenes_1010.changes import ChangedBoardScenes
from scenes_1010.drops import DropScenes
from scenes_1010.games import GameScenes
from scenes_1010.positions import PositionScenes

KINDS = (
    PositionScenes,
    BlockScenes,
    BoardScenes,
    ChangedBoardScenes,
    DropScenes,
    GameScenes,
)
SCORED_WITH = {"dimension": "make_board"}

_SIDE = "The result is None if that position is not on a board"
_NEIGHBOURS = {
    "hoek": "only the positions on a board of that dimension",
    "rand": "only the positions on a board of that dimension",
    "met en zonder dimensie": "With a dimension, only the positions on a board",
    "een set": "Return a set",
}
_CHAINED = {
    "gat": "Check whether the positions form one group",
    "elk een buur": "Check whether the positions form one group",
    "schuin": "connected through adjacent positions",
    "los": "Check whether the positions form one group",
    "lang": "Check whether the positions form one group",
    "dubbel": "Positions may occur more than once",
    "soort": "a list, a tuple, a set or a frozenset",
    "geen of een": "No positions at all, and a single one, are chained",
    "argument blijft": "Check whether the positions form one group",
}
_OFFSETS = {
    "rond het ankerpunt": "Return the smallest and the largest",
    "ernaast": "are negative",
    "een stip": "Return the smallest and the largest",
    "na een wijziging": "Return the smallest and the largest",
    "na een weigering": "Return the smallest and the largest",
}
_LINE = {
    "vol of niet": "Check whether all cells of the given",
    "de andere richting": "Check whether all cells of the given",
    "bestaat niet": "if the board has no such",
    "geen getal": "is not an integer",
    "kommagetal": "is not an integer",
    "grootte": "Check whether all cells of the given",
    "na een wijziging": "Check whether all cells of the given",
}
_FREED_LINE = {
    "helemaal": "Empty all cells of the given",
    "met lege cellen": "Empty all cells of the given",
    "meer dan tien": "Empty all cells of the given",
    "volle lijnen daarna": "Empty all cells of the given",
    "bestaat niet": "if the board has no such",
    "geen getal": "is not an integer",
    "kommagetal": "is not an integer",
}
QUOTES = {
    "is_proper_position(position)": {
        "een tuppel": "a tuple",
        "twee getallen": "exactly two integers",
        "gehele getallen": "two integers",
        "onder nul": "two integers",
        "eender wat": "Assumptions: none",
    },
    "is_proper_position_for_board(dimension, position)": {
        "te ver": "lies on a board of the given dimension",
        "onder een": "lies on a board of the given dimension",
        "geen positie": "if the position is not proper",
        "dimensie": "if the dimension is not a positive integer",
    },
    "left(dimension, position)": {"ernaast": "one column to the left", "rand": _SIDE},
    "right(dimension, position)": {"ernaast": "one column to the right", "rand": _SIDE},
    "up(dimension, position)": {"ernaast": "one row above", "rand": _SIDE},
    "down(dimension, position)": {"ernaast": "one row below", "rand": _SIDE},
    "next(dimension, position)": {
        "in de rij": "That is the position to the right",
        "rij erboven": "or the first one of the row above",
        "laatste": "The result is None for the last position of the top row",
    },
    "translate_over(position, delta_x, delta_y)": {
        "verschoven": "moved over the given numbers of columns and rows"
    },
    "get_adjacent_positions(position, dimension=None)": {
        "vlak": "all positions next to the given one, horizontally or vertically",
        **_NEIGHBOURS,
    },
    "is_adjacent_to(position, other_positions)": {
        "naast": "adjacent to one of the other positions",
        "een van meer": "adjacent to one of the other positions",
        "soort": "the others are a list, a tuple, a set or a frozenset",
    },
    "get_surrounding_positions(position, dimension=None)": {
        "vlak": "all positions around the given one, those on its diagonals included",
        **_NEIGHBOURS,
    },
    "are_chained(positions)": _CHAINED,
    "are_chained_rec(positions)": _CHAINED,
    "make_block(dot_positions)": {
        "stippen": "a new block with dots at the given positions",
        "eigen kopie": "The block does not change if the given set changes afterwards",
    },
    "get_all_dot_positions(block)": {
        "een set": "Return a set of the positions of all dots",
        "eigen kopie": "The block does not change if the resulting set is changed",
    },
    "is_proper_block(block)": {
        "geen blok": "It is represented as you chose",
        "geen stippen": "has at least one dot",
        "geen ketting": "proper positions that are chained",
    },
    "add_dot(block, dot_position)": {
        "ernaast": "Add a dot at the given position to the block",
        "in het ankerpunt": "Add a dot at the given position to the block",
        "schuin": "if the dot is not adjacent to a dot of the block",
        "los": "if the dot is not adjacent to a dot of the block",
        "al aanwezig": "Nothing happens if the block has that dot",
    },
    "remove_dot(block, dot_position)": {
        "een einde": "Remove the dot at the given position from the block",
        "nodig voor de ketting": "if the other dots would not be chained",
        "met meer buren": "Remove the dot at the given position from the block",
        "de enige stip": "if it is the only one",
        "een van twee": "Remove the dot at the given position from the block",
        "geen stip": "Nothing happens if the block does not have that dot",
        "het ankerpunt": "Remove the dot at the given position from the block",
        "na stippen toevoegen": "if the other dots would not be chained",
    },
    "get_horizontal_offsets_from_anchor(block)": _OFFSETS,
    "get_vertical_offsets_from_anchor(block)": _OFFSETS,
    "are_equivalent(block, other_block)": {
        "spiegelbeeld": "all moved over one distance, are those of the other",
        "gedraaid": "all moved over one distance, are those of the other",
        "een deel": "the dots of one block, all moved",
        "even groot": "are those of the other",
        "evenveel per rij": "are those of the other",
        "twee stippen": "are those of the other",
        "een stip": "are those of the other",
        "na een wijziging": "are those of the other",
        "blokken blijven": "Check whether the dots of one block",
    },
    "is_normalized(block)": {
        "een stip of niet": "the anchor of the block is one of its dots",
        "rij en kolom": "the anchor of the block is one of its dots",
        "na een wijziging": "the anchor of the block is one of its dots",
    },
    "normalize(block)": {
        "ankerpunt": "a new block that is normalized",
        "lege hoeken": "a new block that is normalized",
        "vorm": "equivalent to the given one",
        "blok blijft": "The given block does not change",
        "nieuw blok": "is never the result",
    },
    "make_board(dimension=10, positions_to_fill=frozenset())": {
        "standaard": "a new board of the given dimension",
        "cellen": "with the cells at the given positions filled",
        "dubbel": "with the cells at the given positions filled",
        "soort": "a list, a tuple, a set or a frozenset",
        "buiten het bord": "Positions that are not on the board are ignored",
        "eigen kopie": "The board does not change if the given collection changes afterwards",
        "elk bord apart": "Return a new board",
        "argument blijft": "Positions that are not on the board are ignored",
    },
    "dimension(board)": {
        "dimensie": "Return the number of rows, and of columns, of the board",
        "twee borden": "of the board",
    },
    "copy_board(board)": {
        "hetzelfde": "with the dimension and the filled cells of the given one",
        "los van elkaar": "Return a new board",
    },
    "is_proper_board(board)": {
        "een bord": "Check whether the given value is a board",
        "geen bord": "Check whether the given value is a board",
        "na wijzigingen": "Check whether the given value is a board",
    },
    "get_all_filled_positions(board)": {
        "een set": "Return a set",
        "alle cellen": "the positions of all filled cells",
        "meer dan tien": "the positions of all filled cells",
        "eigen kopie": "The board does not change if the resulting set is changed",
    },
    "is_filled_at(board, position)": {
        "gevuld of leeg": "Check whether the cell at the given position is filled",
        "meer dan tien": "Check whether the cell at the given position is filled",
        "buiten het bord": "no cell is filled off the board",
    },
    "is_filled_row(board, row)": _LINE,
    "is_filled_column(board, column)": _LINE,
    "get_all_filled_rows(board)": {
        "juiste volgorde": "in ascending order",
        "enkel de volle": "the numbers of all full rows",
        "meer dan tien": "the numbers of all full rows",
        "na een wijziging": "the numbers of all full rows",
        "geen": "Return a list",
        "antwoord blijft": "Return a list",
    },
    "get_all_filled_columns(board)": {
        "juiste volgorde": "in descending order",
        "enkel de volle": "the numbers of all full columns",
        "meer dan tien": "the numbers of all full columns",
        "na een wijziging": "the numbers of all full columns",
        "geen": "Return a tuple",
        "antwoord blijft": "Return a tuple",
    },
    "fill_cell(board, position)": {
        "gewijzigd": "Fill the cell at the given position",
        "al zo": "Nothing happens if that cell is filled",
        "meer dan tien": "Fill the cell at the given position",
        "buiten het bord": "if the position is not on the board",
        "volle lijnen daarna": "Fill the cell at the given position",
    },
    "fill_all_cells(board, positions)": {
        "volle lijnen daarna": "Fill the cells at all given positions",
        "allemaal": "Fill the cells at all given positions",
        "ook overbodige": "Nothing happens for cells that are",
        "soort": "the positions are a list, a tuple, a set or a frozenset",
        "argument blijft": "Fill the cells at all given positions",
    },
    "free_cell(board, position)": {
        "gewijzigd": "Empty the cell at the given position",
        "al zo": "Nothing happens if that cell is empty",
        "meer dan tien": "Empty the cell at the given position",
        "buiten het bord": "if the position is not on the board",
        "volle lijnen daarna": "Empty the cell at the given position",
    },
    "free_all_cells(board, positions)": {
        "volle lijnen daarna": "Empty the cells at all given positions",
        "allemaal": "Empty the cells at all given positions",
        "ook overbodige": "Nothing happens for cells that are",
        "soort": "the positions are a tuple or a list",
        "argument blijft": "The collection of positions does not change",
    },
    "free_row(board, row)": _FREED_LINE,
    "free_column(board, column)": _FREED_LINE,
    "can_be_dropped_at(board, block, position)": {
        "elke stip op een lege cel": "if each dot comes down on an empty cell",
        "elke stip op het bord": "an empty cell of the board",
        "ankerpunt buiten het bord": "The anchor itself may lie off the board",
        "ankerpunt op een gevulde cel": "or above a filled cell, unless it is a dot",
        "groter dan het bord": "if each dot comes down on an empty cell of the board",
        "na een wijziging": "if each dot comes down on an empty cell",
        "niets verandert": "Check whether the block can be dropped",
    },
    "get_droppable_positions(board, block)": {
        "leeg bord": "all positions at which the block can be dropped",
        "gevulde cellen": "all positions at which the block can be dropped",
        "ankerpunt buiten het bord": "all positions at which the block can be dropped",
        "lijst op volgorde": "in ascending order",
        "nergens": "Return a list",
        "lang blok": "positions that keep the whole block on the board",
        "meer dan tien": "all positions at which the block can be dropped",
        "twee vormen": "all positions at which the block can be dropped",
        "na een wijziging": "all positions at which the block can be dropped",
        "antwoord blijft": "Return a list",
        "niets verandert": "Return a list of all positions",
    },
    "drop_at(board, block, position)": {
        "gevuld": "Fill the cells below the dots of the block",
        "past niet": "Nothing happens if the block cannot be dropped there",
        "buiten het bord": "Nothing happens if the block cannot be dropped there",
        "ankerpunt buiten het bord": "with its anchor at the given position",
        "niets leeggemaakt": "No rows or columns are cleared",
        "blok blijft": "Fill the cells below the dots",
        "volle lijnen daarna": "Fill the cells below the dots",
    },
    "clear_full_rows_and_columns(board)": {
        "rij": "Empty all rows",
        "kolom": "all columns that are full",
        "meer rijen": "Empty all rows",
        "meer kolommen": "all columns that are full",
        "meer dan tien": "Empty all rows",
        "rij en kolom": "A cell where two of them cross counts for both",
        "niets vol": "that are full",
        "cellen vallen niet": "Filled cells above an emptied row stay where they are",
        "volle lijnen daarna": "all columns that are full",
    },
    "are_chainable(board, positions)": {
        "lege cellen": "one region of cells of the same state",
        "gevulde cellen": "one region of cells of the same state",
        "meer dan twee": "all positions lie in one region",
        "dubbel": "all positions lie in one region",
        "geen of een": "No positions at all, and a single one, are chainable",
        "schuin": "one region of cells of the same state",
        "kronkelweg": "Cells that are not among the given ones may link them",
        "soort": "the positions are a list, a tuple or a set",
        "elke vraag opnieuw": "Check whether all positions lie in one region",
        "bord blijft": "The board does not change",
        "argument blijft": "Check whether all positions lie in one region",
    },
    "highest_score(board, blocks, start=0)": {
        "een blok": "Return the highest score of all blocks",
        "meer lijnen tegelijk": "Return the highest score of all blocks",
        "leegmaken tussendoor": "full lines are cleared after each of them",
        "vooruitkijken": "Return the highest score of all blocks",
        "doodlopende keuze": "Return the highest score of all blocks",
        "meer blokken": "Return the highest score of all blocks",
        "plaatsen": "the list of the positions of the anchors, one for each block",
        "ankerpunt buiten het bord": "the list of the positions of the anchors",
        "gelijke scores": "Of all lists with that score, it is the smallest one",
        "zonder blokken": "The result is (0, []) if there is no block",
        "start voorbij het einde": "if there is no block from index start on",
        "start": "all blocks from index start on",
        "enkel het begin past": "(None, None) if there is no way to drop all of them",
        "het eerste past niet": "(None, None) if there is no way to drop all of them",
        "samen passen ze niet": "(None, None) if there is no way to drop all of them",
        "een tuppel": "the blocks are a list or a tuple",
        "bord blijft": "The board is the same afterwards",
        "blokken blijven": "Return the highest score of all blocks",
        "elke vraag opnieuw": "Return the highest score of all blocks",
    },
    "play_greedy(board, blocks)": {
        "elke volgorde": "The blocks of a group may be dropped in any order",
        "evenveel stippen": "The blocks of a group may be dropped in any order",
        "volgorde in een latere groep": "each group as well as possible",
        "groepen van drie": "Drop the blocks in groups of three",
        "een groep kijkt niet vooruit": "whatever that means for later groups",
        "een kleine groep": "The last group has one or two blocks",
        "som van alle groepen": "each group as well as possible, and return the score",
        "gelijke blokken": "The blocks of a group may be dropped in any order",
        "niet elke volgorde lukt": "cannot all be dropped, in whatever order",
        "een groep past niet": "The result is None if the blocks of a group cannot all be dropped",
        "van die groep wordt niets geplaatst": "Nothing of that group is dropped then",
        "een latere groep past niet": "The result is None if the blocks of a group cannot",
        "eerdere groepen blijven liggen": "the groups before it are",
        "op het bord zelf": "They are really dropped on the board",
        "zonder blokken": "Without blocks the score is 0",
        "een tuppel": "the blocks are a list or a tuple",
        "blokken blijven": "Drop the blocks in groups of three",
    },
}


def clauses() -> dict[str, PlacedClause]:
    """Return all clauses, each with the words of the documentation of its function."""
    found = {}
    for heading, quotes in QUOTES.items():
        function, _, _ = heading.partition("(")
        group = SCORED_WITH.get(function, function)
        for name, words in quotes.items():
            quote = f"def {heading} \u2026 {words}"
            found[f"{function}: {name}"] = PlacedClause(group=group, quote=quote)
    return found


def made(draws: Draws, *, small: bool) -> Iterable[Scene]:
    """Return the scenes of one draw, function by function."""
    return chain.from_iterable(kind(draws, small=small).all() for kind in KINDS)


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return made(draws, small=False)


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return made(draws, small=True)


GENERATOR = Generator(version=12, clauses=clauses(), scenes=scenes, examples=examples)
