"""What is pinned in a session: chance, hashes, entropy, the date, zone and locale."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from builders import submission, suite
from lucky_programs import WORDS, asking, sight, step, with_other_seeds

from grader.executor.pinning import SEED_STEP_S, START_S
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.sandbox.sandbox import FreshSandbox
from grader.sandbox.zygote import Zygote
from grader.suite.loading import InvalidSuite
from grader.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

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


@pytest.fixture(scope="module")
def others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with the other seeds."""
    with with_other_seeds() as zygotes:
        yield zygotes


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
    with FreshSandbox() as plain, FreshSandbox(seed=OTHER_SEEDS[1]) as other:
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
        c.verdict.value for c in grade(suite(body), submission(source), zygote).cases
    ]
    later = asking(step(f"(starts() - {OTHER_SEEDS[0] * SEED_STEP_S}) // 10", "0"))
    (case,) = grade(suite(later), submission(source), others[0]).cases
    assert Verdict.PASSED is case.verdict


def test_a_suite_says_what_day_it_is(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """Where the date matters the suite names it, and it is that date with each seed."""
    source = """
        import time
        from datetime import date, datetime

        def clocks():
            return str(date.today()), datetime.now().strftime("%H:%M"), time.gmtime().tm_year
    """
    body = "now: '2024-02-29 12:30'\n" + asking(step("clocks()", "('2024-02-29', '12:30', 2024)"))
    for each in (zygote, *others):
        (case,) = grade(suite(body), submission(source), each).cases
        assert Verdict.PASSED is case.verdict


@pytest.mark.parametrize("moment", ["2024-02-30", "12:30", "2024-1-1", "3024-01-01", "yesterday"])
def test_a_day_that_is_none_is_refused(moment: str) -> None:
    """What is no moment is told with one that is."""
    with pytest.raises(InvalidSuite, match="is not a date or time from 1970 to 2999") as caught:
        suite(f"now: '{moment}'\n" + asking(step("1", "1")))
    assert "2024-02-29 12:30" in str(caught.value.diagnostics[0].help)


NAPS: Final = """
    import time
    from datetime import datetime

    CLOCKS = {
        "time": time.time,
        "time_ns": lambda: time.time_ns() / 1e9,
        "gettime": lambda: time.clock_gettime(time.CLOCK_REALTIME),
        "datetime": lambda: datetime.now().timestamp(),
        "monotonic": time.monotonic,
        "monotonic_ns": lambda: time.monotonic_ns() / 1e9,
        "perf_counter": time.perf_counter,
        "perf_counter_ns": lambda: time.perf_counter_ns() / 1e9,
        "process_time": time.process_time,
    }

    def naps(clock, *seconds):
        start = CLOCKS[clock]()
        for each in seconds:
            time.sleep(each)
        return CLOCKS[clock]() - start

    def refused(seconds):
        try:
            time.sleep(seconds)
        except Exception as error:
            return type(error).__name__, str(error)

    def in_order():
        moments = []
        for _ in range(3):
            moments.append(time.monotonic())
            time.sleep(0.5)
        return [round(b - a, 1) for a, b in zip(moments, moments[1:])]
"""


def verdicts(sandbox: Zygote, *steps: str, source: str = NAPS) -> list[Verdict]:
    """Return the verdicts of `steps` on `source`."""
    return [
        each.verdict for each in grade(suite(asking(*steps)), submission(source), sandbox).cases
    ]


@pytest.mark.parametrize(
    "clock",
    [
        *("time", "time_ns", "gettime", "datetime"),
        *("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
    ],
)
def test_who_sleeps_puts_clocks_forward(zygote: Zygote, clock: str) -> None:
    """Each clock shows that the time has passed, and no time passes."""
    start_s = time.monotonic()
    naps = step(f"3.5 <= naps('{clock}', 2, 1.5) < 4.5", "True")
    assert [Verdict.PASSED] == verdicts(zygote, naps)
    assert time.monotonic() - start_s < 3


def test_sleeping_is_no_computing(zygote: Zygote) -> None:
    """CPU time does not go forward, and naps come one after the other."""
    used = step("0 <= naps('process_time', 3) < 0.5", "True")
    assert [Verdict.PASSED] * 2 == verdicts(zygote, used, step("in_order()", "[0.5, 0.5]"))


@pytest.mark.parametrize(
    "odd", ["-1", "-0.5", "float('nan')", "float('inf')", "'1'", "[1]", "None", "10**30"]
)
def test_a_nap_that_is_none_raises_what_it_always_does(zygote: Zygote, odd: str) -> None:
    """Negative seconds, and what is no number, are refused in Python's own words."""
    with pytest.raises((ValueError, TypeError, OverflowError)) as caught:
        time.sleep(eval(odd))
    told = type(caught.value).__name__, str(caught.value)
    assert [Verdict.PASSED] == verdicts(zygote, step(f"refused({odd})", repr(told)))


def test_many_naps_take_no_time_up_to_their_limit(zygote: Zygote) -> None:
    """A step that would sleep for longer than it may ends, and so does a session; staff hear it."""
    limits = "limits: {wall_s: 2, session_wall_s: 5}\n"
    often = step("naps('time', *[0.01] * 190) > 1.8", "True")
    steps = [often, often, often, step("naps('time', 2)", "2"), step("naps('time', 1) > 0", "True")]
    start_s = time.monotonic()
    record = grade(suite(limits + asking(*steps)), submission(NAPS), zygote)
    assert time.monotonic() - start_s < 4
    assert [
        Verdict.PASSED,
        Verdict.PASSED,
        Verdict.TIMED_OUT,
        Verdict.TIMED_OUT,
        Verdict.PASSED,
    ] == [each.verdict for each in record.cases]
    assert ["staff.slept"] == [each.key for each in record.staff_remarks]


def test_who_tells_the_time_sleeps_for_real() -> None:
    """An instructor's own tests see the clocks of others, and naps take their time."""
    code = (
        "import time\n"
        "from grader.executor.pinning import Pins\n"
        "monotonic = time.monotonic\n"
        "pins = Pins(0)\n"
        "pins.start_session()\n"
        "pins.naps.limit(9_000, 9_000, print)\n"
        "pins.show_real_time()\n"
        "start = monotonic()\n"
        "time.sleep(0.2)\n"
        "assert 0.2 <= monotonic() - start\n"
        "assert pins.naps.total_ns == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_dates_stay_what_they_are_at_home(zygote: Zygote) -> None:
    """The classes of `datetime` are Python's own, with all that they do."""
    source = """
        import copy, pickle, time
        from datetime import date, datetime, timedelta, timezone

        class Moment(datetime):
            pass

        def refusal(value):
            try:
                time.asctime(value)
            except TypeError as error:
                return str(error)

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
                refusal([1970]) == "Tuple or struct_time argument required",
            ]
    """
    (case,) = grade(
        suite(asking(step("facts()", str([True] * 10)))), submission(source), zygote
    ).cases
    assert Verdict.PASSED is case.verdict, case.got
