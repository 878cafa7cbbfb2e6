"""Luck: what is pinned in a session, and what becomes of cases that come out by luck."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest
from builders import submission, suite

from grader import run
from grader.errors import ZygoteError
from grader.executor.pinning import SEED_STEP_S, START_S
from grader.flakes import OTHER_SEEDS, Mentions
from grader.intake.submissions import Entry
from grader.judge import grade
from grader.record import CaseResult, Record
from grader.reporting.visibility import visible_groups
from grader.run import Task, grade_all, grade_one
from grader.sandbox.fresh import FreshProcesses
from grader.sandbox.nursery import Nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.verdict import Status, Verdict
from grader.wording import LANGUAGES, say

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

WORDS: Final = ("een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht")
IN_ORDER_OF_A_SET: Final = f"""
def words():
    return list(set({WORDS}))
"""


@pytest.fixture(scope="module")
def others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with the other seeds."""
    with Zygote(seed=OTHER_SEEDS[0]) as one, Zygote(seed=OTHER_SEEDS[1]) as two:
        yield one, two


@pytest.fixture(scope="module")
def lucky() -> str:
    """What a list of the set of all words is with the seed that marks are given with."""
    code = f"print(list(set({WORDS})))"
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip()


def guarded(zygote: Nursery, others: Sequence[Nursery], body: str, source: str) -> Record:
    """Return the record of `source` on the suite in `body`, without luck."""
    return grade(suite(body), submission(source), zygote, Gate(), lambda: others)


def asking(*steps: str, **session: str) -> str:
    """Return a suite with `steps` in one session with these settings."""
    settings = {"id": "s", **session}
    body = {"groups": [{"id": "g", "points": len(steps)}]}
    asked = [{**settings, "steps": "STEPS"}]
    text = json.dumps(asked).replace('"STEPS"', f"[{', '.join(steps)}]")
    return f"groups: {json.dumps(body['groups'])}\nsessions: {text}\n"


def step(code: str, expected: str) -> str:
    """Return the step that does `code` and is to return `expected`."""
    return json.dumps({"do": code, "returns": expected, "group": "g"})


def told(case: CaseResult) -> list[str]:
    """Return the keys of what `case` says."""
    return [said.key for said in case.explanation]


# What is pinned

SEEN: Final = {
    "random": "random.random(), random.Random().random(), random.SystemRandom().random()",
    "reseeded": "random.seed(), random.random()",
    "entropy": "os.urandom(8), os.getrandom(8), secrets.token_hex(4), secrets.randbelow(10**6)",
    "uuid": "str(uuid.uuid4())",
    "sets": f"list(set({WORDS})), hash('a')",
    "date": "str(date.today()), datetime.now().hour, datetime.utcnow().hour, time.localtime()[:5]",
    "formats": "time.strftime('%d %H'), time.ctime()[:16], time.asctime()[:16], time.gmtime()[1]",
    "zone": "time.tzname, time.timezone, str(datetime.now().astimezone().tzinfo)",
    "locale": "locale.getlocale()[1], f'{1234.5:n}', datetime(2024, 2, 1).strftime('%A %B %x')",
}
LOOKER: Final = """
    import locale, os, random, secrets, time, uuid
    from datetime import date, datetime
"""


def sight(nursery: Nursery, what: str) -> str | None:
    """Return what a session in `nursery` sees of `what`."""
    (case,) = grade(suite(asking(step(what, "0"))), submission(LOOKER), nursery, Gate()).cases
    assert Verdict.WRONG is case.verdict, case
    return case.got


@pytest.mark.parametrize("what", SEEN)
def test_what_a_session_sees_is_pinned(zygote: Zygote, what: str) -> None:
    """Chance, entropy, the date, zone and locale are those of every other session."""
    with Zygote() as another:
        assert 1 == len({sight(each, SEEN[what]) for each in (zygote, zygote, another)})


