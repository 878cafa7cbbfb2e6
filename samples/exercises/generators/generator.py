"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "running_total": PlacedClause(
        group="running_total", quote="must yield the sum of the numbers so far"
    ),
    "running_total: no more": PlacedClause(
        group="running_total", quote="they may ask for no more values than they need"
    ),
    "take": PlacedClause(
        group="take", quote="must yield the first `count` of `values`, or all if there are fewer"
    ),
    "take: no more": PlacedClause(
        group="take", quote="It must not ask for a value that it does not yield"
    ),
    "without_repeats": PlacedClause(
        group="without_repeats", quote="without those that are equal to the one right before"
    ),
}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on, which ask each clause in several ways."""
    one, other = draws.between(2, 9), draws.between(11, 19)
    yield Scene(
        topic="Sums",
        lines=f"""
list(running_total([{one}, {-other}, {other}, 0]))  # running_total
list(running_total(iter([{other}])))  # running_total
numbers = iter([{one}, {other}, {one}])
totals = running_total(numbers)
[next(totals), next(numbers), next(totals)]  # running_total: no more
more = iter(range({other}))
first = running_total(more)
[next(more), next(first), next(more)]  # running_total: no more
""",
    )
    yield Scene(
        topic="The first few",
        lines=f"""
list(take(0, [{one}]))  # take
list(take({one}, range({other})))  # take
list(take({other}, range({one})))  # take
values = iter(range({other}))
[list(take({one}, values)), next(values)]  # take: no more
letters = iter('abc')
[list(take(0, letters)), next(letters)]  # take: no more
""",
    )
    yield Scene(
        topic="Repeats",
        lines=f"""
list(without_repeats([]))  # without_repeats
list(without_repeats([None, None, {one}]))  # without_repeats
list(without_repeats([{one}, {other}, {one}, {one}, {other}]))  # without_repeats
list(without_repeats('aab' * {one}))  # without_repeats
from itertools import cycle
list(take({one}, without_repeats(cycle([{one}, {one}, {other}]))))  # without_repeats
""",
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    number = draws.between(2, 9)
    for topic, lines in {
        "Two numbers": f"list(running_total([{number}, {number}]))  # running_total",
        "One number at a time": (
            f"numbers = iter([{number}, 1])\ntotals = running_total(numbers)\n"
            "[next(totals), next(numbers)]  # running_total: no more"
        ),
        "Fewer than asked": f"list(take({number}, 'a'))  # take",
        "Nothing": "list(take(0, 'a'))  # take",
        "One, and no more": (
            "values = iter('ab')\n[list(take(1, values)), next(values)]  # take: no more"
        ),
        "Once more, later": f"list(without_repeats([{number}, 0, {number}]))  # without_repeats",
        "None": f"list(without_repeats([None, {number}]))  # without_repeats",
    }.items():
        yield Scene(topic=topic, lines=lines)


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
