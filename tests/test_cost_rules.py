"""What calls cost: memory that may not grow, and time, over many representations of a board."""

from __future__ import annotations

import gc
from itertools import cycle
from typing import Any, cast, get_args
from unittest.mock import Mock

import pytest
from board_sources import BOARDS, MEMORY, ruling_on, runner, time_of
from rule_evidence import rule_on

from grader.executor import measuring
from grader.judging.probing import ProbeObservation, ProbeRunner
from grader.judging.results import Ruling
from grader.judging.rules.cost import Cost
from grader.judging.rules.probes import Growth, grows_at_least, grows_at_most
from grader.messages import Message
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.tree import Atom, Sequence
from grader.verdict import RuleVerdict

LIST = BOARDS["list"].source
SET = BOARDS["set in a tuple"].source
GROWTHS: tuple[Growth, ...] = get_args(Growth)


def prober(zygote: Zygote, source: str, limits: Limits | None = None) -> ProbeRunner:
    """Return what runs probes on the submission `source`."""
    return ProbeRunner(runner(zygote, source, limits))


def keys(finding: Ruling) -> list[str]:
    """Return the keys of what `finding` says."""
    return [each.key for each in finding.evidence]


def parameter(said: Message, name: str) -> object:
    """Return the parameter `name` of a message."""
    return dict(said.parameters)[name]


@pytest.mark.parametrize("name", BOARDS)
def test_memory_of_an_empty_board(zygote: Zygote, name: str) -> None:
    """What grows with the dimension is found wherever it is hidden, and nothing else is."""
    board = BOARDS[name]
    assert board.memory == ruling_on(MEMORY, prober(zygote, board.source)).verdict


@pytest.mark.parametrize("name", BOARDS)
def test_time_of_a_look(zygote: Zygote, name: str) -> None:
    """Who searches is found, however it searches, and nobody else is."""
    board = BOARDS[name]
    finding = ruling_on(time_of("constant"), prober(zygote, board.source))
    assert board.time == finding.verdict


@pytest.mark.parametrize(
    ("name", "growth", "verdict"),
    [
        ("sorted list with a search by halves", "logarithmic", RuleVerdict.PASSED),
        ("list", "logarithmic", RuleVerdict.BROKEN),
        ("list", "linear", RuleVerdict.PASSED),
        ("search by arithmetic", "logarithmic", RuleVerdict.BROKEN),
        ("search by arithmetic", "linear", RuleVerdict.PASSED),
    ],
)
def test_time_that_may_grow(
    zygote: Zygote, name: str, growth: Growth, verdict: RuleVerdict
) -> None:
    """A demand that leaves more room is kept by more."""
    assert verdict == ruling_on(time_of(growth), prober(zygote, BOARDS[name].source)).verdict


def test_time_that_grows_too_fast(zygote: Zygote) -> None:
    """Comparing each with each is more than linear."""
    demand = rule_on(
        Cost,
        function="pairs",
        time="linear",
        sizes=[8, 256],
        setup=["numbers = list(range(n))"],
        call="pairs(numbers)",
    )
    source = "def pairs(numbers):\n    return sum(a < b for a in numbers for b in numbers)\n"
    finding = ruling_on(demand, prober(zygote, source))
    assert RuleVerdict.BROKEN == finding.verdict
    assert ["cost.above_linear", "cost.work"] == keys(finding)


def test_evidence_of_memory(zygote: Zygote) -> None:
    """Evidence tells the bytes of three sizes, of what grows."""
    finding = ruling_on(MEMORY, prober(zygote, BOARDS["matrix of truth values"].source))
    assert ["cost.memory_grows", "cost.bytes"] == keys(finding)
    told = parameter(finding.evidence[1], "bytes")
    assert isinstance(told, str)
    assert ["8", "64", "512"] == [each.split("n = ")[1].strip(")") for each in told.split(", ")]


def test_evidence_of_hidden_memory(zygote: Zygote) -> None:
    """Evidence says that it is not the value itself which grows."""
    source = BOARDS["matrix hidden in a module variable"].source
    finding = ruling_on(MEMORY, prober(zygote, source))
    assert ["cost.memory_hidden", "cost.bytes"] == keys(finding)


