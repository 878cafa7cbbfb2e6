"""A window in which one plays 1010! with the modules Position, Block, Board and Game.

This file is given: it has to lie beside those modules, and nothing in it has to be changed. Run it
to play. Each move shows one block, which is normalized; its anchor is the red dot. A click on a
cell drops the block with its anchor there. With the keyboard: the arrow keys choose a cell, Enter
drops the block, N starts a new game and Control-Q stops.

Of the modules, the window uses make_board, dimension, is_filled_at, can_be_dropped_at,
get_droppable_positions, select_standard_block, normalize, get_all_dot_positions and game_move.
"""

import argparse
import importlib
import random
import traceback

try:
    import tkinter as tk
except ImportError as missing:
    raise ImportError(
        "the window needs tkinter; on Debian and Ubuntu: sudo apt install python3-tk"
    ) from missing

ANCHOR = (0, 0)
LARGEST_COORDINATE = 100
LARGEST_DIMENSION = 40
LONGEST_MESSAGE = 220
LARGEST_NUMBER_PX = 18
HEARTBEAT_MS = 200

WINDOW_COLOUR = "#f4f6f8"
TEXT_COLOUR = "#1d2733"
ALARM_COLOUR = "#a4161a"
EMPTY_COLOUR = "#dde3ea"
FILLED_COLOUR = "#2f6690"
BLOCK_COLOUR = "#3a7d44"
FITTING_COLOUR = "#9ccc9c"
OBSTRUCTED_COLOUR = "#efb0a8"
ANCHOR_COLOUR = "#d00000"

STEPS = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, 1), "Down": (0, -1)}


class Failure(Exception):
    """A function of the modules did not do what it is there for; the text says so to the player."""

    def __init__(self, text, *, can_go_on=True):
        """Keep the text, and whether the game can go on after it."""
        super().__init__(text)
        self.can_go_on = can_go_on


class OwnModules:
    """The board and the block of one game, kept by the modules that lie beside this file."""

    def __init__(self, seed=None):
        """Import the modules; with a seed, the blocks are the same each time."""
        names = ("Block", "Board", "Game")
        self._modules = {name: importlib.import_module(name) for name in names}
        random.seed(seed)
        self._board = None
        self._block = None

    def _call(self, name, *arguments):
        """Return what the function with the given dotted name returns; raise Failure if it fails.

        The whole traceback goes to the terminal.
        """
        module_name, function_name = name.split(".")
        try:
            return getattr(self._modules[module_name], function_name)(*arguments)
        except Exception as error:
            traceback.print_exc()
            raise Failure(
                f"{name} raised {type(error).__name__}: {error} (see the terminal)"
            ) from error

    def new_board(self, dimension):
        """Start with an empty board of the given dimension."""
        self._board = self._call("Board.make_board", dimension)

    def new_block(self):
        """Take a standard block, normalized."""
        self._block = self._call("Block.normalize", self._call("Block.select_standard_block"))

    def dimension(self):
        """Return the dimension of the board."""
        return self._call("Board.dimension", self._board)

    def filled_positions(self, positions):
        """Return those of the given positions at which the board is filled."""
        return [each for each in positions if self._call("Board.is_filled_at", self._board, each)]

    def dots(self):
        """Return the positions of the dots of the block."""
        return self._call("Block.get_all_dot_positions", self._block)

    def droppable_positions(self):
        """Return the positions at which the block can be dropped."""
        return self._call("Board.get_droppable_positions", self._board, self._block)

    def can_be_dropped_at(self, position):
        """Return whether the block can be dropped at the given position."""
        return self._call("Board.can_be_dropped_at", self._board, self._block, position)

    def move(self, position):
        """Drop the block at the given position, and return the score of that move."""
        return self._call("Game.game_move", self._board, self._block, position)


