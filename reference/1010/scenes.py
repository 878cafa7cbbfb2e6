"""What the cases of generated sessions are about: positions, blocks and boards, drawn at random.

A scene gives the names in `drawn.txt` their values. It has what a case needs to tell right from
wrong: a dot without which the others fall apart, a cell off the board, a line that is full.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.authoring.generating import Draws

Cell = tuple[int, int]
Scene = Mapping[str, object]

KINDS = ("list", "tuple", "set", "frozenset")
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
SLANTS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
SHAPES: tuple[tuple[Cell, ...], ...] = (
    ((0, 0),),
    ((0, 0), (1, 0)),
    ((0, 0), (0, 1)),
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 1), (1, 0), (1, 1)),
    ((1, 0), (2, 0)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
)
"""Of the blocks that are played with; two of them do not have the anchor for a dot."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Positions, which are written down as a collection of this kind, or of the kind asked for."""

    cells: tuple[Cell, ...]
    kind: str

    def __format__(self, kind: str) -> str:
        """Return them as a literal."""
        listed = f"{list(self.cells)}"
        braces = f"{{{listed[1:-1]}}}" if self.cells else "set()"
        literals = (listed, f"{self.cells}", braces, f"frozenset({braces})")
        return dict(zip(KINDS, literals, strict=True))[kind or self.kind]


@dataclass(frozen=True, slots=True)
class Sketch:
    """Draws what is in a scene, and shows it turned and mirrored in one of 8 ways.

    What is drawn never depends on the way, so that the scene has the same structure in all ways.
    """

    draws: Draws
    way: int
    size: int
    """Of the board; -1 where there is none, which turns everything around the anchor."""

    def cell(self, cell: Cell) -> Cell:
        """Return where `cell` is shown."""
        column, row = reversed(cell) if self.way & 1 else cell
        last = self.size + 1
        return last - column if self.way & 2 else column, last - row if self.way & 4 else row

    def dots(self, dots: Iterable[Cell]) -> Cells:
        """Return how the dots of a block are shown."""
        return replace(self, size=-1).cells(dots)

    def cells(self, cells: Iterable[Cell], kinds: Sequence[str] = KINDS) -> Cells:
        """Return how `cells` are shown, in any order, in a collection of one of the `kinds`."""
        shown = map(self.cell, self.draws.shuffled(cells))
        return Cells(tuple(shown), self.draws.choice(kinds))

    def listed(self, items: Iterable[object], kind: str = "") -> str:
        """Return a list of `items` in any order, written down as they are, or as that `kind`."""
        return in_order(self.draws.shuffled(items), kind)

    def change(self, present: Cell, absent: Cell) -> str:
        """Return what is done to a set that must not matter to a block or a board."""
        add, discard = f"add({self.cell(absent)})", f"discard({self.cell(present)})"
        return self.draws.choice(("clear()", add, discard))


def in_order(items: Iterable[object], kind: str = "") -> str:
    """Return a list of `items`, written down as they are, or as that `kind`."""
    return f"[{', '.join(format(item, kind) for item in items)}]"


def square(size: int) -> list[Cell]:
    """Return all cells of a board."""
    numbered = range(1, size + 1)
    return [(column, row) for column in numbered for row in numbered]


def moved(cells: Iterable[Cell], by: Cell) -> list[Cell]:
    """Return `cells` moved."""
    return [(column + by[0], row + by[1]) for column, row in cells]


def around(cells: Collection[Cell], steps: Sequence[Cell] = STEPS) -> list[Cell]:
    """Return the cells that are one of the `steps` away from one of `cells`, in order."""
    return sorted({each for cell in cells for each in moved(steps, cell)}.difference(cells))


