"""Generating: sessions are chosen, get alternatives and siblings, and are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from small_exercise import COUNTER, FORGETS, evaluator, small_exercise

from grader.authoring.auditing.mutant_runner import MutantRunner
from grader.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.authoring.generating import Draws, Generator, HiddenGroup, Line, Script
from grader.authoring.generating.candidates import suite_of
from grader.authoring.generating.evaluator import ENOUGH_KILLS, Document, Evaluator
from grader.authoring.generating.freezing import entries_of, hidden_document
from grader.authoring.generating.generation import SessionPool, generate
from grader.authoring.generating.siblings import proposals, siblings
from grader.errors import SuiteError
from grader.sandbox.zygote import Zygote
from grader.suite.model import Generated

pytestmark = pytest.mark.authoring

OVERWRITES: Final = COUNTER.replace("self.value += amount", "self.value = amount")
REFUSES: Final = COUNTER.replace(" > self.", " >= self.")


def wrong(**sources: str) -> list[WrongProgram]:
    """Return wrong programs by their names."""
    return [
        WrongProgram(id=name, kind=WrongProgramSource.SAMPLE, sources={"counter": source})
        for name, source in sources.items()
    ]


WRONG: Final = wrong(overwrites=OVERWRITES, refuses=REFUSES, forgets=FORGETS)


def shop(folder: Path, zygote: Zygote, **facts: Any) -> Evaluator:
    """Return a evaluator of the tiny exercise with a generator of its own, by its `facts`."""
    defaults = {"version": 1, "session": lambda *_: looks(), "symmetries": 1, "directed": list}
    work = evaluator(small_exercise(folder / "small"), zygote, facts.pop("programs", WRONG))
    generator = Generator(**{**defaults, **facts})
    public = folder / "small/testsuites/counter.yaml"
    return replace(
        work, generator=generator, suite_of=lambda documents: suite_of(public, generator, documents)
    )


def looks(*codes: str, setup: str = "counter = Counter(limit=5)", group: str = "add") -> Script:
    """Return a script with a line of set-up and lines that are cases, or refused."""
    cases = (Line(code=code, group=group, refused="add-refused") for code in codes)
    return Script(topic="T", lines=(Line(code=setup), *cases), observers=("counter.value",))


def frozen(
    generator: Generator, slots: Sequence[SessionPool], small: Sequence[Document] = ()
) -> dict[str, Any]:
    """Return the hidden suite of the tiny exercise as plain data, without an earlier one."""
    origin = Generated(version=1, seed="s", drawn=0, reference="0" * 64, content="0" * 64)
    return hidden_document("counter", origin, generator, entries_of(slots, small), {})


def test_hidden_group_has_its_points_from_the_generator(tmp_path: Path, zygote: Zygote) -> None:
    """A group that the public suite does not have is added when there are cases of it."""
    groups = tuple(HiddenGroup(id=name, title=name, points=2) for name in ("twice", "idle"))
    directed = [looks("counter.add(2)", "counter.add(2).value", group="twice")]
    work = shop(tmp_path, zygote, directed=lambda: directed, groups=groups)
    done = generate(work, "s", 0)
    document = frozen(work.generator, done.slots)
    assert [{"id": "twice", "title": "twice", "points": 2}] == document["groups"]
    assert ["g1"] == [session["id"] for session in document["sessions"]]


def test_symmetries_make_pools(tmp_path: Path, zygote: Zygote) -> None:
    """A drawn session gets alternatives that kill as much; a directed one has none."""

    def session(draws: Draws, symmetry: int) -> Script:
        amount = draws.between(1, 2) * (symmetry + 1)
        setup = f"counter = Counter(limit={4 * (symmetry + 1)})"
        return looks(*[f"counter.add({amount}).value"] * 5, setup=setup)

    one = looks("counter.add(5).value")
    work = shop(tmp_path, zygote, session=session, directed=lambda: [one], symmetries=5)
    done = generate(work, "s", 4)
    assert frozenset(program.id for program in WRONG) == done.killed
    assert done.killed == frozenset[str]().union(*(slot.kills for slot in done.slots))
    drawn = [slot for slot in done.slots if len(slot.documents[0]["steps"]) > 2]
    assert {3} == {len(slot.documents) for slot in drawn}
    assert 3 == len({repr(each) for each in drawn[0].documents})
    document = frozen(work.generator, drawn)
    names = [(each["id"], each.get("pool")) for each in document["sessions"]][:3]
    assert [("g1a", "g1"), ("g1b", "g1"), ("g1c", "g1")] == names


def test_session_of_which_nothing_is_needed_is_left_out(tmp_path: Path, zygote: Zygote) -> None:
    """Where others have cases enough of a group, a session that shows nothing is idle."""
    kills = "[counter.add(1).value, counter.add(1).value]"
    more = ("one = 1; ", "two = 2; ", "three = 3; ")
    directed = [
        looks("1", "2", kills),
        looks("1", "2", "3", "4", "5", "6"),
        Script(
            topic="T",
            lines=(
                *(Line(code=code) for code in more),
                *looks("1", "2", "3", "4", kills).lines,
            ),
        ),
    ]
    programs = wrong(overwrites=OVERWRITES)
    done = generate(shop(tmp_path, zygote, directed=lambda: directed, programs=programs), "s", 0)
    assert {"overwrites"} == done.killed
    assert 2 == len(done.slots)


def test_generator_without_cases_is_told(tmp_path: Path, zygote: Zygote) -> None:
    """A generator that makes no case at all makes no hidden suite."""
    with pytest.raises(SuiteError, match="the generator makes no session with a case"):
        generate(shop(tmp_path, zygote), "s", 3)


# Siblings and proposals


@pytest.fixture
def nursing(zygote: Zygote, tmp_path: Path) -> Evaluator:
    """A evaluator on the generator of the how-to, with few wrong programs."""
    return evaluator(small_exercise(tmp_path / "small"), zygote, WRONG)


def test_siblings_are_small_and_show_each_mistake(nursing: Evaluator, zygote: Zygote) -> None:
    """Each wrong program fails one, right ones pass all; the smallest come first."""
    small = siblings(nursing, "s", 8, [])
    sizes = [len(each["steps"]) for each in small]
    assert sorted(sizes) == sizes
    assert max(sizes) <= 4
    suite = nursing.suite_of({f"s{number}": each for number, each in enumerate(small)})
    mutant_runner = MutantRunner(suite, [zygote], nursing.reference)
    programs = [*(program.sources for program in WRONG), nursing.reference, *nursing.correct]
    found = mutant_runner.failures([(sources, suite.sessions) for sources in programs], apart=True)
    assert [True, True, True, False, False] == [failures.killed for failures in found]


def test_each_group_has_its_share_of_siblings(
    tmp_path: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for all, the shortest do not take the place of other groups."""
    codes = ("counter.add(5).value", "[counter.add(1).value, counter.add(1).value]")
    refused = "counter.add(6).value + counter.value + counter.value + counter.value"
    directed = [looks(code) for code in (*codes, refused)]
    work = shop(tmp_path, zygote, directed=lambda: directed)

    def groups_of(found: Sequence[Document]) -> list[str]:
        return [step["group"] for each in found for step in each["steps"] if "group" in step]

    everything = siblings(work, "s", 0, [])
    assert ["add", "add", "add-refused"] == groups_of(everything)
    monkeypatch.setattr("grader.authoring.generating.siblings.MAX_SIBLINGS", 2)
    assert everything[::2] == siblings(work, "s", 0, [])