def test_evidence_of_a_search(zygote: Zygote) -> None:
    """Evidence tells how many comparisons there were, all of them."""
    finding = ruling_on(time_of("constant"), prober(zygote, LIST))
    assert ["cost.above_constant", "cost.comparisons"] == keys(finding)
    assert "33 (n = 16), 4177 (n = 2048)" == parameter(finding.evidence[1], "counts")


def test_findings_do_not_change(zygote: Zygote) -> None:
    """In another process, with other hashes, the same is found, to the letter."""
    with Zygote() as other:
        for name in ("dict from position to True", "list", "matrix of truth values"):
            source = BOARDS[name].source
            one, two = prober(zygote, source), prober(other, source)
            assert ruling_on(MEMORY, one) == ruling_on(MEMORY, two)
            constant = time_of("constant")
            assert ruling_on(constant, one) == ruling_on(constant, two)


def test_large_coordinates_in_a_range(zygote: Zygote) -> None:
    """`x in range(...)` is quick, and what counts comparisons does not make it look slow."""
    source = """
    def make_board(dimension):
        return (dimension, {(1, 1)})
    def is_filled_at(board, position):
        on_board = range(1, board[0] + 1)
        return position[0] in on_board and position[1] in on_board and position in board[1]
    """
    for sizes in ((16, 256), (16, 4096)):
        demand = rule_on(
            Cost,
            function="is_filled_at",
            time="constant",
            counted=["corner"],
            sizes=list(sizes),
            setup=["board = make_board(n)", "corner = (n, n)"],
            call="is_filled_at(board, corner)",
        )
        assert RuleVerdict.PASSED == ruling_on(demand, prober(zygote, source)).verdict


@pytest.mark.parametrize(
    ("ending", "key"),
    [("raise KeyError('oops')", "cost.raised"), ("os._exit(0)", "cost.died")],
)
def test_calls_that_end_badly(zygote: Zygote, ending: str, key: str) -> None:
    """Where the call does not work there is nothing to judge, and evidence says so."""
    source = (
        f"import os\n{SET}\ndef broken(*args):\n    {ending}\nmake_board = is_filled_at = broken\n"
    )
    memory = ruling_on(MEMORY, prober(zygote, source))
    time = ruling_on(time_of("constant"), prober(zygote, source))
    assert [RuleVerdict.SKIPPED] * 2 == [memory.verdict, time.verdict]
    assert [[key]] * 2 == [keys(memory), keys(time)]


def test_name_of_an_exception_is_harmless(zygote: Zygote) -> None:
    """An exception with a hostile name is shown short, on one line."""
    source = """
    def make_board(n):
        raise type("Oops\\n" * 100, (Exception,), {})
    """
    (said,) = ruling_on(MEMORY, prober(zygote, source)).evidence
    shown = parameter(said, "error")
    assert isinstance(shown, str)
    assert "\n" not in shown
    assert len(shown) < 200


@pytest.mark.parametrize("statement", ["exec('while True: pass')", "[0] * n ** 3"])
def test_large_size_out_of_room(zygote: Zygote, statement: str) -> None:
    """Who manages a small size only, because of time or memory, is looked at by a person."""
    source = f"def make_board(n):\n    if n > 100: {statement}\n"
    finding = ruling_on(MEMORY, prober(zygote, source, Limits(cpu_s=0.2)))
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["cost.out_of_room"] == keys(finding)


def test_answers_that_are_too_large(zygote: Zygote) -> None:
    """An answer that does not travel leaves no figure, so a person has to look."""
    demand = time_of("constant", call="[0] * 100_000")
    finding = ruling_on(demand, prober(zygote, SET))
    assert RuleVerdict.REVIEW == finding.verdict
    assert ["cost.unclear"] == keys(finding)


def test_sizes_that_are_too_close(zygote: Zygote) -> None:
    """Sizes that cannot tell a constant from a linear cost convict nobody."""
    demand = time_of("constant", sizes=[16, 64])
    assert RuleVerdict.REVIEW == ruling_on(demand, prober(zygote, LIST)).verdict


