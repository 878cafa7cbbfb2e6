"""Item analysis: figures worked out by hand, and what is said where there is nothing to go by."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping

import pytest

from grader.reporting.class_analysis import (
    Difficulty,
    Discrimination,
    ItemFigures,
    Shares,
    analysis,
)


def item(columns: Mapping[str, Shares], title: str) -> ItemFigures:
    """Return the item called `title` of the analysis of `columns`."""
    (one,) = [each for each in analysis(columns).items if each.title == title]
    return one


def shaped(share: float | None = 0.5, correlation: float | None = 0.5) -> ItemFigures:
    """Return an item with these figures."""
    return ItemFigures(
        title="x", tried=9, whole=3, share=share, correlation=correlation, is_upside_down=False
    )


def test_discrimination_leaves_the_item_itself_out() -> None:
    """An item that has nothing to do with the others has nothing of its own total either."""
    columns = {"a": [1.0, 0.0, 1.0, 0.0], "b": [1.0, 1.0, 0.0, 0.0], "c": [1.0, 1.0, 0.0, 0.0]}
    assert 0.0 == item(columns, "a").correlation
    b = item(columns, "b").correlation
    assert b is not None
    assert b == pytest.approx(statistics.correlation([1, 1, 0, 0], [2, 1, 1, 0]))


def test_figures_are_those_of_the_library() -> None:
    """On any shares the correlation is Pearson's with the sum of the others."""
    chance = random.Random(7)
    columns = {name: [chance.randrange(5) / 4 for _ in range(60)] for name in "abcd"}
    for name, shares in columns.items():
        rest = [sum(columns[other][n] for other in columns if other != name) for n in range(60)]
        found = item(columns, name)
        assert found.correlation == pytest.approx(statistics.correlation(shares, rest), abs=1e-6)
        assert found.share == pytest.approx(statistics.fmean(shares))


def test_what_did_not_run_has_no_share() -> None:
    """Who never came to an item makes it neither harder nor easier, and is not counted."""
    found = item({"a": [1.0, None, 0.5, None], "b": [1.0, 0.0, 1.0, 0.0]}, "a")
    assert (2, 1, 0.75) == (found.tried, found.whole, found.share)


def test_item_that_nobody_came_to_has_no_figures() -> None:
    """It is neither dead nor suspect, for nothing is known of it."""
    found = item({"a": [None, None], "b": [1.0, 0.0]}, "a")
    assert (0, None, None) == (found.tried, found.share, found.difficulty)
    assert Discrimination.UNKNOWN is found.discrimination
    assert not found.is_dead
    assert not found.is_suspect


@pytest.mark.parametrize(
    ("share", "word"),
    [
        (1.0, Difficulty.EASY),
        (0.81, Difficulty.EASY),
        (0.8, Difficulty.MEDIUM),
        (0.3, Difficulty.MEDIUM),
        (0.29, Difficulty.HARD),
        (0.0, Difficulty.HARD),
    ],
)
def test_difficulty_in_a_word(share: float, word: Difficulty) -> None:
    """The cut-offs themselves are medium."""
    assert word is shaped(share=share).difficulty


@pytest.mark.parametrize(
    ("correlation", "word"),
    [
        (0.31, Discrimination.GOOD),
        (0.3, Discrimination.FAIR),
        (0.1, Discrimination.FAIR),
        (0.09, Discrimination.POOR),
        (-1.0, Discrimination.POOR),
        (None, Discrimination.UNKNOWN),
    ],
)
def test_discrimination_in_a_word(correlation: float | None, word: Discrimination) -> None:
    """The cut-offs themselves are fair; only poor ones are suspect."""
    found = shaped(correlation=correlation)
    assert word is found.discrimination
    assert found.is_suspect is (word is Discrimination.POOR)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_item_with_the_same_for_all_is_dead(share: float) -> None:
    """Its discrimination cannot be calculated, and is no reason to suspect it."""
    found = analysis({"a": [share] * 6, "b": [1.0, 0.0] * 3})
    assert ["a"] == [one.title for one in found.dead]
    assert [] == [one.title for one in found.suspect if one.title == "a"]
    assert Discrimination.UNKNOWN is found.dead[0].discrimination


def test_half_for_all_is_not_dead() -> None:
    """It has something in it that nobody has right, and something that all have."""
    assert () == analysis({"a": [0.5] * 6, "b": [1.0, 0.0] * 3}).dead


def test_item_that_the_best_miss_is_suspect() -> None:
    """Where the weakest quarter has more of it than the best, the test may be wrong."""
    others: dict[str, Shares] = {name: [n / 7 for n in range(8)] for name in "bcd"}
    found = analysis({"a": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], **others})
    assert ["a"] == [one.title for one in found.suspect]
    assert found.suspect[0].is_upside_down
    assert not any(one.is_upside_down for one in found.items[1:])


def test_quarters_of_equals_are_not_compared() -> None:
    """Where all have as much elsewhere there is no best quarter."""
    found = item({"a": [1.0, 0.0, 1.0, 0.0], "b": [1.0] * 4}, "a")
    assert not found.is_upside_down
    assert found.correlation is None


def test_the_worst_of_the_suspects_comes_first() -> None:
    """They are in the order of their discrimination."""
    up = [n / 9 for n in range(10)]
    columns: dict[str, Shares] = {
        "flat": [1.0, 0.0] * 5,
        "down": up[::-1],
        **dict.fromkeys("pqrs", up),
    }
    assert ["down", "flat"] == [
        one.title for one in analysis(columns).suspect if one.title in {"down", "flat"}
    ]


def test_items_alike_for_everybody_are_duplicates() -> None:
    """Also what did not run has to be the same; items without any difference are none."""
    found = analysis(
        {
            "a": [1.0, None, 0.5],
            "b": [1.0, 0.0, 0.5],
            "c": [1.0, None, 0.5],
            "d": [1.0, 1.0, 1.0],
            "e": [1.0, 1.0, 1.0],
        }
    )
    assert (("a", "c"),) == found.duplicates


@pytest.mark.parametrize(
    ("count", "has_figures", "is_sure"),
    [(0, False, False), (4, False, False), (5, True, False), (19, True, False), (20, True, True)],
)
def test_few_submissions_say_little(count: int, has_figures: bool, is_sure: bool) -> None:
    """The analysis knows whether there is anything to go by."""
    found = analysis({"a": [1.0] * count})
    assert (count, has_figures, is_sure) == (found.count, found.has_figures, found.is_sure)


def test_nothing_has_an_analysis() -> None:
    """An exercise without groups is no error."""
    found = analysis({})
    assert (0, (), ()) == (found.count, found.items, found.duplicates)


def test_sums_of_shares_do_not_vary_by_rounding() -> None:
    """Thirds and tenths that come to the same are the same."""
    columns: dict[str, Shares] = {
        "a": [0.1, 0.2, 0.3, 0.6],
        "b": [0.2, 0.1, 0.6, 0.3],
        "c": [1.0, 0.0, 1.0, 0.0],
    }
    rest_is_flat = {"c": columns["c"], "a": [0.1, 0.2, 0.7, 0.4], "b": [0.7, 0.6, 0.1, 0.4]}
    assert item(rest_is_flat, "c").correlation is None
