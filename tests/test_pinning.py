"""What is pinned in a session: chance, hashes, entropy, the date, zone and locale."""

from __future__ import annotations

import sys
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
    with pytest.raises(InvalidSuite, match="is no moment from 1970 to 2999") as caught:
        suite(f"now: '{moment}'\n" + asking(step("1", "1")))
    assert "2024-02-29 12:30" in str(caught.value.diagnostics[0].help)


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
    record = grade(suite(body), submission(source), zygote)
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
        suite(asking(step("facts()", str([True] * 9)))), submission(source), zygote
    ).cases
    assert Verdict.PASSED is case.verdict, case.got