def test_no_sibling_is_part_of_a_session_that_counts(nursing: Evaluator) -> None:
    """What counts is never shown: a sibling of which all lines stand in such a session is none."""
    first = siblings(nursing, "s", 8, [])
    scored = [{"steps": [step for each in first for step in each["steps"]]}]
    told = {step["do"] for each in scored for step in each["steps"]}
    for each in siblings(nursing, "s", 8, scored):
        assert not {step["do"] for step in each["steps"]} <= told


def test_siblings_ask_only_what_right_solutions_agree_on(nursing: Evaluator) -> None:
    """Where a smaller session would be beyond the spec, it is not made so small."""
    picky = COUNTER.replace("        self.limit", "        assert limit > 1\n        self.limit")
    shrunken = siblings(nursing, "s", 8, [])
    assert any("limit=1)" in step["do"] for each in shrunken for step in each["steps"])
    agreed = siblings(replace(nursing, correct=[{"counter": picky}]), "s", 8, [])
    assert agreed
    assert not any("limit=1)" in step["do"] for each in agreed for step in each["steps"])


def test_proposals_are_for_each_program_that_can_be_told(nursing: Evaluator) -> None:
    """The smallest session is proposed for each of them; for one that is right there is none."""
    right = wrong(right=COUNTER)
    work = replace(nursing, programs=[*WRONG, *right])
    found = proposals(work, "s", 20)
    assert {program.id for program in WRONG} == found.keys()
    assert max(len(each["steps"]) for each in found.values()) <= 4


def test_alternatives_kill_what_nearly_every_session_kills(tmp_path: Path, zygote: Zygote) -> None:
    """A mistake that is found so often that nobody looks closely is not lost in a pool either."""

    def session(draws: Draws, symmetry: int) -> Script:
        setup = f"counter = Counter(limit={draws.between(10, 1000)})"
        second = "counter.value" if symmetry else "counter.add(1).value"
        return looks("counter.add(1).value", second, setup=setup)

    work = shop(
        tmp_path, zygote, programs=wrong(overwrites=OVERWRITES), session=session, symmetries=2
    )
    done = generate(work, "s", 2 * ENOUGH_KILLS)
    assert {"overwrites"} == done.killed
    assert 0 == done.missed
    assert any(len(slot.documents) == 1 for slot in done.slots)


def test_slots_keep_the_order_of_their_alternatives() -> None:
    """Sessions are numbered with as many digits as the last one needs, so that they sort."""
    slots = [SessionPool(documents=({"title": "", "steps": []},), kills=frozenset())] * 10
    generator = Generator(version=1, session=lambda _d, _s: looks(), symmetries=1, directed=list)
    document = frozen(generator, slots, [{"steps": []}] * 10)
    assert ["g01", "g10"] == [document["sessions"][index]["id"] for index in (0, 9)]
    assert ["s01", "s10"] == [document["siblings"][index]["id"] for index in (0, 9)]
    assert "groups" not in document