@pytest.mark.parametrize("what", ["random", "reseeded", "entropy", "uuid", "sets", "date"])
def test_other_seeds_show_something_else(
    zygote: Zygote, others: Sequence[Zygote], what: str
) -> None:
    """Whoever depends on what is pinned sees that it is not the same with each seed."""
    assert 3 == len({sight(each, SEEN[what]) for each in (zygote, *others)})


@pytest.mark.parametrize("what", ["zone", "locale"])
def test_zone_and_locale_are_the_same_with_each_seed(
    zygote: Zygote, others: Sequence[Zygote], what: str
) -> None:
    """They do not differ from run to run on one machine, so they are no matter of luck."""
    assert 1 == len({sight(each, SEEN[what]) for each in (zygote, *others)})


def test_fresh_processes_are_pinned_alike(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """Where there are no zygotes, sessions see the same."""
    everything = ", ".join(SEEN.values())
    with FreshProcesses() as plain, FreshProcesses(seed=OTHER_SEEDS[1]) as other:
        assert sight(zygote, everything) == sight(plain, everything)
        assert sight(others[1], everything) == sight(other, everything)


@pytest.mark.parametrize(
    "clock", ["time.time()", "time.time_ns() / 1e9", "datetime.now().timestamp()"]
)
def test_the_clock_starts_at_the_same_moment_and_runs_on(
    zygote: Zygote, others: Sequence[Zygote], clock: str
) -> None:
    """A session begins on a Monday morning in March; who waits for it gets there."""
    source = f"""
        import time
        from datetime import datetime

        def starts():
            return int({clock}) - {START_S}

        def waits():
            start, real = {clock}, time.monotonic()
            while {clock} < start + 0.05:
                pass
            return 0.04 < time.monotonic() - real
    """
    body = asking(step("starts() // 10", "0"), step("waits()", "True"))
    assert ["PASSED"] * 2 == [
        c.verdict.value for c in grade(suite(body), submission(source), zygote, Gate()).cases
    ]
    later = asking(step(f"(starts() - {OTHER_SEEDS[0] * SEED_STEP_S}) // 10", "0"))
    (case,) = grade(suite(later), submission(source), others[0], Gate()).cases
    assert Verdict.PASSED is case.verdict


def test_clocks_that_measure_are_the_real_ones(zygote: Zygote) -> None:
    """`perf_counter`, `monotonic` and `process_time` start nowhere in particular."""
    source = """
        import time

        def before_and_after(clock):
            start = clock()
            time.sleep(0.01)
            return clock() - start
    """
    body = asking(
        *(
            step(
                f"__import__('time') and before_and_after(__import__('time').{name}) > 0.009",
                "True",
            )
            for name in ("perf_counter", "monotonic")
        ),
        step("0 <= before_and_after(__import__('time').process_time) < 0.009", "True"),
    )
    record = grade(suite(body), submission(source), zygote, Gate())
    assert ["PASSED"] * 3 == [case.verdict.value for case in record.cases]


def test_dates_stay_what_they_are_at_home(zygote: Zygote) -> None:
    """The classes of `datetime` are Python's own, with all that they do."""
    source = """
        import copy, pickle, time
        from datetime import date, datetime, timedelta, timezone

        class Moment(datetime):
            pass

        def facts():
            now = datetime.now(timezone.utc)
            return [
                type(now) is datetime,
                type(Moment.now()) is Moment,
                isinstance(now + timedelta(1), date),
                pickle.loads(pickle.dumps(now)) == copy.copy(now) == now,
                repr(now).startswith("datetime.datetime(2026, 3, 2, 9, 0"),
                now.tzinfo is timezone.utc,
                time.gmtime(0)[0] == time.localtime(0.0).tm_year == 1970,
                time.strftime("%Y", time.gmtime(0)) == "1970",
                time.ctime(0).endswith("1970"),
            ]
    """
    (case,) = grade(
        suite(asking(step("facts()", str([True] * 9)))), submission(source), zygote, Gate()
    ).cases
    assert Verdict.PASSED is case.verdict, case.got


# What becomes of luck


def test_right_by_luck_is_wrong(zygote: Zygote, others: Sequence[Zygote], lucky: str) -> None:
    """A case that passes with one order of a set only has not passed; both outputs are shown."""
    body = asking(step("words()", lucky))
    (case,) = grade(suite(body), submission(IN_ORDER_OF_A_SET), zygote, Gate()).cases
    assert Verdict.PASSED is case.verdict, "without the guard"
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert (Verdict.WRONG, 0.0) == (case.verdict, case.points)
    assert ["flakes.order", "flakes.answers"] == told(case)
    assert lucky == case.expected
    assert case.got not in {None, lucky}
    assert case.got == case.transcript[-1].output
    for language in LANGUAGES:
        sentence = say(case.explanation[1], language)
        assert lucky in sentence
        assert str(case.got) in sentence


def test_wrong_in_several_ways_is_told_besides(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """A case that fails either way keeps its verdict and what it says, and gets both outputs."""
    body = asking(step("words()", "[]"))
    (plain,) = grade(suite(body), submission(IN_ORDER_OF_A_SET), zygote, Gate()).cases
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert [*told(plain), "flakes.order", "flakes.answers"] == told(case)
    assert (plain.verdict, plain.got) == (case.verdict, case.got)
    shown = dict(case.explanation[-1].parameters)
    assert plain.got == shown["one"] != shown["other"]


def test_wrong_by_bad_luck_stays_wrong(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """A repetition is no second chance: what passes with another seed only has not passed."""
    right = sight(others[0], f"list(set({WORDS}))")
    body = asking(step("words()", str(right)))
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert Verdict.WRONG is case.verdict
    assert {"one": lucky, "other": right} == dict(case.explanation[-1].parameters)


def test_an_exception_by_luck_is_shown(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """What raises with another seed has not passed, and points to the line that raised."""
    source = f"""
        def f():
            if list(set({WORDS})) != {lucky}:
                raise ValueError("no luck")
            return 1
    """
    (case,) = guarded(zygote, others, asking(step("f()", "1")), source).cases
    assert Verdict.WRONG is case.verdict
    assert {"one": "1", "other": "ValueError: no luck"} == dict(case.explanation[-1].parameters)
    assert case.source is not None
    assert 'raise ValueError("no luck")' == case.source.text.strip()


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("import random\ndef f(): return random.random()", "flakes.chance"),
        ("import secrets\ndef f(): return secrets.token_hex(8)", "flakes.chance"),
        ("from datetime import date\ndef f(): return str(date.today())", "flakes.chance"),
        ("def f(): return hash('a')", "flakes.chance"),
        (
            "import random\ndef f(): return random.choice(list({1, 2, 3})), random.random()",
            "flakes.either",
        ),
        (f"def f(): return [w for w in {{*{WORDS}}}]", "flakes.order"),
        (f"def f(): return ' '.join(dict.fromkeys({WORDS}).keys() & {WORDS})", "flakes.order"),
    ],
)
def test_what_it_depends_on_is_told_from_the_source(
    zygote: Zygote, others: Sequence[Zygote], source: str, key: str
) -> None:
    """The sentence names what the source mentions; right by luck is wrong with each of these."""
    seen = grade(suite(asking(step("f()", "0"))), submission(source), zygote, Gate()).cases[0].got
    (case,) = guarded(zygote, others, asking(step("f()", str(seen))), source).cases
    assert (Verdict.WRONG, key) == (case.verdict, case.explanation[0].key)


@pytest.mark.parametrize(
    "source",
    [
        f"def words(): return sorted(set({WORDS}))",
        f"import random\ndef words():\n    random.seed(1)\n    return sorted({WORDS})",
        f"import time\ndef words():\n    time.time()\n    return sorted({{*{WORDS}}})",
    ],
)
def test_luck_that_does_not_show_costs_nothing(
    zygote: Zygote, others: Sequence[Zygote], source: str
) -> None:
    """Who sorts a set, or gives nothing that depends on chance, has passed; nothing is said."""
    (case,) = guarded(zygote, others, asking(step("words()", str(sorted(WORDS)))), source).cases
    assert (Verdict.PASSED, []) == (case.verdict, told(case))


def test_victims_of_luck_lose_nothing(zygote: Zygote, others: Sequence[Zygote], lucky: str) -> None:
    """One mistake costs one case: a later one that is right on its own passes with each seed."""
    source = f"""
        class Box:
            words = list(set({WORDS}))
            def __init__(self): self.broken = False
            def look(self):
                self.broken = self.words != {lucky}
                return self.words
            def size(self): return 0 if self.broken else {len(WORDS)}
    """
    body = asking(
        '{do: "box = Box()"}', step("box.look()", lucky), step("box.size()", str(len(WORDS)))
    )
    looked, sized = guarded(zygote, others, body, source).cases
    assert (Verdict.WRONG, Verdict.PASSED) == (looked.verdict, sized.verdict)


def test_of_hidden_cases_the_verdict_is_all_that_shows(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """Right by luck is wrong in a hidden session too, and no student sees an output of it."""
    body = asking(step("words()", lucky), visibility="hidden")
    record = guarded(zygote, others, body, IN_ORDER_OF_A_SET)
    assert ["flakes.order", "flakes.answers"] == told(record.cases[0])
    (group,) = visible_groups(record)
    assert ((), (Verdict.WRONG,)) == (group.cases, group.hidden)


# What is run again


class Noted:
    """Gives nurseries, and notes that somebody asked for them."""

    def __init__(self, nurseries: Sequence[Nursery]) -> None:
        """Give `nurseries`."""
        self.asked = 0
        self._nurseries = nurseries

    def __call__(self) -> Sequence[Nursery]:
        """Return them."""
        self.asked += 1
        return self._nurseries


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("def f(): return 1", 0),
        ("def f(): return len('set(x) and random')  # hash(x), time\n", 1),  # it is wrong
        ("def f(): return {1: 'een'}[1] and 1  # set(x), random", 0),
        ("def f(): return len({'a'})", 1),
        ("def f(): return 2", 1),
        ("def f():\n    while True: pass", 0),
        ("import os\ndef f(): os._exit(0)", 0),
        ("def f(:", 0),
    ],
)
def test_only_what_may_be_luck_is_run_again(
    zygote: Zygote, others: Sequence[Zygote], source: str, asked: int
) -> None:
    """Right programs without suspicion, and those that took too long or died, run once."""
    reseeded = Noted(others)
    whole = suite(f"limits: {{cpu_s: 0.2}}\n{asking(step('f()', '1'))}")
    grade(whole, submission(source), zygote, Gate(), reseeded)
    assert asked == reseeded.asked


def test_other_seeds_are_asked_for_once(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """All sessions of a submission share the nurseries that were started for it."""
    reseeded = Noted(others)
    steps = f"steps: [{step('f()', '1')}]"
    body = f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: a, {steps}}}, {{id: b, {steps}}}]\n"
    grade(suite(body), submission("def f(): return 2"), zygote, Gate(), reseeded)
    assert 1 == reseeded.asked


