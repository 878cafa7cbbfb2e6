"""Which programs are found to be alike: disguised copies are, what everybody writes is not."""

from __future__ import annotations

import random
import re
import sys
from array import array
from pathlib import Path

import pytest
from compared_programs import CLASS, ORIGINAL, class_of, fingerprint, likeness

from grader.plugins.similarity.comparing import MIN_CLASS, Likeness, compare_programs
from grader.plugins.similarity.evidence import SharedEvidence
from grader.plugins.similarity.fingerprints import Word
from grader.plugins.similarity.reader import winnow
from grader.reporting.class_analysis import Failure
from grader.verdict import Verdict

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from disguises import DISGUISES, disguised

SHORT = (
    """\
def last(x, y):
    best = -1
    for i in range(len(y)):
        if y[i] == x:
            best = i
    return best
""",
    """\
def last(x, y):
    k = len(y) - 1
    while k >= 0 and y[k] != x:
        k -= 1
    return k
""",
    """\
def last(x, y):
    for i in range(len(y) - 1, -1, -1):
        if y[i] == x:
            return i
    return -1
""",
    """\
def last(x, y):
    return max([-1] + [i for i, e in enumerate(y) if e == x])
""",
    """\
def last(x, y):
    if x not in y:
        return -1
    return len(y) - 1 - y[::-1].index(x)
""",
)
"""Programs of a few lines, all right: there are not many ways to write them."""
COUNTING = {
    "a list": "for x in xs:\n        total += f(x, 3)",
    "a list by hand": "i = 0\n    while i < len(xs):\n        x = xs[i]\n        i += 1\n"
    "        total += f(x, 4)",
    "a copy by hand": "copy = list(xs)\n    i = 0\n    while len(copy) > i:\n        x = copy[i]\n"
    "        total = f(x, 5) + total\n        i = i + 1",
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_copy_in_disguise_stands_out(name: str) -> None:
    """It is the nearest of all to its original, and the two are an outlier of their class."""
    copy = disguised(CLASS[ORIGINAL], [name], 5)
    found = likeness(*CLASS, copy)
    pair = (ORIGINAL, len(CLASS))
    assert copy != CLASS[ORIGINAL]
    assert pair in {(each.first, each.second) for each in found.outliers}
    assert pair == (found.pairs[0].first, found.pairs[0].second)


def test_a_copy_that_is_no_python_stands_out() -> None:
    """Its definitions are read one by one: a slip of syntax hides one of them."""
    copy = CLASS[ORIGINAL].replace("        return", "        return = 1", 1)
    found = likeness(*CLASS, copy)
    assert [(ORIGINAL, len(CLASS))] == [(each.first, each.second) for each in found.outliers]


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguise_changes_no_answer(name: str) -> None:
    """What is compared in the benchmark are programs that do what their originals do."""
    for text in SHORT:
        answers = []
        for each in (text, disguised(text, [name], 1)):
            names: dict[str, object] = {}
            exec(compile(each, "program", "exec"), names)
            last = next(value for key, value in names.items() if key in {"last", *_called(each)})
            answers.append([last(2, [2, 1, 2, 1]), last(3, [1])])  # type: ignore[operator]
        assert [[2, -1], [2, -1]] == answers


def _called(text: str) -> set[str]:
    return set(re.findall(r"^def (\w+)", text, re.MULTILINE)[:1])


def test_right_programs_of_a_few_lines_never_stand_out() -> None:
    """Not even those that are the same but for names: there is little choice."""
    renamed = [disguised(text, ["names"], seed) for seed in range(6) for text in SHORT]
    assert [] == likeness(*SHORT, *renamed).outliers


def test_a_class_too_small_to_have_a_usual_has_no_outliers() -> None:
    """Copies in it are listed first all the same."""
    found = likeness(*CLASS[: MIN_CLASS - 2], CLASS[0])
    assert [] == found.outliers
    assert (0, MIN_CLASS - 2) == (found.pairs[0].first, found.pairs[0].second)
    assert found.pairs[0].part == pytest.approx(1)


def test_copies_of_one_program_are_a_group() -> None:
    """Whoever is connected by outliers is in it, and nobody else."""
    copies = [disguised(CLASS[ORIGINAL], [name], 1) for name in ("names", "order")]
    assert [[ORIGINAL, len(CLASS), len(CLASS) + 1]] == likeness(*CLASS, *copies).groups


def test_a_large_group_is_found() -> None:
    """A third of a class that has one program is no crowd to hide in."""
    chance = random.Random(1)
    own = [array("Q", (chance.randrange(1 << 30) for _ in range(150))) for _ in range(120)]
    copies = [array("Q", range(300))] * 60
    assert [list(range(120, 180))] == compare_programs([*own, *copies]).groups


def test_what_was_given_counts_for_nothing() -> None:
    """Programs that share it alone have nothing in common."""
    given = fingerprint(CLASS[ORIGINAL]).hashes
    found = compare_programs(
        [fingerprint(each).hashes for each in (*CLASS, CLASS[ORIGINAL])], given
    )
    assert (ORIGINAL, len(CLASS)) not in {(each.first, each.second) for each in found.outliers}


def test_an_empty_class_and_empty_programs_are_no_trouble() -> None:
    """There is nothing to say of them."""
    assert () == compare_programs([]).pairs
    assert [] == compare_programs([array("Q") for _ in range(20)]).outliers


@pytest.mark.parametrize("body", COUNTING.values(), ids=list(COUNTING))
def test_a_loop_that_counts_by_hand_is_one_over_items(body: str) -> None:
    """Whichever way it is written, the same fragments are found."""
    text = "def g(xs):\n    total = 0\n    {}\n    return total\n"
    plain = fingerprint(text.format(COUNTING["a list"]))
    assert {*plain.hashes} == {*fingerprint(text.format(body)).hashes}


def test_hashes_are_the_same_in_each_process() -> None:
    """Else nothing could be kept for a later year."""
    found = fingerprint("def f(x):\n    return g(x, 1) + [x]\n")
    assert [150449389346254, 224590609371787] == [*found.hashes]


def test_whatever_is_long_enough_and_in_both_is_kept_of_both() -> None:
    """That is what winnowing guarantees: of any window one hash is kept, and the same one."""
    chance = random.Random(3)
    shared = [(chance.randrange(1000), 1, 1) for _ in range(7)]
    kept = []
    for _ in range(2):
        before = [(chance.randrange(1000), 1, 1) for _ in range(chance.randrange(9))]
        kept.append({each[0] for each in winnow([*before, *shared, *before], 4)})
    assert kept[0] & kept[1] & {each[0] for each in shared}


def test_words_that_few_have_are_told() -> None:
    """A slip in a comment, a name; what others have, or was given, is not."""
    texts = [f"usual_name = {n}\n" for n in range(20)]
    texts += [f"usual_name = odd_nmae = {n}  # teh sum\n" for n in range(2)]
    read_all = [fingerprint(each) for each in texts]
    pair = Likeness(first=20, second=21, similarity=1, part=1, shared=1)
    found = SharedEvidence(read_all).words(pair)
    assert [Word("comment", "teh sum"), Word("name", "odd_nmae")] == [each[0] for each in found]
    assert [] == SharedEvidence(read_all, [read_all[20]]).words(pair)


def test_wrong_answers_that_few_give_are_told() -> None:
    """One that half of the class gives says nothing."""
    rare, usual = (
        Failure(
            key=key,
            code=f"f({key})",
            verdict=Verdict.WRONG,
            expected="1",
            got="2",
            line="",
            steps=1,
            session="",
        )
        for key in ("1", "2")
    )
    evidence = SharedEvidence(
        [fingerprint(each) for each in CLASS],
        failures={place: [usual, *[rare] * (place < 2)] for place in range(len(CLASS))},
    )
    pair = likeness(CLASS[0], CLASS[0]).pairs[0]
    assert [rare] == evidence.answers(pair)


def test_matches_name_the_lines_of_both() -> None:
    """A copy further down in its file is matched with where it came from."""
    found = class_of({"a": CLASS[ORIGINAL], "b": "\n" * 5 + CLASS[ORIGINAL], "c": CLASS[0]})
    (match, *_) = found.evidence.matches(found.likeness.pairs[0])
    assert {(file, line + 5) for file, line in match.first} == match.second


def test_lines_that_a_group_has_are_matched_in_a_small_class() -> None:
    """What all of a group have is as telling as what two have."""
    names = ("names", "order", "format")
    copies = [disguised(CLASS[ORIGINAL], [name], 1) for name in names]
    found = class_of({str(number): text for number, text in enumerate((*CLASS, *copies))})
    assert [] != found.evidence.matches(found.likeness.outliers[0])
