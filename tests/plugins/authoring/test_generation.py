"""Generating: scenes become sessions with alternatives and siblings, and are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from small_exercise import COUNTER, FORGETS, STRICT, evaluator, small_exercise

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.audit_cache import AuditCache
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.auditing.searching import DRAWS, SceneSearch, SurvivorSearch
from grader.plugins.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene
from grader.plugins.authoring.generating.drawing import Dispute, SettledScenes
from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.freezing import entries_of, hidden_document, suite_of
from grader.plugins.authoring.generating.generation import (
    GenerationResult,
    complete_and_prove,
    generate,
)
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.suite_text import as_yaml
from grader.plugins.authoring.verbs.generate import _summary_lines
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.hidden import Hidden
from grader.suite.loading import parse_hidden_suite
from grader.suite.model import Generated

pytestmark = pytest.mark.authoring

LOOPS: Final = 2_000_000
"""Rounds of a loop that take less than a quarter of a limit, and five times as many more."""
OVERWRITES: Final = COUNTER.replace("self.value += amount", "self.value = amount")
REFUSES: Final = COUNTER.replace(" > self.", " >= self.")
CLAUSES: Final = {
    "adds": PlacedClause(group="add", quote="adds `amount` to the property `value`"),
    "itself": PlacedClause(group="add", quote="returns the counter itself"),
    "too much": PlacedClause(group="add-refused", quote="it must raise", refused=True),
}


def wrong(**sources: str) -> list[WrongProgram]:
    """Return wrong programs by their names."""
    return [
        WrongProgram(id=name, kind=WrongProgramSource.SAMPLE, sources={"counter": source})
        for name, source in sources.items()
    ]


WRONG: Final = wrong(overwrites=OVERWRITES, refuses=REFUSES, forgets=FORGETS)


def scene(*lines: str, limit: int = 5, **facts: Any) -> Scene:
    """Return a scene about a counter with this `limit`."""
    code = "\n".join([f"counter = Counter(limit={limit})", *lines])
    return Scene(**{"topic": "T", "lines": code, **facts})


def shop(
    folder: Path,
    zygote: Zygote,
    *scenes: Scene,
    programs: Sequence[WrongProgram] = WRONG,
    right: Mapping[str, str] | None = None,
    **facts: Any,
) -> Evaluator:
    """Return what tries a generator of its own of the tiny exercise, by its `facts`.

    It always makes these `scenes` and no examples, unless the facts are others. The programs that
    are `right` too are those of the tiny exercise, or others by their names.
    """
    defaults: dict[str, Any] = {
        "version": 1,
        "clauses": CLAUSES,
        "scenes": lambda _: scenes,
        "examples": lambda _: (),
    }
    generator = Generator(**{**defaults, **facts})
    small = small_exercise(folder / "small")
    exercise = small.found()
    made = evaluator(small, zygote, programs)
    runner = made.create_runner(exercise.suite).reference_runner(exercise.sources)
    others = {name: {"counter": source} for name, source in (right or {}).items()}
    return replace(
        made,
        generator=generator,
        oracle=Oracle(runner, exercise.suite.modules, generator.clauses),
        right=made.right if right is None else others,
        suite_of=lambda documents: suite_of(small.public, generator, documents),
    )


def codes(document: Document) -> list[str]:
    """Return the code of the steps of `document`."""
    return [step["do"] for step in document["steps"]]


def asked(document: Document) -> list[str]:
    """Return the clauses of its cases, in order."""
    return [step["clause"] for step in document["steps"] if "clause" in step]


def frozen(
    generator: Generator,
    sessions: Sequence[Document],
    siblings: Sequence[Document] = (),
    earlier: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the hidden suite of the tiny exercise as plain data."""
    origin = Generated(version=1, seed="s", reference="0" * 64, content="0" * 64)
    entries = entries_of(sessions, siblings)
    return hidden_document("counter", origin, generator, entries, earlier or {})


# Scenes that count


def test_scenes_are_laid_together_and_none_is_torn_apart(tmp_path: Path, zygote: Zygote) -> None:
    """A session has whole scenes, in order, up to a handy number of steps, of one setting."""
    sizes = [20, 20, 20, 60, 5, 5]
    scenes = [
        scene(*[f"counter.value + {number}  # adds"] * (size - 1), limit=number)
        for number, size in enumerate(sizes, start=1)
    ]
    apart = scene("counter.add(9)  # too much", observers=("counter.value",))
    done = generate(shop(tmp_path, zygote, *scenes, apart, programs=[]), "s")
    assert [40, 20, 60, 10, 2] == [len(each["steps"]) for each in done.sessions]
    together = [code for each in done.sessions for code in codes(each)]
    made = [code for each in (*scenes, apart) for code in each.lines.split("\n")]
    assert [code.partition("  # ")[0] for code in made] == together
    assert 125 == done.case_count


