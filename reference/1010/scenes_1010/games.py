"""Scenes about the game.

Boards and blocks are drawn until they have what a clause needs. What `play_greedy` does is asked
where all ways to play each group as well as possible come to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import TypeAlias

from grader.plugins.authoring.generating import Scene

from .boards import board, cells_of
from .cells import (
    Cells,
    Filled,
    best,
    cleared,
    greedy,
    group_scores,
    literal,
    moved,
    moves,
    played,
    square,
    step_by_step,
)
from .drawing import Drawing, dots_of, each

SHAPES: tuple[Cells, ...] = (
    ((0, 0),),
    ((0, 0), (1, 0)),
    ((0, 0), (0, 1)),
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 1), (1, 0), (1, 1)),
    ((0, 0), (0, 1), (1, 1)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
)
Game: TypeAlias = tuple[int, Filled, tuple[Cells, ...]]


class GameScenes(Drawing):
    """The scenes about the game."""

    module = "Game"

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.highest()
        yield from self.without_a_way()
        yield from self.around_a_search()
        yield from self.orders()
        yield from self.groups()
        yield from self.failing_groups()
        yield from self.around_a_game()

    def drawn(self, count: int, fits: Callable[..., bool], size: int = 3) -> Game:
        """Return a board without full lines, and so many blocks, that fit."""
        while True:
            cells = square(size)
            filled = frozenset(self.draws.some(cells, self.draws.between(1, 2 * size - 1)))
            blocks = tuple(self.draws.choice(SHAPES) for _ in range(count))
            if not cleared(size, filled)[0] and fits(size, filled, blocks):
                return size, filled, blocks

    def lines(self, game: Game) -> tuple[str, str]:
        """Return the lines that make a board and blocks."""
        size, filled, blocks = game
        made = ", ".join(literal(self.draws.shuffled(dots), "set") for dots in blocks)
        return (
            f"bord = {board(size, self.draws.shuffled(sorted(filled)))}",
            f"blokken = [Block.make_block(s) for s in [{made}]]",
        )

    def search(self, clause: str, game: Game, *, only_score: bool = True, start: int = 0) -> Scene:
        """Return a scene that searches for the highest score."""
        call = f"Game.highest_score(bord, blokken{f', {start}' if start else ''})"
        return self.ask(
            f"highest_score: {clause}", *self.lines(game), f"{call}[0]" if only_score else call
        )

    def count(self, large: int, small: int = 2) -> int:
        """Return how many blocks there are in the next game."""
        return small if self.small else large

    def highest(self) -> Iterator[Scene]:
        """Yield games, each of which needs something else for the highest score."""
        for lines in (2, 3, 4):
            yield self.search("meer lijnen tegelijk", self.crossing(lines))
        for _ in range(2):
            yield self.search("een blok", self.drawn(1, has_better_line))
            yield self.search("leegmaken tussendoor", self.drawn(self.count(3), needs_clearing))
            yield self.search("vooruitkijken", self.drawn(self.count(3), is_missed_step_by_step))
            yield self.search("doodlopende keuze", self.drawn(self.count(3), has_dead_end))
            game = self.drawn(self.count(3), has_one_way)
            yield self.search("plaatsen", game, only_score=False)
            game = self.drawn(self.count(2), has_ties)
            yield self.search("gelijke scores", game, only_score=False)
            yield self.search("meer blokken", self.drawn(self.count(4, 3), can_play))
            size, filled, blocks = self.drawn(2, has_one_way)
            away = tuple(
                moved(dots, by) for dots, by in zip(blocks, ((4, 1), (-1, -5)), strict=True)
            )
            yield self.search("ankerpunt buiten het bord", (size, filled, away), only_score=False)

    def crossing(self, lines: int) -> Game:
        """Return a board on which a block makes this many lines full at once."""
        size = max(3, lines)
        dots = ((0, 0), (1, 0), (0, 1), (1, 1))[: max(1, lines - 1) if lines < 4 else 4]
        at = (self.draws.between(1, size - 1), self.draws.between(1, size - 1))
        under = set(moved(dots, at))
        rows, columns = {row for _, row in under}, {column for column, _ in under}
        filled = {cell for cell in square(size) if cell[0] in columns or cell[1] in rows} - under
        return size, frozenset(filled), (dots,)

    def without_a_way(self) -> Iterator[Scene]:
        """Yield games in which not all blocks can be dropped, and games without blocks."""
        large = tuple((column, 0) for column in range(4))
        for number in range(2):
            size, filled, (dots,) = self.drawn(1, can_play)
            call = "Game.highest_score(bord, blokken)"
            for clause, both in (
                ("enkel het begin past", (dots, large)),
                ("het eerste past niet", (large, dots)),
            ):
                yield self.search(clause, (size, filled, both), only_score=False)
            stuck = self.drawn(2, is_stuck)
            yield self.search("samen passen ze niet", stuck, only_score=False)
            bord, blokken = self.lines(self.drawn(2, can_play))
            for clause, starts in (("zonder blokken", (2,)), ("start voorbij het einde", (3, 7))):
                values = each(
                    "Game.highest_score(bord, blokken, n)", "n", starts[number:] or starts
                )
                yield self.ask(
                    f"highest_score: {clause}", bord, blokken, f"[len({call}[1]), {values}]"
                )
            yield self.ask(
                "highest_score: zonder blokken",
                bord,
                f"[Game.highest_score(bord, {('[]', '()')[number]})]",
            )
            size, filled, blocks = self.drawn(2, has_one_way)
            yield self.search(
                "start", (size, filled, (large, *blocks)[number:]), only_score=False, start=1
            )
            for clause, code in (
                ("een tuppel", "Game.highest_score(bord, tuple(blokken))[0]"),
                ("bord blijft", f"[len({call}[1]), {cells_of('bord')}]"),
                ("blokken blijven", f"[len({call}[1]), [{dots_of('b')} for b in blokken]]"),
            ):
                game = self.drawn(2 + number, can_play if number else needs_clearing)
                yield self.ask(f"highest_score: {clause}", *self.lines(game), code)

    def around_a_search(self) -> Iterator[Scene]:
        """Yield two searches after each other, on one board or with the same blocks."""
        for _ in range(2):
            game = self.drawn(2, lambda *game: can_play(*game) and differs_by_order(*game))
            yield self.ask(
                "highest_score: elke vraag opnieuw",
                *self.lines(game),
                "[Game.highest_score(bord, b)[0] for b in [blokken, blokken[::-1], blokken]]",
            )

    def greedy(
        self, clause: str, game: Game, code: str = "Game.play_greedy(bord, blokken)"
    ) -> Scene:
        """Return a scene that plays a game group by group."""
        return self.ask(f"play_greedy: {clause}", *self.lines(game), code)

    def orders(self) -> Iterator[Scene]:
        """Yield groups of which one order is better than all others, each order in turn."""
        if self.small:
            yield from self.all_orders()
        for wanted in () if self.small else range(6):
            size, filled, blocks = self.drawn(3, has_best_order)
            yield self.greedy(
                "elke volgorde", (size, filled, arranged(size, filled, blocks, wanted))
            )
        for wanted in (4, 5):
            game = self.drawn(3, lambda *game: has_best_order(*game) and are_alike(game[2]))
            yield self.greedy("evenveel stippen", (*game[:2], arranged(*game, wanted)))
        for wanted in (2, 5):
            size, filled, first = self.drawn(3, ends_in_one_way)
            _, (end,) = greedy(size, filled, first)
            count = 2 if self.small else 3
            then = self.second(size, end, count)
            then = arranged(size, end, then, min(wanted, 2 * count - 3 if count < 3 else wanted))
            yield self.greedy("volgorde in een latere groep", (size, filled, (*first, *then)))

    def all_orders(self) -> Iterator[Scene]:
        """Yield groups in all of their orders, which shows who forgets any of them."""
        for _ in range(2):
            game = self.drawn(3, has_best_order)
            filled = board(game[0], sorted(game[1]))
            yield self.ask(
                "play_greedy: elke volgorde",
                "import itertools",
                self.lines(game)[1],
                f"[Game.play_greedy({filled}, b) for b in itertools.permutations(blokken)]",
            )

    def second(self, size: int, filled: Filled, count: int) -> tuple[Cells, ...]:
        """Return a group that has a best order on this board."""
        while True:
            group = tuple(self.draws.choice(SHAPES) for _ in range(count))
            if has_best_order(size, filled, group):
                return group

    def groups(self) -> Iterator[Scene]:
        """Yield games whose totals show what is a group, and that no group looks ahead."""
        for number in range(2):
            game = self.drawn(4, shows_groups)
            yield self.greedy("groepen van drie", game)
            game = self.drawn(4 + number, looks_not_ahead)
            yield self.greedy("een groep kijkt niet vooruit", game)
            game = self.drawn(1 + number, ends_in_one_way)
            yield self.greedy("een kleine groep", game)
            game = self.drawn(4 + number, is_settled)
            yield self.greedy("som van alle groepen", game)
            yield self.greedy("gelijke blokken", self.drawn(3, (has_twins, is_repeating)[number]))
            game = self.drawn(2 + number, some_orders_fail)
            yield self.greedy("niet elke volgorde lukt", game)

    def failing_groups(self) -> Iterator[Scene]:
        """Yield games with a group that cannot be dropped."""
        call = "Game.play_greedy(bord, blokken)"
        look = f"[{call}, {cells_of('bord')}]"
        # Who always says that nothing fits should not get away with it.
        fits = "Game.play_greedy(Board.make_board(3), blokken[:1]) is None"
        stuck = call if self.small else f"[{call}, {fits}]"
        empty = look if self.small else f"[{look}, {fits}]"
        for number in range(2):
            game = self.drawn(2, is_stuck_in_any_order)
            yield self.greedy("een groep past niet", game, stuck)
            yield self.greedy("van die groep wordt niets geplaatst", game, empty)
            game = self.drawn(4 + number, stops_later)
            yield self.greedy("een latere groep past niet", game, stuck)
            yield self.greedy("eerdere groepen blijven liggen", game, look)

    def around_a_game(self) -> Iterator[Scene]:
        """Yield what a game does to the board, and not to the blocks."""
        call = "Game.play_greedy(bord, blokken)"
        for number in range(2):
            game = self.drawn(1 + 2 * number, leaves_cells)
            yield self.greedy("op het bord zelf", game, f"[{call}] and {cells_of('bord')}")
            bord, blokken = self.lines(self.drawn(2, can_play))
            nothing = f"[Game.play_greedy(bord, {('[]', '()')[number]}), {cells_of('bord')}]"
            yield self.ask("play_greedy: zonder blokken", bord, nothing)
            yield self.ask(
                "play_greedy: een tuppel",
                *self.lines(self.drawn(3 + number, is_settled)),
                "Game.play_greedy(bord, tuple(blokken))",
            )
            yield self.ask(
                "play_greedy: blokken blijven",
                bord,
                blokken,
                f"[{call} is None, [{dots_of('b')} for b in blokken]]",
            )


def can_play(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether all blocks can be dropped, with a line that is full at some time."""
    score = best(size, filled, blocks)[0]
    return score is not None and score > sum(map(len, blocks))


