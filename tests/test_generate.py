"""Generating as a whole: from the generator of the how-to to a hidden suite that lies on disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import Done, process
from small_exercise import COPIED, COUNTER, FORGETS, GENERATOR, Small, small_exercise, workshop

from grader.auditing.bench import Bench
from grader.auditing.hardcoder import submission_of
from grader.auditing.programs import Kind, WrongProgram
from grader.errors import SuiteError
from grader.generating import Draws, Generator, HiddenGroup, Line, Script
from grader.generating.candidates import suite_of
from grader.generating.freezing import hidden_document
from grader.generating.generation import MAX_SESSIONS, Slot, generate
from grader.generating.siblings import proposals, siblings
from grader.generating.workshop import ENOUGH_KILLS, Workshop
from grader.judge import grade
from grader.loading import load_suite, load_whole_suite
from grader.record import Record
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.suite import Generated, Suite
from grader.verdict import Visibility

SEED: Final = "2026"
OVERWRITES: Final = COUNTER.replace("self.value += amount", "self.value = amount")
REFUSES: Final = COUNTER.replace(" > self.", " >= self.")


def wrong(**sources: str) -> list[WrongProgram]:
    """Return wrong programs by their names."""
    return [
        WrongProgram(id=name, kind=Kind.SAMPLE, sources={"counter": source})
        for name, source in sources.items()
    ]


WRONG: Final = wrong(overwrites=OVERWRITES, refuses=REFUSES, forgets=FORGETS)


def generated(small: Small, *options: str, hash_seed: str = "0") -> Done:
    """Run `grader generate` on the tiny exercise."""
    few = ("--drawn", "4", "--jobs", "1")
    return process("generate", *small.words, *few, *options, PYTHONHASHSEED=hash_seed)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The tiny exercise with its hidden suite."""
    small = small_exercise(tmp_path_factory.mktemp("made") / "small")
    done = generated(small, "--seed", SEED)
    assert 0 == done.code, done.err
    return small


@pytest.fixture
def small(made: Small, tmp_path: Path) -> Small:
    """A copy of the tiny exercise, for tests that change it."""
    shutil.copytree(made.folder, tmp_path / "small")
    return Small(folder=tmp_path / "small")


def hidden_of(small: Small) -> dict[str, Any]:
    """Return the hidden suite as plain data."""
    data: dict[str, Any] = yaml.safe_load(small.hidden.read_text(encoding="utf-8"))
    return data


def record_of(
    small: Small, source: str, zygote: Zygote, load: Callable[[Path], Suite] = load_whole_suite
) -> Record:
    """Return how `source` does on both suites, or on the one that `load` gives."""
    suite = load(small.public)
    return grade(suite, submission_of(suite, {"counter": source}, "jan"), zygote, Gate())


def shop(folder: Path, zygote: Zygote, **facts: Any) -> Workshop:
    """Return a workshop of the tiny exercise with a generator of its own, by its `facts`."""
    defaults = {"version": 1, "session": lambda *_: looks(), "symmetries": 1, "directed": list}
    work = workshop(small_exercise(folder / "small"), zygote, facts.pop("programs", WRONG))
    generator = Generator(**{**defaults, **facts})
    public = folder / "small/testsuites/counter.yaml"
    return replace(
        work, generator=generator, suite_of=lambda documents: suite_of(public, generator, documents)
    )


def looks(*codes: str, setup: str = "counter = Counter(limit=5)", group: str = "add") -> Script:
    """Return a script with a line of set-up and lines that are cases, or refused."""
    cases = (Line(code=code, group=group, refused="add-refused") for code in codes)
    return Script(topic="T", lines=(Line(code=setup), *cases), observers=("counter.value",))


# The suite on disk


def test_hidden_suite_loads_and_the_reference_passes_it(made: Small, zygote: Zygote) -> None:
    """What was frozen adds hidden cases, and every right solution has all points of it."""
    suite = load_whole_suite(made.public)
    hidden = [each for each in suite.sessions if each.visibility is not Visibility.PUBLIC]
    assert 0 < len(hidden) <= MAX_SESSIONS
    other = (made.reference / "correct/list_of_marks.py").read_text(encoding="utf-8")
    for source in (COUNTER, other):
        record = record_of(made, source, zygote)
        assert record.max_score == record.score == 5


def test_who_knows_the_public_answers_only_loses_points(made: Small, zygote: Zygote) -> None:
    """Full points on the public suite are no full points on both."""
    assert record_of(made, COPIED, zygote, load_suite).score == 5
    assert record_of(made, COPIED, zygote).score < 4


