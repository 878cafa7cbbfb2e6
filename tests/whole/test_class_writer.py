"""Classes for benchmarks are as real ones are, and the same for the same seed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from class_writer import EXERCISES, HandIn, Kind, made_class, write_class
from real_class import differences

pytestmark = pytest.mark.corpus
NASTY = (Kind.LOOPS, Kind.PRINTS, Kind.HOGS)


def compiles(hand_in: HandIn) -> bool:
    """Return whether each file of a hand-in is a program in Python."""
    try:
        for data in hand_in.files.values():
            compile(data, "handed_in.py", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def origins(made: list[HandIn], *kinds: Kind) -> Iterator[str]:
    """Yield where the hand-ins of these kinds come from."""
    return (each.origin for each in made if each.kind in kinds)


@pytest.fixture(scope="module", params=EXERCISES)
def made(request: pytest.FixtureRequest) -> list[HandIn]:
    """Return a class of two hundred for each exercise."""
    return made_class(request.param, 200)


def test_kinds_have_their_shares(made: list[HandIn]) -> None:
    """A third is right, most are wrong, and few do not end or cannot be graded."""
    wanted = {"right": 60, "wrong": 120, "loops": 6, "prints": 4, "hogs": 4, "ungradable": 6}
    assert wanted == Counter(each.kind for each in made)


def test_programs_are_programs(made: list[HandIn]) -> None:
    """All but those that cannot be graded compile; of these the empty and the misplaced do."""
    broken = [each for each in made if not compiles(each)]
    assert {Kind.UNGRADABLE} == {each.kind for each in broken}
    assert {"syntax", "document"} == {each.origin.split()[0] for each in broken}
    assert {"empty", "other", "syntax", "document"} == {
        origin.split()[0] for origin in origins(made, Kind.UNGRADABLE)
    }


def test_nobody_hands_in_the_same(made: list[HandIn]) -> None:
    """What is remembered of one hand-in would speed up the next; only empty ones are alike."""
    written = [tuple(each.files.items()) for each in made if any(each.files.values())]
    assert len(written) == len(set(written))


def test_mistakes_are_of_many_kinds(made: list[HandIn]) -> None:
    """Each wrong program is there once before any is there again; nasty ones have several forms."""
    often = Counter(origins(made, Kind.WRONG))
    assert len(often) >= 100
    assert max(often.values()) - min(often.values()) <= 1
    for kind in NASTY:
        assert len({origin.split(" in ")[0] for origin in origins(made, kind)}) >= 3


def test_modules_of_a_hand_in_stay_together() -> None:
    """A hand-in of four modules has all of them, whatever is the matter with it."""
    for each in made_class("1010", 60):
        four = {"Position.py", "Block.py", "Board.py", "Game.py"}
        alone = each.origin.split()[0] in {"document", "other"}
        assert alone or four == set(each.files)


def test_a_class_is_the_same_for_the_same_seed() -> None:
    """So that two commits can be compared; another seed makes another class."""
    assert made_class("yinyang", 40, seed=3) == made_class("yinyang", 40, seed=3)
    assert made_class("yinyang", 40, seed=3) != made_class("yinyang", 40, seed=4)


def test_a_class_that_is_all_right(root: Path) -> None:
    """It has right solutions only, each once before any comes again."""
    made = made_class("yinyang", 30, right_only=True)
    assert {Kind.RIGHT} == {each.kind for each in made}
    names = [each.origin for each in made]
    right = [path.stem for path in (root / "reference/yinyang/correct").glob("*.py")]
    assert {*right, "reference"} - {"alle_viertallen", "leest_eigen_tekst"} == set(names)
    assert names[: len(set(names))] == names[len(set(names)) :][: len(set(names))]


def test_a_class_is_written_as_it_is_handed_in(tmp_path: Path) -> None:
    """One file lies by itself, several lie in a folder or, each fourth time, in an archive."""
    write_class(tmp_path / "one", "akari", 5, right_only=True)
    assert [f"student_0000{n}.py" for n in range(5)] == sorted(
        path.name for path in (tmp_path / "one").iterdir()
    )
    write_class(tmp_path / "four", "1010", 5, right_only=True)
    found = sorted(path.name for path in (tmp_path / "four").iterdir())
    assert ["student_00002", "student_00003.zip", "student_00004"] == found[2:]
    assert 4 == len([*(tmp_path / "four/student_00002").glob("*.py")])


def test_what_differs_between_two_runs_is_named() -> None:
    """Points, verdicts, and hand-ins that are others; nothing is said of what is the same."""

    def kept(score: float, origin: str = "reference", **verdicts: int) -> dict[str, object]:
        told = {"kind": "right", "origin": origin, "status": "graded"}
        return {**told, "score": score, "verdicts": verdicts}

    before = {"an": kept(2.0, WRONG=1), "bo": kept(1.0, PASSED=2), "jan": kept(1.0)}
    after = {"an": kept(2.0, WRONG=1), "bo": kept(0.5, PASSED=1, WRONG=1), "jan": kept(1, "other")}
    assert [
        "bo (right: reference): score 1.0 -> 0.5, PASSED 2 -> 1, WRONG 0 -> 1",
        "jan is not the same hand-in",
    ] == list(differences(before, after))