def test_submission_that_spoils_clocks_and_sizes(zygote: Zygote) -> None:
    """What measures was bound before the submission could replace it."""
    spoiling = """
import gc, sys, time
sys.getsizeof = lambda *_: 1
gc.get_referents = lambda *_: []
time.thread_time_ns = time.process_time_ns = lambda: 0
int_type = int
"""
    matrix = BOARDS["matrix of truth values"].source
    assert RuleVerdict.BROKEN == ruling_on(MEMORY, prober(zygote, spoiling + matrix)).verdict
    searching = BOARDS["search by arithmetic"].source
    finding = ruling_on(time_of("constant"), prober(zygote, spoiling + searching))
    assert RuleVerdict.BROKEN == finding.verdict


class ScriptedProber:
    """Gives figures as a busy machine might, which no machine gives when it is asked to."""

    def __init__(self, *figures: int) -> None:
        self._figures = cycle(figures)

    def session(self, *_args: object, call: str, **_named: object) -> Mock:
        """Return a session that shows the next figure; counting has its own."""
        figure = 5 if "counts" in call else next(self._figures)
        items = (Atom(value=True), Atom(figure), Atom(figure))
        outcome = Returned(value=Sequence("tuple", items), identity=0)
        given = Observation(outcome=outcome)
        shown = ProbeObservation(reached=True, call=given, observed=(), evidence={})
        return Mock(observe=Mock(return_value=shown))


@pytest.mark.parametrize(
    ("counted", "figures", "verdict"),
    [
        (("last",), (100, 5000, 100, 120), RuleVerdict.PASSED),
        (("last",), (100, 5000), RuleVerdict.REVIEW),
        ((), (100, 5000, 100, 120), RuleVerdict.PASSED),
        ((), (100, 5000), RuleVerdict.REVIEW),
        ((), (100, 120), RuleVerdict.PASSED),
        ((), (-1, 120), RuleVerdict.REVIEW),
    ],
)
def test_measurements_that_disagree(
    counted: tuple[str, ...], figures: tuple[int, ...], verdict: RuleVerdict
) -> None:
    """One measurement that says too much is nothing, and two are for a person to look at."""
    demand = time_of("constant", counted=list(counted))
    scripted = cast("ProbeRunner", ScriptedProber(*figures))
    assert verdict == ruling_on(demand, scripted).verdict


@pytest.mark.parametrize("digits", [16, 4_000, 4_800])
def test_figures_that_cannot_be(digits: int) -> None:
    """Figures that must be forged are for a person to look at, however long they are."""
    forged = ScriptedProber(100, 10**digits)
    for finding in (
        ruling_on(MEMORY, cast("ProbeRunner", forged)),
        ruling_on(time_of("constant", counted=[]), cast("ProbeRunner", forged)),
    ):
        assert RuleVerdict.REVIEW == finding.verdict
        assert ["cost.unclear"] == keys(finding)


def test_memory_that_is_too_much_to_go_through() -> None:
    """Of more objects than are gone through nothing is told, and not what was added up so far."""
    data = [[1], [2], [3]]
    assert measuring.measure_size(data) == measuring.measure_size(data, max_objects=100_000)
    assert (-1, -1) == measuring.measure_size(data, max_objects=3)


def test_memory_in_arrays() -> None:
    """The bytes of an array of numpy count, once, and those of a view are those of its array."""
    numpy: Any = pytest.importorskip("numpy")
    array = numpy.zeros((100, 100), dtype=bool)
    assert 10_000 < measuring.measure_size(array)[0] < 10_300
    assert 10_000 < measuring.measure_size([array, array[1:, 1:], array.T])[0] < 11_000
    assert 1_000 > measuring.measure_size(numpy.broadcast_to(numpy.uint8(1), (100, 100)))[0]
    with Zygote(packages=["numpy"]) as with_numpy:
        source = "import numpy\ndef make_board(n): return numpy.zeros((n, n))\n"
        program = runner(with_numpy, source, imports=["numpy"])
        assert RuleVerdict.BROKEN == ruling_on(MEMORY, ProbeRunner(program)).verdict