def test_hidden_suite_says_what_it_was_made_of(made: Small) -> None:
    """Seed, version and a hash of the reference stand in it, and who it is not for."""
    origin = hidden_of(made)["generated"]
    assert {"version": 1, "seed": SEED} == {key: origin[key] for key in ("version", "seed")}
    assert 64 == len(origin["reference"])
    head = made.hidden.read_text(encoding="utf-8").splitlines()[:2]
    assert head[0].startswith("# yaml-language-server: $schema=")
    assert "# Made by `grader generate counter`: not for students." == head[1]


def test_same_input_gives_the_same_bytes(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing depends on the order of a set or on where it runs; the seed is kept, or given."""
    written = small.hidden.read_text(encoding="utf-8")
    monkeypatch.chdir(small.folder)
    done = generated(small, "--check", hash_seed="7")
    assert 0 == done.code, done.err
    small.hidden.unlink()
    again = small.folder / "testsuites/again.hidden.yaml"
    assert 0 == generated(small, "--seed", SEED, "--out", str(again), hash_seed="8").code
    assert written == again.read_text(encoding="utf-8")
    assert not small.hidden.exists()


def test_check_tells_what_is_out_of_step(small: Small) -> None:
    """A changed suite, and one that is not there, end with 3; nothing is written."""
    with small.hidden.open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    changed = small.hidden.read_bytes()
    done = generated(small, "--check")
    assert 3 == done.code
    assert "counter.hidden.yaml is out of step with its generator or its reference" in done.err
    assert "run: grader generate" in done.err
    assert changed == small.hidden.read_bytes()
    small.hidden.unlink()
    assert 3 == generated(small, "--check", "--drawn", "0").code
    assert not small.hidden.exists()


def test_what_authors_decide_is_kept(small: Small) -> None:
    """Share, feedback and equivalent mutants of an earlier hidden suite stay; sessions do not."""
    decided = {
        "share": 0.5,
        "feedback": "clause",
        "equivalent": [{"mutant": "1f0c8a3e", "reason": "it is the same"}],
    }
    text = yaml.safe_dump(
        {**hidden_of(small), **decided, "sessions": hidden_of(small)["sessions"][:1]}
    )
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small, "--drawn", "2")
    assert 0 == done.code, done.err
    after = hidden_of(small)
    assert decided.items() <= after.items()
    assert SEED == after["generated"]["seed"]
    assert len(after["sessions"]) > 1


def test_what_authors_write_is_kept(small: Small) -> None:
    """Sessions and siblings with names of their own stay, and groups with their points."""
    earlier = hidden_of(small)
    first, *others = earlier["sessions"]
    own: dict[str, Any] = {
        "id": "s99",
        "steps": [{"do": "Counter(3).value", "returns": "0", "group": "mine"}],
    }
    group = {"id": "mine", "title": "Mine", "points": 4}
    sibling = {**own, "id": "g99", "steps": [{**own["steps"][0], "do": "Counter(4).value"}]}
    text = yaml.safe_dump(
        {
            **earlier,
            "groups": [group],
            "sessions": [own, first, *others],
            "siblings": [*earlier["siblings"], sibling],
        }
    )
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 0 == done.code, done.err
    after = hidden_of(small)
    assert [group] == after["groups"]
    assert [*earlier["sessions"], own] == after["sessions"]
    assert [*earlier["siblings"], sibling] == after["siblings"]


@pytest.mark.parametrize(
    "text",
    ["sessions: 3", "sessions: [3]", "siblings: [{steps: []}]", "groups: [{id: 3}]"],
)
def test_what_cannot_be_kept_is_not_overwritten(small: Small, text: str) -> None:
    """A file that is no hidden suite stays as it is: who knows what its author had in mind."""
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 3 == done.code
    assert "counter.hidden.yaml cannot be kept: it is no hidden suite" in done.err
    assert "correct it, or move it away" in done.err
    assert text == small.hidden.read_text(encoding="utf-8")


def test_what_yaml_misreads_is_told_before_it_is_lost(small: Small) -> None:
    """A file with a mistake stays as it is, and the place is named."""
    text = small.hidden.read_text(encoding="utf-8").replace("sessions:", "sessions: &all", 1)
    small.hidden.write_text(text, encoding="utf-8")
    done = generated(small)
    assert 3 == done.code
    assert "counter.hidden.yaml:9:11" in done.err
    assert text == small.hidden.read_text(encoding="utf-8")


def test_exercise_without_what_it_takes(tmp_path: Path) -> None:
    """Without a generator the exit code is 3, without a reference 2; both are told."""
    small = small_exercise(tmp_path / "small", None)
    done = generated(small)
    assert (3, True) == (done.code, "no generator at" in done.err)
    (small.reference / "counter.py").unlink()
    done = generated(small)
    assert (2, True) == (done.code, "no reference at" in done.err)


def test_right_solution_that_disagrees_stops_it(tmp_path: Path) -> None:
    """What right solutions do not agree on may not be asked, and nothing is written."""
    small = small_exercise(tmp_path / "small")
    small.write("correct/other.py", COUNTER.replace("too much", "full"))
    done = generated(small)
    assert 3 == done.code
    assert "a right solution does not pass add-refused" in done.err
    assert "ask only what the spec settles" in done.err
    assert not small.hidden.exists()


def test_generator_with_a_group_that_is_not_there(tmp_path: Path) -> None:
    """A group of a case must be of the public suite, or of the generator."""
    text = GENERATOR.replace('group="add"', 'group="ad"')
    done = generated(small_exercise(tmp_path / "small", text))
    assert 3 == done.code
    assert "the generator has cases of a group that is not there: ad" in done.err


# Generating


def test_hidden_group_has_its_points_from_the_generator(tmp_path: Path, zygote: Zygote) -> None:
    """A group that the public suite does not have is added when there are cases of it."""
    groups = tuple(HiddenGroup(id=name, title=name, points=2) for name in ("twice", "idle"))
    directed = [looks("counter.add(2)", "counter.add(2).value", group="twice")]
    work = shop(tmp_path, zygote, directed=lambda: directed, groups=groups)
    done = generate(work, "s", 0)
    origin = Generated(version=1, seed="s", drawn=0, reference="0" * 64)
    document = hidden_document("counter", origin, work.generator, done.slots, [], {})
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
    document = hidden_document(
        "counter",
        Generated(version=1, seed="s", drawn=0, reference=""),
        work.generator,
        drawn,
        [],
        {},
    )
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
def nursing(zygote: Zygote, tmp_path: Path) -> Workshop:
    """A workshop on the generator of the how-to, with few wrong programs."""
    return workshop(small_exercise(tmp_path / "small"), zygote, WRONG)


def test_siblings_are_small_and_show_each_mistake(nursing: Workshop, zygote: Zygote) -> None:
    """Each wrong program fails one, right ones pass all; the smallest come first."""
    small = siblings(nursing, "s", 8, [])
    sizes = [len(each["steps"]) for each in small]
    assert sorted(sizes) == sizes
    assert max(sizes) <= 4
    suite = nursing.suite_of({f"s{number}": each for number, each in enumerate(small)})
    bench = Bench(suite, [zygote], nursing.reference)
    programs = [*(program.sources for program in WRONG), nursing.reference, *nursing.correct]
    found = bench.failures([(sources, suite.sessions) for sources in programs], apart=True)
    assert [True, True, True, False, False] == [failures.killed for failures in found]


def test_no_sibling_is_part_of_a_session_that_counts(nursing: Workshop) -> None:
    """What counts is never shown: a sibling of which all lines stand in such a session is none."""
    first = siblings(nursing, "s", 8, [])
    scored = [{"steps": [step for each in first for step in each["steps"]]}]
    told = {step["do"] for each in scored for step in each["steps"]}
    for each in siblings(nursing, "s", 8, scored):
        assert not {step["do"] for step in each["steps"]} <= told


def test_siblings_ask_only_what_right_solutions_agree_on(nursing: Workshop) -> None:
    """Where a smaller session would be beyond the spec, it is not made so small."""
    picky = COUNTER.replace("        self.limit", "        assert limit > 1\n        self.limit")
    shrunken = siblings(nursing, "s", 8, [])
    assert any("limit=1)" in step["do"] for each in shrunken for step in each["steps"])
    agreed = siblings(replace(nursing, correct=[{"counter": picky}]), "s", 8, [])
    assert agreed
    assert not any("limit=1)" in step["do"] for each in agreed for step in each["steps"])


def test_proposals_are_for_each_program_that_can_be_told(nursing: Workshop) -> None:
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
    slots = [Slot(documents=({"title": "", "steps": []},), kills=frozenset())] * 10
    generator = Generator(version=1, session=lambda _d, _s: looks(), symmetries=1, directed=list)
    origin = Generated(version=1, seed="s", drawn=0, reference="")
    document = hidden_document("counter", origin, generator, slots, [{"steps": []}] * 10, {})
    assert ["g01", "g10"] == [document["sessions"][index]["id"] for index in (0, 9)]
    assert ["s01", "s10"] == [document["siblings"][index]["id"] for index in (0, 9)]
    assert "groups" not in document
