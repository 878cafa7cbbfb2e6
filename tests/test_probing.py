"""Probes: sessions of their own on an instrumented program, and what they bring home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from textwrap import dedent
from typing import Any, Final

import pytest
from executor_sessions import Forks

from grader.judging.calls import CallEvidence, Site, function_display_name
from grader.judging.probing import (
    Probe,
    ProbeObservation,
    ProbeRunner,
    ProbeSession,
    ProbeStep,
    evidence_in,
    raised_recursion_error,
)
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.display import literal
from grader.values.tree import Atom
from grader.verdict import Verdict

TOTAL: Final = """
def f(n):
    return 0 if n == 0 else n + f(n - 1)
"""


def prober(zygote: Sandbox, source: str, **limits: Any) -> ProbeRunner:
    """Return what probes `source`."""
    program = Program.from_sources({"sample": ("sample.py", dedent(source))}, {})
    return ProbeRunner(SessionRunner(zygote, program, Limits(**limits)))


def expression(code: str) -> ProbeStep:
    """Return a step that gives a value."""
    return ProbeStep(code=code, is_expression=True)


def statement(code: str, *binds: str) -> ProbeStep:
    """Return a step that assigns something."""
    return ProbeStep(code=code, is_expression=False, binds=binds)


def probe(
    call: str = "f(n)",
    *setup: ProbeStep,
    observe: tuple[ProbeStep, ...] = (),
    also: tuple[ProbeStep, ...] = (),
) -> Probe:
    """Return a probe that looks into `call`."""
    return Probe(
        sizes=(5,),
        setup=setup,
        call=expression(call),
        observe=observe,
        also=also,
        modules=("sample",),
    )


def shown(observation: Observation) -> str:
    """Return what a step gave, or the name of the exception that it raised."""
    match observation.outcome:
        case Returned(value=value):
            return literal(value)
        case Raised(type_names=(name, *_)):
            return name
        case outcome:
            return repr(outcome)


def calls_of(observation: ProbeObservation) -> CallEvidence:
    """Return the evidence of calls, which must be there."""
    calls = CallEvidence.of(observation.evidence)
    assert calls is not None, observation
    return calls


# What a look shows


def test_look_shows_what_the_call_gave_and_what_it_did(zygote: Zygote) -> None:
    """A observation has the observation of the call, and the evidence of its calls."""
    observation = prober(zygote, TOTAL).session(probe(), 5, settings={}).observe()
    assert (True, "15", (), None) == (
        observation.reached,
        shown(observation.call),
        observation.observed,
        observation.died,
    )
    site = Site(key="sample.f:2", entered=6, reentered=5, deepest=6)
    assert CallEvidence(sites=(site,), edges=((site.key, site.key),)) == calls_of(observation)


@pytest.mark.parametrize("size", [0, 3, 40])
def test_size_is_known_to_all_steps(zygote: Zygote, size: int) -> None:
    """Set-up, call and observations know the size as `n`, each session has its own."""
    steps = probe(
        "f(len(xs)) + n",
        statement("xs = [None] * n", "xs"),
        observe=(expression("n"),),
        also=(expression("f(n) - n"),),
    )
    observation = prober(zygote, TOTAL).session(steps, size, settings={}).observe()
    total = size * (size + 1) // 2
    seen = (observation.call, *observation.observed)
    assert [str(total + size), str(size), str(total - size)] == [shown(each) for each in seen]


def test_only_the_call_is_counted(zygote: Zygote) -> None:
    """Neither the set-up, nor observations, nor further calls are."""
    steps = probe(
        "f(n)", statement("f(9)"), observe=(expression("f(8)"),), also=(expression("f(7)"),)
    )
    assert (
        6
        == calls_of(prober(zygote, TOTAL).session(steps, 5, settings={}).observe()).sites[0].entered
    )


def test_way_of_calling_can_be_another(zygote: Zygote) -> None:
    """In `call` and in what is prepared, `{name}` stands for the instruments."""
    observation = (
        prober(zygote, TOTAL)
        .session(
            probe("f(k)"),
            5,
            settings={},
            call="[{name}_call__(lambda: ({code}))]",
            prepare=(statement("k = callable({name}_call__) + 1", "k"),),
        )
        .observe()
    )
    assert "[3]" == shown(observation.call)
    assert 3 == calls_of(observation).sites[0].entered


def test_program_that_is_not_rewritten_tells_of_no_calls(zygote: Zygote) -> None:
    """It runs as it stands, and has the other instruments."""
    observation = (
        prober(zygote, TOTAL).session(probe(), 5, settings={}, transformed=False).observe()
    )
    assert "15" == shown(observation.call)
    assert () == calls_of(observation).sites


def test_same_look_shows_the_same(zygote: Zygote) -> None:
    """Each look has an executor of its own."""
    source = f"{TOTAL}\nseen = []\ndef g(n):\n    seen.append(n)\n    return len(seen) + f(n)\n"
    probing = prober(zygote, source)
    first, second = (probing.session(probe("g(n)"), 5, settings={}).observe() for _ in range(2))
    assert "16" == shown(first.call)
    assert first == second


# What a cut shows


def test_cut_shows_the_call_without_its_recursion(zygote: Zygote) -> None:
    """A call that is cut gives None."""
    observation = prober(zygote, TOTAL).cut_session(probe(), 5, ["sample.f:2"]).observe()
    assert ("TypeError", 1) == (shown(observation.call), calls_of(observation).cuts)


def test_cut_to_the_leaf_shows_what_remains(zygote: Zygote) -> None:
    """A call that is cut gives what its innermost one gave before."""
    observation = (
        prober(zygote, TOTAL).cut_session(probe(), 5, ["sample.f:2"], leaf_size=5).observe()
    )
    assert ("5", 1) == (shown(observation.call), calls_of(observation).cuts)


@pytest.mark.parametrize(("leaf", "gives"), [(False, "None"), (True, "0")])
def test_cut_as_a_whole_shows_the_call_without_the_function(
    zygote: Zygote, leaf: bool, gives: str
) -> None:
    """The first call gives nothing either, or the leaf."""
    probing = prober(zygote, TOTAL)
    observation = probing.cut_session(
        probe(), 5, ["sample.f:2"], leaf_size=5 if leaf else None, all_calls=True
    ).observe()
    assert (gives, 1) == (shown(observation.call), calls_of(observation).cuts)


def test_set_up_runs_again_behind_what_is_learned(zygote: Zygote) -> None:
    """What the call changed when its leaf was learned is as it was."""
    source = """
        def f(xs): return 0 if not xs else xs.pop() + f(xs)
    """
    steps = probe("f(xs)", statement("xs = list(range(n))", "xs"), observe=(expression("xs"),))
    observation = (
        prober(zygote, source).cut_session(steps, 5, ["sample.f:2"], leaf_size=5).observe()
    )
    assert ["4", "[0, 1, 2, 3]"] == [shown(observation.call), *map(shown, observation.observed)]


def test_further_calls_are_cut_as_well(zygote: Zygote) -> None:
    """They show what the recursion does for other arguments, where observations only look."""
    steps = probe("f(n)", observe=(expression("f(3)"),), also=(expression("f(2)"),))
    observation = prober(zygote, TOTAL).cut_session(steps, 5, ["sample.f:2"], leaf_size=5).observe()
    assert ["5", "6", "2"] == [shown(observation.call), *map(shown, observation.observed)]


def test_cut_of_nothing_changes_nothing(zygote: Zygote) -> None:
    """Sites that are not called do no harm."""
    observation = (
        prober(zygote, TOTAL).cut_session(probe(), 5, ["sample.g:9"], leaf_size=5).observe()
    )
    assert ("15", 0) == (shown(observation.call), calls_of(observation).cuts)


# What keeps a probe from its end


@pytest.mark.parametrize("setup", ["x = 1 // 0", "x = f(10**6)", "x = missing"])
def test_call_behind_a_set_up_that_raises_is_not_reached(zygote: Zygote, setup: str) -> None:
    """What is seen instead is what the set-up raised."""
    observation = (
        prober(zygote, TOTAL)
        .session(probe("f(n)", statement(setup, "x")), 5, settings={})
        .observe()
    )
    assert isinstance(observation.call.outcome, Raised)
    assert (False, (), None, None) == (
        observation.reached,
        observation.observed,
        observation.evidence,
        observation.died,
    )


def test_call_of_a_submission_that_cannot_be_imported_is_not_reached(zygote: Zygote) -> None:
    """What is seen instead is what the import raised."""
    observation = prober(zygote, "1 // 0").session(probe(), 5, settings={}).observe()
    assert (False, "ZeroDivisionError", None) == (
        observation.reached,
        shown(observation.call),
        observation.evidence,
    )


def test_call_of_a_submission_that_cannot_be_compiled_is_not_reached(zygote: Zygote) -> None:
    """What is seen instead is what the compiler says."""
    observation = prober(zygote, "def f(:").session(probe(), 5, settings={}).observe()
    assert (False, "SyntaxError") == (observation.reached, shown(observation.call))


def test_call_that_raises_leaves_evidence(zygote: Zygote) -> None:
    """An exception ends the call, not the session."""
    source = "def f(n): return 1 // n + f(n - 1)"
    observation = (
        prober(zygote, source).session(probe(observe=(expression("5"),)), 5, settings={}).observe()
    )
    assert ("ZeroDivisionError", "5") == (shown(observation.call), shown(observation.observed[0]))
    assert 6 == calls_of(observation).sites[0].deepest
    assert not raised_recursion_error(observation.call)


def test_call_that_goes_too_deep_leaves_evidence(zygote: Zygote) -> None:
    """So does one that never ends."""
    observation = (
        prober(zygote, "def f(n): return f(n + 1)").session(probe(), 5, settings={}).observe()
    )
    assert raised_recursion_error(observation.call)
    assert calls_of(observation).sites[0].deepest > 900


DEATHS: Final = {
    "time": ("while True: pass", Verdict.TIMED_OUT),
    "memory": ("xs = [0] * 10**9", None),
    "the end": ("import os; os._exit(0)", Verdict.EXITED),
    "a crash": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", None),
}


@pytest.mark.parametrize("death", DEATHS)
def test_call_that_does_not_survive_leaves_no_evidence(zygote: Zygote, death: str) -> None:
    """Where the executor dies it is known of what, and that is all."""
    code, verdict = DEATHS[death]
    source = f"def f(n):\n    {code}\n    return 1"
    steps = probe(observe=(expression("5"),))
    observation = prober(zygote, source, cpu_s=0.2).session(steps, 5, settings={}).observe()
    assert observation.reached
    if isinstance(observation.call.outcome, Raised):  # the step failed, and the process lives
        assert None is verdict
        assert None is observation.died
        return
    assert observation.died is not None
    assert verdict in (None, observation.died.verdict)
    assert (None, ()) == (observation.evidence, observation.observed)


@pytest.mark.parametrize("where", ["setup", "observe", "also"])
def test_death_elsewhere_is_seen(zygote: Zygote, where: str) -> None:
    """Whichever step it is that the executor dies in, the observation tells."""
    source = f"{TOTAL}\nimport os\ndef end():\n    os._exit(0)\n"
    steps = (expression("end()"),)
    dying = {
        "setup": probe("f(n)", *steps),
        "observe": probe("f(n)", observe=steps),
        "also": probe("f(n)", also=steps),
    }
    observation = prober(zygote, source).session(dying[where], 5, settings={}).observe()
    assert (where != "setup", None) == (observation.reached, observation.evidence)
    assert observation.died is not None
    assert Verdict.EXITED is observation.died.verdict


FORGED: Final = {
    "rubbish": "'rubbish'",
    "no text": "5",
    "no object": "'[1, 2]'",
    "nested too deep": "'[' * 100_000",
    "numbers that are none": "'NaN'",
    "a text without an end": "'{\"sites\": '",
    "digits without an end": "'{\"sites\": ' + '9' * 10_000 + '}'",
    "a text that is too large": "'x' * 10**6",
    "an exception": "1 // 0",
}


@pytest.mark.parametrize("kind", FORGED)
def test_forged_evidence_is_none(zygote: Zygote, kind: str) -> None:
    """A submission that finds the instruments and tells something else has told nothing."""
    source = f"""
