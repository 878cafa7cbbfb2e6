"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "Ratio: refused": PlacedClause(
        group="Ratio-refused", quote="a `ZeroDivisionError` must be raised", refused=True
    ),
    "above: lowest terms": PlacedClause(group="above", quote="must keep the ratio in lowest terms"),
    "below: positive": PlacedClause(group="below", quote="the part below the line positive"),
    "str": PlacedClause(group="str", quote="must return both parts with a `/` between them"),
    "add, mul": PlacedClause(group="Ratio-str", quote="must return a new `Ratio`"),
    "eq": PlacedClause(group="Ratio-eq", quote="must say whether both are the same number"),
    "lt": PlacedClause(group="Ratio-lt", quote="must say whether the first one is less"),
    "str: kept": PlacedClause(group="str", quote="No operator may change a ratio"),
}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on, which ask each clause in several ways."""
    above, below, shared = draws.between(2, 9), draws.between(2, 9), draws.between(2, 5)
    yield Scene(
        topic="Lowest terms",
        lines=f"""
ratio = Ratio({above * shared}, {below * shared})
ratio.above  # above: lowest terms
ratio.below  # below: positive
str(ratio)  # str
negative = Ratio({above}, {-below})
negative.above  # above: lowest terms
negative.below  # below: positive
str(negative)  # str
str(Ratio(0, {-below}))  # str
str(Ratio({-above * shared}, {-shared}))  # str
""",
    )
    yield Scene(
        topic="Operators leave a ratio as it is",
        lines=f"""
one = Ratio({above}, {below + above})
other = Ratio({-shared}, {below})
total = one + other
product = one * {shared}
str(one)  # str: kept
str(other)  # str: kept
str(total)  # add, mul
str(product)  # add, mul
str(one + one + {shared})  # add, mul
str(one * other * 0)  # add, mul
""",
    )
    yield Scene(
        topic="Compared",
        lines=f"""
one = Ratio({above}, {below})
one == Ratio({above * shared}, {below * shared})  # eq
one == Ratio({-above}, {-below})  # eq
one == Ratio({-above}, {below})  # eq
one == Ratio({above}, {below + 1})  # eq
Ratio({above}) == {above}  # eq
one < Ratio({above + 1}, {below})  # lt
one < Ratio({above}, {below + 1})  # lt
one < Ratio({above}, {below})  # lt
Ratio({-above}, {below}) < one  # lt
one < Ratio({-above - 1}, {below})  # lt
""",
    )
    yield Scene(
        topic="Nothing below the line",
        lines=f"""
Ratio({above}, 0)  # Ratio: refused
Ratio(0, 0)  # Ratio: refused
str(Ratio(0, {above}))  # str
""",
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    number = draws.between(2, 5)
    for topic, lines in {
        "Lowest terms": f"Ratio({2 * number}, {4 * number}).above  # above: lowest terms",
        "Below": f"Ratio(1, {-number}).below  # below: positive",
        "Text": f"str(Ratio(1, {number}))  # str",
        "A sum": f"str(Ratio(1, {number}) + 1)  # add, mul",
        "A product": f"str(Ratio(1, 2) * {2 * number})  # add, mul",
        "The same": f"Ratio(1, {number}) == Ratio(2, {2 * number})  # eq",
        "Not the same": f"Ratio(1, {number}) == Ratio(2, {number})  # eq",
        "Less": f"Ratio(1, {number + 1}) < Ratio(1, {number})  # lt",
        "Not less": f"Ratio(1, {number}) < Ratio(1, {number})  # lt",
        "Kept": f"ratio = Ratio(1, {number})\nsum = ratio + ratio\nstr(ratio)  # str: kept",
        "Refused": f"Ratio({number}, 0)  # Ratio: refused",
    }.items():
        yield Scene(topic=topic, lines=lines)


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