def test_a_repetition_that_dies_is_no_evidence(zygote: Zygote, lucky: str) -> None:
    """What takes too long with another seed is not held against a case, and not run again."""
    source = f"""
        def f():
            while list(set({WORDS})) != {lucky}: pass
            return 1
    """
    body = f"limits: {{cpu_s: 0.2}}\n{asking(step('f()', '1'))}"
    with Zygote(seed=1) as one, Zygote(seed=2) as two:
        (case,) = guarded(zygote, (one, two), body, source).cases
    assert (Verdict.PASSED, []) == (case.verdict, told(case))


ENDS: Final = {
    "while loading": "if hash('a') != {ours}: raise SystemExit\ndef f(): return 1\n",
    "by an exception": "if hash('a') != {ours}: raise ValueError\ndef f(): return 1\n",
    "in a step": "def f():\n    if hash('a') != {ours}: __import__('os')._exit(0)\n    return 1\n",
}


@pytest.mark.parametrize("where", ENDS)
def test_staff_are_told_when_no_repetition_survives(
    zygote: Zygote, others: Sequence[Zygote], where: str
) -> None:
    """Who ends with any seed but ours keeps the points, and a person looks at the code."""
    source = ENDS[where].format(ours=sight(zygote, "hash('a')"))
    record = guarded(zygote, others, asking(step("f()", "1")), source)
    assert [(Verdict.PASSED, [])] == [(case.verdict, told(case)) for case in record.cases]
    assert ["staff.unrepeatable"] == [remark.key for remark in record.staff_remarks]


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return len({1})",
        "def f(): return 2",
        "def f(): return hash('a') and __import__('os')._exit(0)",
        "def f(): return 1",
    ],
)
def test_staff_hear_nothing_of_repetitions_that_show_nothing_odd(
    zygote: Zygote, others: Sequence[Zygote], source: str
) -> None:
    """Neither of programs that survive each seed, nor of those that survive none."""
    record = guarded(zygote, others, asking(step("f()", "1")), source)
    assert () == record.staff_remarks


