"""Auditing: programs on a bench, what reaches what, what an audit finds and tells."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
import yaml
from builders import suite
from command_line import Done as Finished
from command_line import process
from small_exercise import COUNTER, Small, small_exercise

from grader.auditing.audit import Audit, CaseWorth, Tally, audit
from grader.auditing.bench import MAX_DEATHS, Bench, Failures
from grader.auditing.clauses import Clause, Demand
from grader.auditing.coverage import Coverage, coverage
from grader.auditing.kills import kill_matrix, kills, prove_reference
from grader.auditing.programs import Kind, WrongProgram, samples, wrong_programs
from grader.auditing.telling import Told, document, lines
from grader.errors import SuiteError
from grader.mutating import Mutant
from grader.sandbox.zygote import Zygote
from grader.suite import Equivalent, Suite

RIGHT: Final = """
    def twice(n):
        return 2 * n
    def least(a,
              b=9):
        return a if a < b else b
    SIGN = '!'
"""
WRONG: Final = RIGHT.replace("2 * n", "n + 2")
REMEMBERS: Final = """
    calls = []
    def twice(n):
        calls.append(n)
        return 2 * n if len(calls) < 3 else 0
    def least(a, b=9): return min(a, b)
"""


def suite_of(*sessions: Iterable[tuple[str, str]]) -> Suite:
    """Return a suite with these sessions: calls with what they must return."""
    body = "groups: [{id: g, points: 1}]\nsessions:\n"
    for number, steps in enumerate(sessions):
        body += f"- id: s{number}\n  steps:\n"
        body += "".join(
            f"  - {{do: '{call}', returns: '{value}', group: g}}\n" for call, value in steps
        )
    return suite(body)


MANY: Final = suite_of(
    *([(f"twice({number})", str(2 * number))] for number in range(23)),
    [("least(4, 3)", "3"), ("twice(1)", "2")],
    [("twice(0)", "0"), ("1 + 1", "2")],
)


def program(source: str) -> dict[str, str]:
    """Return the sources of a program."""
    return {"sample": dedent(source)}


def bench_of(some: Suite, zygote: Zygote, reference: str = RIGHT) -> Bench:
    """Return a bench with one thread."""
    return Bench(some, [zygote], program(reference))


def failing(
    some: Suite, zygote: Zygote, source: str, *, apart: bool = False, enough: int | None = None
) -> Failures:
    """Return what the program `source` fails."""
    tries = [(program(source), some.sessions)]
    (failures,) = bench_of(some, zygote).failures(tries, apart=apart, enough=enough)
    return failures


# The bench


@pytest.mark.parametrize("source", [RIGHT, WRONG, RIGHT.replace("a < b", "a > b"), "x = 1"])
def test_sessions_strung_together_fail_what_they_fail_apart(zygote: Zygote, source: str) -> None:
    """For a program that remembers nothing it does not matter that sessions share a process."""
    together = failing(MANY, zygote, source)
    assert together == failing(MANY, zygote, source, apart=True)
    assert together.killed is (source != RIGHT)


def test_failures_are_told_case_by_case(zygote: Zygote) -> None:
    """A session is there with the cases that fail, and only if there are any."""
    failures = failing(MANY, zygote, WRONG)
    last, before = MANY.sessions[-1], MANY.sessions[-2]
    assert frozenset({last.cases[0].id}) == failures.cases[last.id]
    assert frozenset({before.cases[1].id}) == failures.cases[before.id]
    assert MANY.sessions[2].id not in failures.cases


def test_what_is_remembered_shows_only_apart(zygote: Zygote) -> None:
    """A program that fails its third call is right in each session that has few of them."""
    some = suite_of(*[[("twice(1)", "2"), ("twice(2)", "4")]] * 3)
    assert failing(some, zygote, REMEMBERS).killed
    assert not failing(some, zygote, REMEMBERS, apart=True).killed


def test_program_that_never_ends_is_found(zygote: Zygote) -> None:
    """The session in which it hangs fails, and the others are told apart from it."""
    source = RIGHT.replace("return a if", "while a > 3: pass\n        return a if")
    failures = failing(MANY, zygote, source)
    assert {MANY.sessions[-2].id} == failures.cases.keys()


def test_program_that_never_ends_is_not_tried_for_ever(zygote: Zygote) -> None:
    """After a few sessions that it does not survive, the rest is left."""
    source = RIGHT.replace("return 2 * n", "while True: pass")
    assert MAX_DEATHS == len(failing(MANY, zygote, source).cases)
    assert 1 == len(failing(MANY, zygote, source, enough=9).cases)
    assert failing(MANY, zygote, "while True: pass").killed


def test_program_that_fails_enough_is_tried_no_further(zygote: Zygote) -> None:
    """Sessions that run one by one end as soon as enough of them fail."""
    assert 2 == len(failing(MANY, zygote, WRONG, apart=True, enough=2).cases)


@pytest.mark.parametrize(
    "source", ["def f(:", "1 / 0", "import no_such_module", "raise SystemExit"]
)
def test_program_that_does_not_load_is_killed(zygote: Zygote, source: str) -> None:
    """It fails no case in particular, and that is told."""
    failures = failing(MANY, zygote, source)
    assert not failures.loads
    assert failures.killed
    assert not failures.cases


def test_programs_keep_their_order(zygote: Zygote) -> None:
    """However many threads there are, what is found comes in the order of the programs."""
    told = Counter[str]()
    sources = [WRONG, RIGHT, WRONG, "1 / 0"]
    tries = [(program(source), MANY.sessions) for source in sources]
    found = bench_of(MANY, zygote).failures(tries, told=lambda: told.update(["told"]))
    assert [True, False, True, True] == [failures.killed for failures in found]
    assert 4 == told["told"]


def test_last_step_must_be_the_first_that_deviates(zygote: Zygote) -> None:
    """A session shows a mistake when all is well up to its last step."""
    some = suite(
        "groups: [{id: g, points: 1}]\n"
        "sessions: [{id: s, steps: [{do: x = 1 // least(1)},"
        " {do: twice(x), returns: '2', group: g}]}]"
    )
    broken = program(WRONG.replace("return a if", "return 0 if"))
    programs = [*map(program, (WRONG, RIGHT, "1 / 0", REMEMBERS)), broken]
    bench = bench_of(MANY, zygote)
    assert [True, False, False, False, False] == bench.deviating(programs, some.sessions[0])
    assert [False] == bench.deviating([broken], some.sessions[0])
    assert [] == bench.deviating([], some.sessions[0])


# What reaches what


@pytest.fixture
def reached(zygote: Zygote) -> Coverage:
    """What two sessions reach, that call one function each."""
    return coverage(bench_of(TWO, zygote), TWO, program(RIGHT))


TWO: Final = suite_of([("twice(3)", "6")], [("least(4, 3)", "3")])
NAMES: Final = [session.id for session in TWO.sessions]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return 2 * n", NAMES[:1]),
        ("return a if", NAMES[1:]),
        ("def twice", NAMES),
        ("b=9", NAMES),
        ("SIGN", NAMES),
    ],
)
def test_line_is_reached_by_sessions_that_run_it(
    reached: Coverage, code: str, expected: list[str]
) -> None:
    """A body runs where its function is called; headings and what is outside run everywhere."""
    (line,) = [n for n, text in enumerate(dedent(RIGHT).split("\n"), start=1) if code in text]
    assert expected == [each.id for each in reached.reaching("sample", line, TWO.sessions)]


def mutant(source: str, line: int, *, misconception: bool = False) -> WrongProgram:
    """Return the reference with one mistake on a line."""
    made = Mutant(
        module="sample",
        operator="constant",
        line=line,
        before="",
        after="",
        source=dedent(source),
        id="0123abcd",
        misconception=misconception,
    )
    kind = Kind.MISCONCEPTION if misconception else Kind.MUTANT
    return WrongProgram(id=made.id, kind=kind, sources=program(source), mutant=made)


def test_mutant_runs_only_where_it_is_reached(zygote: Zygote, reached: Coverage) -> None:
    """A slip is not tried on what does not call its function; a misconception always is."""
    bench = bench_of(TWO, zygote)
    first, second = TWO.sessions

    def killed_by(wrong: WrongProgram) -> list[bool]:
        matrix = kill_matrix(bench, [wrong], TWO, reached)
        return [wrong.id in kills(matrix, session) for session in (first, second)]

    assert [True, False] == killed_by(mutant(WRONG, 3))
    assert [False, False] == killed_by(mutant(WRONG, 6))
    assert [True, False] == killed_by(mutant(WRONG, 6, misconception=True))


def test_reference_has_to_pass(zygote: Zygote) -> None:
    """It passes all cases, together and apart; else there is nothing to hold programs against."""
    bench = bench_of(MANY, zygote)
    prove_reference(bench, program(RIGHT), MANY.sessions)
    for source, said in (
        (WRONG, "the reference does not pass g/1 of session s0"),
        (REMEMBERS, "the reference does not pass"),
        ("1 / 0", "the reference cannot be loaded"),
    ):
        with pytest.raises(SuiteError, match=said):
            prove_reference(bench, program(source), MANY.sessions)


# Wrong programs


def test_samples_are_files_and_folders(tmp_path: Path) -> None:
    """A module that a sample lacks is that of the reference; what is no program is none."""
    for path, text in {
        "one.py": "a = 1",
        "two/a.py": "a = 2",
        "three/b.py": "b = 3",
        "unseen/four.py": "a = 4",
        "notes.txt": "no program",
        "empty/c.py": "no module of it",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    found = {each.id: each.sources for each in samples(tmp_path, {"a": "right", "b": "right"})}
    expected = {
        "one": {"a": "a = 1", "b": "right"},
        "two": {"a": "a = 2", "b": "right"},
        "three": {"a": "right", "b": "b = 3"},
        "unseen/four": {"a": "a = 4", "b": "right"},
    }
    assert expected == found
    assert [] == list(samples(tmp_path / "nothing", {"a": "right"}))


def test_wrong_programs_of_every_kind(small: Small) -> None:
    """Slips, misconceptions and samples: all differ from the reference, each with its own name."""
    programs = small.found().wrong_programs()
    assert set(Kind) == {each.kind for each in programs}
    assert len(programs) == len({each.id for each in programs})
    assert all(each.sources["counter"] != COUNTER for each in programs)
    slips = [each.kind is Kind.MUTANT for each in programs]
    assert slips == [not each.remembers for each in programs]
    made = wrong_programs({"counter": COUNTER}, ("Counter",), small.reference / "nothing")
    assert set(Kind) - {Kind.SAMPLE} == {each.kind for each in made}


# The audit of the tiny exercise


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """The tiny exercise, without a hidden suite."""
    return small_exercise(tmp_path / "small")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An audit of the public suite of the tiny exercise, which lists three mutants."""

    suite: Suite
    programs: list[WrongProgram]
    audit: Audit
    same: str
    """A mutant that is equivalent."""
    killed: str
    """One that is not."""