# What right solutions dispute


def test_what_a_right_solution_disputes_is_not_asked_and_told(
    tmp_path: Path, zygote: Zygote
) -> None:
    """What they agree on in the same scene stays."""
    scenes = (
        scene("counter.add(1)  # itself", "counter.value  # adds", limit=3),
        scene("str(counter)  # adds", limit=3),
        scene("str(counter), 1  # adds", "counter.value  # adds", limit=3),
    )
    picky = COUNTER.replace(
        '        return "#"', '        assert self.limit > 3\n        return "#"'
    )
    done = generate(shop(tmp_path, zygote, *scenes, right={"picky": picky}), "s")
    (session,) = done.sessions
    assert ["counter.add(1)", "counter.value", "counter.value"] == [
        code for code in codes(session) if code != "counter = Counter(limit=3)"
    ]
    assert ["itself", "adds", "adds"] == asked(session)
    disputed = ["str(counter)", "str(counter), 1"]
    assert [Dispute(clause="adds", code=code, solution="picky") for code in disputed] == list(
        done.disputes
    )


def test_what_a_right_solution_gives_otherwise_is_asked_less_strictly(
    tmp_path: Path, zygote: Zygote
) -> None:
    """Its own message, and True for 1, are no reason to ask nothing of the others."""
    worded = COUNTER.replace("too much", "beyond the limit").replace(
        "self.value += amount",
        "self.value += amount\n        self.value = self.value == 1 or self.value",
    )
    refused = scene("counter.add(9)  # too much", observers=("counter.value",))
    made = shop(
        tmp_path,
        zygote,
        scene("counter.add(1)", "counter.value  # adds"),
        refused,
        right={"worded": worded},
    )
    done = generate(made, "s")
    steps = [step for each in done.sessions for step in each["steps"] if "clause" in step]
    assert [("1", ["types"]), (None, None)] == [
        (step.get("returns"), step.get("ignore")) for step in steps
    ]
    assert "ValueError" == steps[1]["raises"]
    assert [True, True] == [dispute.is_kept for dispute in done.disputes]
    assert {"compared less strictly"} == {
        line.partition(",")[0] for line in _summary_lines(done) if "right solution" in line
    }


def test_scene_that_costs_a_right_solution_too_much_is_left_out_and_told(
    tmp_path: Path, zygote: Zygote
) -> None:
    """Who needs more than a quarter of a limit has no room left for being slower."""
    looping = f"for each in range(amount * {LOOPS}):\n            last = each"
    slow = COUNTER.replace("self.value += amount", f"{looping}\n        self.value += amount")
    one, five = (scene(f"counter.add({each})", "counter.value  # adds") for each in (1, 5))
    done = generate(shop(tmp_path, zygote, one, five, right={"slow": slow}), "s")
    assert ["adds"] == [clause for each in done.sessions for clause in asked(each)]
    (dispute,) = done.disputes
    assert ("slow", False) == (dispute.solution, dispute.is_kept)
    assert 0.25 < dispute.share < 1
    assert any("the right solution slow uses" in line for line in _summary_lines(done))


def test_strict_reference_goes_on_where_the_reference_ends(tmp_path: Path, zygote: Zygote) -> None:
    """What it says of calls, such as in the how-to, holds for whatever the generator draws."""
    small = small_exercise(tmp_path / "small")
    small.write("strict/counter.py", STRICT)
    oracle = evaluator(small, zygote).oracle
    assert oracle.session(scene("counter.add(2)"))
    with pytest.raises(SuiteError, match=r"text promises, at counter = Counter\(limit=0\)"):
        oracle.session(scene(limit=0))


def test_disputed_action_is_still_done(tmp_path: Path, zygote: Zygote) -> None:
    """Where right solutions give back different things, later lines build on it."""
    silent = COUNTER.replace("        return self\n", "")
    lines = ("counter.add(2)  # itself", "counter.value  # adds")
    done = generate(shop(tmp_path, zygote, scene(*lines), right={"silent": silent}), "s")
    _, added, value = done.sessions[0]["steps"]
    assert {"do": "counter.add(2)"} == added
    assert "2" == value["returns"]
    assert ("silent",) == tuple(each.solution for each in done.disputes[:1])


