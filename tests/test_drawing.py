"""What probes draw for a submission."""

from __future__ import annotations

from grader.judging.probing import DRAWN_BELOW, DRAWS, draw_numbers, probe_seed


def test_numbers_are_those_of_the_documentation() -> None:
    """They are so many, none is too large, and hardly one comes twice."""
    numbers = draw_numbers("seed")
    assert (1_000, 1_000_000) == (DRAWS, DRAWN_BELOW)
    assert DRAWS == len(numbers)
    assert all(0 <= number < DRAWN_BELOW for number in numbers)
    assert len(set(numbers)) > 0.99 * DRAWS


def test_seed_follows_from_the_secret_and_from_all_that_was_handed_in() -> None:
    """It is the same however files are ordered, and another one where any of it differs."""
    seed = probe_seed("secret", {"a": "1", "b": "2"})
    assert seed == probe_seed("secret", {"b": "2", "a": "1"})
    others = [
        probe_seed("", {"a": "1", "b": "2"}),
        probe_seed("secret", {"a": "1", "b": "3"}),
        probe_seed("secret", {"a": "1", "c": "2"}),
        probe_seed("secret", {"a": "1"}),
    ]
    assert 5 == len({seed, *others})