def test_memory_is_that_of_data_only() -> None:
    """Types, modules and code take nothing, whatever refers to them; ranges are lazy."""
    assert 0 == measuring.measure_size(int)[0]
    assert 0 == measuring.measure_size(gc)[0]
    assert 0 == measuring.measure_size(test_memory_is_that_of_data_only)[0]
    assert (
        measuring.measure_size(range(1000, 2000))[0] == measuring.measure_size(range(1000, 2001))[0]
    )
    assert measuring.measure_size([[]])[0] < measuring.measure_size([[], []])[0]


def test_shared_memory_counts_once() -> None:
    """An object that can be reached in two ways takes its room once."""
    row = [0] * 1000
    assert (
        measuring.measure_size([row, row])[0] < measuring.measure_size([row, list(row)])[0] - 8000
    )


def test_integers_that_count() -> None:
    """Integers in any structure are replaced, and count when they are compared or hashed."""
    counted = measuring.to_counting_ints(([1, 2], {3}, frozenset({4}), {5: 6}, True, "7"))
    assert ([1, 2], {3}, frozenset({4}), {5: 6}, True, "7") == counted
    assert True is counted[4]
    nine = measuring.to_counting_ints(9)
    for thunk, count in (
        (lambda: nine == 1000, 1),
        (lambda: 1000 < nine, 1),
        (lambda: nine in [1000, 3000, 2000], 3),
        (lambda: nine in {1000: 1}, 1),
        (lambda: nine in range(1000, 3000), 0),
        (lambda: any(number == nine for number in range(1000, 1010)), 10),
        (lambda: nine + 1, 0),
    ):
        assert count == measuring.count_comparisons(thunk)[1]


def test_answers_are_plain_again() -> None:
    """What counts does not leave the call that is counted."""
    pair = measuring.to_counting_ints((1, [2]))
    answer, _, _ = measuring.count_comparisons(lambda: pair)
    assert [int, int] == [type(answer[0]), type(answer[1][0])]


def test_timing_ends_soon() -> None:
    """A slow call is not repeated often, a quick one is; its answer is that of the first call."""
    slow: list[None] = []
    quick: list[int] = []

    def work() -> int:
        slow.append(None)
        return sum(range(3_000_000))

    def add() -> int:
        quick.append(0)
        return len(quick)

    assert sum(range(3_000_000)) == measuring.measure_time(work)[0]
    assert len(slow) < 20
    answer, least, most = measuring.measure_time(add)
    assert 1 == answer
    assert 0 < least <= most
    assert len(quick) > 1000
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("values", "logarithmic", "linear"),
    [((5, 20), True, True), ((4, 6), True, False), ((2, 2), False, False), ((0, 0), False, False)],
)
def test_growth_at_least(values: tuple[int, int], logarithmic: bool, linear: bool) -> None:
    """Depths of recursion that goes through all, through halves, and not at all, are told apart."""
    assert grows_at_least("constant", (5, 20), values)
    assert logarithmic == grows_at_least("logarithmic", (5, 20), values)
    assert linear == grows_at_least("linear", (5, 20), values)


@pytest.mark.parametrize(
    ("values", "growths"),
    [
        ((0, 8), set(GROWTHS)),
        ((100, 62), set(GROWTHS)),
        ((100, 280), set(GROWTHS)),
        ((100, 1000), {"logarithmic", "linear"}),
        ((100, 9700), {"linear"}),
        ((100, 35_000), {"linear"}),
        ((100, 1_600_000), set()),
    ],
)
def test_growth_at_most(values: tuple[int, int], growths: set[Growth]) -> None:
    """Costs of a look-up, a search by halves, a search and sorting are told apart."""
    assert growths == {growth for growth in GROWTHS if grows_at_most(growth, (16, 2048), values)}


def test_memory_of_one_size(zygote: Zygote) -> None:
    """With one size there is nothing that grows."""
    demand = MEMORY.changed(sizes=(8,))
    assert RuleVerdict.PASSED == ruling_on(demand, prober(zygote, SET)).verdict