def test_case_that_builds_on_what_is_disputed_is_not_written_down(
    tmp_path: Path, zygote: Zygote
) -> None:
    """Where a look that was left out did something, what the reference gave without it is told."""
    other = COUNTER.replace("return self\n", "return Counter(self.limit)\n")
    lines = ("counter.add(4).value  # adds", "counter.value  # adds")
    with pytest.raises(SuiteError, match="the reference does not pass"):
        generate(shop(tmp_path, zygote, scene(*lines), right={"other": other}), "s")


@pytest.mark.parametrize(
    "scenes",
    [[], [scene("counter.value")], [scene("counter.value  # adds")]],
    ids=["none", "without a case", "disputed"],
)
def test_generator_of_which_nothing_is_left_is_told(
    tmp_path: Path, zygote: Zygote, scenes: list[Scene]
) -> None:
    """Without a case that right solutions agree on there is no hidden suite."""
    made = shop(tmp_path, zygote, *scenes, right={"none": "class Counter: pass"})
    with pytest.raises(
        SuiteError, match="the generator draws no case that all right solutions pass"
    ):
        generate(made, "s")


def test_siblings_show_nothing_that_a_right_solution_disputes(
    tmp_path: Path, zygote: Zygote
) -> None:
    """An example with a case that a right solution fails is no sibling."""
    picky = COUNTER.replace("        self.limit", "        assert limit > 1\n        self.limit")
    examples = [scene("counter.value  # adds", limit=limit) for limit in (1, 2)]
    count_of_cases = scene("counter.add(1)  # itself")
    made = shop(
        tmp_path, zygote, count_of_cases, right={"picky": picky}, examples=lambda _: examples
    )
    assert [codes(made.oracle.session(examples[1]))] == [
        codes(each) for each in generate(made, "s").siblings
    ]


# Wrong programs


def test_survivors_get_further_scenes(tmp_path: Path, zygote: Zygote) -> None:
    """Of other draws those are added that tell who passes; who passes these too is named."""
    number = count()

    def scenes(_: Draws) -> list[Scene]:
        amount = 5 if next(number) else 1  # the first draw is what counts
        lines = (f"counter.add({amount}).value  # adds", "counter.value + 1  # adds")
        return [scene(*lines), scene(lines[0], limit=amount + 1)]

    done = generate(shop(tmp_path, zygote, scenes=scenes), "s")
    _, added = done.sessions
    assert ["counter = Counter(limit=5)", "counter.add(5).value"] == codes(added)[:2]
    assert ("forgets", "overwrites") == done.survivors
    assert 3 == done.program_count


def test_no_scene_is_added_for_nothing(tmp_path: Path, zygote: Zygote) -> None:
    """Where every wrong program is told, or none can be, there is nothing to add."""
    tells = scene("counter.add(5)", "counter.add(1)  # too much", observers=("counter.value",))
    programs = wrong(forgets=FORGETS)
    assert () == generate(shop(tmp_path / "a", zygote, tells, programs=programs), "s").survivors
    idle = generate(shop(tmp_path / "b", zygote, scene("counter.value  # adds")), "s")
    assert (1, 3) == (len(idle.sessions), len(idle.survivors))


# Siblings, and the search for what tells a program


@pytest.fixture
def nursing(zygote: Zygote, tmp_path: Path) -> Evaluator:
    """What tries the generator of the how-to, with few wrong programs."""
    return evaluator(small_exercise(tmp_path / "small"), zygote, WRONG)


def test_siblings_are_small_and_show_each_mistake(nursing: Evaluator, zygote: Zygote) -> None:
    """Each wrong program fails one, right ones pass all; the smallest come first."""
    small = generate(nursing, "s").siblings
    sizes = [len(each["steps"]) for each in small]
    assert sorted(sizes) == sizes
    assert max(sizes) <= 4
    suite = nursing.suite_of({f"s{number}": each for number, each in enumerate(small)})
    mutant_runner = MutantRunner(suite, [zygote], nursing.reference)
    programs = [
        *(program.sources for program in WRONG),
        nursing.reference,
        *nursing.right.values(),
    ]
    found = mutant_runner.failures([(sources, suite.sessions) for sources in programs], apart=True)
    assert [True, True, True, False, False] == [failures.killed for failures in found]