def test_where_one_seed_dies_the_other_takes_its_turn(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """A program that ends with one seed only is found out with the other, and staff need not."""
    theirs = sight(others[0], "hash('a')")
    source = f"{IN_ORDER_OF_A_SET}\nif hash('a') == {theirs}: raise SystemExit\n"
    record = guarded(zygote, others, asking(step("words()", lucky)), source)
    assert [Verdict.WRONG] == [case.verdict for case in record.cases]
    assert () == record.staff_remarks


@pytest.mark.parametrize(
    ("code", "sets", "chance"),
    [
        ("x = set(y)", True, False),
        ("x = frozenset(y)", True, False),
        ("x = {1, 2}", True, False),
        ("x = {\n  (1, 2),\n  (3, 4),\n}", True, False),
        ("x = {w for w in y}", True, False),
        ("x = {w[1:] for w in y}", True, False),
        ("x = map(set, y)", True, False),
        ("x = f'{set(y)}'", True, False),
        ("x = a.keys() - b", True, False),
        ("x = a | b.items()", True, False),
        ("x = {}", False, False),
        ("x = {1: 2, 'a': 'b'}", False, False),
        ("x = f'{y}' + '{z}' + \"{w}\"", False, False),
        ('"""A set( of {random} words."""', False, False),
        ("# a set of random {x}", False, False),
        ("x = reset(y) + settings", False, False),
        ("x = hash(y)", False, True),
        ("x = id (y)", False, True),
        ("x = grid(y)", False, False),
        ("import random", False, True),
        ("from time import time", False, True),
        ("x = os.urandom(3)", False, True),
        ("import random; x = {1}", True, True),
    ],
)
def test_what_a_source_mentions(code: str, sets: bool, chance: bool) -> None:
    """Sets in any spelling, and chance, are found in code, not in comments and plain texts."""
    assert Mentions(sets=sets, chance=chance) == Mentions.in_texts([code])


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        "'",
        '"""',
        "'''",
        '\\"',
        "\\",
        "{",
        "{ for ",
        "{:",
        "#",
        "f'{",
        ".keys()",
        "id ",
        "|",
        "a.",
    ],
)
def test_no_source_takes_long_to_search(piece: str) -> None:
    """A file full of beginnings that never end is searched all the same."""
    assert isinstance(Mentions.in_texts([piece * 300_000]), Mentions)