class Match:
    """One game after the other: what is on the board, which block is next, the score, a message.

    The modules decide on everything; what they give is checked before it is shown.
    """

    def __init__(self, modules, dimension):
        """Play with the given modules, such as OwnModules, on boards of the given dimension."""
        self._modules = modules
        self.dimension = dimension
        self.cells = [
            (column, row) for row in range(1, dimension + 1) for column in range(1, dimension + 1)
        ]
        self._clear()

    def _clear(self):
        self.filled = set()
        self.dots = set()
        self.droppable = set()
        self.score = 0
        self.message = ""
        self.is_alarm = False
        self.is_over = False

    def start(self):
        """Start a new game."""
        self._clear()
        self.message = "Click on the cell where the red dot is to be dropped."
        try:
            self._modules.new_board(self.dimension)
            self._look_at_board()
            self._take_block()
        except Failure as failure:
            self._tell(failure)
            self.is_over = True

    def drop(self, position):
        """Drop the block with its anchor at the given position, if that is possible."""
        if self.is_over:
            return
        self.message, self.is_alarm = "", False
        try:
            if self._modules.can_be_dropped_at(position):
                self._move(position)
            else:
                self.message, self.is_alarm = "The block cannot be dropped there.", True
        except Failure as failure:
            self._tell(failure)
            self.is_over = not failure.can_go_on

    def _move(self, position):
        """Drop the block and take the next one."""
        try:
            points = self._modules.move(position)
        except Failure as failure:
            if failure.can_go_on:
                self._look_at_board()
                self._look_for_places()
            raise
        self._look_at_board()
        if type(points) is not int:
            raise Failure(f"Game.game_move returned {points!r}, which is no score.")
        self.score += points
        self.message = "1 point." if points == 1 else f"{points} points."
        self._take_block()

    def _look_at_board(self):
        dimension = self._modules.dimension()
        if type(dimension) is not int or dimension != self.dimension:
            raise Failure(
                f"Board.dimension returned {dimension!r} for a board of dimension {self.dimension}."
            )
        filled = self._modules.filled_positions(self.cells)
        self.filled = _positions("Board.is_filled_at", filled)

    def _take_block(self):
        self._modules.new_block()
        self.dots, self.droppable = set(), set()
        self.dots = _positions("Block.get_all_dot_positions", self._modules.dots())
        if not self.dots:
            raise Failure("Block.get_all_dot_positions returned no dots at all.")
        self._look_for_places()
        if not self.droppable:
            self.is_over = True
            self.message = "There is no place left for this block. Press N for a new game."

    def _look_for_places(self):
        self.droppable = _positions(
            "Board.get_droppable_positions", self._modules.droppable_positions()
        )

    def _tell(self, failure):
        self.message, self.is_alarm = str(failure), True
        if not failure.can_go_on:
            self.message += " Press N for a new game."


def _positions(name, value):
    """Return the set of the positions that the named function returned, if that is what it did."""
    if isinstance(value, (set, frozenset, list, tuple)) and all(map(_is_position, value)):
        return set(value)
    raise Failure(f"{name} returned {value!r}, which are no positions.")


def _is_position(value):
    """Check whether the given value is a tuple of two integers, none of them out of all reason."""
    return (
        isinstance(value, tuple)
        and [type(part) for part in value] == [int, int]
        and max(map(abs, value)) <= LARGEST_COORDINATE
    )