def test_each_scene_that_counts_has_a_sibling(tmp_path: Path, zygote: Zygote) -> None:
    """All of the first draw are kept, of others what is lacking; a clause without one is told."""
    look = [scene(*["counter.value"] * size, "counter.value  # adds") for size in range(6)]
    refused = scene(*["counter.value"] * 9, "counter.add(6)  # too much")
    drawn = iter([[*reversed(look)], [refused, look[0]], [*look, refused]])
    made = shop(tmp_path, zygote, scene("1, 2  # adds"), examples=lambda _: next(drawn, [refused]))
    done = generate(made, "s")
    assert {"adds": 6, "too much": 1} == Counter(
        name for each in done.siblings for name in asked(each)
    )
    assert [2, 3, 4, 5, 6, 7, 11] == [len(each["steps"]) for each in done.siblings]
    assert (("adds", "itself", "too much"), ("itself",)) == (
        done.thin_clauses,
        done.clauses_without_sibling,
    )


def test_each_clause_has_a_sibling_before_another_has_two(
    tmp_path: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many small scenes there are, there is room for one of each clause."""
    monkeypatch.setattr("grader.plugins.authoring.generating.generation.MAX_SIBLINGS", 2)
    look = [scene(*["counter.value"] * size, "counter.value  # adds") for size in range(3)]
    refused = scene(*["counter.value"] * 9, "counter.add(6)  # too much")
    made = shop(tmp_path, zygote, scene("1, 2  # adds"), examples=lambda _: [*look, refused])
    assert [["adds"], ["too much"]] == [asked(each) for each in generate(made, "s").siblings]


def test_no_sibling_is_part_of_a_session_that_counts(tmp_path: Path, zygote: Zygote) -> None:
    """What counts is never shown: an example of which all lines stand in a session is none."""
    secret, shown = (scene(f"counter.add({amount}).value  # adds") for amount in (1, 2))
    longer = scene("counter.value", "counter.add(1).value  # adds")
    made = shop(tmp_path, zygote, longer, examples=lambda _: [secret, shown])
    (sibling,) = generate(made, "s").siblings
    assert codes(made.oracle.session(shown)) == codes(sibling)


@pytest.fixture
def notes() -> AuditCache:
    """Those of an audit that nobody has begun."""
    return AuditCache(("nothing",))


def search(evaluator: Evaluator, notes: AuditCache) -> SceneSearch:
    """Return what a search with `evaluator` for scenes that its programs fail finds."""
    done = SurvivorSearch(lambda: evaluator, evaluator.programs, "s", notes)
    assert notes.complete(done.work)
    return done.result


def test_search_finds_a_small_scene_for_each_program_that_can_be_told(
    nursing: Evaluator, notes: AuditCache
) -> None:
    """There is none for one that is right, and it is said on how many sessions it was tried."""
    found = search(replace(nursing, programs=[*WRONG, *wrong(right=COUNTER)]), notes)
    assert {program.id for program in WRONG} == found.killed_by.keys()
    assert max(len(each["steps"]) for each in found.killed_by.values()) <= 4
    assert DRAWS < found.sessions


def test_search_tries_examples_before_what_counts(tmp_path: Path, zygote: Zygote) -> None:
    """What counts may write to a file in which an example expects what the text has there."""
    longer = scene("counter.value", "counter.add(1).value  # adds")
    shorter = scene("counter.add(2).value  # adds")
    made = shop(tmp_path, zygote, shorter, examples=lambda _: [longer])
    expected = [codes(made.oracle.session(each)) for each in (longer, shorter)]
    assert expected == [codes(each) for each in SettledScenes(made, "s").all_scenes_of_draw(0)]


def test_search_ends_when_all_are_told(nursing: Evaluator, notes: AuditCache) -> None:
    """Where one draw is enough, no more of them are made."""
    found = search(replace(nursing, programs=WRONG), notes)
    drawn = SettledScenes(nursing, "s").all_scenes_of_draw(0)
    assert (3, len(drawn)) == (len(found.killed_by), found.sessions)


def test_search_goes_on_where_it_was_cut_off(nursing: Evaluator, notes: AuditCache) -> None:
    """Draws that were searched are not searched again, and who was told there is not tried."""
    some = replace(nursing, programs=[*WRONG, *wrong(right=COUNTER)])
    whole = search(some, notes)
    first = AuditCache(("nothing",), within_s=0)
    begun = SurvivorSearch(lambda: some, some.programs, "s", first)
    assert not first.complete(begun.work)
    assert {"proposals: draws searched": (1, DRAWS)} == first.unfinished([begun.work])
    assert whole.killed_by == begun.result.killed_by
    assert whole.sessions > begun.result.sessions


def test_search_takes_no_session_for_one_that_fails_for_another(
    nursing: Evaluator, notes: AuditCache
) -> None:
    """What goes wrong only since sessions shared an executor shows no mistake by itself."""
    counts = COUNTER.replace("class Counter:", "made = []\n\n\nclass Counter:").replace(
        "        self.value = 0\n", "        made.append(0)\n        self.value = len(made) // 9\n"
    )
    assert {} == search(replace(nursing, programs=wrong(counts=counts)), notes).killed_by


# The hidden suite


def test_groups_have_the_points_of_the_generator(tmp_path: Path, zygote: Zygote) -> None:
    """Those that have cases are written down, new ones and other points for public ones."""
    groups = tuple(HiddenGroup(id=name, title=name, points=2) for name in ("twice", "add", "idle"))
    clauses = {**CLAUSES, "twice": replace(CLAUSES["adds"], group="twice")}
    lines = ("counter.add(2).add(2).value  # twice", "counter.value + 1  # adds")
    made = shop(tmp_path, zygote, scene(*lines), clauses=clauses, groups=groups)
    document = frozen(made.generator, generate(made, "s").sessions)
    expected = [{"id": name, "title": name, "points": 2} for name in ("twice", "add")]
    assert expected == document["groups"]
    assert ["g1"] == [session["id"] for session in document["sessions"]]


def test_clauses_that_are_asked_are_written_down(tmp_path: Path, zygote: Zygote) -> None:
    """A quote or a reading; one with neither is in the public suite already."""
    clauses = {
        "adds": CLAUSES["adds"],
        "ours": PlacedClause(group="free", reading="as we take it"),
        "idle": CLAUSES["itself"],
    }
    free = HiddenGroup(id="free", title="Free", points=0)
    lines = ("counter.value  # adds", "counter.value + 1  # ours")
    made = shop(tmp_path, zygote, scene(*lines), clauses=clauses, groups=(free,))
    sessions = generate(made, "s").sessions
    adds = {"id": "adds", "quote": "adds `amount` to the property `value`"}
    ours = {"id": "ours", "reading": "as we take it"}
    assert [adds, ours] == frozen(made.generator, sessions)["clauses"]
    own = {"id": "mine", "steps": [{"do": "1", "group": "add", "clause": "hers"}]}
    hers = {"id": "hers", "quote": "starts from 0"}
    earlier = {"clauses": [hers, {**hers, "id": "old"}, ours], "sessions": [own]}
    assert [adds, ours, hers] == frozen(made.generator, sessions, earlier=earlier)["clauses"]
    published = replace(made.generator, clauses={**clauses, "adds": PlacedClause(group="add")})
    assert [ours] == frozen(published, sessions)["clauses"]


def test_reading_that_the_public_suite_publishes_can_be_asked(
    tmp_path: Path, zygote: Zygote
) -> None:
    """A generator names it alone, and its cases may earn points."""
    clauses = {"published": PlacedClause(group="add")}
    made = shop(tmp_path, zygote, scene("counter.value  # published"), clauses=clauses)
    public = tmp_path / "small/testsuites/counter.yaml"
    reading = "clauses: [{id: published, reading: a value is a number}]\ngroups:"
    public.write_text(public.read_text("utf-8").replace("groups:", reading, 1), encoding="utf-8")
    assert 1 == generate(made, "s").case_count


def test_names_sort_in_the_order_of_what_they_name() -> None:
    """Sessions are numbered with as many digits as the last one needs."""
    none: Callable[[Draws], list[Scene]] = lambda _: []  # noqa: E731 - it makes nothing
    generator = Generator(version=1, clauses={}, scenes=none, examples=none)
    document = frozen(generator, [{"title": "", "steps": []}] * 10, [{"steps": []}] * 10)
    assert ["g01", "g10"] == [document["sessions"][index]["id"] for index in (0, 9)]
    assert ["s01", "s10"] == [document["siblings"][index]["id"] for index in (0, 9)]
    assert "groups" not in document


# What cases need to be tried alone


def completed(made: Evaluator, folder: Path, **earlier: Any) -> GenerationResult:
    """Return what comes of `made`, proven beside what its author wrote in an `earlier` suite."""
    public = load_suite(folder / "small/testsuites/counter.yaml", KINDS)

    def hidden_of(done: GenerationResult) -> Hidden:
        document = frozen(made.generator, done.sessions, done.siblings, earlier)
        text = as_yaml(document, schema="", origin="frozen").encode()
        return parse_hidden_suite(text, str(folder / "small/testsuites/c.hidden.yaml"), public)

    return complete_and_prove(generate(made, "s"), made, public, hidden_of)


def test_what_a_case_needs_acts_in_siblings_too(tmp_path: Path, zygote: Zygote) -> None:
    """A call that changes the counter and gives back something else is an action."""
    amounts = [scene(f"counter.add({n}).value  # adds", "counter.value  # adds") for n in (2, 3)]
    made = shop(tmp_path, zygote, amounts[0], programs=[], right={}, examples=lambda _: amounts[1:])
    done = completed(made, tmp_path)
    for steps in (done.sessions[0]["steps"], done.siblings[0]["steps"]):
        assert [None, True, None] == [step.get("action") for step in steps]


def test_what_nothing_helps_is_not_asked(tmp_path: Path, zygote: Zygote) -> None:
    """A refused line is no action: what it has done cannot be asked for, and that is told."""
    made = shop(
        tmp_path,
        zygote,
        scene("counter.add(2)  # itself", "counter.add(9)  # too much", "counter.value  # adds"),
        programs=[],
        right={},
    )
    remembers = COUNTER.replace("raise", "self.value = 5\n            raise")
    runner = made.create_runner(load_suite(tmp_path / "small/testsuites/counter.yaml", KINDS))
    reference = {"counter": remembers}
    oracle = Oracle(runner.reference_runner(reference), ("counter",), CLAUSES)
    done = completed(replace(made, reference=reference, oracle=oracle), tmp_path)
    assert ["itself", "too much"] == asked(done.sessions[0])
    assert [Dispute(clause="adds", code="counter.value", solution=None)] == [*done.disputes]
    assert ("adds", "itself", "too much") == done.thin_clauses


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (
            [{"do": "Counter(3).value", "returns": "1"}],
            r"does not pass add/mine-1 of session mine, Counter\(3\).value",
        ),
        (
            [{"do": "c.add(1).value", "returns": "1"}, {"do": "c.value", "returns": "1"}],
            r"after only the steps that it needs: add/mine-2 \(WRONG\), c.value",
        ),
    ],
    ids=["at all", "alone"],
)
def test_what_its_author_wrote_has_to_hold(
    tmp_path: Path, zygote: Zygote, steps: list[dict[str, Any]], told: str
) -> None:
    """A session of one's own beside the generated ones is proven as well, and stays as it is."""
    made = shop(tmp_path, zygote, scene("counter.value  # adds"), programs=[], right={})
    cases = [{**step, "group": "add", "clause": "adds"} for step in steps]
    mine = {"id": "mine", "steps": [{"do": "c = Counter(3)"}, *cases]}
    with pytest.raises(SuiteError, match=told):
        completed(made, tmp_path, sessions=[mine])


def test_name_that_stands_for_itself_says_nothing(tmp_path: Path, zygote: Zygote) -> None:
    """What a name is bound to is asked by its value, if a literal can say that."""
    lines = ("marks = list(str(counter))", "marks  # adds")
    made = shop(tmp_path, zygote, scene(*lines, limit=1))
    assert "['-']" == made.oracle.session(scene(*lines, limit=1))["steps"][-1]["returns"]


def test_answers_that_pages_cannot_draw_can_be_candidates() -> None:
    """Hidden answers of Str8ts need not fit the table that is drawn of its public ones."""
    public = Path(__file__).parents[3] / "testsuites" / "str8ts.yaml"
    step = {
        "do": "[{1: '39.', 5: '28'}, {4: '.4'}]",
        "returns": "[{1: '39.', 5: '28'}, {4: '.4'}]",
        "group": "horizontaal_getallen",
    }

    def none(_: Draws) -> Iterator[Scene]:
        return iter(())

    generator = Generator(version=1, clauses={}, scenes=none, examples=none)
    candidates = suite_of(public, generator, {"one": {"steps": [step]}})
    assert [case.group for each in candidates.sessions for case in each.cases] == [step["group"]]