@pytest.fixture(scope="module")
def done(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """An audit of the tiny exercise."""
    exercise = small_exercise(tmp_path_factory.mktemp("audit") / "small").found()
    programs = exercise.wrong_programs()
    made = {each.mutant.after: each.id for each in programs if each.mutant is not None}
    same, killed = made["Counter.value = 0"], made["if True"]
    listed = tuple(Equivalent(mutant=each, reason="-") for each in (same, killed, "00000000"))
    whole = replace(exercise.suite, equivalent=listed)
    bench = Bench(whole, [zygote], exercise.sources)
    right = {**exercise.right_programs(), "wrong": {"counter": "class Counter: pass"}}
    found = audit(whole, exercise.sources, programs, right, bench, zygote, worth=True)
    return Done(suite=whole, programs=programs, audit=found, same=same, killed=killed)


def test_tallies_count_each_kind_apart(done: Done) -> None:
    """What is listed as equivalent, and is not killed, does not count."""
    of = Counter(each.kind for each in done.programs)
    tallies = {each.kind: each for each in done.audit.tallies}
    assert list(Kind) == list(tallies)
    assert [0, 1, 0] == [tallies[kind].equivalent for kind in Kind]
    assert all(tallies[kind].of + tallies[kind].equivalent == of[kind] for kind in Kind)
    survivors = Counter(each.kind for each in done.audit.survivors)
    assert all(each.of - each.killed == survivors[kind] for kind, each in tallies.items())
    slips, misconceptions, _ = done.audit.tallies
    made = (slips.killed + misconceptions.killed) / (slips.of + misconceptions.of)
    assert made == done.audit.share


def test_survivors_are_what_no_case_tells_from_the_reference(done: Done) -> None:
    """Those that are killed, or that are listed, are none."""
    survivors = {each.id for each in done.audit.survivors}
    assert {"refuses_when_full", "unseen/one_value_for_all"} <= survivors
    assert not {done.same, done.killed} & survivors


def test_listings_that_do_not_hold_are_told(done: Done) -> None:
    """A listed mutant that is not there any more, and one that is killed after all."""
    assert ("00000000",) == done.audit.expired
    assert (done.killed,) == done.audit.refuted


def test_right_solutions_and_hard_coders_get_their_points(done: Done) -> None:
    """A right solution has them all; so has, on the public cases, who knows their answers."""
    assert {"list_of_marks": 1, "wrong": 0} == done.audit.right
    assert 1 == max(done.audit.hard_coded.values())


def test_worth_of_a_case_is_what_it_kills(done: Done) -> None:
    """Every case is there with what it kills, and few of them kill all that is killed."""
    worths = {each.id: each for each in done.audit.worths}
    ids = [case.id for session in done.suite.sessions for case in session.cases]
    assert ids == list(worths)
    assert all(each.kills >= each.alone >= 0 for each in worths.values())
    assert 0 < sum(worths[each].kills > 0 for each in ids)
    assert set(done.audit.needed) <= set(ids)
    assert sum(worths[each].kills for each in done.audit.needed) >= sum(
        each.killed - (each.kind is Kind.SAMPLE) for each in done.audit.tallies[:1]
    )


# What is told


HOSTILE: Final = "\x1b[31mred\u202e\n  not a line of ours\udcff"


def hostile() -> Told:
    """Return an audit of which every name and text is hostile."""
    changed = mutant(RIGHT, 3)
    assert changed.mutant is not None
    text = replace(changed.mutant, before=HOSTILE, after=HOSTILE)
    sample = WrongProgram(id=HOSTILE, kind=Kind.SAMPLE, sources={})
    found = Audit(
        tallies=(Tally(kind=Kind.SAMPLE, killed=1, of=3, equivalent=2, only_died=1),),
        survivors=(sample, replace(changed, mutant=text)),
        expired=(),
        refuted=(),
        worths=(CaseWorth(id="g/1", kills=1, alone=0),),
        needed=(),
        right={HOSTILE: 0.5},
        hard_coded={"none": 0.25},
    )
    clause = Clause(line=3, text=HOSTILE, demands=Demand.DUTY, cases=())
    return Told(suite=TWO, audit=found, proposals={}, clauses=[clause])


def test_hostile_names_are_harmless_in_a_terminal() -> None:
    """Names of files and lines of code are told on one line each, without control characters."""
    told = list(lines(hostile()))
    assert all(line.isprintable() for line in told)
    assert not any(line.startswith("  not a line of ours") for line in told)
    assert any("only 50.0% of the points" in line for line in told)
    assert any("25.0% of the points (none)" in line for line in told)


def test_hostile_names_are_harmless_as_json() -> None:
    """The same as JSON is ASCII that can be read back."""
    text = json.dumps(document(hostile()))
    assert text.isascii()
    assert text.isprintable()
    assert HOSTILE == json.loads(text)["survivors"][0]["id"]


def test_what_is_told_of_an_audit(done: Done) -> None:
    """A survivor is told with its place, the change, and a case that kills it."""
    (overwritten,) = [
        each
        for each in done.audit.survivors
        if each.mutant and each.mutant.operator == "overwritten"
    ]
    refused = {"do": "counter.add(2)", "raises": "ValueError: too much", "group": "add-refused"}
    proposal = {"title": "T", "observers": ["counter.value"], "steps": [{"do": "x = 1"}, refused]}
    told = Told(
        suite=done.suite, audit=done.audit, proposals={overwritten.id: proposal}, clauses=[]
    )
    text = "\n".join(lines(told))
    assert text.startswith("counter: 5 public and 0 hidden cases\n")
    assert f"  {overwritten.id}  counter.py:15  overwritten\n    - self.value += amount" in text
    assert "    a case that kills it:\n      - do: x = 1\n      - do: counter.add(2)\n" in text
    assert "        unchanged: [counter.value]" in text
    assert "right solution wrong: only 0.0% of the points" in text
    assert "misconceptions" in text
    assert "1 equivalent left out" in text
    assert "look again: 1\n  00000000" in text
    plain = document(told)
    assert proposal == next(
        each["proposal"] for each in plain["survivors"] if each["id"] == overwritten.id
    )
    assert plain.keys() >= {"schema", "killed", "right", "hard_coded", "clauses", "cases"}


# The command


def audited(small: Small, *options: str) -> Finished:
    """Run `grader audit` on the tiny exercise."""
    return process("audit", *small.words, "--jobs", "1", *options)


def survivors(done: Finished) -> set[str]:
    """Return the ids of the survivors that were told as JSON."""
    return {each["id"] for each in json.loads(done.out)["survivors"]}


def test_proposals_can_be_pasted(small: Small) -> None:
    """The steps that are proposed, put into the public suite as they are, kill the survivors."""
    text = small.public.read_text(encoding="utf-8")
    small.public.write_text(text.replace("    observers: [str(counter)]\n", ""), encoding="utf-8")
    first = audited(small)
    assert 0 == first.code, first.err
    found = re.findall(
        r"^  (\S+?)(?:  |: ).*\n(?:    [-+] .*\n)*    a case that kills it:\n((?:      .*\n)+)",
        first.out,
        re.MULTILINE,
    )
    proposed = {name: yaml.safe_load(steps) for name, steps in found}
    assert {"refuses_when_full", "unseen/one_value_for_all"} <= proposed.keys()
    assert ["counter.value"] == proposed["counts_before_it_refuses"][-1]["unchanged"]
    data = yaml.safe_load(small.public.read_text(encoding="utf-8"))
    data["sessions"] += [
        {"id": f"proposed-{number}", "steps": steps}
        for number, steps in enumerate(proposed.values())
    ]
    small.public.write_text(yaml.safe_dump(data), encoding="utf-8")
    after = audited(small, "--no-proposals", "--json")
    assert not survivors(after) & proposed.keys()


def test_exit_code_tells_what_is_too_low(small: Small) -> None:
    """Below the percentage it is 1, with a line that says so; `--public` leaves the hidden out."""
    hidden = """\
exercise: counter
sessions:
- id: full
  steps:
  - {do: counter = Counter(limit=4)}
  - {do: "counter.add(2).add(2).value", returns: "4", group: add}
- id: two
  steps:
  - {do: "one, other, text = Counter(3), Counter(5), str(Counter(4))"}
  - {do: "[str(one), str(one.add(1)), str(other), text]", group: add,
     returns: "['---', '#--', '-----', '----']"}
equivalent:
- {mutant: 63cf2281, reason: "only adding writes, and that makes a value of its own"}
"""
    small.hidden.write_text(hidden, encoding="utf-8")
    done = audited(small, "--no-proposals", "--fail-under", "99", "--json")
    assert 0 == done.code, done.err + done.out
    assert {"unseen/one_value_for_all"} >= survivors(done)
    done = audited(small, "--no-proposals", "--fail-under", "99", "--public")
    assert 1 == done.code
    assert "of the mutants are killed, and 99 % is asked" in done.err
    assert "5 public and 0 hidden cases" in done.out
    assert "a case that kills it" not in done.out


def test_audit_without_a_generator_proposes_nothing(tmp_path: Path) -> None:
    """An exercise without a generator can be audited all the same."""
    done = audited(small_exercise(tmp_path / "small", None))
    assert 0 == done.code, done.err
    assert "survivors: " in done.out
    assert "a case that kills it" not in done.out


def test_audit_of_what_the_reference_fails_is_refused(small: Small) -> None:
    """A suite that the reference does not pass has nothing to be held against."""
    text = small.public.read_text(encoding="utf-8").replace('returns: "2"', 'returns: "3"')
    small.public.write_text(text, encoding="utf-8")
    done = audited(small, "--no-proposals")
    assert 3 == done.code
    assert "the reference does not pass add/2 of session example" in done.err