def areas(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Return the parts of `cells` that are connected, the largest first."""
    left, found = set(cells), []
    while left:
        area = {min(left)}
        while more := left.intersection(around(area)):
            area |= more
        found.append(sorted(area))
        left -= area
    return sorted(found, key=len, reverse=True)


def chain(draws: Draws, count: int) -> tuple[list[Cell], list[Cell], list[Cell]]:
    """Return so many connected cells, those without which they fall apart, and the other ones."""
    while True:
        cells = [(0, 0)]
        while len(cells) < count:
            cells += draws.some(around(cells[-2:] if draws.chance(0.7) else cells), 1)
            cells = list(dict.fromkeys(cells))
        cut = [one for one in cells if len(areas({*cells} - {one})) > 1]
        if cut:
            return cells, cut, [one for one in cells if one not in cut]


def numbers(size: int, lines: Sequence[int]) -> list[object]:
    """Return numbers of lines, and what is none."""
    return [*lines, 0, -1, size + 1, f"'{lines[0]}'", "None", lines[0] + 0.5, float(lines[-1])]


def plane(draws: Draws, way: int) -> Scene:
    """Return positions on a board, beyond its edges and far away, and values that are none."""
    size = draws.between(3, 6)
    sketch = Sketch(draws, way, size)
    k, r = cell = (draws.between(2, size - 1), draws.between(2, size - 1))
    ends = [(1, r), (size, r), (k, 1), (k, size)]
    beyond = [(0, r), (size + 1, r), (k, 0), (k, size + 1)]
    far = (-draws.between(2, 9), draws.between(-9, 9))
    odd = [f"[{k}, {r}]", f"({k},)", f"{(k, r, k)}", f"({k}.0, {r})", f"({k}, {r}.5)", "()"]
    odd += [f"('{k}', {r})", f"({k}, None)", f"{((k, r), r)}", f"({k}, True)", f"(False, {r})"]
    odd += ["None", f"{k}", f"'{k}{r}'", f"{r}.5", f"{{{k}, {r + size}}}", f"{{{k}: {r}}}"]
    near = around([cell])
    apart = moved([*SLANTS, (0, 0), (2, 0), (0, -2)], cell)
    nearby = [[draws.choice(near), *draws.some(apart, 2)], draws.some(apart, 3), [], [cell]]
    nearby += [[draws.choice(near)], draws.some(apart, 1)]
    return {
        "n": size,
        "more": size + 1,
        "cell": sketch.cell(cell),
        "end": sketch.cell(draws.choice(ends)),
        "far": sketch.cell(far),
        "dx": draws.between(1, 9),
        "dy": -draws.between(1, 9),
        "ends": sketch.cells([*ends, cell]),
        "corners": sketch.cells([(1, 1), (1, size), (size, 1), (size, size)]),
        "mixed": sketch.listed(map(sketch.cell, draws.some(ends, 3) + draws.some(beyond, 3))),
        "values": sketch.listed([*draws.some(odd, 6), sketch.cell(cell), sketch.cell(far)]),
        "sizes": sketch.listed([size, size + 4, 0, -size, float(size), f"'{size}'", "None"]),
        "nearby": sketch.listed(map(sketch.cells, nearby)),
        "around": sketch.cells(nearby[0]),
    }


def chained(draws: Draws, way: int) -> Scene:
    """Return positions that hang together, and almost the same ones that do not."""
    sketch = Sketch(draws, way, -1)
    whole, cut, loose = chain(draws, draws.between(4, 7))
    by = (draws.between(-9, 9), draws.between(-9, 9))
    whole, cut, loose = moved(whole, by), moved(cut, by), moved(loose, by)
    broken = [cell for cell in whole if cell != cut[0]]
    (left, low), (right, _) = min(whole), max(whole)
    slanting = [each for each in around(whole, SLANTS) if each not in around(whole)]
    splits = [broken, whole + moved(whole, (right - left + 2, 0)), [*whole, draws.choice(slanting)]]
    splits.append([*moved(square(2), by), (left, low - 9)])
    less = [cell for cell in whole if cell != draws.choice(loose)]
    chains = [*draws.some(splits, 3), *draws.some([whole, less, [], whole[:1]], 2)]
    return {
        "whole": sketch.cells(whole),
        "broken": sketch.cells(broken),
        "twice": sketch.cells(whole + draws.some(whole, 3), KINDS[:2]),
        "twice_broken": sketch.cells(broken + broken[:2], KINDS[:2]),
        "chains": sketch.listed(map(sketch.cells, chains)),
    }


def block(draws: Draws, way: int) -> Scene:
    """Return a block that falls apart without some of its dots, and blocks that are like it."""
    sketch = Sketch(draws, way, -1)
    start, cut, loose = chain(draws, draws.between(3, 5))
    by = (draws.between(-4, 4), draws.between(-4, 4))
    dots, cut, loose = moved(start, by), moved(cut, by), moved(loose, by)
    beside = draws.choice(around(dots))
    slanting = [each for each in around(dots, SLANTS) if each not in around(dots)]
    absent = [draws.choice(slanting), (dots[0][0] + 9, dots[0][1] - 9)]
    anchor = draws.choice(dots)
    normal, normal_by = moved(dots, (-anchor[0], -anchor[1])), (draws.between(2, 5), by[0])
    mirrored = [(row, column) for column, row in dots]
    flipped = [(-column, row) for column, row in dots]
    smaller = [dot for dot in dots if dot != loose[0]]
    grown = [*smaller, draws.choice([each for each in around(smaller) if each not in dots])]
    broken = f"{sketch.dots(dot for dot in dots if dot != cut[0]):set}"
    odd = ["None", "'blok'", "''", "5", "2.5", "set()", "()", f"{by}", broken]
    odd += ["{(0, 0), 'a'}", f"{{{by[0]}, 11}}", "{(0, 0, 0)}", f"{{{(by[0], 0.5)}}}"]
    shapes = [moved(dots, normal_by), moved(mirrored, by), flipped, smaller, grown]
    holes = [normal, dots if (0, 0) not in dots else moved(dots, (9, 9)), moved(normal, normal_by)]
    return {
        "dots": sketch.dots(dots),
        "other": sketch.dots(moved(mirrored, (2, -1))),
        "moved": sketch.dots(moved(dots, normal_by)),
        "normal": sketch.dots(normal),
        "normal_beside": sketch.cell(draws.choice(around(normal))),
        "beside": sketch.cell(beside),
        "change": sketch.change(dots[0], absent[1]),
        "added": sketch.listed(map(sketch.cell, [*absent, beside, dots[0]])),
        "removed": sketch.listed(map(sketch.cell, [*absent, cut[0], loose[0]])),
        "values": sketch.listed(["blok", *draws.some(odd, 6)]),
        "two_sets": sketch.listed(map(sketch.dots, (dots, mirrored, normal)), "set"),
        "shapes": sketch.listed(map(sketch.dots, shapes), "set"),
        "normals": sketch.listed(map(sketch.dots, holes), "set"),
    }


def board(draws: Draws, way: int) -> Scene:
    """Return a board that is partly filled, and cells of it that are and that are not."""
    size = draws.between(3, 5)
    sketch = Sketch(draws, way, size)
    free = draws.shuffled(square(size))
    filled = [free.pop() for _ in range(draws.between(size, size * size - size))]
    k, r = filled[0]
    beyond = [(0, r), (size + 1, r), (k, 0), (k, size + 1), (-1, -1)]
    mixed = [*filled[:2], *free[:2], *draws.some(beyond, 2), free[0]]
    odd = ["None", "'bord'", "''", "2.5", f"{size}", "[1, 'a', None]", f"[2.5, {(k, r)}, 4]"]
    odd += ["(0, set())", f"(-{size}, set())", f"({size}.5, set())", f"({size}, {{{beyond[1]}}})"]
    odd += [f"({size}, {{(0, 1)}})", f"({size}, {{'a'}})", f"({size},)", "('a', set())"]
    column, row = sketch.cell((k, r))
    return {
        "n": size,
        "more": size + 1,
        "filled": sketch.cells(filled),
        "mixed": sketch.cells(mixed),
        "free": sketch.cell(free[0]),
        "held": sketch.cell(filled[1]),
        "change": sketch.change(filled[0], free[1]),
        "values": sketch.listed(["bord", *draws.some(odd, 6)]),
        "strange": sketch.listed([*draws.some(numbers(size, [column, row]), 5), column, row]),
    }


def full_lines(draws: Draws, way: int) -> Scene:
    """Return a board with full rows and full columns, and the same without one of their cells."""
    size = draws.between(4, 5)
    sketch = Sketch(draws, way, size)
    columns = draws.some(range(1, size + 1), draws.between(1, 2))
    rows = draws.some(range(1, size + 1), draws.between(1, 2))
    full = [(k, r) for k, r in square(size) if k in columns or r in rows]
    # Too few to fill another line.
    others = draws.some([cell for cell in square(size) if cell not in full], draws.between(1, 2))
    others = others[: size - max(len(columns), len(rows)) - 1]
    gap = draws.choice([(k, r) for k, r in full if k not in columns or r not in rows])
    numbered = sketch.cell((columns[0], rows[0]))
    return {
        "n": size,
        "more": size + 1,
        "lines": sketch.cells([*full, *others]),
        "almost": sketch.cells([cell for cell in [*full, *others] if cell != gap]),
        "gap": sketch.cell(gap),
        "numbers": sketch.listed(range(size + 2)),
        "strange": sketch.listed(numbers(size, numbered)),
    }


def dropped(draws: Draws, way: int) -> Scene:
    """Return a board, a block, and positions where it can and where it cannot be dropped."""
    while True:
        size = draws.between(3, 5)
        sketch = Sketch(draws, way, size)
        filled = draws.some(square(size), size * size * 2 // 5)
        dots = moved(chain(draws, draws.between(3, 4))[0], (draws.between(-2, 2), draws.below(3)))
        fits: list[Cell] = []
        meets: list[Cell] = []
        leaves: list[Cell] = []
        for anchor in moved(square(size + 10), (-5, -5)):
            covered = moved(dots, anchor)
            off = {*covered}.difference(square(size))
            taken = [cell for cell in covered if cell in filled]
            if not off:
                (meets if taken else fits).append(anchor)
            elif len(off) == 1 and not taken:
                leaves.append(anchor)
        if len(fits) > 1 and meets and leaves:
            break
    fit, other = draws.some(fits, 2)
    hindered = [draws.choice(meets), draws.choice(leaves)]
    rest = {*square(size)} - {*moved(dots, fit)}
    return {
        "n": size,
        "filled": sketch.cells(filled),
        "all_but_fit": sketch.cells(sorted(rest)),
        "dots": sketch.dots(dots),
        "fit": sketch.cell(fit),
        "drops": sketch.cells([fit, *hindered]),
        "anchors": sketch.cells([fit, other, *hindered, *draws.some(meets + leaves, 1)]),
    }


def regions(draws: Draws, way: int) -> Scene:
    """Return a board with several regions of both kinds, and cells in the same or in other ones."""
    while True:
        size = draws.between(4, 5)
        filled = draws.some(square(size), size * size // 2)
        kinds = [areas(filled), areas({*square(size)} - {*filled})]
        if all(len(found) > 1 and len(found[0]) > 3 for found in kinds):
            break
    sketch = Sketch(draws, way, size)
    asked = []
    for largest, *others in kinds:
        same = [draws.some(largest, draws.between(2, 3)) for _ in range(2)]
        apart = [[*draws.some(largest, count), draws.choice(others)[0]] for count in (1, 2)]
        cells = [*same, *apart, draws.choice([[], largest[:1]])]
        asked.append([sketch.cells(each, KINDS[:3]) for each in cells])
    which = draws.choice(asked)
    return {
        "n": size,
        "filled": sketch.cells(filled),
        "filled_questions": sketch.listed(asked[0]),
        "empty_questions": sketch.listed(asked[1]),
        "same": which[0],
        "apart": which[2],
    }


def game(draws: Draws, way: int) -> Scene:
    """Return a small board with little room, blocks to play, and blocks that never fit."""
    size = 3 if draws.chance(0.8) else 4
    sketch = Sketch(draws, way, size)
    filled = draws.some(square(size), draws.between(size, 2 * size))
    shapes = [draws.choice(SHAPES), draws.choice(SHAPES[:3])]
    shapes.append(draws.choice([*shapes, *SHAPES]))
    by = (draws.between(-2, 2), draws.below(2)) if draws.chance(0.3) else (0, 0)
    blocks = [sketch.dots(moved(each, by)) for each in draws.shuffled(shapes)]
    long = sketch.dots((column, 0) for column in range(size + 1))
    return {
        "n": size,
        "filled": sketch.cells(filled),
        "blocks": in_order(blocks, "set"),
        "stuck": in_order([*blocks[:2], long], "set"),
        "never": in_order(draws.shuffled([sketch.dots(SHAPES[0]), long]), "set"),
        "starts": sketch.listed([0, 1, 2, 3, 5]),
    }


SCENES: Mapping[str, Callable[[Draws, int], Scene]] = {
    "Posities": plane,
    "Buren": plane,
    "Ketens": chained,
    "Blokken": block,
    "Vormen": block,
    "Borden": board,
    "Cellen": board,
    "Rijen en kolommen": full_lines,
    "Blokken laten vallen": dropped,
    "Gebieden": regions,
    "De hoogste score": game,
    "Gulzig spelen": game,
}
"""What draws the scenes of each section."""
