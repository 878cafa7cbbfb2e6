"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "standardised": PlacedClause(
        group="standardised", quote="divided by the standard deviation of all"
    ),
    "standardised: refused": PlacedClause(
        group="standardised-refused", quote="it must raise a `ValueError`", refused=True
    ),
    "outliers": PlacedClause(
        group="outliers", quote="more than `bound` away from zero, in their order"
    ),
    "moving_mean": PlacedClause(
        group="moving_mean", quote="the mean of each `width` values that follow each other"
    ),
}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on, which ask each clause in several ways."""
    low, high = draws.between(1, 9), draws.between(50, 99)
    yield Scene(
        topic="On both sides",
        lines=f"""
import numpy as np
values = np.array([{low}.0] * 8 + [{high}.0, {low}.0, {-high}.0])
standardised(np.array([{low}.0, {low}.0, {high}.0, {high}.0]))  # standardised
standardised(np.array([{-low}.0, {low}.0, {high}.0]))  # standardised
outliers(values, 1.5)  # outliers
outliers(values, 9.0)  # outliers
outliers(-values, 1.5)  # outliers
outliers(np.array([{low}.0] * 5), 1.0)  # standardised: refused
standardised(np.array([{high}.0]))  # standardised: refused
standardised(np.zeros({low}))  # standardised: refused
""",
    )
    yield Scene(
        topic="Windows of all widths",
        lines=f"""
import numpy as np
values = np.array([{low}.0, {high}.0, 0.0, {-low}.0, 4.0, 8.0])
moving_mean(values, 2)  # moving_mean
moving_mean(values, 4)  # moving_mean
moving_mean(values, 6)  # moving_mean
moving_mean(values, 1)  # moving_mean
""",
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    number = draws.between(10, 99)
    for topic, code in {
        "Far above": f"outliers(np.array([0.0, 0.0, 0.0, 0.0, 0.0, {number}.0]), 2.0)  # outliers",
        "Far below": f"outliers(np.array([0.0, 0.0, 0.0, 0.0, 0.0, {-number}.0]), 2.0)  # outliers",
        "Two values": f"standardised(np.array([0.0, {number}.0]))  # standardised",
        "One window": f"moving_mean(np.array([{number}.0, 0.0]), 2)  # moving_mean",
        "All the same": f"standardised(np.array([{number}.0] * 2))  # standardised: refused",
    }.items():
        yield Scene(topic=topic, lines=f"import numpy as np\n{code}")


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
