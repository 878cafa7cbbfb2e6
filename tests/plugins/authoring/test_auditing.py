"""Auditing: wrong programs, what an audit finds and tells, the command."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest
import yaml
from audited_programs import RIGHT, TWO, mutant
from command_line import Done as Finished
from command_line import process
from small_exercise import COUNTER, Small, small_exercise

from grader.plugins.authoring.auditing.audit import Audit, Auditor, KillResult
from grader.plugins.authoring.auditing.audit_cache import AuditCache
from grader.plugins.authoring.auditing.audit_report import AuditReport, document, lines
from grader.plugins.authoring.auditing.clauses import Demand, SpecSentence
from grader.plugins.authoring.auditing.kill_matrix import CaseKills
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import (
    WrongProgram,
    WrongProgramSource,
    wrong_programs,
)
from grader.sandbox.zygote import Zygote
from grader.suite.model import Equivalent, Suite

# Wrong programs


def test_wrong_programs_of_every_kind(small: Small) -> None:
    """Those made of the reference or of right solutions, and those at hand, each with its name."""
    found = small.found()
    programs = [*found.wrong_programs(), *found.related_programs()]
    assert set(WrongProgramSource) == {each.kind for each in programs}
    assert len(programs) == len({each.id for each in programs})
    assert all(each.sources["counter"] != COUNTER for each in programs)
    made = wrong_programs({"counter": COUNTER}, ("Counter",), small.reference / "nothing")
    kinds = {WrongProgramSource.MUTANT, WrongProgramSource.MISCONCEPTION}
    assert kinds == {each.kind for each in made}
    slips = {WrongProgramSource.MUTANT, WrongProgramSource.RELATED}
    assert [each.kind in slips for each in programs] == [not each.remembers for each in programs]


def test_panel_owes_nothing_to_the_reference(small: Small) -> None:
    """A wrong program of the panel is a right solution with one mistake."""
    (panel,) = (
        each for each in small.found().wrong_programs() if each.kind is WrongProgramSource.PANEL
    )
    right = small.found().right_programs()["list_of_marks"]["counter"]
    assert "panel/refuses_the_last" == panel.id
    assert right.replace(" > len(", " >= len(") == panel.sources["counter"]


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
    whole = exercise.suite.with_changes(equivalent=listed)
    mutant_runner = MutantRunner(whole, [zygote], exercise.sources)
    right = {**exercise.right_programs(), "wrong": {"counter": "class Counter: pass"}}
    guessers = exercise.guessers()
    auditor = Auditor(whole, exercise.sources, programs, right, guessers, mutant_runner, worth=True)
    return Done(suite=whole, programs=programs, audit=completed(auditor), same=same, killed=killed)


def completed(auditor: Auditor) -> Audit:
    """Return what an audit has found that nobody has cut off."""
    notes = AuditCache(("nothing",))
    assert all(notes.complete(work) for work in auditor.work_items())
    return auditor.audit(notes)


def test_tallies_count_each_kind_apart(done: Done) -> None:
    """What is listed as equivalent, and is not killed, does not count."""
    of = Counter(each.kind for each in done.programs)
    tallies = {each.kind: each for each in done.audit.tallies}
    assert list(WrongProgramSource) == list(tallies)
    assert {WrongProgramSource.MISCONCEPTION: 1} == {
        kind: tally.equivalent for kind, tally in tallies.items() if tally.equivalent
    }
    assert all(
        tallies[kind].of + tallies[kind].equivalent == of[kind] for kind in WrongProgramSource
    )
    survivors = Counter(each.kind for each in done.audit.survivors)
    assert all(each.of - each.killed == survivors[kind] for kind, each in tallies.items())
    slips, misconceptions, *_ = done.audit.tallies
    made = (slips.killed + misconceptions.killed) / (slips.of + misconceptions.of)
    assert made == done.audit.share


def test_slips_in_right_solutions_that_nothing_tells_are_counted_apart(done: Done) -> None:
    """Those of the reference and what was written to be wrong stay survivors."""
    slips = [replace(mutant(RIGHT, 3), id=name, kind=WrongProgramSource.RELATED) for name in "ab"]
    tally = KillResult(kind=WrongProgramSource.RELATED, killed=6, of=8, equivalent=0, only_died=0)
    tallies = (*(each for each in done.audit.tallies if each.kind is not tally.kind), tally)
    before = replace(done.audit, survivors=(*done.audit.survivors, *slips), tallies=tallies)
    found = before.after_search({"a", "refuses_when_full"})
    assert [*done.audit.survivors, slips[0]] == list(found.survivors)
    assert (slips[1],) == found.untold
    assert (*tallies[:-1], replace(tally, of=7, untold=1)) == found.tallies
    report = AuditReport(suite=done.suite, audit=found, proposals={}, searched=40, clauses=[])
    told = "\n".join(lines(report))
    assert (
        "slips in right ones  6 of 7 killed, 85.7%"
        "  (1 left out because no scene distinguishes them)" in told
    )
    assert "\nnot distinguished in 40 more generated sessions: 1\n  b  sample.py:3" in told
    plain = document(report)
    assert (40, ["b"]) == (plain["searched"], [each["id"] for each in plain["untold"]])


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


def test_price_of_the_panel_and_what_guessers_get(done: Done) -> None:
    """Each wrong program of the panel, and each guesser, has a part of the points of its own."""
    assert {"panel/refuses_the_last": 0} == done.audit.lost
    assert {"copied": 1} == done.audit.guessed
    told = "\n".join(
        lines(AuditReport(suite=done.suite, audit=done.audit, proposals={}, clauses=[]))
    )
    assert "  panel                0 of 1 killed, 0.0%\n" in told
    assert (
        "  the panel loses      0.0% in the median, 0.0% at most, 0 of them more than 20%\n" in told
    )
    assert "  guesser              100.0% of the points (copied)\n" in told


def test_right_solutions_are_held_against_what_others_may_face(
    done: Done, zygote: Zygote, tmp_path: Path
) -> None:
    """A case or a sibling that a right solution fails is told, whoever is shown it."""
    cases = {case.id for session in done.suite.sessions for case in session.cases}
    assert {"wrong"} == done.audit.disputed.keys()
    assert cases == {case.partition(": ")[2] for case in done.audit.disputed["wrong"]}
    exercise = small_exercise(tmp_path / "small").found()
    sibling = done.suite.sessions[0].with_changes(id="sibling")
    whole = exercise.suite.with_changes(siblings=(sibling,))
    mutant_runner = MutantRunner(whole, [zygote], exercise.sources)
    right = {"slow": exercise.sources, "wrong": {"counter": "class Counter: pass"}}
    found = completed(Auditor(whole, exercise.sources, [], right, {}, mutant_runner))
    assert {"wrong"} == found.disputed.keys()
    assert any(each.startswith("sibling: ") for each in found.disputed["wrong"])


def test_worth_of_a_case_is_what_it_kills(done: Done) -> None:
    """Every case is there with what it kills, and few of them kill all that is killed."""
    case_kills = {each.id: each for each in done.audit.case_kills}
    ids = [case.id for session in done.suite.sessions for case in session.cases]
    assert ids == list(case_kills)
    assert all(each.kills >= each.alone >= 0 for each in case_kills.values())
    assert 0 < sum(case_kills[each].kills > 0 for each in ids)
    assert set(done.audit.needed) <= set(ids)
    assert sum(case_kills[each].kills for each in done.audit.needed) >= sum(
        each.killed - (each.kind is WrongProgramSource.SAMPLE) for each in done.audit.tallies[:1]
    )


# What is told


HOSTILE: Final = "\x1b[31mred\u202e\n  not a line of ours\udcff"


def hostile() -> AuditReport:
    """Return an audit of which every name and text is hostile."""
    changed = mutant(RIGHT, 3)
    assert changed.mutant is not None
    text = replace(changed.mutant, before=HOSTILE, after=HOSTILE)
    sample = WrongProgram(id=HOSTILE, kind=WrongProgramSource.SAMPLE, sources={})
    found = Audit(
        tallies=(
            KillResult(kind=WrongProgramSource.SAMPLE, killed=1, of=3, equivalent=2, only_died=1),
        ),
        survivors=(sample, replace(changed, mutant=text)),
        expired=(),
        refuted=(),
        case_kills=(CaseKills(id="g/1", kills=1, alone=0),),
        needed=(),
        right={HOSTILE: 0.5},
        disputed={HOSTILE: ("one: g/1",)},
        hard_coded={"none": 0.25},
        guessed={HOSTILE: 0.5},
        lost={HOSTILE: 0.5},
    )
    clause = SpecSentence(line=3, text=HOSTILE, demands=Demand.DUTY, cases=())
    return AuditReport(suite=TWO, audit=found, proposals={}, clauses=[clause])


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
        if each.mutant and each.mutant.mutator == "overwritten"
    ]
    refused = {"do": "counter.add(2)", "raises": "ValueError: too much", "group": "add-refused"}
    proposal = {"title": "T", "observers": ["counter.value"], "steps": [{"do": "x = 1"}, refused]}
    told = AuditReport(
        suite=done.suite, audit=done.audit, proposals={overwritten.id: proposal}, clauses=[]
    )
    text = "\n".join(lines(told))
    assert text.startswith("counter: 5 public and 0 hidden cases\n")
    assert f"  {overwritten.id}  counter.py:15  overwritten\n    - self.value += amount" in text
    assert "    a case that kills it:\n      - do: x = 1\n      - do: counter.add(2)\n" in text
    assert "        unchanged: [counter.value]" in text
    assert "right solution wrong: only 0.0% of the points" in text
    assert "right solution wrong does not pass: 5\n" in text
    assert "misconceptions" in text
    assert "1 equivalent left out" in text
    assert "check these mutants again: 1\n  00000000" in text
    plain = document(told)
    assert proposal == next(
        each["proposal"] for each in plain["survivors"] if each["id"] == overwritten.id
    )
    assert plain.keys() >= {"schema", "killed", "right", "disputed", "hard_coded", "clauses"}


# The command


def audited(small: Small, *options: str) -> Finished:
    """Run `grader audit` on the tiny exercise."""
    words = ("audit", *small.words, "--jobs", "1", *options)
    return process(*words, GRADER_NO_CACHE="", XDG_CACHE_HOME=str(small.folder / "kept"))


def survivors(done: Finished) -> set[str]:
    """Return the ids of the survivors that were told as JSON."""
    return {each["id"] for each in json.loads(done.out)["survivors"]}


@pytest.mark.authoring
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


@pytest.mark.authoring
def test_proposals_are_searched_whatever_the_encoding_of_a_solution(small: Small) -> None:
    """A solution with a coding cookie, or a folder that is named like a file, stops no search."""
    faulty = small.folder / "reference/counter/faulty"
    (faulty / "legacy.py").write_bytes(
        b"# coding: latin-1\n# caf\xe9\n" + (faulty / "refuses_when_full.py").read_bytes()
    )
    (small.folder / "reference/counter/correct/folder.py").mkdir()
    done = audited(small, "--only", "proposals")
    assert 0 == done.code, done.err


@pytest.mark.authoring
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
    assert "of the mutants are killed, less than 99 %" in done.err
    assert "5 public and 0 hidden cases" in done.out
    assert "a case that kills it" not in done.out


@pytest.mark.authoring
def test_audit_without_a_generator_proposes_nothing(tmp_path: Path) -> None:
    """An exercise without a generator can be audited all the same."""
    done = audited(small_exercise(tmp_path / "small", None))
    assert 0 == done.code, done.err
    assert "survivors: " in done.out
    assert "a case that kills it" not in done.out


@pytest.mark.authoring
def test_audit_of_what_the_reference_fails_is_refused(small: Small) -> None:
    """A suite that the reference does not pass has nothing to be held against."""
    text = small.public.read_text(encoding="utf-8").replace('returns: "2"', 'returns: "3"')
    small.public.write_text(text, encoding="utf-8")
    done = audited(small, "--no-proposals")
    assert 3 == done.code
    assert "the reference does not pass add/2 of session example" in done.err


@pytest.mark.authoring
def test_audit_of_what_the_reference_fails_alone_is_refused(small: Small) -> None:
    """A case is tried alone after an earlier failure, and must then be right as well."""
    text = small.public.read_text(encoding="utf-8")
    text += """
  - id: order
    steps:
      - {do: Counter.seen = 5, group: add, case: first}
      - {do: Counter.seen, returns: "5", group: add, case: second}