# Whole runs

CLASS: Final[Mapping[str, str]] = {
    "right": f"def words(): return sorted({WORDS})",
    "lucky": IN_ORDER_OF_A_SET,
    "random": f"import random\ndef words(): return random.sample({WORDS}, {len(WORDS)})",
    "wrong": "def words(): return []",
    "sorted": f"def words(): return sorted(set({WORDS}))",
    "raises": f"def words(): raise KeyError(*set({WORDS}))",
    "endless": "x = set()\ndef words():\n    while True: pass",
    "syntax": "def words(:",
    "chaos": f"import time\ndef words(): return [hash(w) for w in set({WORDS})]",
}


def tasks(folder: Path, lucky: str) -> list[Task]:
    """Return the tasks of grading a class on a suite whose answers come by luck."""
    hidden = asking(step("words()", str(sorted(WORDS))), id="h", visibility="hidden")
    session = hidden.partition("sessions: [")[2]
    body = asking(step("words()", lucky)).strip().removesuffix("]") + ", " + session
    whole = suite(f"limits: {{cpu_s: 0.2}}\n{body}")
    entries = []
    for name, source in CLASS.items():
        path = folder / f"{name}.py"
        path.write_text(dedent(source))
        entries.append(Entry(name, path))
    return [Task(whole, entry) for entry in entries]