def has_better_line(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the first place of the first block that makes a line full is not the best."""
    dots = blocks[0]
    scores = [score for _, score, _ in moves(size, filled, dots) if score > len(dots)]
    return len(scores) > 1 and scores[0] < max(scores)


def needs_clearing(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether there are more dots and filled cells than the board has."""
    return can_play(size, filled, blocks) and len(filled) + sum(map(len, blocks)) > size * size


def is_missed_step_by_step(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether taking the best move each time is possible, and not best."""
    score = step_by_step(size, filled, blocks)
    return score is not None and score < (best(size, filled, blocks)[0] or 0)


def has_dead_end(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether there is a way, and who takes the first or the best move does not find it."""
    by_best = step_by_step(size, filled, blocks)
    return (
        by_best is None
        and is_first_way_stuck(size, filled, blocks)
        and can_play(size, filled, blocks)
    )


def is_first_way_stuck(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether who takes the first place each time cannot drop all blocks."""
    for dots in blocks:
        if not (found := moves(size, filled, dots)):
            return True
        filled = found[0][2]
    return False


def has_one_way(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether one list of positions has the highest score, and it is not the first one."""
    return can_play(size, filled, blocks) and best(size, filled, blocks)[1] == 1


def has_ties(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether several lists have the highest score; rows and columns differ in order."""
    score, ways, _ = best(size, filled, blocks)
    if score is None or not 2 <= ways <= 9:
        return False
    tops = [
        position
        for position, gained, after in moves(size, filled, blocks[0])
        if gained + (best(size, after, blocks[1:])[0] or -gained) == score
    ]
    return min(tops) != min(tops, key=lambda cell: cell[::-1]) if tops else False


def is_stuck(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether each block can be dropped by itself, and not all of them in this order."""
    alone = all(moves(size, filled, dots) for dots in blocks)
    return alone and best(size, filled, blocks)[0] is None


def is_stuck_in_any_order(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether each block can be dropped by itself, and not all of them in any order."""
    return is_stuck(size, filled, blocks) and greedy(size, filled, blocks)[0] is None


def differs_by_order(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the order of the blocks matters."""
    return best(size, filled, blocks)[0] != best(size, filled, blocks[::-1])[0]


def has_best_order(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether just one order has the highest score, and others can be played too."""
    scores = [-1 if each is None else each for each in group_scores(size, filled, blocks)]
    return max(scores) > 0 and scores.count(max(scores)) == 1


def arranged(
    size: int, filled: Filled, blocks: tuple[Cells, ...], wanted: int
) -> tuple[Cells, ...]:
    """Return the blocks in such an order that the best of their orders is number `wanted`."""
    for order in permutations(blocks):
        scores = [-1 if each is None else each for each in group_scores(size, filled, order)]
        if scores.index(max(scores)) == wanted:
            return order
    raise ValueError("these blocks have no best order")


def are_alike(blocks: Sequence[Cells]) -> bool:
    """Return whether all blocks have as many dots, and no two are the same."""
    return len({len(dots) for dots in blocks}) == 1 and len({*blocks}) == len(blocks)


def settled_total(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> int | None:
    """Return the total that all best ways to play come to, if they clear a line, or None."""
    total, *others = {total for total, _ in played(size, filled, blocks)}
    if others or total is None:
        return None
    return total if total > sum(map(len, blocks)) else None


def is_settled(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether all best ways to play come to one total, with a line that is cleared."""
    return settled_total(size, filled, blocks) is not None


def has_twins(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the first two blocks are the same."""
    return blocks[0] == blocks[1] and is_settled(size, filled, blocks)


def is_repeating(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the first and the last block are the same."""
    return blocks[0] == blocks[-1] and is_settled(size, filled, blocks)


def ends_in_one_way(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the group can be dropped, and ends with one board only."""
    score, ends = greedy(size, filled, blocks)
    return score is not None and len(ends) == 1 and score > sum(map(len, blocks))


def leaves_cells(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the one board that a group ends with has filled cells, other than before."""
    if not ends_in_one_way(size, filled, blocks):
        return False
    _, (end,) = greedy(size, filled, blocks)
    return bool(end) and end != filled


def shows_groups(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether groups of two, or one group of all blocks, come to another total."""
    total = settled_total(size, filled, blocks)
    if total is None:
        return False
    score, ends = greedy(size, filled, blocks[:2])
    rests = [greedy(size, end, blocks[2:])[0] for end in ends]
    pairs = {None if score is None or rest is None else score + rest for rest in rests}
    return total not in pairs


def looks_not_ahead(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the best way for all blocks in this order is better than group by group."""
    total = settled_total(size, filled, blocks)
    if total is None:
        return False
    return (best(size, filled, blocks)[0] or 0) > total


def some_orders_fail(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the given order cannot be played, and another one can."""
    scores = group_scores(size, filled, blocks)
    return scores[0] is None and any(scores)


def stops_later(size: int, filled: Filled, blocks: tuple[Cells, ...]) -> bool:
    """Return whether the first group ends with one board, on which the next group is stuck."""
    if not leaves_cells(size, filled, blocks[:3]):
        return False
    _, (end,) = greedy(size, filled, blocks[:3])
    if len(blocks) == 4:
        return not moves(size, end, blocks[3])
    return is_stuck_in_any_order(size, end, blocks[3:])