class Layout:
    """Where things are on a canvas of the given size: the board above, the next block below it.

    All lengths are in pixels, and grow with the canvas.
    """

    MARGIN = 0.9
    """Room around the board, in cells; the numbers of rows and columns stand in it."""
    BLOCK_ROOM = 3.4
    """Height of the place for the block, in cells of the board."""

    def __init__(self, width, height, dimension):
        """Lay out a board of the given dimension."""
        across = dimension + 2 * self.MARGIN
        self.dimension = dimension
        self.cell = max(4.0, min(width / across, height / (across + self.BLOCK_ROOM)))
        self.left = (width - self.cell * dimension) / 2
        self.top = max(0.0, (height - self.cell * (across + self.BLOCK_ROOM)) / 2)
        self.top += self.MARGIN * self.cell
        self.bottom = self.top + self.cell * dimension

    def box(self, position):
        """Return the left, top, right and bottom of a cell of the board."""
        column, row = position
        left = self.left + (column - 1) * self.cell
        top = self.bottom - row * self.cell
        return (left, top, left + self.cell, top + self.cell)

    def centre(self, position):
        """Return the middle of a cell of the board."""
        left, top, right, bottom = self.box(position)
        return ((left + right) / 2, (top + bottom) / 2)

    def position_at(self, x, y):
        """Return the position of the cell at that point, None if there is none."""
        column = int((x - self.left) // self.cell) + 1
        row = int((self.bottom - y) // self.cell) + 1
        if 1 <= column <= self.dimension and 1 <= row <= self.dimension:
            return (column, row)
        return None

    def block_boxes(self, dots):
        """Return the boxes of the dots and that of the anchor, below the middle of the board."""
        columns = [column for column, _ in dots] + [0]
        rows = [row for _, row in dots] + [0]
        across = max(columns) - min(columns) + 1
        down = max(rows) - min(rows) + 1
        room = self.cell * self.BLOCK_ROOM
        size = min(0.75 * self.cell, room / down, self.cell * self.dimension / across)
        left = self.left + (self.cell * self.dimension - size * across) / 2
        top = self.bottom + self.MARGIN * self.cell + (room - size * down) / 2
        boxes = {}
        for column, row in [*dots, ANCHOR]:
            x = left + (column - min(columns)) * size
            y = top + (max(rows) - row) * size
            boxes[(column, row)] = (x, y, x + size, y + size)
        return boxes


class Window:
    """The window: draws a match, and hands it what the player does."""

    def __init__(self, match):
        """Show the given match, and start it."""
        self._match = match
        self._cursor = None
        self._root = tk.Tk(className="1010!")
        self._root.configure(background=WINDOW_COLOUR)
        self._root.minsize(400, 480)
        self._root.geometry("520x740")
        self._root.report_callback_exception = self._stop_with
        self._error = None
        self._make_widgets()
        self._bind_events()
        self._start()

    def _make_widgets(self):
        header = tk.Frame(self._root, background=WINDOW_COLOUR)
        self._score = tk.Label(
            header,
            background=WINDOW_COLOUR,
            foreground=TEXT_COLOUR,
            font=("TkDefaultFont", 18, "bold"),
        )
        self._end = tk.Label(
            header,
            background=WINDOW_COLOUR,
            foreground=ALARM_COLOUR,
            font=("TkDefaultFont", 13, "bold"),
        )
        new_game = tk.Button(header, text="New game", takefocus=False, command=self._start)
        self._canvas = tk.Canvas(
            self._root, background=WINDOW_COLOUR, highlightthickness=0, width=1, height=1
        )
        self._message = tk.Label(
            self._root,
            background=WINDOW_COLOUR,
            font=("TkDefaultFont", 11),
            height=3,
            anchor="n",
        )
        self._score.pack(side="left")
        new_game.pack(side="right")
        self._end.pack(side="left", expand=True)
        header.pack(side="top", fill="x", padx=12, pady=(10, 0))
        # The message before the canvas: a small window gives up room of the board, not the words.
        self._message.pack(side="bottom", fill="x", padx=12, pady=(0, 8))
        self._canvas.pack(side="top", fill="both", expand=True)

    def _bind_events(self):
        self._canvas.bind("<Configure>", lambda _: self._draw())
        self._canvas.bind("<Motion>", self._point)
        self._canvas.bind("<Leave>", lambda _: self._point_at(None))
        self._canvas.bind("<Button-1>", self._click)
        for key in STEPS:
            self._root.bind(f"<{key}>", self._step)
        for key in ("<Return>", "<KP_Enter>", "<space>"):
            self._root.bind(key, lambda _: self._drop())
        for key in ("n", "N"):
            self._root.bind(key, lambda _: self._start())
        self._root.bind("<Control-q>", lambda _: self._root.destroy())

    def run(self):
        """Show the window until it is closed, also by Control-C in the terminal."""
        self._stay_awake()
        self._root.mainloop()
        if self._error is not None:
            raise self._error

    def _stay_awake(self):
        """Let Python look about now and then; Tk alone would sleep through a Control-C."""
        self._root.after(HEARTBEAT_MS, self._stay_awake)

    def _stop_with(self, _kind, error, _traceback):
        """Close the window; what went wrong is a mistake of the window's own, not of a module."""
        self._error = error
        self._root.destroy()

    def _layout(self):
        width, height = self._canvas.winfo_width(), self._canvas.winfo_height()
        return Layout(width, height, self._match.dimension)

    def _point(self, event):
        self._point_at(self._layout().position_at(event.x, event.y))

    def _point_at(self, position):
        if position != self._cursor:
            self._cursor = position
            self._draw()

    def _step(self, event):
        """Move the cursor to the next cell; the first key shows it where the block could go."""
        if self._cursor is None:
            self._point_at(min(self._match.droppable & set(self._match.cells), default=(1, 1)))
            return
        step_x, step_y = STEPS[event.keysym]
        column, row = self._cursor
        moved = (column + step_x, row + step_y)
        self._point_at(moved if moved in self._match.cells else self._cursor)

    def _click(self, event):
        self._point(event)
        self._drop()

    def _drop(self):
        if self._cursor is not None:
            self._do(lambda: self._match.drop(self._cursor))

    def _start(self):
        self._do(self._match.start)

    def _do(self, act):
        """Do something with the match, which may take a while, and show what came of it."""
        self._root.configure(cursor="watch")
        self._root.update_idletasks()
        act()
        self._root.configure(cursor="")
        self._draw()

    def _draw(self):
        match, layout = self._match, self._layout()
        self._canvas.delete("all")
        self._draw_board(match, layout)
        self._draw_ghost(match, layout)
        self._draw_block(match, layout)
        message = _shown(match.message)
        self._score.configure(text=f"Score {match.score}")
        self._end.configure(text="Game over" if match.is_over else "")
        self._message.configure(
            text=message,
            foreground=ALARM_COLOUR if match.is_alarm else TEXT_COLOUR,
            wraplength=max(100, self._canvas.winfo_width() - 24),
        )
        # Tk tells screen readers nothing of what is in a window, but its title.
        over = ["game over"] if match.is_over else []
        self._root.title(" - ".join(["1010!", f"score {match.score}", *over, message]))

    def _draw_board(self, match, layout):
        for position in match.cells:
            colour = FILLED_COLOUR if position in match.filled else EMPTY_COLOUR
            self._draw_cell(layout.box(position), colour)
        for number in range(1, match.dimension + 1):
            x, _ = layout.centre((number, 1))
            self._write(x, layout.bottom + 0.4 * layout.cell, number, layout)
            _, y = layout.centre((1, number))
            self._write(layout.left - 0.45 * layout.cell, y, number, layout)

    def _draw_ghost(self, match, layout):
        """Show what the block would cover if it were dropped at the cursor."""
        if self._cursor is None or match.is_over:
            return
        colour = FITTING_COLOUR if self._cursor in match.droppable else OBSTRUCTED_COLOUR
        column, row = self._cursor
        for delta_x, delta_y in match.dots:
            position = (column + delta_x, row + delta_y)
            if position in match.cells and position not in match.filled:
                self._draw_cell(layout.box(position), colour)
        self._draw_anchor(layout.box(self._cursor))

    def _draw_block(self, match, layout):
        if not match.dots:
            return
        boxes = layout.block_boxes(match.dots)
        for dot in match.dots:
            self._draw_cell(boxes[dot], BLOCK_COLOUR)
        self._draw_anchor(boxes[ANCHOR])

    def _draw_cell(self, box, colour):
        left, top, right, bottom = box
        gap = 0.04 * (right - left)
        self._canvas.create_rectangle(
            left + gap, top + gap, right - gap, bottom - gap, fill=colour, width=0
        )

    def _draw_anchor(self, box):
        left, top, right, bottom = box
        inset = 0.3 * (right - left)
        self._canvas.create_oval(
            left + inset,
            top + inset,
            right - inset,
            bottom - inset,
            fill=ANCHOR_COLOUR,
            outline="white",
            width=(right - left) / 20,
        )

    def _write(self, x, y, text, layout):
        size = min(LARGEST_NUMBER_PX, max(7, int(0.36 * layout.cell)))
        self._canvas.create_text(x, y, text=text, fill=TEXT_COLOUR, font=("TkDefaultFont", -size))


def _shown(message):
    """Return the message, on one line and short enough; Tk refuses half a character."""
    message = message.encode("utf-8", "backslashreplace").decode("utf-8")
    message = " ".join(message.replace("\0", " ").split())
    if len(message) > LONGEST_MESSAGE:
        return message[:LONGEST_MESSAGE] + "..."
    return message


def play(dimension=10, seed=None):
    """Play in a window, on boards of the given dimension; a seed gives the same blocks again."""
    Window(Match(OwnModules(seed), dimension)).run()


def main():
    """Play as the command line says."""
    parser = argparse.ArgumentParser(description="Play 1010! with the modules beside this file.")
    parser.add_argument(
        "--dimension",
        type=int,
        default=10,
        choices=range(1, LARGEST_DIMENSION + 1),
        metavar="N",
        help=f"rows and columns of the board, 1 to {LARGEST_DIMENSION}; else 10",
    )
    parser.add_argument("--seed", type=int, help="a number that gives the same blocks again")
    options = parser.parse_args()
    play(options.dimension, options.seed)


if __name__ == "__main__":
    main()
