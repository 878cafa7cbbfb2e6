"""Hidden sessions: what is done is drawn here, what it gives is what the reference gives."""

from collections.abc import Iterator

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

CLAUSES = {
    "read_marks": PlacedClause(
        group="read_marks", quote="must return a dictionary with a dictionary for each student"
    ),
    "average": PlacedClause(
        group="average", quote="must return the average of all marks in that column"
    ),
    "average: refused": PlacedClause(
        group="average-refused", quote="it must raise a `ValueError`", refused=True
    ),
    "ranking": PlacedClause(group="ranking", quote="the highest total of marks first"),
    "ranking: alphabet": PlacedClause(
        group="ranking", quote="the name that comes first in the alphabet comes first"
    ),
}


def scenes(draws: Draws) -> Iterator[Scene]:
    """Yield sessions to grade on, which ask each clause in several ways."""
    low, high = draws.between(1, 9), draws.between(11, 19)
    yield Scene(
        topic="Another file",
        lines="""
read_marks('resit.csv')  # read_marks
average(read_marks('resit.csv'), 'resit')  # average
average(read_marks('resit.csv'), 'exam')  # average: refused
ranking(read_marks('resit.csv'))  # ranking
len(read_marks('marks.csv'))  # read_marks
""",
    )
    yield Scene(
        topic="Marks that were not read from a file",
        lines=f"""
marks = {{'Zed': {{'a': {low}, 'b': {high}}}, 'Amy': {{'b': {low + high}}}, 'Joe': {{}}}}
average(marks, 'b')  # average
average(marks, 'a')  # average
average(marks, 'c')  # average: refused
average({{}}, 'a')  # average: refused
ranking(marks)  # ranking: alphabet
ranking({{'Bo': {{'a': {low}}}, 'Al': {{'a': {high}}}}})  # ranking
ranking({{'Cy': {{'a': {high}}}, 'Bo': {{}}, 'Al': {{}}}})  # ranking: alphabet
""",
    )


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small sessions to show to students who fail: these count for nothing."""
    mark = draws.between(1, 19)
    for topic, lines in {
        "A mark that is not there": "read_marks('resit.csv')['Cas']  # read_marks",
        "An average": f"average({{'Al': {{'a': {mark}}}, 'Bo': {{}}}}, 'a')  # average",
        "No marks": "average({'Al': {}}, 'a')  # average: refused",
        "The best first": f"ranking({{'Al': {{}}, 'Bo': {{'a': {mark}}}}})  # ranking",
        "The same total": "ranking({'Bo': {}, 'Al': {}})  # ranking: alphabet",
    }.items():
        yield Scene(topic=topic, lines=lines)


GENERATOR = Generator(version=1, clauses=CLAUSES, scenes=scenes, examples=examples)