import sys
def forged(*_): return {FORGED[kind]}
def f(n):
    known = sys._getframe(1).f_globals
    known.update((name, forged) for name in list(known) if name.endswith("_evidence__"))
    return n
"""
    observation = prober(zygote, source).session(probe(), 5, settings={}).observe()
    assert ("5", None) == (shown(observation.call), CallEvidence.of(observation.evidence))


TRICKS: Final = {
    "prints JSON": "print('{\"sites\": []}')",
    "replaces built-ins": "import builtins\nbuiltins.len = builtins.list = builtins.dict = None",
    "replaces json": "import json\njson.dumps = json.loads = lambda *_: '{}'",
    "sets trace functions": "import sys\nsys.setprofile(lambda *_: None)",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_evidence_is_told_all_the_same(zygote: Zygote, trick: str) -> None:
    """What a submission prints, or does to its built-ins, is no evidence and changes none."""
    observation = (
        prober(zygote, f"{TRICKS[trick]}\n{TOTAL}").session(probe(), 5, settings={}).observe()
    )
    assert "15" == shown(observation.call)
    (entered,) = (site.entered for site in calls_of(observation).sites if site.display_name == "f")
    assert 6 == entered


NAMED: Final = {
    "built-ins": "vars(__import__('builtins'))",
    "built-ins of the module": "dir(globals()['__built' + 'ins__'])",
    "names of the module": "globals()",
    "names in the code": "dict.fromkeys(f.__code__.co_names)",
    "the program": "vars(__import__('__main__'))",
}


@pytest.mark.parametrize("where", NAMED)
def test_no_name_leads_to_the_instruments(zygote: Zygote, where: str) -> None:
    """Whatever names a submission reads, none is that of an instrument."""
    source = f"def f(n): return [name for name in {NAMED[where]} if 'probe' in name]"
    observation = prober(zygote, source).session(probe(), 5, settings={}).observe()
    assert "[]" == shown(observation.call)
    assert calls_of(observation).sites


# What is drawn


def drawn(zygote: Zygote, seed: str, size: int = 5) -> str:
    """Return the first numbers that a probe draws from `seed`."""
    runner = SessionRunner(
        zygote, Program.from_sources({"sample": ("sample.py", TOTAL)}, {}), Limits()
    )
    steps = replace(probe("draw[:4]"), draws=True)
    return shown(ProbeRunner(runner, seed).session(steps, size, settings={}).observe().call)


def test_what_is_drawn_follows_from_seed_and_size(zygote: Zygote) -> None:
    """The same seed draws the same for a size, another seed or size something else."""
    first = drawn(zygote, "a")
    assert first == drawn(zygote, "a")
    assert 3 == len({first, drawn(zygote, "b"), drawn(zygote, "a", size=6)})


def test_what_is_drawn_is_the_same_when_something_is_cut(zygote: Zygote) -> None:
    """Answers can be compared, as all sessions of a probe get the same."""
    steps = replace(probe("f(draw[0] % 7)"), draws=True)
    runner = prober(zygote, TOTAL)
    assert shown(runner.session(steps, 5, settings={}).observe().call) == shown(
        runner.cut_session(steps, 5, []).observe().call
    )


# The shape of evidence


def facts(**changed: object) -> dict[str, Any]:
    """Return the facts about calls of three sites, with some changed."""
    found = {
        "sites": [["m.f:1", 3, 2, 3], ["m.g:2", 2, 1, 2], ["m.h:3", 1, 0, 1]],
        "edges": [["m.f:1", "m.g:2"], ["m.g:2", "m.f:1"], ["m.f:1", "m.h:3"]],
        "spread": [[1, 2], [3, 4]],
        "cuts": 5,
    }
    return {**found, **changed}


def test_evidence_is_read() -> None:
    """All that instruments tell of calls is there."""
    found = CallEvidence.of(facts())
    assert found is not None
    assert ("m.f:1", "m.g:2", "m.h:3") == tuple(site.key for site in found.sites)
    assert (5, ((1, 2), (3, 4))) == (found.cuts, found.spread)
    assert found.sites[1] == found.find_site("m.g:2")
    assert None is found.find_site("m.g:3")


def test_evidence_may_tell_more() -> None:
    """What other instruments tell stands beside it."""
    assert CallEvidence.of(facts()) == CallEvidence.of(facts(seal=1, calls=[]))


MALFORMED: Final[dict[str, Mapping[str, Any] | None]] = {
    "nothing": None,
    "empty": {},
    "no sites": facts(sites=None),
    "sites of another shape": facts(sites=[["m.f:1", 3, 2]]),
    "a site with more": facts(sites=[["m.f:1", 3, 2, 3, 4]]),
    "a key that is none": facts(sites=[[1, 3, 2, 3]]),
    "a key that is too long": facts(sites=[["f" * 1_001, 3, 2, 3]]),
    "a count that is none": facts(sites=[["m.f:1", 3, "2", 3]]),
    "a count that is a fraction": facts(sites=[["m.f:1", 3, 2.0, 3]]),
    "a count that is a truth": facts(sites=[["m.f:1", True, 2, 3]]),
    "a count below zero": facts(sites=[["m.f:1", 3, -2, 3]]),
    "a count beyond belief": facts(sites=[["m.f:1", 3, 10**4_000, 3]]),
    "too many sites": facts(sites=[["m.f:1", 3, 2, 3]] * 301),
    "no edges": facts(edges={}),
    "edges of another shape": facts(edges=[["m.f:1"]]),
    "an edge that is none": facts(edges=[["m.f:1", 5]]),
    "too many edges": facts(edges=[["m.f:1", "m.f:1"]] * 501),
    "no cuts": facts(cuts=None),
    "cuts below zero": facts(cuts=-1),
    "no spread": facts(spread="no"),
    "shares of another shape": facts(spread=[[1, 2, 3]]),
    "a share below zero": facts(spread=[[1, -2]]),
    "too many shares": facts(spread=[[1, 2]] * 5_002),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_evidence_is_none(kind: str) -> None:
    """Facts that instruments cannot have sent are not believed, not even in part."""
    assert None is CallEvidence.of(MALFORMED[kind])


def test_evidence_is_the_one_text_behind_the_last_step() -> None:
    """Anything but one text with one JSON object is none."""
    text = Observation(outcome=Returned(value=Atom('{"a": 1}'), identity=None))
    number = Observation(outcome=Returned(value=Atom(5), identity=None))
    died = Observation(outcome=Died(verdict=Verdict.EXITED, evidence=""))
    assert {"a": 1} == evidence_in([text])
    for observations in ([], [text, text], [number], [died]):
        assert None is evidence_in(observations)


@pytest.mark.parametrize(
    ("edges", "key", "way"),
    [
        ("", "f", ""),
        ("ff", "f", "ff"),
        ("fg", "f", ""),
        ("fg gf", "f", "fgf"),
        ("fg gf", "g", "gfg"),
        ("fg gh hf", "f", "fghf"),
        ("fg gh hf hh", "h", "hh"),
        ("fg gh hf gf", "f", "fgf"),
        ("fg gg gh hg", "f", ""),
        ("fa fb ab bc cf", "f", "fbcf"),
    ],
)
def test_shortest_way_back(edges: str, key: str, way: str) -> None:
    """The way from a site to itself goes along calls that were seen, and is as short as can be."""
    pairs = tuple((edge[0], edge[1]) for edge in edges.split())
    assert tuple(way) == CallEvidence(sites=(), edges=pairs).cycle(key)


@pytest.mark.parametrize(
    ("key", "function", "line", "shown_as"),
    [
        ("m.f:12", "m.f", 12, "f"),
        ("m.C.f:3#2", "m.C.f", 3, "C.f"),
        ("m.f.<locals>.go:4", "m.f.<locals>.go", 4, "go"),
        ("m.<lambda>:1", "m.<lambda>", 1, "<lambda>"),
        ("rubbish", "rubbish", 0, "rubbish"),
        ("", "", 0, ""),
        ("m." + "f" * 90 + ":1", "m." + "f" * 90, 1, "f" * 60 + "… (+30)"),
    ],
)
def test_site_is_known_by_its_key(key: str, function: str, line: int, shown_as: str) -> None:
    """A key tells the function and its line; people see no module, and no functions around it."""
    site = Site(key=key, entered=0, reentered=0, deepest=0)
    assert (function, line, shown_as) == (site.function, site.line, site.display_name)
    assert shown_as == function_display_name(function)


def test_keys_that_are_no_unicode() -> None:
    """A submission can name its code so, and hides no calls by it."""
    key = "m.f:1[\ud800]"
    evidence = {"sites": [[key, 1, 0, 1]], "edges": [[key, key]], "cuts": 0, "spread": []}
    found = CallEvidence.of(evidence)
    assert found is not None
    assert (key, key) == found.cycle(key)


def test_sessions_that_are_expected_share_an_executor(zygote: Zygote) -> None:
    """Each has its own settings of instruments, and shows what it shows alone."""

    def sessions(prober: ProbeRunner) -> list[ProbeSession]:
        sites = ["sample.f:2"]
        return [
            prober.session(probe(), 5, settings={}),
            prober.cut_session(probe(), 5, sites),
            prober.session(probe(), 5, settings={"watch": sites}),
            prober.knowledge_session(probe(), 5, sites),
            prober.shifted_session(probe(), 5, sites, "front"),
        ]

    sandbox = Forks(zygote)
    together, alone = prober(sandbox, TOTAL), prober(Forks(zygote), TOTAL)
    together.expect(sessions(together))
    found = [each.observe() for each in sessions(together)]
    assert 1 == sandbox.count
    assert [each.observe() for each in sessions(alone)] == found
