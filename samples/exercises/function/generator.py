"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "to_roman": PlacedClause(group="to_roman", quote="must return the Roman numeral for `number`"),
    "to_roman: subtracted": PlacedClause(
        group="to_roman", quote="A smaller letter before a larger one is subtracted"
    ),
    "to_roman: refused": PlacedClause(
        group="to_roman-refused",
        quote="For any other number the function must raise a `ValueError`",
        refused=True,
    ),
    "from_roman": PlacedClause(
        group="from_roman", quote="must return the number that the Roman numeral `text` stands for"
    ),
}
_SUBTRACTED = {4: "IV", 9: "IX", 40: "XL", 90: "XC", 400: "CD", 900: "CM"}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on: each bound, each pair of letters, and numbers of all lengths."""
    numbers = [draws.between(low, high) for low, high in ((2, 39), (41, 399), (401, 3998))]
    yield Scene(
        topic="Numbers of all lengths",
        lines="\n".join(f"to_roman({number})  # to_roman" for number in (*numbers, 1, 3999)),
    )
    yield Scene(
        topic="Letters that are subtracted",
        lines="\n".join(f"to_roman({number})  # to_roman: subtracted" for number in _SUBTRACTED),
    )
    yield Scene(
        topic="Beyond the bounds",
        lines="\n".join(
            f"to_roman({number})  # to_roman: refused"
            for number in (0, -draws.between(1, 99), 4000, draws.between(4001, 9999))
        ),
    )
    yield Scene(
        topic="And back",
        lines="\n".join(
            f"from_roman({text!r})  # from_roman"
            for text in (*_SUBTRACTED.values(), "M" * draws.between(1, 3) + "DCLXVI", "I", "III")
        ),
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    yield Scene(topic="Small", lines=f"to_roman({draws.between(2, 3)})  # to_roman")
    for number, text in _SUBTRACTED.items():
        yield Scene(topic=text, lines=f"to_roman({1000 + number})  # to_roman: subtracted")
        yield Scene(topic=f"{text} back", lines=f"from_roman({'M' + text!r})  # from_roman")
    for number in (-1, 4001):
        yield Scene(topic="Refused", lines=f"to_roman({number})  # to_roman: refused")


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