def texts(todo: Sequence[Task], jobs: int) -> dict[str, str]:
    """Return the records of `todo` as JSON, by student."""
    records: list[Record] = []
    assert grade_all(todo, jobs=jobs, sink=lambda _, record: records.append(record))
    return {each.student: json.dumps(asdict(each), sort_keys=True) for each in records}


def test_records_are_the_same_whatever_the_circumstances(tmp_path: Path, lucky: str) -> None:
    """With other workers, in another order, or alone, luck is found in the same words."""
    todo = tasks(tmp_path, lucky)
    forth, back = texts(todo, jobs=3), texts(todo[::-1], jobs=1)
    assert len(CLASS) == len(forth)
    assert forth == back
    for task in todo[:3]:
        alone = json.dumps(asdict(grade_one(task)), sort_keys=True)
        assert forth[task.entry.student] == alone
    found = {name for name, text in forth.items() if '"flakes.' in text}
    assert {"lucky", "random", "raises", "chaos"} == found


def test_each_worker_starts_the_other_seeds_once(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nurseries with other seeds are started when they are wanted, and kept for who comes next."""
    started: list[int] = []

    def noted(packages: tuple[str, ...], seed: int = 0) -> Nursery:
        started.append(seed)
        return Zygote(packages=packages, seed=seed)

    monkeypatch.setattr(run, "new_nursery", noted)
    todo = tasks(tmp_path, lucky)
    texts([task for task in todo if task.entry.student in {"lucky", "wrong", "random"}], jobs=1)
    assert [0, *OTHER_SEEDS] == started
    started.clear()
    alone = suite(asking(step("words()", str(sorted(WORDS)))))
    texts([Task(alone, todo[0].entry)], jobs=1)
    assert [0] == started


def test_a_broken_nursery_with_another_seed_is_replaced(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The submission is graded once more, with new ones, and has the record that it would have."""
    todo = [task for task in tasks(tmp_path, lucky) if task.entry.student == "lucky"]
    expected = texts(todo, jobs=1)
    started: list[Zygote] = []

    def breaks(packages: tuple[str, ...], seed: int = 0) -> Nursery:
        started.append(Zygote(packages=packages, seed=seed))
        if len(started) == 1 + len(OTHER_SEEDS):
            assert started[-1].isolation.python_version
            os.kill(started[-1]._process.pid, signal.SIGKILL)
        return started[-1]

    monkeypatch.setattr(run, "new_nursery", breaks)
    assert expected == texts(todo, jobs=1)
    assert 2 * (1 + len(OTHER_SEEDS)) == len(started)


def test_other_seeds_that_do_not_start_are_our_fault(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them nobody is marked right or wrong by luck: the record says that we failed."""

    def plain(packages: tuple[str, ...], seed: int = 0) -> Any:
        if seed:
            raise ZygoteError("out of processes")
        return Zygote(packages=packages)

    monkeypatch.setattr(run, "new_nursery", plain)
    records: dict[str, Record] = {}
    todo = [task for task in tasks(tmp_path, lucky) if task.entry.student in {"right", "lucky"}]
    assert grade_all(todo, jobs=1, sink=lambda _, one: records.update({one.student: one}))
    assert {Status.FAULT} == {record.status for record in records.values()}
    assert "out of processes" in str(records["lucky"].cases[0].staff_evidence)