"""
    small.public.write_text(text, encoding="utf-8")
    done = audited(small, "--no-proposals")
    assert 3 == done.code
    assert "if only the steps that a case needs are run before it" in done.err
    assert "the reference fails 1 case of counter: add/second, Counter.seen" in done.err


@pytest.mark.authoring
def test_audit_that_is_cut_off_tells_what_is_left_and_goes_on(small: Small) -> None:
    """What was tried is not tried again; nobody takes a part of an audit for the whole."""
    first = audited(small, "--within", "0s", "--fail-under", "0")
    assert 130 == first.code, first.err
    assert "unfinished work: run the same command again to continue: " in first.out
    assert "  slips: programs tried: 0 of " in first.out
    assert "reference proven 1 of 1" in first.err
    plain = json.loads(audited(small, "--within", "0s", "--json").out)
    assert plain["left"]["slips: programs tried"]["done"] > 0
    last = audited(small)
    assert 0 == last.code, last.err
    assert "not done yet" not in last.out
    assert "a case that kills it:" in last.out
    assert "reference proven" not in last.err
    again = audited(small)
    assert (last.out, "") == (again.out, again.err)


@pytest.mark.authoring
def test_what_was_kept_of_another_suite_is_not_taken(small: Small) -> None:
    """A case more may kill what survived: all is tried again."""
    audited(small, "--only", "slips")
    text = small.public.read_text(encoding="utf-8")
    small.public.write_text(f"{text}\n# the same\n", encoding="utf-8")
    assert "reference proven 1 of 1" in audited(small, "--only", "slips").err


@pytest.mark.authoring
def test_parts_of_an_audit_can_be_had_alone(small: Small) -> None:
    """Each tells its own figures and takes its own time, whatever is known of the others."""
    listed = "equivalent:\n- {mutant: 63cf2281, reason: the same}\n"
    case = "  - {do: Counter(3).value, returns: '0', group: Counter}\n"
    hidden = f"exercise: counter\nsessions:\n- id: new\n  steps:\n{case}{listed}"
    small.hidden.write_text(hidden, encoding="utf-8")
    audited(small, "--only", "slips")
    done = audited(small, "--only", "panel", "--only", "guessers")
    assert 0 == done.code, done.err
    assert "  panel                " in done.out
    assert "  guesser              " in done.out
    assert "slips" not in done.out + done.err
    assert "right solutions" not in done.out
    assert "check these mutants again" not in done.out
    spec = audited(small, "--only", "clauses")
    assert "" == spec.err
    assert "killed" not in spec.out


@pytest.mark.parametrize("time", ["10", "ten minutes", "1.5h"])
def test_a_time_has_a_unit(small: Small, time: str) -> None:
    """Nobody can know whether 10 are seconds or minutes."""
    done = audited(small, "--within", time)
    assert 2 == done.code
    assert ": write 90s, 10m or 1h" in done.err
